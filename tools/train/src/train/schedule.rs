//! Objective and learning rate during a run.

use crate::objective::Objective;
use lento_common::number;

/// Objective and learning rate of every step.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Schedule")]
pub struct Schedule {
    /// Weight of the result against the score, from 0 (scores only) to 1 (results only); FROM..TO changes linearly
    #[arg(long, value_name = "SHARE", help_heading = "Target", default_value = "0.3", value_parser = parse_range)]
    pub wdl: [f64; 2],
    /// Centipawns per factor e in the odds to win. `lento wdl` shows it as b
    #[arg(long, value_name = "CP", help_heading = "Target", default_value_t = 160.0,
        value_parser = |text: &str| number::within(text, 10.0..=10_000.0, "centipawns from 10 to 10000, such as 160"))]
    pub scale: f64,
    /// Total epochs, including those of the checkpoint
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::count::<u64>)]
    pub epochs: u64,
    /// Positions per step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = number::count::<usize>)]
    pub batch: usize,
    /// Maximum learning rate
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = parse_rate)]
    pub lr: f64,
    /// Learning rate at the end of the schedule [default: a hundredth of the maximum]
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub lr_end: Option<f64>,
    /// Warmup steps of the learning rate [default: a fiftieth of all, at most 1000]
    #[arg(long, value_name = "STEPS")]
    pub warmup: Option<u64>,
    /// Weight decay per step, as a multiple of the learning rate
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = number::share)]
    pub decay: f64,
    /// Final epochs with rounded weights, to compensate for rounding [default: a fifth of all]
    #[arg(long, value_name = "EPOCHS")]
    pub round_epochs: Option<u64>,
    /// Seed of the initial weights and the order of positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Steps per epoch, determined by the data.
    #[arg(skip)]
    pub steps: u64,
}

impl Schedule {
    pub fn last_rate(&self) -> f64 {
        self.lr_end.unwrap_or(self.lr / 100.0)
    }

    pub fn warmup(&self) -> u64 {
        self.warmup.unwrap_or((self.steps * self.epochs / 50).min(1000))
    }

    /// Final epochs with rounded parameters.
    pub fn rounded(&self) -> u64 {
        self.round_epochs.unwrap_or(self.epochs.div_ceil(5))
    }

    /// The learning rate of a step, from 0: cosine decay after the warmup.
    pub fn rate(&self, step: u64) -> f64 {
        let (warmup, last_rate) = (self.warmup(), self.last_rate());
        if step < warmup {
            return self.lr * (step + 1) as f64 / warmup as f64;
        }
        let total = (self.steps * self.epochs).saturating_sub(warmup).max(1);
        let share = ((step - warmup) as f64 / total as f64).min(1.0);
        last_rate + (self.lr - last_rate) * (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
    }

    /// The objective of a step, from 0.
    pub fn objective(&self, step: u64) -> Objective {
        let last = (self.steps * self.epochs).saturating_sub(1).max(1);
        let share = (step as f64 / last as f64).min(1.0);
        let [start, end] = self.wdl;
        Objective { wdl: start + (end - start) * share, scale: self.scale }
    }

    /// Whether training uses rounded parameters in an epoch, from 0.
    pub fn rounds(&self, epoch: u64) -> bool {
        epoch >= self.epochs.saturating_sub(self.rounded())
    }

    /// The validation objective: that of the last step, so that epochs are comparable.
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
            decay: 0.01,
            round_epochs: None,
            seed: 1,
            steps: 100,
        }
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn rate_has_warmup_and_decay() {
        let cosine = schedule();
        for (step, rate) in
            [(0, 0.001), (4, 0.005), (9, 0.01), (10, 0.01), (405, 0.00505), (800, 0.0001), (900, 0.0001)]
        {
            assert_near(cosine.rate(step), rate);
        }
        let decay: Vec<f64> = (10..800).map(|step| cosine.rate(step)).collect();
        assert!(decay.windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn objective_changes_linearly() {
        let schedule = schedule();
        assert_near(schedule.objective(0).wdl, 0.2);
        assert_near(schedule.objective(799).wdl, 0.4);
        assert_near(schedule.objective(799 / 17 * 5).wdl, 0.2 + 0.2 * 235.0 / 799.0);
        assert_eq!(schedule.goal(), schedule.objective(799));
        assert!(!schedule.rounds(5) && schedule.rounds(6));
        let always = Schedule { round_epochs: Some(u64::MAX), ..schedule };
        assert!((0..8).all(|epoch| always.rounds(epoch)));
    }
}
