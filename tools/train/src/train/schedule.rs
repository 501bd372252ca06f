//! How learning changes on the way.

use super::objective::Objective;

/// How the learning rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fall {
    /// Along half a wave of the cosine, to the last rate
    Cosine,
    /// By a factor every few epochs
    Steps,
}

impl Fall {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Steps => "steps",
        }
    }
}

/// Learning rate and target of every step.
#[derive(Clone, Copy, Debug)]
pub struct LearningSchedule {
    /// The highest learning rate.
    pub rate: f64,
    /// The lowest one.
    pub last_rate: f64,
    /// How it falls.
    pub fall: Fall,
    /// Every so many epochs by the factor.
    pub drop_epochs: u64,
    /// The factor.
    pub drop_factor: f64,
    /// Steps in which the rate rises from nothing.
    pub warmup: u64,
    /// Steps of an epoch.
    pub steps: u64,
    /// Epochs in all.
    pub epochs: u64,
    /// In so many epochs at the end the parameters are used as rounded.
    pub rounded: u64,
    /// How much the result counts, in the first and in the last step.
    pub wdl: [f64; 2],
    /// The power of the loss.
    pub power: f64,
    /// Centipawns that multiply the odds to win by e.
    pub scale: f64,
}

impl LearningSchedule {
    /// The learning rate of step `step`, from 0.
    pub fn rate(&self, step: u64) -> f64 {
        if step < self.warmup {
            return self.rate * (step + 1) as f64 / self.warmup as f64;
        }
        match self.fall {
            Fall::Cosine => {
                let total = (self.steps * self.epochs).saturating_sub(self.warmup).max(1);
                let share = ((step - self.warmup) as f64 / total as f64).min(1.0);
                self.last_rate + (self.rate - self.last_rate) * (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
            }
            Fall::Steps => {
                let drops = step / self.steps / self.drop_epochs;
                (self.rate * self.drop_factor.powf(drops as f64)).max(self.last_rate)
            }
        }
    }

    /// What is minimised in step `step`, from 0.
    pub fn objective(&self, step: u64) -> Objective {
        let last = (self.steps * self.epochs).saturating_sub(1).max(1);
        let share = (step as f64 / last as f64).min(1.0);
        let [start, end] = self.wdl;
        Objective { wdl: start + (end - start) * share, power: self.power, scale: self.scale }
    }

    /// Whether the parameters are used as rounded in epoch `epoch`, from 0.
    pub fn rounds(&self, epoch: u64) -> bool {
        epoch + self.rounded >= self.epochs
    }

    /// What is measured in validation: the goal of the last step, so that all epochs can be compared.
    pub fn goal(&self) -> Objective {
        Objective { wdl: self.wdl[1], power: self.power, scale: self.scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(fall: Fall) -> LearningSchedule {
        LearningSchedule {
            rate: 0.01,
            last_rate: 0.0001,
            fall,
            drop_epochs: 2,
            drop_factor: 0.1,
            warmup: 10,
            steps: 100,
            epochs: 8,
            rounded: 2,
            wdl: [0.2, 0.4],
            power: 2.0,
            scale: 160.0,
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let cosine = schedule(Fall::Cosine);
        for (step, rate) in
            [(0, 0.001), (4, 0.005), (9, 0.01), (10, 0.01), (405, 0.00505), (800, 0.0001), (900, 0.0001)]
        {
            near(cosine.rate(step), rate);
        }
        let steps = schedule(Fall::Steps);
        for (step, rate) in [(4, 0.005), (10, 0.01), (199, 0.01), (200, 0.001), (400, 0.0001), (799, 0.0001)] {
            near(steps.rate(step), rate);
        }
        let whole: Vec<f64> = (10..800).map(|step| cosine.rate(step)).collect();
        assert!(whole.windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn results_count_more_and_more() {
        let schedule = schedule(Fall::Cosine);
        near(schedule.objective(0).wdl, 0.2);
        near(schedule.objective(799).wdl, 0.4);
        near(schedule.objective(799 / 17 * 5).wdl, 0.2 + 0.2 * 235.0 / 799.0);
        assert_eq!(schedule.goal(), schedule.objective(799));
    }
}
