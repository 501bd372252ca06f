//! What late move reductions do in a search: how many moves they reach, by how much, and how often they are wrong.

use crate::search::probe::SearchStats;

/// Counts of moves, for one depth or number or for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Moves searched.
    pub moves: u64,
    /// Of them searched less deep at first.
    pub reduced: u64,
    /// Plies by which they were reduced, together.
    pub plies: u64,
    /// Of the reduced those that failed high and were searched again at full depth.
    pub verified: u64,
    /// Of these those that failed high again.
    pub confirmed: u64,
}

/// A measure of a recipe, and where the Chess Programming Guide ("Late Move Reductions", measuring effectiveness) calls it
/// good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// What it measures.
    pub name: &'static str,
    /// The value; `None` where there was nothing to count.
    pub value: Option<f64>,
    /// The unit.
    pub unit: &'static str,
    /// The healthy range, where the guide has one.
    pub healthy: Option<(f64, f64)>,
}

impl Measure {
    /// Where the value lies: below, inside or above the healthy range.
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
    /// Adds the counts of other moves.
    pub fn add(&mut self, other: &Self) {
        self.moves += other.moves;
        self.reduced += other.reduced;
        self.plies += other.plies;
        self.verified += other.verified;
        self.confirmed += other.confirmed;
    }

    /// Share of the moves that were reduced, their average reduction, share of them that were searched again, and share of
    /// these that failed high again.
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

/// Depths and numbers from this on are counted together.
const DEPTHS: usize = 32;
const NUMBERS: usize = 64;

/// Counts by the depth of the node and the number of the move in it.
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
    /// The counts of moves of this number at this depth.
    #[inline(always)]
    pub(in crate::search) fn cell(&mut self, depth: i32, number: usize) -> &mut Counts {
        &mut self.cells[(depth.max(0) as usize).min(DEPTHS - 1)][number.min(NUMBERS - 1)]
    }

    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        for (row, others) in self.cells.iter_mut().zip(other.cells.iter()) {
            for (cell, other) in row.iter_mut().zip(others) {
                cell.add(other);
            }
        }
    }

    /// All moves together.
    pub fn total(&self) -> Counts {
        self.sum(0..DEPTHS, 0..NUMBERS)
    }

    fn sum(&self, depths: std::ops::Range<usize>, numbers: std::ops::Range<usize>) -> Counts {
        let mut sum = Counts::default();
        for row in &self.cells[depths] {
            for cell in &row[numbers.clone()] {
                sum.add(cell);
            }
        }
        sum
    }

    /// By depth of the node in plies: name and counts, where there are any.
    pub fn by_depth(&self) -> Vec<(String, Counts)> {
        let name = |depth: usize| if depth == DEPTHS - 1 { format!("{depth}-") } else { depth.to_string() };
        let rows = (0..DEPTHS).map(|depth| (name(depth), self.sum(depth..depth + 1, 0..NUMBERS)));
        rows.filter(|(_, counts)| counts.moves > 0).collect()
    }

    /// By the number of the move: name and counts, where there are any. Later numbers stand together.
    pub fn by_number(&self) -> Vec<(String, Counts)> {
        const FIRST: [usize; 11] = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33];
        let ends = FIRST[1..].iter().copied().chain([NUMBERS]);
        let name = |from: usize, to| match to {
            NUMBERS => format!("{from}-"),
            _ if to == from + 1 => from.to_string(),
            _ => format!("{from}-{}", to - 1),
        };
        let rows = FIRST.into_iter().zip(ends).map(|(from, to)| (name(from, to), self.sum(0..DEPTHS, from..to)));
        rows.filter(|(_, counts)| counts.moves > 0).collect()
    }
}

/// The counts of a search, or of several, next to what they save.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LmrReport {
    /// The recipe.
    pub recipe: &'static str,
    /// The depth searched to, in plies.
    pub depth: i32,
    /// Nodes of the recipe.
    pub nodes: u64,
    /// Nodes to the same depth without reductions, where they have been counted.
    pub nodes_off: Option<u64>,
    /// The counts.
    pub stats: SearchStats,
}

impl LmrReport {
    /// All measures of the whole.
    pub fn measures(&self) -> Vec<Measure> {
        let saved = self.nodes_off.map(|off| 100.0 * (1.0 - self.nodes as f64 / off.max(1) as f64));
        let saved = Measure { name: "nodes saved", value: saved, unit: "%", healthy: Some((40.0, 60.0)) };
        self.stats.lmr.total().measures().into_iter().chain([saved]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::search::probe::{Scouted, SearchProbe};

    fn scouted(depth: i32, number: usize, reduction: i32, verified: bool, confirmed: bool) -> Scouted {
        Scouted { depth, number, reduction, verified, confirmed }
    }

    fn sample() -> LmrStats {
        let mut counted = SearchStats::default();
        let mut stats = (&mut counted, None, None);
        stats.searched_first(&Board::start(), 0, 5);
        stats.scouted(scouted(5, 2, 0, false, false));
        stats.scouted(scouted(5, 6, 2, false, false));
        stats.scouted(scouted(5, 6, 1, true, false));
        stats.scouted(scouted(90, 200, 3, true, true));
        stats.scouted(scouted(3, 40, -1, false, false));
        counted.lmr
    }

    #[test]
    fn counts_and_shares() {
        let total = sample().total();
        assert_eq!(total, Counts { moves: 6, reduced: 3, plies: 6, verified: 2, confirmed: 1 });
        let values = total.measures().map(|measure| measure.value.unwrap());
        assert_eq!(values, [50.0, 2.0, 200.0 / 3.0, 50.0]);
        let places = total.measures().map(|measure| measure.place());
        assert_eq!(places, [Some("inside"), Some("inside"), Some("above"), None]);
        assert_eq!(Counts::default().measures().map(|measure| measure.value), [None; 4]);
    }

    #[test]
    fn rows_hold_every_move_once() {
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
    fn the_report_compares_with_no_reductions() {
        let stats = SearchStats { lmr: sample(), ..SearchStats::default() };
        let report = LmrReport { recipe: "tuned", depth: 9, nodes: 25, nodes_off: Some(100), stats };
        let saved = report.measures()[4];
        assert_eq!((saved.value, saved.place()), (Some(75.0), Some("above")));
    }
}
