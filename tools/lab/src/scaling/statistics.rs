//! Statistics of timed searches with bootstrap confidence intervals (B. Efron, "Bootstrap methods: another look at the jackknife",
//! 1979).

use fastrand::Rng;
use lento_common::quantile::{quantile, sorted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const CONFIDENCE: f64 = 0.95;
pub const RESAMPLES: usize = 1000;

/// A timed search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub position: usize,
    /// Earlier searches of the position with this thread count.
    pub repetition: usize,
    /// Index in its block.
    pub order: usize,
    pub threads: usize,
    pub time_ms: f64,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Hash table usage in permille.
    pub hashfull: u32,
}

/// Seconds and nodes of a position per thread count.
pub type Block = Vec<(f64, f64)>;

/// Complete blocks per position, restricted to some thread counts.
pub fn blocks(runs: &[Run], threads: &[usize]) -> BTreeMap<usize, Vec<Block>> {
    let mut partial = BTreeMap::<_, Vec<_>>::new();
    for run in runs {
        if let Some(at) = threads.iter().position(|&count| count == run.threads) {
            let block = partial.entry((run.position, run.repetition)).or_insert_with(|| vec![None; threads.len()]);
            block[at] = Some((run.time_ms / 1e3, run.nodes as f64));
        }
    }
    let mut blocks = BTreeMap::<_, Vec<Block>>::new();
    for ((position, _), block) in partial {
        if let Some(block) = block.into_iter().collect() {
            blocks.entry(position).or_default().push(block);
        }
    }
    blocks
}

/// Nodes per second, efficiency, seconds to depth and speed-up per thread count, as in [`Row`].
pub fn figures(groups: &[Vec<Block>], threads: &[usize]) -> Vec<[f64; 4]> {
    let mean = |logarithm: &dyn Fn(&Block) -> f64| {
        let of_position = |blocks: &Vec<Block>| blocks.iter().map(logarithm).sum::<f64>() / blocks.len() as f64;
        (groups.iter().map(of_position).sum::<f64>() / groups.len() as f64).exp()
    };
    let log = |block: &Block, at: usize| block[at].0.max(1e-9).ln();
    let sum = |at: usize, part: fn(&(f64, f64)) -> f64| -> f64 {
        groups.iter().flatten().map(|block| part(&block[at])).sum()
    };
    let nps = |at: usize| sum(at, |of| of.1).max(1.0) / sum(at, |of| of.0).max(1e-9);
    let per_thread = |at: usize| nps(at) / threads[at] as f64;
    let figures = |at: usize| {
        let speedup = mean(&|block| log(block, 0) - log(block, at));
        [nps(at), per_thread(at) / per_thread(0), mean(&|block| log(block, at)), speedup]
    };
    (0..threads.len()).map(figures).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn scaled(self, factor: f64) -> Self {
        Self { estimate: self.estimate * factor, low: self.low * factor, high: self.high * factor }
    }

    /// `1.93 (1.88 to 1.99)`.
    pub fn text(self, number: impl Fn(f64) -> String) -> String {
        format!("{} ({} to {})", number(self.estimate), number(self.low), number(self.high))
    }
}

/// Bootstrap intervals of statistics of measurements, each a list of positions with repetitions. Resamples draw positions, and
/// repetitions of each, with replacement; if `paired`, the same positions for all measurements.
pub fn intervals<T: Clone>(
    measurements: &[Vec<Vec<T>>],
    paired: bool,
    seed: u64,
    statistics: impl Fn(&[Vec<Vec<T>>]) -> Vec<f64>,
) -> Vec<Interval> {
    let mut random = Rng::with_seed(seed);
    let mut draw = |count: usize| -> Vec<usize> { (0..count).map(|_| random.usize(..count)).collect() };
    let estimates = statistics(measurements);
    let mut columns = vec![Vec::with_capacity(RESAMPLES); estimates.len()];
    for _ in 0..RESAMPLES {
        let mut chosen = Vec::new();
        let mut resampled = Vec::new();
        for groups in measurements {
            if chosen.is_empty() || !paired {
                chosen = draw(groups.len());
            }
            let mut resample =
                |at: &usize| draw(groups[*at].len()).iter().map(|&nth| groups[*at][nth].clone()).collect();
            resampled.push(chosen.iter().map(&mut resample).collect());
        }
        columns.iter_mut().zip(statistics(&resampled)).for_each(|(column, value)| column.push(value));
    }
    let interval = |(estimate, column): (f64, Vec<f64>)| {
        let column = sorted(column);
        let [low, high] = [(1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0].map(|part| quantile(&column, part));
        // With few and very different positions the estimate may lie outside.
        Interval { estimate, low: low.min(estimate), high: high.max(estimate) }
    };
    estimates.into_iter().zip(columns).map(interval).collect()
}

#[derive(Clone, Debug)]
pub struct Row {
    pub threads: usize,
    /// Nodes per second.
    pub nps: Interval,
    /// Nodes per second per thread, relative to the first thread count.
    pub efficiency: Interval,
    /// Geometric mean of seconds to depth over the positions.
    pub seconds: Interval,
    /// Speed-up over the first thread count.
    pub speedup: Interval,
}

/// The results per thread count; empty without a complete block.
pub fn rows(runs: &[Run], threads: &[usize], seed: u64) -> Vec<Row> {
    let groups: Vec<_> = blocks(runs, threads).into_values().collect();
    if groups.is_empty() {
        return Vec::new();
    }
    let intervals = intervals(&[groups], false, seed, |measurements| figures(&measurements[0], threads).concat());
    let row = |(&threads, of): (&usize, &[Interval])| Row {
        threads,
        nps: of[0],
        efficiency: of[1],
        seconds: of[2],
        speedup: of[3],
    };
    threads.iter().zip(intervals.chunks(4)).map(row).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Synthetic runs of four positions with a given speed per thread count.
    pub fn synthetic(threads: &[usize], speed: impl Fn(usize) -> f64, repetitions: usize) -> Vec<Run> {
        let mut runs = Vec::new();
        for position in 0..4 {
            for repetition in 0..repetitions {
                for (order, &threads) in threads.iter().enumerate() {
                    let noise = 1.0 + 0.02 * ((position * 7 + repetition * 3 + threads) % 5) as f64;
                    let seconds = (1.0 + position as f64) * noise / speed(threads);
                    let nodes = (1e6 * seconds * threads as f64 * 0.9) as u64;
                    let time_ms = seconds * 1e3;
                    runs.push(Run { position, repetition, order, threads, time_ms, nodes, hashfull: 10 });
                }
            }
        }
        runs
    }

    #[test]
    fn recovers_known_figures() {
        let threads = [1, 2, 4];
        let runs = synthetic(&threads, |count| (count as f64).sqrt(), 3);
        let rows = rows(&runs, &threads, 1);
        assert_eq!(rows.iter().map(|row| row.threads).collect::<Vec<_>>(), threads);
        let first = &rows[0];
        assert_eq!((first.efficiency.low, first.efficiency.estimate, first.speedup.high), (1.0, 1.0, 1.0));
        for row in &rows {
            assert!((row.speedup.estimate - (row.threads as f64).sqrt()).abs() < 0.05, "{row:?}");
            assert!((row.nps.estimate - 9e5 * row.threads as f64).abs() < 1e3, "{row:?}");
            assert!((row.efficiency.estimate - 1.0).abs() < 1e-3, "{row:?}");
            for interval in [row.nps, row.efficiency, row.seconds, row.speedup] {
                assert!(interval.low <= interval.estimate && interval.estimate <= interval.high, "{interval:?}");
            }
        }
    }

    #[test]
    fn incomplete_blocks_are_ignored() {
        let mut runs = synthetic(&[1, 2], |_| 1.0, 2);
        runs.pop();
        let blocks = blocks(&runs, &[1, 2]);
        assert_eq!(blocks.values().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2, 1]);
        assert!(rows(&[], &[1], 1).is_empty());
    }

    fn mean(groups: &[Vec<f64>]) -> f64 {
        let numbers: Vec<f64> = groups.iter().flatten().copied().collect();
        numbers.iter().sum::<f64>() / numbers.len() as f64
    }

    fn interval_of_mean(groups: &[Vec<f64>], seed: u64) -> Interval {
        intervals(&[groups.to_vec()], false, seed, |measurements| vec![mean(&measurements[0])])[0]
    }

    /// Uniform numbers from 0 to 1, one per group.
    fn uniform(count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut random = Rng::with_seed(seed);
        (0..count).map(|_| vec![random.f64()]).collect()
    }

    /// The mean of n uniform numbers has the standard deviation sqrt(1 / 12 n).
    #[test]
    fn interval_of_a_mean_matches_theory() {
        let width = 2.0 * 1.96 * (1.0 / (12.0 * 400.0_f64)).sqrt();
        let found = interval_of_mean(&uniform(400, 3), 1);
        let ratio = (found.high - found.low) / width;
        assert!((0.88..1.12).contains(&ratio), "{found:?}, {ratio}");
        assert!(found.low < found.estimate && found.estimate < found.high);
    }

    #[test]
    fn intervals_of_constants_are_points_and_seeds_are_reproducible() {
        let constant = interval_of_mean(&vec![vec![2.0, 2.0]; 7], 5);
        assert_eq!(constant, Interval { estimate: 2.0, low: 2.0, high: 2.0 });
        let groups = uniform(20, 9);
        assert_eq!(interval_of_mean(&groups, 5), interval_of_mean(&groups, 5));
        assert_ne!(interval_of_mean(&groups, 5), interval_of_mean(&groups, 6));
    }

    /// The same positions at double speed: paired intervals are exact.
    #[test]
    fn pairing_removes_common_variance() {
        let one = uniform(30, 4);
        let double: Vec<Vec<f64>> = one.iter().map(|group| vec![group[0] * 2.0]).collect();
        let measurements = [one, double];
        let ratio = |measurements: &[Vec<Vec<f64>>]| vec![mean(&measurements[1]) / mean(&measurements[0])];
        let paired = intervals(&measurements, true, 2, ratio)[0];
        assert!((paired.high - paired.low).abs() < 1e-9 && (paired.estimate - 2.0).abs() < 1e-9, "{paired:?}");
        let unpaired = intervals(&measurements, false, 2, ratio)[0];
        assert!(unpaired.high - unpaired.low > 0.1, "{unpaired:?}");
    }
}
