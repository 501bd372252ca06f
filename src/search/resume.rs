//! Resumes an earlier search of the position from the table at the next depth.

use super::observer::Observer;
use super::report::{Info, PvLine};
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{self, Bound, TABLE_SAFE_CLOCK};
use crate::tt::TtEntry;

impl<'a, O: Observer> Search<'a, O> {
    /// Minimum depth to resume from; shallower searches are repeated quickly.
    const MIN_RESUMED: i32 = 6;

    /// Lines of the search to resume, looked up by the first thread before any thread changes the table.
    pub(super) fn resume_from(&self) -> Option<&'a [Info]> {
        self.job.resumed.get_or_init(|| self.earlier_search()).as_deref()
    }

    /// The lines of the earlier search to one depth, if the table still has all of them. Near draws by repetition or the fifty-move
    /// rule, scores depend on the moves before the root and are not reused.
    fn earlier_search(&self) -> Option<Vec<Info>> {
        let board = self.job.game.board();
        if self.job.limits.mate.is_some() || board.halfmove_clock() >= TABLE_SAFE_CLOCK {
            return None;
        }
        let hit = self.exact(board)?;
        let best = hit.mv.filter(|&mv| self.root.is_open(mv))?;
        let score = score::from_table(hit.score, 0, board.halfmove_clock());
        let mut lines = vec![Info { pv: self.moves_from(best)?, score, depth: hit.depth, ..Info::default() }];
        if self.job.lines() > 1 {
            let others = self.root.all().iter().map(|root| root.mv).filter(|&mv| mv != best);
            let mut others: Vec<Info> = others.filter_map(|mv| self.line(mv)).collect();
            // Moves that were not a line have shallow entries only.
            others.retain(|line| line.depth + Self::MAX_LOWERED >= hit.depth);
            others.sort_by_key(|line| std::cmp::Reverse(line.score));
            lines.extend(others);
            lines.truncate(self.job.lines());
        }
        let depth = hit.depth.min(self.job.depth());
        lines.iter_mut().for_each(|line| line.depth = depth);
        (lines.len() == self.job.lines() && depth >= Self::MIN_RESUMED).then_some(lines)
    }

    /// The line of a root move, if the table has an exact score and the line repeats no position.
    fn line(&self, mv: Move) -> Option<Info> {
        let board = self.job.game.board().after(mv);
        let hit = self.exact(&board)?;
        let score = -score::from_table(hit.score, 1, board.halfmove_clock());
        Some(Info { pv: self.moves_from(mv)?, score, depth: hit.depth + 1, ..Info::default() })
    }

    /// The line after a root move as far as the table has exact entries; `None` if it repeats a position.
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
            let next = self.exact(&board).and_then(|hit| hit.mv).filter(|&mv| board.is_legal(mv));
            let Some(next) = next.filter(|_| !moves.is_full()) else { return Some(moves) };
            moves.push(next);
            board = board.after(next);
        }
    }

    fn exact(&self, board: &Board) -> Option<TtEntry> {
        self.tt.probe(board.key()).filter(|hit| hit.bound == Bound::Exact)
    }

    pub(super) fn take_over(&mut self, earlier: &[Info]) {
        self.root.take_over(earlier);
        self.lines = self.root.all()[..self.job.lines()].to_vec();
        self.finished = earlier[0].depth;
        self.publish();
    }

    pub(super) fn publish(&mut self) {
        self.job.threads.publish(self.result());
        if self.me.id == 0 {
            self.last_report = std::time::Instant::now();
            self.lines.iter().enumerate().for_each(|(rank, line)| self.report_line(rank, line));
        }
    }
}
