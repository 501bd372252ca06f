//! Progress and remaining time of the measurement.

use super::Kind;
use lento_console::progress::Progress;
use std::time::Duration;

/// Times passes and shows their progress.
pub(super) struct Meter {
    progress: Progress,
    /// `--time`.
    budget: Option<Duration>,
    /// The figures of a round, in order.
    kinds: Vec<Kind>,
    /// Nodes of each figure per round and thread.
    nodes: u64,
    /// Nodes per thread and seconds of each figure so far, of the warm-up until the first position is done.
    pace: [(u64, f64); 2],
    /// The round from 1; 0 in the warm-up.
    round: u32,
    kind: Kind,
    /// Positions done in this pass.
    done: usize,
    /// All positions of this pass.
    positions: usize,
    /// When the warm-up ended.
    warm: Duration,
    /// When the last position ended.
    last: Duration,
}

impl Meter {
    /// Starts timing rounds of these figures, each with `nodes` per thread.
    pub(super) fn start(budget: Option<Duration>, kinds: Vec<Kind>, nodes: u64) -> Self {
        let (kind, zero) = (kinds[0], Duration::ZERO);
        let (progress, pace) = (Progress::start(), [(0, 0.0); 2]);
        Self { progress, budget, kinds, nodes, pace, round: 0, kind, done: 0, positions: 0, warm: zero, last: zero }
    }

    /// Begins a round after the warm-up or a complete round; `false` if no further round fits.
    pub(super) fn begin_round(&mut self) -> bool {
        let elapsed = self.progress.elapsed();
        if self.round == 0 {
            self.warm = elapsed;
        } else if self.budget.is_none_or(|budget| elapsed + (elapsed - self.warm) / self.round > budget) {
            return false;
        }
        self.round += 1;
        true
    }

    /// Begins a pass.
    pub(super) fn begin(&mut self, kind: Kind, positions: usize) {
        (self.kind, self.done, self.positions, self.last) = (kind, 0, positions, self.progress.elapsed());
        self.show();
    }

    /// Counts a position of the current pass with its nodes per thread.
    pub(super) fn position_done(&mut self, nodes: u64, time: Duration) {
        let pace = &mut self.pace[self.kind as usize];
        if self.round == 1 && self.done == 0 {
            *pace = (0, 0.0);
        }
        *pace = (pace.0 + nodes, pace.1 + time.as_secs_f64());
        self.done += 1;
        self.last = self.progress.elapsed();
        self.show();
    }

    /// Shows the progress line.
    pub(super) fn show(&mut self) {
        let left = self.left();
        let kind = if self.kind == Kind::Speed { "speed" } else { "rate" };
        let (done, positions) = (self.done, self.positions);
        let round = match self.round {
            0 => "warm-up, ".into(),
            round if self.budget.is_some() => format!("round {round}, "),
            _ => String::new(),
        };
        self.progress.show(|| format!("{round}{kind}, {done} of {positions} positions done"), left);
    }

    /// The estimated remaining time.
    fn left(&self) -> Option<Duration> {
        let elapsed = self.progress.elapsed();
        let round = self.round_left((elapsed - self.last).as_secs_f64()).unwrap_or_default();
        let budget = self.budget.map_or(Duration::ZERO, |budget| budget.saturating_sub(elapsed));
        (self.round > 0).then_some(round.max(budget)).filter(|left| !left.is_zero())
    }

    /// The estimated remaining time of the round, after `current` seconds of the current position.
    fn round_left(&self, current: f64) -> Option<Duration> {
        let seconds = |kind: Kind| {
            let (nodes, seconds) = self.pace[kind as usize];
            (seconds > 0.0).then(|| self.nodes as f64 * seconds / nodes as f64)
        };
        let all = self.positions as f64;
        let [with_current, without] = [0, 1].map(|less| (self.positions - self.done).saturating_sub(less) as f64 / all);
        let later = self.kinds.iter().skip_while(|kind| **kind != self.kind).skip(1);
        let later = later.map(|kind| seconds(*kind)).sum::<Option<f64>>()?;
        let pass = seconds(self.kind)?;
        let left = (pass * with_current - current).max(pass * without) + later;
        Duration::try_from_secs_f64(left).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two figures of 4 positions and 4000 nodes; the warm-up reaches 1000 nodes/s.
    fn warm(budget: Option<Duration>) -> Meter {
        let mut meter = Meter::start(budget, vec![Kind::Speed, Kind::Rate], 4000);
        for kind in [Kind::Speed, Kind::Rate] {
            meter.begin(kind, 1);
            assert_eq!(meter.left(), None, "unknown in the warm-up");
            meter.position_done(100, Duration::from_millis(100));
        }
        assert!(meter.begin_round());
        meter
    }

    #[test]
    fn remaining_time_follows_the_pace() {
        let mut meter = warm(None);
        let left = |meter: &Meter| meter.round_left(0.0).expect("a pace").as_secs_f64();
        meter.begin(Kind::Speed, 4);
        assert_eq!(left(&meter), 4.0 + 4.0);
        // Twice as slow as the warm-up, which no longer counts.
        meter.position_done(1000, Duration::from_secs(2));
        assert_eq!(left(&meter), 3.0 * 2.0 + 4.0);
        assert_eq!(meter.round_left(1.5), Some(Duration::from_secs_f64(4.5 + 4.0)));
        // A slow position does not shorten later ones.
        assert_eq!(meter.round_left(1e9), Some(Duration::from_secs_f64(4.0 + 4.0)));
        meter.begin(Kind::Rate, 4);
        assert_eq!(left(&meter), 4.0);
        meter.position_done(1000, Duration::from_millis(500));
        assert_eq!(left(&meter), 1.5);
        (0..2).for_each(|_| meter.position_done(1000, Duration::from_millis(500)));
        assert_eq!((left(&meter), meter.round_left(0.6)), (0.5, Some(Duration::ZERO)));
    }

    #[test]
    fn at_least_one_round_is_complete() {
        assert!(!warm(None).begin_round());
        assert!(!warm(Some(Duration::ZERO)).begin_round());
        let mut meter = warm(Some(Duration::from_secs(1 << 30)));
        assert!(meter.begin_round() && meter.begin_round());
        meter.begin(Kind::Rate, 4);
        assert!(meter.left().is_some_and(|left| left > Duration::from_secs(1 << 29)));
    }
}
