//! Search results and their summary.

use super::bootstrap::{Bootstrap, Interval};
use super::visits::VisitCounts;

/// A timed search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The position, from 0.
    pub position: usize,
    /// Earlier searches of the position on this thread count.
    pub repetition: usize,
    /// Its place in the block's order, from 0.
    pub order: usize,
    pub threads: usize,
    /// From start to result.
    pub seconds: f64,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Hash table use, per mille.
    pub hashfull: u32,
}

/// A counting search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The position, from 0.
    pub position: usize,
    pub threads: usize,
    /// What threads shared.
    pub counts: VisitCounts,
}

/// Seconds and nodes of a position per thread count.
pub type Block = Vec<(f64, f64)>;

/// The complete blocks per position, restricted to these thread counts.
pub fn blocks(runs: &[Run], threads: &[usize]) -> Vec<(usize, Vec<Block>)> {
    let count = runs.iter().map(|run| run.position + 1).max().unwrap_or(0);
    let repetitions = runs.iter().map(|run| run.repetition + 1).max().unwrap_or(0);
    let block = |position, repetition| -> Option<Block> {
        let of =
            |threads| move |run: &&Run| (run.position, run.repetition, run.threads) == (position, repetition, threads);
        threads
            .iter()
            .map(|&threads| runs.iter().find(of(threads)).map(|run| (run.seconds, run.nodes as f64)))
            .collect()
    };
    let blocks = (0..count).map(|position| {
        (position, (0..repetitions).filter_map(|repetition| block(position, repetition)).collect::<Vec<_>>())
    });
    blocks.filter(|(_, blocks)| !blocks.is_empty()).collect()
}

/// The blocks per position, without position numbers.
pub fn groups(runs: &[Run], threads: &[usize]) -> Vec<Vec<Block>> {
    blocks(runs, threads).into_iter().map(|(_, blocks)| blocks).collect()
}

/// Figures of a thread count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Nodes per second.
    pub nps: f64,
    /// Geometric mean of seconds to depth over the positions.
    pub seconds: f64,
    /// Geometric mean of the speed-up over the first thread count.
    pub speedup: f64,
}

/// The figures per thread count.
pub fn figures(groups: &[Vec<&Block>], counts: usize) -> Vec<Figures> {
    let mean = |logarithm: &dyn Fn(&Block) -> f64| {
        let of_position =
            |blocks: &Vec<&Block>| blocks.iter().map(|block| logarithm(block)).sum::<f64>() / blocks.len() as f64;
        (groups.iter().map(of_position).sum::<f64>() / groups.len() as f64).exp()
    };
    let log = |block: &Block, at: usize| block[at].0.max(1e-9).ln();
    let figures = |at: usize| {
        let sum = |part: fn(&(f64, f64)) -> f64| groups.iter().flatten().map(|block| part(&block[at])).sum::<f64>();
        Figures {
            nps: sum(|of| of.1) / sum(|of| of.0).max(1e-9),
            seconds: mean(&|block| log(block, at)),
            speedup: mean(&|block| log(block, 0) - log(block, at)),
        }
    };
    (0..counts).map(figures).collect()
}

/// The results of a thread count.
#[derive(Clone, Debug)]
pub struct Row {
    pub threads: usize,
    /// Number of timed searches.
    pub searches: usize,
    pub nodes: u64,
    pub seconds: f64,
    /// Nodes per second.
    pub nps: Interval,
    /// Nodes per second per thread, relative to the first thread count.
    pub efficiency: Interval,
    /// Geometric mean of seconds to depth over the positions.
    pub time_to_depth: Interval,
    /// Speed-up over the first thread count.
    pub speedup: Interval,
    /// Counts over all positions, if any.
    pub counts: Option<VisitCounts>,
}

/// The results per thread count; empty without a complete block.
pub fn rows(runs: &[Run], counted: &[Counted], threads: &[usize], bootstrap: Bootstrap) -> Vec<Row> {
    let groups = groups(runs, threads);
    if groups.is_empty() {
        return Vec::new();
    }
    let statistics = |groups: &[Vec<&Block>]| -> Vec<f64> {
        let figures = figures(groups, threads.len());
        let relative = |at: usize| figures[at].nps / figures[0].nps.max(1e-9) * threads[0] as f64 / threads[at] as f64;
        (0..figures.len())
            .flat_map(|at| [figures[at].nps, relative(at), figures[at].seconds, figures[at].speedup])
            .collect()
    };
    let intervals = bootstrap.intervals(&groups, statistics);
    let row = |(&threads, of): (&usize, &[Interval])| {
        let mine = || runs.iter().filter(|run| run.threads == threads);
        let mut counts = None::<VisitCounts>;
        for counted in counted.iter().filter(|counted| counted.threads == threads) {
            counts.get_or_insert_default().add(&counted.counts);
        }
        Row {
            threads,
            searches: mine().count(),
            nodes: mine().map(|run| run.nodes).sum(),
            seconds: mine().map(|run| run.seconds).sum(),
            nps: of[0],
            efficiency: of[1],
            time_to_depth: of[2],
            speedup: of[3],
            counts,
        }
    };
    threads.iter().zip(intervals.chunks(4)).map(row).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Synthetic runs of two positions, with a given speed per thread count.
    pub fn synthetic(threads: &[usize], speed: impl Fn(usize) -> f64, repetitions: usize) -> Vec<Run> {
        let mut runs = Vec::new();
        for position in 0..4 {
            for repetition in 0..repetitions {
                for (order, &threads) in threads.iter().enumerate() {
                    let wobble = 1.0 + 0.02 * ((position * 7 + repetition * 3 + threads) % 5) as f64;
                    let seconds = (1.0 + position as f64) * wobble / speed(threads);
                    let nodes = (1e6 * seconds * threads as f64 * 0.9) as u64;
                    runs.push(Run { position, repetition, order, threads, seconds, nodes, hashfull: 10 });
                }
            }
        }
        runs
    }

    #[test]
    fn known_figures_are_recovered() {
        let threads = [1, 2, 4];
        let runs = synthetic(&threads, |count| (count as f64).sqrt(), 3);
        let counts = VisitCounts { lookups: 10, known: 4, shared: 3, shared_known: 2 };
        let counted = [Counted { position: 0, threads: 2, counts }, Counted { position: 1, threads: 2, counts }];
        let rows = rows(&runs, &counted, &threads, Bootstrap { resamples: 200, seed: 1 });
        assert_eq!(rows.iter().map(|row| row.threads).collect::<Vec<_>>(), threads);
        let first = &rows[0];
        assert_eq!((first.efficiency.low, first.efficiency.estimate, first.speedup.high), (1.0, 1.0, 1.0));
        for row in &rows {
            assert_eq!(row.searches, 12);
            assert!((row.speedup.estimate - (row.threads as f64).sqrt()).abs() < 0.05, "{row:?}");
            assert!((row.nps.estimate - 9e5 * row.threads as f64).abs() < 1e3, "{row:?}");
            assert!((row.efficiency.estimate - 1.0).abs() < 1e-3, "{row:?}");
            for interval in [row.nps, row.efficiency, row.time_to_depth, row.speedup] {
                assert!(interval.low <= interval.estimate && interval.estimate <= interval.high, "{interval:?}");
            }
        }
        assert_eq!(rows[1].counts.map(|counts| (counts.lookups, counts.shared)), Some((20, 6)));
        assert!(rows[0].counts.is_none());
    }

    #[test]
    fn incomplete_blocks_are_ignored() {
        let mut runs = synthetic(&[1, 2], |_| 1.0, 2);
        runs.pop();
        let blocks = blocks(&runs, &[1, 2]);
        assert_eq!(blocks.iter().map(|(_, blocks)| blocks.len()).collect::<Vec<_>>(), [2, 2, 2, 1]);
        assert!(rows(&[], &[], &[1], Bootstrap { resamples: 10, seed: 1 }).is_empty());
    }
}
