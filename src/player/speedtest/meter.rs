//! Rounds and progress of the measurement.

use super::Kind;
use lento_console::progress::Progress;
use std::time::Duration;

/// Decides on rounds, and shows the progress.
pub(super) struct Meter {
    progress: Progress,
    /// `--time`.
    budget: Option<Duration>,
    /// The round from 1; 0 in the warm-up.
    round: u32,
    /// When the warm-up ended.
    warm: Duration,
    kind: Kind,
    /// Positions done in this pass.
    done: usize,
    /// All positions of this pass.
    positions: usize,
}

impl Meter {
    /// Starts the time of the warm-up.
    pub(super) fn start(budget: Option<Duration>) -> Self {
        let (progress, warm) = (Progress::start(), Duration::ZERO);
        Self { progress, budget, round: 0, warm, kind: Kind::Speed, done: 0, positions: 0 }
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
        (self.kind, self.done, self.positions) = (kind, 0, positions);
        self.show();
    }

    /// Counts a position of the current pass.
    pub(super) fn position_done(&mut self) {
        self.done += 1;
        self.show();
    }

    /// Shows the progress line.
    pub(super) fn show(&mut self) {
        let kind = if self.kind == Kind::Speed { "speed" } else { "rate" };
        let (done, positions) = (self.done, self.positions);
        let round = match self.round {
            0 => "warm-up, ".into(),
            round if self.budget.is_some() => format!("round {round}, "),
            _ => String::new(),
        };
        let left = self.budget.and_then(|budget| budget.checked_sub(self.progress.elapsed()));
        self.progress.show(|| format!("{round}{kind}, {done} of {positions} positions done"), left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_one_round_is_complete() {
        for (budget, again) in [(None, false), (Some(0), false), (Some(1 << 30), true)] {
            let mut meter = Meter::start(budget.map(Duration::from_secs));
            assert_eq!([(); 3].map(|()| meter.begin_round()), [true, again, again], "{budget:?}");
        }
    }
}
