//! The command `threat`: what the opponent would do if it were his move, searched by another engine.

use super::format;
use super::go::Go;
use super::protocol::Protocol;
use super::sent_lines::SentLines;
use super::session::Session;
use super::task::Console;
use lento::chess::Move;
use lento::engine::{Engine, Output};
use lento::search::limits::Limits;
use std::time::Instant;

/// Prints a search as `go` does, but ends with the threat. It ends early when the task is stopped.
fn search(console: &Console, mut engine: Engine, limits: &Limits, moves: &[Move], protocol: &Protocol) {
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

impl Session {
    /// The search of a threat, or `None` without one, after saying why.
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
        let mut problems = Vec::new();
        let moves = go.root_moves(game.board(), chess960, &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        let (mut engine, limits, protocol) = (self.engine.copy(), go.limits, self.protocol.clone());
        let (threads, policy) = (self.engine.threads(), self.engine.numa_policy().clone());
        // Another table of the session's size may not fit.
        let mib = self.engine.hash_mib().min(Engine::DEFAULT_HASH * threads);
        engine.game = game;
        Some(move |console: &Console| {
            // On failure one thread searches, or without a table.
            let placed =
                engine.set_numa_policy(policy).and_then(|()| engine.set_threads(threads).map_err(|e| e.to_string()));
            let ready = placed.and_then(|()| engine.set_hash(mib).map_err(|error| error.to_string()));
            if let Err(problem) = ready {
                console.report(problem);
            }
            search(console, engine, &limits, &moves, &protocol);
        })
    }
}
