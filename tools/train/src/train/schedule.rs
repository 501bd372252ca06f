//! Objective and learning rate over a run.

use crate::objective::Objective;
use lento_common::number;

/// Objective and learning rate of every step.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Schedule")]
pub struct Schedule {
    /// How much the game's result counts beside the score, from 0 (scores only) to 1 (results only); FROM..TO changes evenly on
    /// the way
    #[arg(long, value_name = "SHARE", help_heading = "Target", default_value = "0.3", value_parser = parse_range)]
    pub wdl: [f64; 2],
    /// Centipawns that multiply the odds to win by e: how much a score says about the result. `lento wdl` shows it as b
    #[arg(long, value_name = "CP", help_heading = "Target", default_value_t = 160.0,
        value_parser = |text: &str| number::within(text, 10.0..=10_000.0, "centipawns from 10 to 10000, such as 160"))]
    pub scale: f64,
    /// Epochs in all, those of the checkpoint included
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::count::<u64>)]
    pub epochs: u64,
    /// Positions for each step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = number::count::<usize>)]
    pub batch: usize,
    /// Highest learning rate
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = parse_rate)]
    pub lr: f64,
    /// Lowest learning rate, where the schedule ends [default: a hundredth of the highest]
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub lr_end: Option<f64>,
    /// Learning rate of the layers of --deep as a multiple of the others'
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "deep",
        value_parser = |text: &str| number::within(text, 0.0..=1000.0, "a factor from 0 to 1000, such as 10"))]
    pub deep_rate: f64,
    /// Steps in which the learning rate rises from zero [default: a fiftieth of all, 1000 at most]
    #[arg(long, value_name = "STEPS")]
    pub warmup: Option<u64>,
    /// How much weights shrink: in each step by this share times the learning rate
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = number::share)]
    pub decay: f64,
    /// Train with rounded weights for this many epochs at the end, which compensates for rounding [default: a fifth of all]
    #[arg(long, value_name = "EPOCHS")]
    pub round_epochs: Option<u64>,
    /// Seed of the first weights and of the order of the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Steps of an epoch, which follow from the data.
    #[arg(skip)]
    pub steps: u64,
}

impl Schedule {
    pub fn last_rate(&self) -> f64 {
        self.lr_end.unwrap_or(self.lr / 100.0)
    }

    /// Steps in which the rate rises from zero.
    pub fn warmup(&self) -> u64 {
        self.warmup.unwrap_or((self.steps * self.epochs / 50).min(1000))
    }

    /// Epochs at the end with rounded parameters.
    pub fn rounded(&self) -> u64 {
        self.round_epochs.unwrap_or(self.epochs.div_ceil(5))
    }

    /// The learning rate of step `step`, from 0: half a wave of the cosine.
    pub fn rate(&self, step: u64) -> f64 {
        let (warmup, last_rate) = (self.warmup(), self.last_rate());
        if step < warmup {
            return self.lr * (step + 1) as f64 / warmup as f64;
        }
        let total = (self.steps * self.epochs).saturating_sub(warmup).max(1);
        let share = ((step - warmup) as f64 / total as f64).min(1.0);
        last_rate + (self.lr - last_rate) * (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
    }

    /// The objective of step `step`, from 0.
    pub fn objective(&self, step: u64) -> Objective {
        let last = (self.steps * self.epochs).saturating_sub(1).max(1);
        let share = (step as f64 / last as f64).min(1.0);
        let [start, end] = self.wdl;
        Objective { wdl: start + (end - start) * share, scale: self.scale }
    }

    /// Whether training uses rounded parameters in epoch `epoch`, from 0.
    pub fn rounds(&self, epoch: u64) -> bool {
        epoch + self.rounded() >= self.epochs
    }

    /// The objective of validation: that of the last step, so that epochs compare.
    pub fn goal(&self) -> Objective {
        Objective { wdl: self.wdl[1], scale: self.scale }
    }
}

fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let parse = |text| number::within(text, 0.0..=1.0, "a number from 0 to 1, or two as in 0.2..0.4");
    match text.split_once("..") {
        Some((from, to)) => Ok([parse(from)?, parse(to)?]),
        None => parse(text).map(|share| [share; 2]),
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    number::within(text, 0.0..=1.0, "a learning rate from 0 to 1, such as 0.001")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule {
            wdl: [0.2, 0.4],
            scale: 160.0,
            epochs: 8,
            batch: 64,
            lr: 0.01,
            lr_end: Some(0.0001),
            warmup: Some(10),
            deep_rate: 1.0,
            decay: 0.01,
            round_epochs: None,
            seed: 1,
            steps: 100,
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let cosine = schedule();
        for (step, rate) in
            [(0, 0.001), (4, 0.005), (9, 0.01), (10, 0.01), (405, 0.00505), (800, 0.0001), (900, 0.0001)]
        {
            near(cosine.rate(step), rate);
        }
        let whole: Vec<f64> = (10..800).map(|step| cosine.rate(step)).collect();
        assert!(whole.windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn results_count_more_and_more() {
        let schedule = schedule();
        near(schedule.objective(0).wdl, 0.2);
        near(schedule.objective(799).wdl, 0.4);
        near(schedule.objective(799 / 17 * 5).wdl, 0.2 + 0.2 * 235.0 / 799.0);
        assert_eq!(schedule.goal(), schedule.objective(799));
        assert!(!schedule.rounds(5) && schedule.rounds(6));
    }
}
