//! Searches of a session: `go`, and `threat` on another engine.

use super::Session;
use crate::format;
use crate::go::Go;
use crate::protocol::Protocol;
use crate::sent_lines::SentLines;
use crate::task::Console;
use lento::chess::{Board, Move};
use lento::engine::{Engine, Output};
use lento::search::limits::Limits;
use lento::search::report::Outcome;
use std::time::Instant;

impl Session {
    pub(super) fn search(&mut self, go: &Go) {
        if let Err(error) = self.engine.ensure_thread() {
            self.report(error);
        }
        if self.position.is_none() {
            self.print(&format::message("no position given before go; using the start position"));
        }
        let position = self.position.get_or_insert_with(|| "startpos".into()).clone();
        self.record_search(position);
        let root = self.engine.game.board().clone();
        let moves = self.root_moves(go, &root);
        if self.verbose {
            let fen = root.fen(self.protocol.chess960);
            self.print(&format::message(format!("go in {fen}: {:?}", go.limits)));
        }
        self.engine.go_among(&go.limits, &moves);
        if !root.has_legal_move() {
            self.print(&format::no_move(&root, &self.protocol));
        }
    }

    /// The root moves to search, after reporting those that are ignored.
    fn root_moves(&mut self, go: &Go, root: &Board) -> Vec<Move> {
        let mut problems = Vec::new();
        let moves = go.root_moves(root, self.protocol.chess960, &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        moves
    }

    /// Ends a search: prints final lines not printed before, then the best move.
    pub(super) fn finish_search(&mut self, outcome: &Outcome) {
        let Some(work) = self.work.take() else { return };
        // Without a legal move, the reason was printed at once.
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

    /// When a line is due for repetition.
    pub fn repeat_due(&self) -> Option<Instant> {
        self.work.as_ref()?.sent.due(self.repeat_after)
    }

    /// Repeats lines that are due, with current nodes and time.
    pub fn repeat_lines(&mut self) {
        let Some(work) = &mut self.work else { return };
        for info in work.sent.take_due(Instant::now(), self.repeat_after) {
            // None once the search has ended and waits for `stop`.
            if let Some(info) = self.engine.with_current_counters(info) {
                self.print(&format::info(self.engine.game.board(), &info, &self.protocol));
            }
        }
    }

    /// The search for the opponent's threat; `None`, after printing why, if there is none.
    pub(super) fn threat(&mut self, go: &Go) -> Option<impl FnOnce(&Console) + Send + use<>> {
        let chess960 = self.protocol.chess960;
        let game = match self.engine.game.passed() {
            Ok(game) => game,
            Err(why) => {
                let fen = self.engine.game.board().fen(chess960);
                self.print(&format::message(format!("no threat in {fen}: {why}")));
                self.print(&format::threat(self.engine.game.board(), None, &self.protocol));
                return None;
            }
        };
        let moves = self.root_moves(go, game.board());
        let (mut engine, limits, protocol) = (self.engine.copy(), go.limits, self.protocol.clone());
        let (threads, policy) = (self.engine.threads(), self.engine.numa_policy().clone());
        // Another table of the session's size may not fit.
        let mib = self.engine.hash_mib().min(Engine::DEFAULT_HASH * threads);
        engine.game = game;
        // Analysis has full strength.
        engine.settings.analyse_mode = Some(true);
        Some(move |console: &Console| {
            // On failure, searches with one thread or without a table.
            let prepare = || {
                engine.set_numa_policy(policy)?;
                engine.set_threads(threads).map_err(|error| error.to_string())?;
                engine.set_hash(mib).map_err(|error| error.to_string())
            };
            if let Err(problem) = prepare() {
                console.report(problem);
            }
            search_threat(console, engine, &limits, &moves, &protocol);
        })
    }
}

/// Prints a search as `go` does, but with the threat at the end. Stopping the task ends it early.
fn search_threat(console: &Console, mut engine: Engine, limits: &Limits, moves: &[Move], protocol: &Protocol) {
    let root = engine.game.board().clone();
    let mut sent = SentLines::default();
    let outcome = engine.search_until(limits, moves, |_, output| {
        let line = match output {
            Some(Output::Info(info)) => {
                let line = format::info(&root, &info, protocol);
                sent.record(info, Instant::now());
                line
            }
            Some(Output::Progress(progress)) => format::progress(&root, &progress, protocol),
            Some(Output::Note(text)) => format::message(text),
            Some(Output::Best(_)) | None => return console.check_cancelled(),
        };
        console.print(line)
    });
    for line in sent.rest(&root, &outcome, protocol) {
        let _ = console.print(line);
    }
    let _ = console.print(format::threat(&root, outcome.best, protocol));
}
