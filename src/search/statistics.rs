//! Statistics of late move reductions and Last Best Reply.

use super::job::Job;
use super::observer::Observer;
use super::worker::{Instrument, Worker};
use crate::chess::{Board, Move};
use crate::sync::Mutex;
use std::ops::Range;

/// Names of the counts of Last Best Reply.
pub const LBR_COUNTS: [&str; 5] = ["nodes", "first matches", "second matches", "best", "cutoffs"];

/// Statistics of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Last Best Reply, each count including the next ([`LBR_COUNTS`]): nodes whose moves were searched; where a reply to the
    /// previous moves is stored; where it is legal; where it was the best move; where it failed high.
    pub lbr: [u64; 5],
    /// Reductions.
    pub lmr: LmrStats,
}

impl SearchStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        for (count, other) in self.lbr.iter_mut().zip(other.lbr) {
            *count += other;
        }
        for (cell, other) in self.lmr.cells.as_flattened_mut().iter_mut().zip(other.lmr.cells.as_flattened()) {
            cell.add(other);
        }
    }
}

impl Observer for SearchStats {
    fn searched(&mut self, depth: i32, number: usize, reduction: i32, confirmed: Option<bool>) {
        let cell = self.lmr.cell(depth, number);
        cell.moves += 1;
        if reduction > 0 {
            cell.reduced += 1;
            cell.plies += reduction as u64;
            cell.verified += u64::from(confirmed.is_some());
            cell.confirmed += u64::from(confirmed == Some(true));
        }
    }

    fn finished(&mut self, board: &Board, reply: Option<Move>, best: Option<Move>, cutoff: bool) {
        let matched = reply.is_some() && best == reply;
        let legal = reply.is_some_and(|reply| board.is_legal(reply));
        let cases = [true, reply.is_some(), legal, matched, matched && cutoff];
        for (count, holds) in self.lbr.iter_mut().zip(cases) {
            *count += u64::from(holds);
        }
    }
}

/// Sums the statistics of completed threads.
impl Instrument for Mutex<SearchStats> {
    fn search(&self, worker: &mut Worker, job: &Job) {
        let mut stats = SearchStats::default();
        worker.search(job, Some(&mut stats));
        self.lock().add(&stats);
    }
}

/// Counts of moves by reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Moves searched.
    pub moves: u64,
    /// Reduced moves.
    pub reduced: u64,
    /// Sum of the reductions in plies.
    pub plies: u64,
    /// Reduced moves that failed high and were searched again at full depth.
    pub verified: u64,
    /// Moves that failed high again at full depth.
    pub confirmed: u64,
}

/// A measure of a recipe and its healthy range by the Chess Programming Guide ("Late Move Reductions", measuring
/// effectiveness).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The name.
    pub name: &'static str,
    /// The value; `None` without counts.
    pub value: Option<f64>,
    /// The unit.
    pub unit: &'static str,
    /// The healthy range, if the guide gives one.
    pub healthy: Option<(f64, f64)>,
}

impl Measure {
    /// "below", "inside" or "above" the healthy range.
    pub fn place(&self) -> Option<&'static str> {
        let ((low, high), value) = (self.healthy?, self.value?);
        Some(match value {
            _ if value < low => "below",
            _ if value > high => "above",
            _ => "inside",
        })
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.moves += other.moves;
        self.reduced += other.reduced;
        self.plies += other.plies;
        self.verified += other.verified;
        self.confirmed += other.confirmed;
    }

    /// Percentage of moves reduced, their average reduction, percentage of reduced moves searched again, and of those the
    /// percentage that failed high again.
    pub fn measures(&self) -> [Measure; 4] {
        let average = (self.reduced > 0).then(|| self.plies as f64 / self.reduced as f64);
        let measure = |name, value, unit, healthy| Measure { name, value, unit, healthy };
        [
            measure("moves reduced", share(self.reduced, self.moves), "%", Some((40.0, 60.0))),
            measure("average reduction", average, "plies", Some((1.5, 2.5))),
            measure("searched again", share(self.verified, self.reduced), "%", Some((10.0, 20.0))),
            measure("failed high again", share(self.confirmed, self.verified), "%", None),
        ]
    }
}

/// Depths and numbers counted separately; larger ones are counted with the last.
const DEPTHS: usize = 32;
const NUMBERS: usize = 64;

/// Counts by depth of the node and number of the move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LmrStats {
    cells: Box<[[Counts; NUMBERS]; DEPTHS]>,
}

impl Default for LmrStats {
    fn default() -> Self {
        Self { cells: Box::new([[Counts::default(); NUMBERS]; DEPTHS]) }
    }
}

impl LmrStats {
    #[inline(always)]
    fn cell(&mut self, depth: i32, number: usize) -> &mut Counts {
        &mut self.cells[(depth.max(0) as usize).min(DEPTHS - 1)][number.min(NUMBERS - 1)]
    }

    /// The counts of all moves.
    pub fn total(&self) -> Counts {
        self.sum(0..DEPTHS, 0..NUMBERS)
    }

    fn sum(&self, depths: Range<usize>, numbers: Range<usize>) -> Counts {
        let mut sum = Counts::default();
        let cells = self.cells[depths].iter().flat_map(|row| &row[numbers.clone()]);
        cells.for_each(|cell| sum.add(cell));
        sum
    }

    /// Nonempty counts by depth of the node.
    pub fn by_depth(&self) -> Vec<(String, Counts)> {
        let bounds: [usize; DEPTHS + 1] = std::array::from_fn(|depth| depth);
        rows(&bounds, |depths| self.sum(depths, 0..NUMBERS))
    }

    /// Nonempty counts by ranges of the number of the move.
    pub fn by_number(&self) -> Vec<(String, Counts)> {
        rows(&[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, NUMBERS], |numbers| self.sum(0..DEPTHS, numbers))
    }
}

/// Nonempty counts by the ranges between these bounds, named "3", "5-6", and the last one "33-".
fn rows(bounds: &[usize], sum: impl Fn(Range<usize>) -> Counts) -> Vec<(String, Counts)> {
    let row = |range: &[usize]| {
        let (start, end) = (range[0], range[1]);
        let name = match end - start {
            _ if bounds.ends_with(range) => format!("{start}-"),
            1 => start.to_string(),
            _ => format!("{start}-{}", end - 1),
        };
        Some((name, sum(start..end))).filter(|(_, counts)| counts.moves > 0)
    };
    bounds.windows(2).filter_map(row).collect()
}

/// Statistics of searches to a depth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LmrReport {
    /// The recipe.
    pub recipe: &'static str,
    /// The depth, in plies.
    pub depth: i32,
    /// Nodes with the recipe.
    pub nodes: u64,
    /// Nodes to the same depth without reductions, if searched.
    pub nodes_off: Option<u64>,
    /// The counts.
    pub stats: SearchStats,
}

impl LmrReport {
    /// The measures over all moves.
    pub fn measures(&self) -> Vec<Measure> {
        let saved = self.nodes_off.map(|off| 100.0 * (1.0 - self.nodes as f64 / off.max(1) as f64));
        let saved = Measure { name: "nodes saved", value: saved, unit: "%", healthy: Some((40.0, 60.0)) };
        self.stats.lmr.total().measures().into_iter().chain([saved]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveKind, Square};

    fn sample() -> SearchStats {
        let mut stats = SearchStats::default();
        stats.searched(5, 1, 0, None);
        stats.searched(5, 2, 0, None);
        stats.searched(5, 6, 2, None);
        stats.searched(5, 6, 1, Some(false));
        stats.searched(90, 200, 3, Some(true));
        stats.searched(3, 40, -1, None);
        stats
    }

    #[test]
    fn totals_and_measures() {
        let total = sample().lmr.total();
        assert_eq!(total, Counts { moves: 6, reduced: 3, plies: 6, verified: 2, confirmed: 1 });
        let values = total.measures().map(|measure| measure.value.unwrap());
        assert_eq!(values, [50.0, 2.0, 200.0 / 3.0, 50.0]);
        let places = total.measures().map(|measure| measure.place());
        assert_eq!(places, [Some("inside"), Some("inside"), Some("above"), None]);
        assert_eq!(Counts::default().measures().map(|measure| measure.value), [None; 4]);
    }

    #[test]
    fn rows_count_every_move_once() {
        let mut stats = sample();
        stats.add(&sample());
        for rows in [stats.lmr.by_depth(), stats.lmr.by_number()] {
            assert_eq!(rows.iter().map(|(_, counts)| counts.moves).sum::<u64>(), 12);
        }
        let names = |rows: Vec<(String, Counts)>| rows.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(stats.lmr.by_depth()), ["3", "5", "31-"]);
        assert_eq!(names(stats.lmr.by_number()), ["1", "2", "5-6", "33-"]);
    }

    #[test]
    fn report_compares_with_nodes_without_reductions() {
        let report = LmrReport { recipe: "tuned", depth: 9, nodes: 25, nodes_off: Some(100), stats: sample() };
        let saved = report.measures()[4];
        assert_eq!((saved.value, saved.place()), (Some(75.0), Some("above")));
    }

    #[test]
    fn each_reply_count_includes_the_next() {
        let board = Board::start();
        let legal = Move::new(Square::G1, Square::F3, MoveKind::Quiet);
        let illegal = Move::new(Square::G1, Square::F3, MoveKind::Capture);
        let other = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
        let mut stats = SearchStats::default();
        for (reply, best, cutoff) in [
            (None, None, false),
            (None, Some(legal), true),
            (Some(illegal), Some(legal), true),
            (Some(legal), None, false),
            (Some(legal), Some(other), true),
            (Some(legal), Some(legal), false),
            (Some(legal), Some(legal), true),
        ] {
            stats.finished(&board, reply, best, cutoff);
        }
        assert_eq!(stats.lbr, [7, 5, 4, 2, 1]);
    }
}
