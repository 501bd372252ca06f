//! Bootstrap confidence intervals. (B. Efron, "Bootstrap methods: another look at the jackknife", 1979.)
//!
//! Resamples draw positions with replacement, and for each position its repetitions with replacement.

use fastrand::Rng;
use lento::cli::spread::{quantile, sorted};

/// An estimate with a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Parameters of the bootstrap.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    pub resamples: usize,
    /// Random seed.
    pub seed: u64,
}

/// The confidence level.
pub const CONFIDENCE: f64 = 0.95;

/// Draws repetitions of the chosen positions.
fn draw<'a, T>(random: &mut Rng, groups: &'a [Vec<T>], chosen: &[usize]) -> Vec<Vec<&'a T>> {
    let draw = |&at: &usize| {
        let group = &groups[at];
        (0..group.len()).map(|_| &group[random.usize(..group.len())]).collect()
    };
    chosen.iter().map(draw).collect()
}

fn all<T>(groups: &[Vec<T>]) -> Vec<Vec<&T>> {
    groups.iter().map(|group| group.iter().collect()).collect()
}

impl Bootstrap {
    /// Intervals of several statistics. Each position needs at least one repetition.
    pub fn intervals<T>(self, groups: &[Vec<T>], statistics: impl Fn(&[Vec<&T>]) -> Vec<f64>) -> Vec<Interval> {
        let mut random = Rng::with_seed(self.seed);
        let resample = || {
            let chosen = choose(&mut random, groups.len());
            statistics(&draw(&mut random, groups, &chosen))
        };
        self.spread(&statistics(&all(groups)), resample)
    }

    /// Intervals of statistics of two measurements. If `paired`, each resample draws the same positions for both.
    pub fn compare<T>(
        self,
        [one, other]: [&[Vec<T>]; 2],
        paired: bool,
        statistics: impl Fn(&[Vec<&T>], &[Vec<&T>]) -> Vec<f64>,
    ) -> Vec<Interval> {
        let mut random = Rng::with_seed(self.seed);
        let resample = || {
            let chosen = choose(&mut random, one.len());
            let also = if paired { chosen.clone() } else { choose(&mut random, other.len()) };
            let first = draw(&mut random, one, &chosen);
            statistics(&first, &draw(&mut random, other, &also))
        };
        self.spread(&statistics(&all(one), &all(other)), resample)
    }

    fn spread(self, estimates: &[f64], mut resample: impl FnMut() -> Vec<f64>) -> Vec<Interval> {
        let mut columns = vec![Vec::with_capacity(self.resamples); estimates.len()];
        for _ in 0..self.resamples {
            columns.iter_mut().zip(resample()).for_each(|(column, value)| column.push(value));
        }
        let interval = |(&estimate, column): (&f64, Vec<f64>)| {
            let column = sorted(column);
            let [low, high] = [(1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0].map(|part| quantile(&column, part));
            // With few, very different positions the estimate may lie outside.
            Interval { estimate, low: low.min(estimate), high: high.max(estimate) }
        };
        estimates.iter().zip(columns).map(interval).collect()
    }
}

fn choose(random: &mut Rng, count: usize) -> Vec<usize> {
    (0..count).map(|_| random.usize(..count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(groups: &[Vec<&f64>]) -> Vec<f64> {
        let numbers: Vec<f64> = groups.iter().flatten().map(|&&number| number).collect();
        vec![numbers.iter().sum::<f64>() / numbers.len() as f64]
    }

    /// Uniform numbers from 0 to 1, one per group.
    fn even(count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut random = Rng::with_seed(seed);
        (0..count).map(|_| vec![random.f64()]).collect()
    }

    /// The mean of n uniform numbers has the standard deviation sqrt(1 / 12 n).
    #[test]
    fn the_interval_of_a_mean_matches_theory() {
        let bootstrap = Bootstrap { resamples: 2000, seed: 1 };
        let width = 2.0 * 1.96 * (1.0 / (12.0 * 400.0_f64)).sqrt();
        let found = bootstrap.intervals(&even(400, 3), mean)[0];
        let ratio = (found.high - found.low) / width;
        assert!((0.9..1.1).contains(&ratio), "{found:?}, {ratio}");
        assert!(found.low < found.estimate && found.estimate < found.high);
    }

    #[test]
    fn intervals_have_the_stated_coverage() {
        let bootstrap = Bootstrap { resamples: 300, seed: 1 };
        let held = (0..200).filter(|&seed| {
            let found = bootstrap.intervals(&even(60, 1000 + seed), mean)[0];
            (found.low..found.high).contains(&0.5)
        });
        let held = held.count();
        assert!((178..=199).contains(&held), "{held} of 200");
    }

    #[test]
    fn constant_data_has_no_spread_and_seeds_repeat() {
        let bootstrap = Bootstrap { resamples: 100, seed: 5 };
        let sure = bootstrap.intervals(&vec![vec![2.0, 2.0]; 7], mean)[0];
        assert_eq!(sure, Interval { estimate: 2.0, low: 2.0, high: 2.0 });
        let groups = even(20, 9);
        assert_eq!(bootstrap.intervals(&groups, mean), bootstrap.intervals(&groups, mean));
        let other = Bootstrap { seed: 6, ..bootstrap }.intervals(&groups, mean);
        assert_ne!(bootstrap.intervals(&groups, mean), other);
    }

    /// The same positions twice, once twice as fast: paired intervals are exact.
    #[test]
    fn pairing_removes_common_variance() {
        let bootstrap = Bootstrap { resamples: 200, seed: 2 };
        let one = even(30, 4);
        let double: Vec<Vec<f64>> = one.iter().map(|group| vec![group[0] * 2.0]).collect();
        let ratio = |a: &[Vec<&f64>], b: &[Vec<&f64>]| vec![mean(b)[0] / mean(a)[0]];
        let paired = bootstrap.compare([&one, &double], true, ratio)[0];
        assert!((paired.high - paired.low).abs() < 1e-9 && (paired.estimate - 2.0).abs() < 1e-9, "{paired:?}");
        let unpaired = bootstrap.compare([&one, &double], false, ratio)[0];
        assert!(unpaired.high - unpaired.low > 0.1, "{unpaired:?}");
    }
}
