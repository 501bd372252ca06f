//! Searches of every kind with measured response times.

use super::child::{Line, Session, SessionError};
use fastrand::Rng;
use lento::cli::interrupt::Stop;
use lento_common::quantile::{quantile, sorted};
use std::time::{Duration, Instant};

/// A measured response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// From `stop` to `bestmove`.
    Stop,
    /// From `go` to the first `pv`.
    FirstInfo,
    /// From the end of `movetime` to `bestmove`; negative if earlier.
    MoveTime,
    /// From `ponderhit` with an expired clock to `bestmove`.
    PonderHit,
    /// From the end of the clock to `bestmove`; negative if in time.
    Clock,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 5] = [Self::Stop, Self::FirstInfo, Self::MoveTime, Self::PonderHit, Self::Clock];

    /// The name for text tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop to bestmove",
            Self::FirstInfo => "go to first info",
            Self::MoveTime => "bestmove after movetime",
            Self::PonderHit => "ponderhit to bestmove",
            Self::Clock => "bestmove after the flag",
        }
    }

    /// The JSON key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::FirstInfo => "first_info",
            Self::MoveTime => "movetime",
            Self::PonderHit => "ponderhit",
            Self::Clock => "clock",
        }
    }
}

/// The reported quantiles.
pub const PARTS: [(f64, &str, &str); 5] = [
    (0.5, "50 %", "p50"),
    (0.9, "90 %", "p90"),
    (0.99, "99 %", "p99"),
    (0.999, "99.9 %", "p99_9"),
    (1.0, "max", "max"),
];

/// Milliseconds per measure.
#[derive(Clone, Debug, Default)]
pub struct Samples([Vec<f64>; 5]);

impl Samples {
    fn add(&mut self, measure: Measure, ms: f64) {
        self.0[measure as usize].push(ms);
    }

    /// The number of measurements.
    pub fn count(&self, measure: Measure) -> usize {
        self.0[measure as usize].len()
    }

    /// The number of moves after the flag.
    pub fn flags(&self) -> usize {
        self.0[Measure::Clock as usize].iter().filter(|&&late| late > 0.0).count()
    }

    /// The minimum and the quantiles of [`PARTS`].
    pub fn percentiles(&self, measure: Measure) -> (f64, [f64; 5]) {
        let samples = sorted(self.0[measure as usize].iter().copied());
        (quantile(&samples, 0.0), PARTS.map(|(part, ..)| quantile(&samples, part)))
    }
}

/// Signed milliseconds between two instants.
fn ms(from: Instant, to: Instant) -> f64 {
    match to.checked_duration_since(from) {
        Some(span) => span.as_secs_f64() * 1e3,
        None => -((from - to).as_secs_f64() * 1e3),
    }
}

/// A running test.
pub struct Soak<'a> {
    pub session: Session,
    /// Ctrl-C handling.
    pub stop: &'a Stop,
    /// Positions as FEN.
    pub fens: &'a [String],
    /// The random generator for positions and times.
    pub random: Rng,
    /// The measurements.
    pub samples: Samples,
}

impl Soak<'_> {
    /// Sets options and returns the engine's error, if any.
    ///
    /// # Errors
    /// The engine does not answer.
    pub fn prepare(&mut self, threads: usize, hash_mib: usize) -> Result<Option<String>, SessionError> {
        self.session.send("uci")?;
        self.session.until("uciok", self.stop)?;
        self.session.send(&format!("setoption name Hash value {hash_mib}"))?;
        self.session.send(&format!("setoption name Threads value {threads}"))?;
        self.session.send("setoption name Ponder value true")?;
        let lines = self.sync()?;
        let error = |(_, line): &Line| line.strip_prefix("info string error: ").map(str::to_owned);
        Ok(lines.iter().find_map(error))
    }

    fn sync(&mut self) -> Result<Vec<Line>, SessionError> {
        self.session.send("isready")?;
        self.session.until("readyok", self.stop)
    }

    /// Runs one search of each kind, each on another position.
    ///
    /// # Errors
    /// The engine does not answer.
    pub fn cycle(&mut self) -> Result<(), SessionError> {
        self.stop()?;
        self.move_time()?;
        self.ponder_hit()?;
        self.clock()
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.random.u64(0..=most - least)
    }

    /// Starts a search of a random position.
    fn go(&mut self, limits: &str) -> Result<Instant, SessionError> {
        let fens = self.fens;
        let fen = &fens[self.random.usize(..fens.len())];
        self.session.send(&format!("position fen {fen}"))?;
        self.session.send(&format!("go {limits}"))
    }

    /// Waits for `bestmove` and returns its time.
    fn answer(&mut self) -> Result<(Vec<Line>, Instant), SessionError> {
        let lines = self.session.until("bestmove ", self.stop)?;
        let when = lines.last().map_or_else(Instant::now, |line| line.0);
        Ok((lines, when))
    }

    fn stop(&mut self) -> Result<(), SessionError> {
        let wait = Duration::from_millis(self.between(2, 50));
        let gone = self.go("infinite")?;
        let mut lines = self.session.listen(wait, self.stop)?;
        let stopped = self.session.send("stop")?;
        let (more, answered) = self.answer()?;
        lines.extend(more);
        self.samples.add(Measure::Stop, ms(stopped, answered));
        let is_play = |line: &&Line| line.1.starts_with("info depth");
        if let Some(first) = lines.iter().find(is_play) {
            self.samples.add(Measure::FirstInfo, ms(gone, first.0));
        }
        Ok(())
    }

    fn move_time(&mut self) -> Result<(), SessionError> {
        let limit = self.between(20, 100);
        let gone = self.go(&format!("movetime {limit}"))?;
        let answered = self.answer()?.1;
        self.samples.add(Measure::MoveTime, ms(gone, answered) - limit as f64);
        Ok(())
    }

    fn ponder_hit(&mut self) -> Result<(), SessionError> {
        let clock = self.between(10, 40);
        self.go(&format!("ponder wtime {clock} btime {clock}"))?;
        // Let the clock expire.
        self.session.listen(Duration::from_millis(clock + 10), self.stop)?;
        let hit = self.session.send("ponderhit")?;
        let answered = self.answer()?.1;
        self.samples.add(Measure::PonderHit, ms(hit, answered));
        Ok(())
    }

    /// The last move before a time control may use most of the clock, any other only a part.
    fn clock(&mut self) -> Result<(), SessionError> {
        let clock = self.between(40, 150);
        let rest = ["", " movestogo 1"][self.random.usize(..2)];
        let gone = self.go(&format!("wtime {clock} btime {clock}{rest}"))?;
        let answered = self.answer()?.1;
        self.samples.add(Measure::Clock, ms(gone, answered) - clock as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_ascend_and_flags_are_counted() {
        let mut samples = Samples::default();
        (0..1000).rev().for_each(|nth| samples.add(Measure::Stop, f64::from(nth)));
        let (least, parts) = samples.percentiles(Measure::Stop);
        assert!(least == 0.0 && parts.is_sorted() && parts[4] == 999.0 && parts[0] == 499.5, "{parts:?}");
        for late in [-20.0, 0.0, 3.0] {
            samples.add(Measure::Clock, late);
        }
        assert_eq!((samples.flags(), samples.count(Measure::Clock), samples.count(Measure::PonderHit)), (1, 3, 0));
        assert_eq!(samples.percentiles(Measure::PonderHit), (0.0, [0.0; 5]));
    }

    #[test]
    fn durations_are_signed() {
        let now = Instant::now();
        let later = now + Duration::from_millis(5);
        assert_eq!((ms(now, later).round(), ms(later, now).round()), (5.0, -5.0));
        assert!(Measure::ALL.iter().enumerate().all(|(at, &measure)| measure as usize == at));
    }
}
