//! The moves of the root, and what is known of each.

use super::report::PvLine;
use super::resume::KnownLine;
use crate::chess::Move;
use crate::score::{Bound, DRAW, INFINITE, Score, is_mate};

/// A move of the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score of the current iteration; `-INFINITE` until it has one.
    pub score: Score,
    /// Whether that score is exact.
    pub bound: Bound,
    /// The iteration that gave that score, in plies; 0 until there is one.
    pub depth: i32,
    /// Score of the last iteration that finished.
    pub previous: Score,
    /// Score averaged over iterations: the middle of the next window.
    pub average: Option<Score>,
    /// Deepest line below it, in plies.
    pub seldepth: i32,
    /// Nodes spent below it in this search.
    pub nodes: u64,
    /// Its line, itself first.
    pub pv: PvLine,
    /// What tablebases say of it, greater is better: moves of the same rank keep the same result.
    rank: i32,
    /// What it is worth by the tablebases, if they know.
    table: Option<Score>,
    /// Whether it has been the best move at some time in this search.
    pub(super) been_best: bool,
}

impl RootMove {
    /// The score to show: that of the tablebases, unless the search has found the mate that they promise. Before a move has
    /// been searched it has no score; nothing better than a draw is known of it.
    pub fn shown(&self) -> Score {
        let score = if self.score == -INFINITE { self.previous } else { self.score };
        match self.table {
            Some(table) if !(is_mate(score) && score.signum() == table.signum()) => table,
            _ if score == -INFINITE => DRAW,
            _ => score,
        }
    }

    /// Whether the score to show is exact.
    pub fn shown_bound(&self) -> Bound {
        if self.table.is_some_and(|table| table == self.shown()) { Bound::Exact } else { self.bound }
    }
}

/// What searching a move of the root has given.
#[derive(Clone, Copy, Debug)]
pub struct RootResult<'a> {
    /// The score.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// The iteration, in plies.
    pub depth: i32,
    /// Deepest line below the move, in plies.
    pub seldepth: i32,
    /// The line after the move.
    pub line: &'a PvLine,
}

/// Which moves of the root are being searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them, for the best one.
    #[default]
    All,
    /// One line of several: the move of this index alone.
    Line(usize),
    /// Those that are not among so many lines, to see whether they are better than one of these.
    Others(usize),
}

impl Scope {
    /// The index of the line that is being searched, or of the first one that may become another.
    pub const fn line(self) -> usize {
        match self {
            Self::All => 0,
            Self::Line(index) | Self::Others(index) => index,
        }
    }
}

/// All moves to search at the root, best first.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    moves: Vec<RootMove>,
    /// Which of them are being searched.
    pub scope: Scope,
}

impl RootMoves {
    /// Starts with moves that nothing is known of.
    pub fn new(moves: &[Move]) -> Self {
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
        Self { moves: moves.iter().map(start).collect(), scope: Scope::All }
    }

    /// Takes what tablebases say of the moves, by their numbers in the order of generation: their ranks and what they are
    /// worth. Moves of higher rank come first, and those of lower rank only for lines that are asked for besides.
    pub fn rank(&mut self, of: impl Fn(usize) -> (i32, Score)) {
        for (index, root) in self.moves.iter_mut().enumerate() {
            let (rank, score) = of(index);
            (root.rank, root.table) = (rank, Some(score));
        }
        self.moves.sort_by_key(|root| std::cmp::Reverse(root.rank));
    }

    /// How many moves there are to choose from for the first line.
    pub fn choices(&self) -> usize {
        let best = self.moves.first().map(|first| first.rank);
        self.moves.iter().filter(|root| Some(root.rank) == best).count()
    }

    /// The moves, best first.
    pub fn all(&self) -> &[RootMove] {
        &self.moves
    }

    /// Puts the moves first that an earlier search has found to be the best ones, in this order, with what it found at this depth.
    pub fn take_over(&mut self, depth: i32, lines: &[KnownLine]) {
        for KnownLine { moves, score, .. } in lines.iter().rev() {
            if let Some(at) = self.moves.iter().position(|root| Some(&root.mv) == moves.first()) {
                self.moves[..=at].rotate_right(1);
                let first = &mut self.moves[0];
                (first.score, first.bound, first.average) = (*score, Bound::Exact, Some(*score));
                (first.depth, first.seldepth, first.been_best) = (depth, depth.max(moves.len() as i32), true);
                first.pv = moves.clone();
            }
        }
    }

    /// Whether a move is to be searched now.
    #[inline]
    pub fn is_open(&self, mv: Move) -> bool {
        let (open, rank) = match self.scope {
            Scope::All => (&self.moves[..], self.moves[0].rank),
            Scope::Line(index) => (&self.moves[index..=index], self.moves[index].rank),
            Scope::Others(lines) => (&self.moves[lines..], self.moves[lines - 1].rank),
        };
        open.iter().any(|root| root.mv == mv && root.rank == rank)
    }

    /// How many moves have been searched before those that are being searched now.
    pub const fn settled(&self) -> usize {
        match self.scope {
            Scope::All | Scope::Line(_) => 0,
            Scope::Others(lines) => lines,
        }
    }

    /// Whether there are moves that could be better than one of so many lines.
    pub fn has_others(&self, lines: usize) -> bool {
        self.moves.get(lines).is_some_and(|other| other.rank == self.moves[lines - 1].rank)
    }

    /// The score that a move must beat to be of use, once one has this score in the iteration of this depth.
    pub fn alpha(&self, score: Score, depth: i32) -> Score {
        match self.scope {
            Scope::All | Scope::Line(_) => score,
            Scope::Others(lines) => self.worst_of(lines, depth),
        }
    }

    /// The worst score of as many lines as are asked for, of those that the iteration of this depth has found so far. Moves that
    /// tablebases rank higher are lines in any case.
    pub fn worst_of(&self, lines: usize, depth: i32) -> Score {
        let rank = self.moves[lines - 1].rank;
        let places = self.moves[..lines].iter().filter(|root| root.rank == rank).count();
        let found = self.moves.iter().filter(|root| root.rank == rank && root.depth == depth);
        let mut scores: Vec<Score> = found.map(|root| root.score).collect();
        scores.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
        scores.get(places - 1).copied().unwrap_or(-INFINITE)
    }

    /// Whether a move has been the best at some time in this search.
    pub fn has_been_best(&self, mv: Move) -> bool {
        self.moves.iter().any(|root| root.mv == mv && root.been_best)
    }

    /// The first of the moves that are being searched.
    pub fn current(&self) -> &RootMove {
        &self.moves[self.scope.line()]
    }

    /// An iteration begins: the scores of the last one become the previous ones.
    pub fn begin_iteration(&mut self) {
        for root in &mut self.moves {
            root.previous = root.score;
        }
    }

    /// Records the result of a move. Moves that do not raise alpha lose their score, so that sorting keeps the order of
    /// the earlier iterations among them.
    pub fn record(&mut self, mv: Move, nodes: u64, result: Option<RootResult>) {
        let Some(root) = self.moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        match result {
            Some(RootResult { score, bound, depth, seldepth, line }) => {
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

    /// Puts the best moves first; moves without a new score keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by_key(|root| std::cmp::Reverse((root.rank, root.score, root.previous)));
    }

    /// Puts the lines in order that an iteration has finished so far.
    pub fn sort_finished(&mut self, lines: usize) {
        self.moves[..lines].sort_by_key(|root| std::cmp::Reverse((root.rank, root.score)));
    }

    /// Share of the nodes spent below the first move, 0 to 1.
    pub fn first_share(&self) -> f64 {
        let all: u64 = self.moves.iter().map(|root| root.nodes).sum();
        self.moves.first().map_or(1.0, |first| first.nodes as f64 / all.max(1) as f64)
    }
}
