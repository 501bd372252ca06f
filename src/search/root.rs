//! Root moves and their results.

use super::report::{Info, PvLine};
use crate::chess::Move;
use crate::score::{Bound, INFINITE, Score, is_mate};
use std::mem::replace;
use std::ops::Range;

#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub mv: Move,
    /// Score of the current iteration, or `-INFINITE`.
    pub score: Score,
    pub bound: Bound,
    /// Depth of that score, in plies.
    pub depth: i32,
    /// Score of the previous iteration.
    pub previous: Score,
    /// Running average of the score, the center of the next aspiration window.
    pub average: Option<Score>,
    /// Selective depth, in plies.
    pub seldepth: i32,
    /// Nodes spent on it in this search.
    pub nodes: u64,
    /// Its line, starting with the move.
    pub pv: PvLine,
    /// Tablebase rank, greater is better. Moves of equal rank have the same result.
    rank: i32,
    /// Tablebase score, if known.
    table: Option<Score>,
    /// Whether it has been the best move in this search.
    pub(super) been_best: bool,
}

impl RootMove {
    /// Whether it has a score.
    pub(crate) fn is_known(&self) -> bool {
        self.depth > 0 || self.table.is_some()
    }

    /// The score to report and its bound: the tablebase score, unless the search has found the mate that it promises. `None`
    /// before the first search.
    pub(crate) fn shown(&self) -> Option<(Score, Bound)> {
        let score = if self.score == -INFINITE { self.previous } else { self.score };
        match self.table {
            Some(table) if !(is_mate(score) && score.signum() == table.signum()) => Some((table, Bound::Exact)),
            _ => (score != -INFINITE).then_some((score, self.bound)),
        }
    }
}

/// The root moves, best first.
#[derive(Clone, Debug, Default)]
pub(crate) struct RootMoves {
    moves: Vec<RootMove>,
    /// The moves to search: all, one line of several, or all after the lines.
    pub open: Range<usize>,
    /// The number of lines before the open moves that these could replace.
    pub settled: usize,
}

impl RootMoves {
    pub(crate) fn new(moves: &[Move]) -> Self {
        let start = |&mv| RootMove {
            mv,
            score: -INFINITE,
            bound: Bound::Exact,
            depth: 0,
            previous: -INFINITE,
            average: None,
            seldepth: 0,
            nodes: 0,
            pv: PvLine::from_iter([mv]),
            rank: 0,
            table: None,
            been_best: false,
        };
        Self { moves: moves.iter().map(start).collect(), open: 0..moves.len(), settled: 0 }
    }

    /// Sets the tablebase ranks and, where certain, scores of the moves, given in order of generation, and sorts by rank. Moves of lower
    /// rank are searched only for additional lines.
    pub(crate) fn rank(&mut self, ranks: impl Iterator<Item = (i32, Option<Score>)>) {
        for (root, ranked) in self.moves.iter_mut().zip(ranks) {
            (root.rank, root.table) = ranked;
        }
        self.moves.sort_by_key(|root| std::cmp::Reverse(root.rank));
    }

    pub(crate) fn choices(&self) -> usize {
        let best = self.moves.first().map(|first| first.rank);
        self.moves.iter().filter(|root| Some(root.rank) == best).count()
    }

    pub(crate) fn all(&self) -> &[RootMove] {
        &self.moves
    }

    /// Takes over the lines of an earlier search, best first.
    pub(crate) fn take_over(&mut self, lines: &[Info]) {
        for &Info { depth, score, ref pv, .. } in lines.iter().rev() {
            if let Some(at) = self.moves.iter().position(|root| Some(&root.mv) == pv.first()) {
                self.moves[..=at].rotate_right(1);
                let first = &mut self.moves[0];
                (first.score, first.bound, first.average) = (score, Bound::Exact, Some(score));
                (first.depth, first.seldepth, first.been_best) = (depth, depth.max(pv.len() as i32), true);
                first.pv = pv.clone();
            }
        }
    }

    #[inline]
    pub(crate) fn is_open(&self, mv: Move) -> bool {
        let open = &self.moves[self.open.clone()];
        open.iter().any(|root| root.mv == mv && root.rank == open[0].rank)
    }

    pub(crate) fn all_open(&self) -> bool {
        self.open.len() == self.moves.len()
    }

    /// Whether moves beyond these lines could replace one of them.
    pub(crate) fn has_others(&self, lines: usize) -> bool {
        self.moves.get(lines).is_some_and(|other| other.rank == self.moves[lines - 1].rank)
    }

    /// Alpha after a move has raised it to this score.
    pub(crate) fn alpha(&self, score: Score, depth: i32) -> Score {
        if self.settled == 0 { score } else { self.worst_of(self.settled, depth) }
    }

    /// The worst score among the best lines of this iteration so far. Moves of higher tablebase rank always are lines.
    pub(crate) fn worst_of(&self, lines: usize, depth: i32) -> Score {
        let rank = self.moves[lines - 1].rank;
        let places = self.moves[..lines].iter().filter(|root| root.rank == rank).count();
        let found = self.moves.iter().filter(|root| root.rank == rank && root.depth == depth);
        let mut scores: Vec<Score> = found.map(|root| root.score).collect();
        scores.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
        scores.get(places - 1).copied().unwrap_or(-INFINITE)
    }

    /// The best of the moves searched to this depth, at most `lines`.
    pub(crate) fn searched(&self, lines: usize, depth: i32) -> Vec<RootMove> {
        let found = self.moves.iter().filter(|root| root.depth == depth && root.score != -INFINITE);
        let mut best: Vec<RootMove> = found.cloned().collect();
        best.sort_by_key(|root| std::cmp::Reverse((root.rank, root.score)));
        best.truncate(lines);
        best
    }

    /// Whether a move has been the best one in this search.
    pub(crate) fn has_been_best(&self, mv: Move) -> bool {
        self.moves.iter().any(|root| root.mv == mv && root.been_best)
    }

    pub(crate) fn current(&self) -> &RootMove {
        &self.moves[self.open.start]
    }

    pub(crate) fn begin_iteration(&mut self) {
        for root in &mut self.moves {
            // A fail high ends a pass early; old scores of the moves after it must not outrank it.
            root.previous = replace(&mut root.score, -INFINITE);
        }
    }

    /// Records the result of a move and the line after it; the score is `None` if it did not raise alpha. Such moves keep their
    /// order when sorted.
    pub(crate) fn record(
        &mut self,
        mv: Move,
        nodes: u64,
        found: Option<(Score, Bound)>,
        depth: i32,
        seldepth: i32,
        line: &PvLine,
    ) {
        let Some(root) = self.moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        match found {
            Some((score, bound)) => {
                root.score = score;
                root.bound = bound;
                root.depth = depth;
                root.been_best |= bound != Bound::Upper;
                root.seldepth = seldepth;
                root.average = Some(root.average.map_or(score, |average| (average + score) / 2));
                root.pv = PvLine::from_iter([mv]);
                root.pv.extend(line.iter().copied().take(super::MAX_PLY - 1));
            }
            None => root.score = -INFINITE,
        }
    }

    /// Sorts stably, best first.
    pub(crate) fn sort(&mut self) {
        self.moves.sort_by_key(|root| std::cmp::Reverse((root.rank, root.score, root.previous)));
    }

    /// Sorts the lines finished in this iteration.
    pub(crate) fn sort_finished(&mut self, lines: usize) {
        self.moves[..lines].sort_by_key(|root| std::cmp::Reverse((root.rank, root.score)));
    }

    /// Share of the nodes spent on the first move, 0 to 1.
    pub(crate) fn first_share(&self) -> f64 {
        let all: u64 = self.moves.iter().map(|root| root.nodes).sum();
        self.moves.first().map_or(1.0, |first| first.nodes as f64 / all.max(1) as f64)
    }
}
