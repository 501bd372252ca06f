//! Going on where an earlier search of the position has ended, as far as the table knows it: what that has finished is taken over, and
//! the next depth is searched.

use super::MAX_PLY;
use super::job::Event;
use super::negamax::TABLE_SAFE_CLOCK;
use super::observer::Observer;
use super::report::PvLine;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{self, Bound, Score};

/// What an earlier search has finished.
pub struct Known {
    /// The depth, in plies.
    pub depth: i32,
    /// As many lines as are asked for, best first.
    lines: Vec<KnownLine>,
}

/// A line of an earlier search.
pub struct KnownLine {
    /// The moves.
    pub moves: PvLine,
    /// The score.
    pub score: Score,
    depth: i32,
}

impl<'a, O: Observer> Search<'a, O> {
    /// Less is searched anew: it takes no time.
    const LEAST: i32 = 6;

    /// What the search starts from, if it goes on: what the first of its threads finds, before any changes the table.
    pub(super) fn start_from(&self) -> Option<&'a Known> {
        self.job.start.get_or_init(|| self.known()).as_ref()
    }

    /// What an earlier search has finished, if the table still has it for every line that is asked for. Nothing is taken over where
    /// the moves before the root may matter: near a draw by repetition or by the fifty moves.
    fn known(&self) -> Option<Known> {
        let board = self.job.game.board();
        if self.job.limits.mate.is_some() || board.halfmove_clock() >= TABLE_SAFE_CLOCK {
            return None;
        }
        let hit = self.tt.probe(board.key()).filter(|hit| hit.bound == Bound::Exact)?;
        let best = hit.mv.filter(|&mv| self.root.is_open(mv))?;
        let score = score::from_table(hit.score, 0, board.halfmove_clock());
        let mut lines = vec![KnownLine { moves: self.moves_from(best)?, score, depth: hit.depth }];
        if self.job.lines() > 1 {
            let others = self.root.all().iter().map(|root| root.mv).filter(|&mv| mv != best);
            let mut others: Vec<KnownLine> = others.filter_map(|mv| self.line(mv)).collect();
            // Of moves that a line was not asked for there is something from shallow searches only.
            others.retain(|line| line.depth + Self::MOST_LOWERED >= hit.depth);
            others.sort_by_key(|line| std::cmp::Reverse(line.score));
            lines.extend(others);
            lines.truncate(self.job.lines());
        }
        let depth = hit.depth.min(self.job.depth());
        (lines.len() == self.job.lines() && depth >= Self::LEAST).then_some(Known { depth, lines })
    }

    /// What the table knows of a move of the root, if that is exact: its line, its score, and how deep the root was searched. `None`
    /// also where the line repeats a position.
    fn line(&self, mv: Move) -> Option<KnownLine> {
        let board = self.job.game.board().after(mv);
        let (score, depth, _) = self.exact(&board)?;
        let score = -score::from_table(score, 1, board.halfmove_clock());
        Some(KnownLine { moves: self.moves_from(mv)?, score, depth: depth + 1 })
    }

    /// The line that a move of the root begins, as far as the table has exact entries. `None` where it repeats a position.
    fn moves_from(&self, mv: Move) -> Option<PvLine> {
        let root = self.job.game.board();
        let mut seen: Vec<u64> = self.keys.iter().copied().chain([root.key()]).collect();
        let mut board = root.after(mv);
        let mut moves = PvLine::from_iter([mv]);
        loop {
            if seen.contains(&board.key()) {
                return None;
            }
            seen.push(board.key());
            let Some((.., Some(next))) = self.exact(&board).filter(|_| moves.len() < MAX_PLY) else {
                return Some(moves);
            };
            moves.push(next);
            board = board.after(next);
        }
    }

    /// Score, depth and legal move of an exact entry.
    fn exact(&self, board: &Board) -> Option<(Score, i32, Option<Move>)> {
        let hit = self.tt.probe(board.key()).filter(|hit| hit.bound == Bound::Exact)?;
        Some((hit.score, hit.depth, hit.mv.filter(|&mv| board.is_legal(mv))))
    }

    /// Takes over what an earlier search has finished.
    pub(super) fn take_over(&mut self, known: &Known) {
        self.root.take_over(known.depth, &known.lines);
        self.lines = self.root.all()[..self.job.lines()].to_vec();
        self.finished = known.depth;
        self.publish();
    }

    /// Tells of the depth that was finished last.
    pub(super) fn publish(&mut self) {
        let result = self.result();
        self.job.results.publish(result.clone());
        if self.me.id == 0 {
            self.last_report = std::time::Instant::now();
            for line in result.lines {
                self.job.tell(Event::Info(line));
            }
        }
    }
}
