//! Searches of a session: their start, their lines and their end.

use super::Session;
use crate::format;
use crate::go::Go;
use lento::search::report::Outcome;
use std::time::Instant;

impl Session {
    /// Starts a search.
    pub(super) fn search(&mut self, go: &Go) {
        if self.position.is_none() {
            self.print(&format::message("no position given before go; using the start position"));
        }
        let position = self.position.get_or_insert_with(|| "startpos".into()).clone();
        self.record_search(position);
        let chess960 = self.protocol.chess960;
        let mut problems = Vec::new();
        let moves = go.root_moves(self.engine.game.board(), chess960, &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        if self.verbose {
            let fen = self.engine.game.board().fen(chess960);
            self.print(&format::message(format!("go in {fen}: {:?}", go.limits)));
        }
        self.engine.go_among(&go.limits, &moves);
        let root = self.engine.game.board();
        if !root.has_legal_move() {
            self.print(&format::no_move(root, &self.protocol));
        }
    }

    /// Ends a search: prints final lines not printed before, then the best move.
    pub(super) fn finish_search(&mut self, outcome: &Outcome) {
        let Some(work) = self.work.take() else { return };
        // Without a legal move that was said at once.
        if outcome.best.is_some() {
            let rest = work.sent.rest(self.engine.game.board(), outcome, &self.protocol);
            rest.iter().for_each(|line| self.print(line));
        }
        if self.verbose {
            let ms = |since: Instant| since.elapsed().as_secs_f64() * 1e3;
            let stop = work.stopped.map_or_else(String::new, |stop| format!(", {:.3} ms after stop", ms(stop)));
            self.print(&format::message(format!("answered {:.3} ms after go{stop}", ms(work.started))));
        }
        self.print(&format::best_move(self.engine.game.board(), outcome, &self.protocol));
    }

    /// When a line is due to be repeated.
    pub fn repeat_due(&self) -> Option<Instant> {
        self.work.as_ref()?.sent.due(self.repeat_after)
    }

    /// Repeats lines not printed for a while, with current nodes and time.
    pub fn repeat_lines(&mut self) {
        let lines =
            self.work.as_mut().map_or_else(Vec::new, |work| work.sent.take_due(Instant::now(), self.repeat_after));
        for info in lines {
            // A finished search waiting for `stop` has nothing new.
            if let Some(info) = self.engine.with_current_counters(info) {
                self.print(&format::info(self.engine.game.board(), &info, &self.protocol));
            }
        }
    }
}
