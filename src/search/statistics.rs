//! Statistics of late move reductions and Last Best Reply.

use super::job::Job;
use super::observer::{Instrument, Observer, SearchedMove};
use super::results::ThreadResult;
use super::worker::Worker;
use crate::chess::{Board, Move};
use crate::sync::Mutex;
use std::ops::Range;

/// Statistics of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Last Best Reply.
    pub lbr: LbrStats,
    /// Reductions.
    pub lmr: LmrStats,
}

impl SearchStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.lbr.add(&other.lbr);
        self.lmr.add(&other.lmr);
    }
}

impl Observer for SearchStats {
    #[inline(always)]
    fn searched(&mut self, mv: SearchedMove) {
        let cell = self.lmr.cell(mv.depth, mv.number);
        cell.moves += 1;
        if mv.reduction > 0 {
            cell.reduced += 1;
            cell.plies += mv.reduction as u64;
            cell.verified += u64::from(mv.researched);
            cell.confirmed += u64::from(mv.confirmed);
        }
    }

    #[inline(always)]
    fn finished(&mut self, board: &Board, reply: Option<Move>, best: Option<Move>, cutoff: bool) {
        let lbr = &mut self.lbr;
        lbr.nodes += 1;
        let Some(reply) = reply else { return };
        let matched = best == Some(reply);
        lbr.first_matches += 1;
        lbr.second_matches += u64::from(board.is_legal(reply));
        lbr.best += u64::from(matched);
        lbr.cutoffs += u64::from(matched && cutoff);
    }
}

/// Sums the statistics of the threads.
#[derive(Default)]
pub struct Collector(Mutex<SearchStats>);

impl Collector {
    /// The sum over completed threads.
    pub fn sum(&self) -> SearchStats {
        self.0.lock().clone()
    }
}

impl Instrument for Collector {
    fn search(&self, worker: &mut Worker, job: &Job) -> ThreadResult {
        let mut stats = SearchStats::default();
        let result = worker.search(job, &mut stats);
        self.0.lock().add(&stats);
        result
    }
}

/// Counts of Last Best Reply. Each includes the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LbrStats {
    /// Nodes whose moves were searched.
    pub nodes: u64,
    /// First match: a reply to the previous moves is stored.
    pub first_matches: u64,
    /// Second match: the reply is legal.
    pub second_matches: u64,
    /// The reply was the best move.
    pub best: u64,
    /// The reply failed high.
    pub cutoffs: u64,
}

impl LbrStats {
    fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
        self.best += other.best;
        self.cutoffs += other.cutoffs;
    }

    /// The counts with their names.
    pub fn rows(&self) -> [(&'static str, u64); 5] {
        [
            ("nodes", self.nodes),
            ("first matches", self.first_matches),
            ("second matches", self.second_matches),
            ("best", self.best),
            ("cutoffs", self.cutoffs),
        ]
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

    fn add(&mut self, other: &Self) {
        for (row, others) in self.cells.iter_mut().zip(other.cells.iter()) {
            for (cell, other) in row.iter_mut().zip(others) {
                cell.add(other);
            }
        }
    }

    /// The counts of all moves.
    pub fn total(&self) -> Counts {
        self.sum(0..DEPTHS, 0..NUMBERS)
    }

    fn sum(&self, depths: Range<usize>, numbers: Range<usize>) -> Counts {
        let mut sum = Counts::default();
        for row in &self.cells[depths] {
            for cell in &row[numbers.clone()] {
                sum.add(cell);
            }
        }
        sum
    }

    /// Nonempty counts by depth of the node.
    pub fn by_depth(&self) -> Vec<(String, Counts)> {
        let rows =
            (0..DEPTHS).map(|depth| (range_name(depth..depth + 1, DEPTHS), self.sum(depth..depth + 1, 0..NUMBERS)));
        rows.filter(|(_, counts)| counts.moves > 0).collect()
    }

    /// Nonempty counts by ranges of the number of the move.
    pub fn by_number(&self) -> Vec<(String, Counts)> {
        const BOUNDS: [usize; 12] = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, NUMBERS];
        let ranges = BOUNDS.windows(2).map(|bounds| bounds[0]..bounds[1]);
        let rows = ranges.map(|range| (range_name(range.clone(), NUMBERS), self.sum(0..DEPTHS, range)));
        rows.filter(|(_, counts)| counts.moves > 0).collect()
    }
}

/// "3", "5-6", or "33-" for a range that ends at `last`.
fn range_name(range: Range<usize>, last: usize) -> String {
    let from = range.start;
    match range.len() {
        _ if range.end == last => format!("{from}-"),
        1 => from.to_string(),
        _ => format!("{from}-{}", range.end - 1),
    }
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

    fn searched(depth: i32, number: usize, reduction: i32, researched: bool, confirmed: bool) -> SearchedMove {
        SearchedMove { depth, number, reduction, researched, confirmed }
    }

    fn sample() -> LmrStats {
        let mut stats = SearchStats::default();
        stats.searched(searched(5, 1, 0, false, false));
        stats.searched(searched(5, 2, 0, false, false));
        stats.searched(searched(5, 6, 2, false, false));
        stats.searched(searched(5, 6, 1, true, false));
        stats.searched(searched(90, 200, 3, true, true));
        stats.searched(searched(3, 40, -1, false, false));
        stats.lmr
    }

    #[test]
    fn totals_and_measures() {
        let total = sample().total();
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
        for rows in [stats.by_depth(), stats.by_number()] {
            assert_eq!(rows.iter().map(|(_, counts)| counts.moves).sum::<u64>(), 12);
        }
        let names = |rows: Vec<(String, Counts)>| rows.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(stats.by_depth()), ["3", "5", "31-"]);
        assert_eq!(names(stats.by_number()), ["1", "2", "5-6", "33-"]);
    }

    #[test]
    fn the_report_compares_nodes_without_reductions() {
        let stats = SearchStats { lmr: sample(), ..SearchStats::default() };
        let report = LmrReport { recipe: "tuned", depth: 9, nodes: 25, nodes_off: Some(100), stats };
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
        assert_eq!(stats.lbr, LbrStats { nodes: 7, first_matches: 5, second_matches: 4, best: 2, cutoffs: 1 });
    }
}
