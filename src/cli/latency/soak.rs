//! Searches of every kind, one after the other, and how long their answers take.

use super::child::{Line, Session, Silence};
use crate::cli::interrupt::Interrupt;
use crate::cli::spread::{quantile, sorted};
use fastrand::Rng;
use std::time::{Duration, Instant};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// From `stop` to `bestmove`.
    Stop,
    /// From `go` to the first line of play.
    FirstInfo,
    /// How much later than `movetime` says `bestmove` comes; negative: earlier.
    MoveTime,
    /// From `ponderhit`, the clock being used up, to `bestmove`.
    PonderHit,
    /// How much later than the clock's end `bestmove` comes; negative: in time.
    Clock,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Stop, Self::FirstInfo, Self::MoveTime, Self::PonderHit, Self::Clock];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop to bestmove",
            Self::FirstInfo => "go to first info",
            Self::MoveTime => "bestmove after movetime",
            Self::PonderHit => "ponderhit to bestmove",
            Self::Clock => "bestmove after the flag",
        }
    }

    /// For programs.
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

/// The parts of all answers that are told of.
pub const PARTS: [(f64, &str, &str); 5] = [
    (0.5, "50 %", "p50"),
    (0.9, "90 %", "p90"),
    (0.99, "99 %", "p99"),
    (0.999, "99.9 %", "p99_9"),
    (1.0, "max", "max"),
];

/// Milliseconds of each measure, with one number of threads.
#[derive(Clone, Debug, Default)]
pub struct Samples([Vec<f64>; 5]);

impl Samples {
    fn add(&mut self, measure: Measure, ms: f64) {
        self.0[measure as usize].push(ms);
    }

    /// How many there are.
    pub fn count(&self, measure: Measure) -> usize {
        self.0[measure as usize].len()
    }

    /// How many answers came after the flag had fallen.
    pub fn flags(&self) -> usize {
        self.0[Measure::Clock as usize].iter().filter(|&&late| late > 0.0).count()
    }

    /// The earliest, and those of [`PARTS`].
    pub fn percentiles(&self, measure: Measure) -> (f64, [f64; 5]) {
        let samples = sorted(self.0[measure as usize].iter().copied());
        (quantile(&samples, 0.0), PARTS.map(|(part, ..)| quantile(&samples, part)))
    }
}

/// Milliseconds from one moment to another.
fn ms(from: Instant, to: Instant) -> f64 {
    match to.checked_duration_since(from) {
        Some(span) => span.as_secs_f64() * 1e3,
        None => -((from - to).as_secs_f64() * 1e3),
    }
}

/// An engine that searches.
pub struct Soak<'a> {
    /// It.
    pub session: Session,
    /// Ctrl-C.
    pub interrupt: &'a mut Interrupt,
    /// The positions, as FEN.
    pub fens: &'a [String],
    /// Draws positions and times.
    pub random: Rng,
    /// What was measured.
    pub samples: Samples,
}

impl Soak<'_> {
    /// Sets options; what the engine says against them is returned.
    ///
    /// # Errors
    /// The engine does not answer.
    pub fn prepare(&mut self, threads: usize, hash_mib: usize) -> Result<Option<String>, Silence> {
        self.session.say("uci")?;
        self.session.until("uciok", self.interrupt)?;
        self.session.say(&format!("setoption name Hash value {hash_mib}"))?;
        self.session.say(&format!("setoption name Threads value {threads}"))?;
        self.session.say("setoption name Ponder value true")?;
        let lines = self.sync()?;
        let error = |(_, line): &Line| line.strip_prefix("info string error: ").map(str::to_owned);
        Ok(lines.iter().find_map(error))
    }

    fn sync(&mut self) -> Result<Vec<Line>, Silence> {
        self.session.say("isready")?;
        self.session.until("readyok", self.interrupt)
    }

    /// A search of each kind, each of another position.
    ///
    /// # Errors
    /// The engine does not answer.
    pub fn cycle(&mut self) -> Result<(), Silence> {
        self.stop()?;
        self.move_time()?;
        self.ponder_hit()?;
        self.clock()
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.random.u64(0..=most - least)
    }

    /// Sets a position and begins a search.
    fn go(&mut self, limits: &str) -> Result<Instant, Silence> {
        let fens = self.fens;
        let fen = &fens[self.random.usize(..fens.len())];
        self.session.say(&format!("position fen {fen}"))?;
        self.session.say(&format!("go {limits}"))
    }

    /// Waits for the answer, and says when it came.
    fn answer(&mut self) -> Result<(Vec<Line>, Instant), Silence> {
        let lines = self.session.until("bestmove ", self.interrupt)?;
        let when = lines.last().map_or_else(Instant::now, |line| line.0);
        Ok((lines, when))
    }

    fn stop(&mut self) -> Result<(), Silence> {
        let wait = Duration::from_millis(self.between(2, 50));
        let gone = self.go("infinite")?;
        let mut lines = self.session.listen(wait, self.interrupt)?;
        let stopped = self.session.say("stop")?;
        let (more, answered) = self.answer()?;
        lines.extend(more);
        self.samples.add(Measure::Stop, ms(stopped, answered));
        let is_play = |line: &&Line| line.1.starts_with("info depth");
        if let Some(first) = lines.iter().find(is_play) {
            self.samples.add(Measure::FirstInfo, ms(gone, first.0));
        }
        Ok(())
    }

    fn move_time(&mut self) -> Result<(), Silence> {
        let limit = self.between(20, 100);
        let gone = self.go(&format!("movetime {limit}"))?;
        let answered = self.answer()?.1;
        self.samples.add(Measure::MoveTime, ms(gone, answered) - limit as f64);
        Ok(())
    }

    fn ponder_hit(&mut self) -> Result<(), Silence> {
        let clock = self.between(10, 40);
        self.go(&format!("ponder wtime {clock} btime {clock}"))?;
        // More time goes by than the clock has.
        self.session.listen(Duration::from_millis(clock + 10), self.interrupt)?;
        let hit = self.session.say("ponderhit")?;
        let answered = self.answer()?.1;
        self.samples.add(Measure::PonderHit, ms(hit, answered));
        Ok(())
    }

    /// The last move before a time control takes most of the clock, any other a part.
    fn clock(&mut self) -> Result<(), Silence> {
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
    fn spans_have_a_sign() {
        let now = Instant::now();
        let later = now + Duration::from_millis(5);
        assert_eq!((ms(now, later).round(), ms(later, now).round()), (5.0, -5.0));
        assert!(Measure::ALL.iter().enumerate().all(|(at, &measure)| measure as usize == at));
    }
}
