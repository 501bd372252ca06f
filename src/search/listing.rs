//! The moves of a position in the order of the search, with what a thread knows of each.

use super::job::Job;
use super::move_facts::SoFar;
use super::node::{Pv, Root};
use super::picker::Picker;
use super::probe::NoProbe;
use super::worker::{Search, Worker};
use crate::chess::Move;

/// A legal move, with what orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedMove {
    /// The move.
    pub mv: Move,
    /// Whether it is the TT move.
    pub best: bool,
    /// Whether it is the killer of its ply.
    pub killer: bool,
    /// Whether it is the last best reply to the move before it.
    pub reply: bool,
    /// All that histories say of it; below zero when it was tried more often in vain. Quiet moves have another scale than
    /// captures and promotions.
    pub history: i32,
    /// The part of continuation history in that; `None` for captures and promotions, which have none.
    pub continuation: Option<i32>,
    /// How many plies less deep than the first move it would be searched at first, where alpha is the static evaluation; below
    /// zero, deeper.
    pub reduction: i32,
}

impl Worker {
    /// The legal moves of the position that a path leads to from a job's root, in the order in which a node of the principal
    /// variation at this depth (plies) tries them. `was_searched` says whether the job's root was searched last: then killers
    /// mean something. What the worker knows stays as it is.
    pub fn list_moves(&mut self, job: &Job, path: &[Move], was_searched: bool, depth: i32) -> Vec<ListedMove> {
        let kept = self.stack.clone();
        let mut search = Search::new(self, job, NoProbe);
        let (mut board, ply) = (job.game.board().clone(), path.len());
        for (ply, &mv) in path.iter().enumerate() {
            search.play(&board.clone(), &mut board, ply, mv);
        }
        search.frame_mut(ply).killer = kept.at(ply).killer.filter(|_| was_searched);
        let hit = search.probe_table(&board, ply);
        let here = search.assess::<Pv>(&board, ply, depth, false, hit);
        let reply = search.last_best_reply(&board, ply);
        let checks = board.check_squares();
        let hints = search.hints(ply, reply, checks);
        let (mut picker, mut moves, mut quiets) = (Picker::new(here.tt_move), Vec::new(), 1);
        while let Some(mv) = picker.next(&board, &search.me.histories, &hints) {
            let so_far = SoFar { number: moves.len() + 1, quiet_number: quiets, alpha: here.eval, raised: false };
            let facts = search.gather(&board, &here, mv, so_far, &hints, checks.gives_check(&board, mv));
            quiets += usize::from(facts.quiet);
            let mut child = board.clone();
            search.play(&board, &mut child, ply, mv);
            let reduced = search.reduced_depth::<Root>(&board, &child, &here, &facts, here.eval, depth - 1);
            search.take_back();
            moves.push(ListedMove {
                mv,
                best: here.tt_move == Some(mv),
                killer: hints.killer.0 == Some(mv),
                reply: hints.reply.0 == Some(mv),
                history: facts.history,
                continuation: facts.quiet.then(|| search.me.histories.continuation(&board, mv, &hints.context)),
                reduction: if moves.is_empty() { 0 } else { depth - 1 - reduced },
            });
        }
        drop(search);
        self.stack = kept;
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::eval::Model;
    use crate::search::control::Control;
    use crate::search::findings::Findings;
    use crate::search::history::Context;
    use crate::search::job::{SearchOptions, Shared};
    use crate::search::limits::Limits;
    use crate::search::lmr::{Choice, LmrSet};
    use crate::search::params::Params;
    use crate::search::picker::Hints;
    use crate::search::stack::Stack;
    use crate::search::turns::Turns;
    use crate::tt::Tt;
    use crossbeam::channel::unbounded;
    use std::sync::{Arc, OnceLock};
    use std::time::Instant;

    fn job(fen: &str, lmr: Choice) -> Job {
        let game = Game::from_fen(fen).unwrap();
        let params = Params::default();
        let limits = Limits { depth: Some(7), ..Limits::default() };
        Job {
            root_moves: game.board().legal_moves().to_vec(),
            limits,
            options: SearchOptions::default(),
            start: OnceLock::from(None),
            shared: Shared {
                tt: Arc::new(Tt::new(1, 1).unwrap()),
                lmr: Arc::new(LmrSet::compile(&lmr, &params)),
                params: Arc::new(params),
                evaluation: Model::Classical.into(),
                caches: Arc::default(),
                stats: None,
                visits: None,
                sample: None,
            },
            control: Control::new(
                &limits,
                game.board().side_to_move(),
                &SearchOptions::default(),
                &Params::default(),
                Instant::now(),
            ),
            probing: None,
            handicap: None,
            findings: Findings::new(1),
            rounds: None,
            turns: Turns::new(1),
            events: unbounded().0,
            game,
        }
    }

    fn list(worker: &mut Worker, job: &Job) -> Vec<ListedMove> {
        worker.list_moves(job, &[], true, 10)
    }

    #[test]
    fn a_listing_stores_nothing() {
        let job = job("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", Choice::default());
        assert_eq!(list(&mut Worker::new(0), &job).len(), 48);
        assert_eq!(job.shared.tt.probe(job.game.board().key()), None);
    }

    #[test]
    fn the_order_is_the_picker_s() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkb1r/pp1p1pPp/8/2p1pP2/1P1P4/7P/P1P1P3/RNBQKBNR w KQkq e6 0 1",
            "4k3/8/8/8/7b/8/3P1P2/3QKB2 w - - 0 1",
        ] {
            let (job, mut worker) = (job(fen, Choice::default()), Worker::new(0));
            let board = job.game.board();
            for searched in [false, true] {
                if searched {
                    worker.search(&job);
                }
                let listed: Vec<Move> = list(&mut worker, &job).iter().map(|ranked| ranked.mv).collect();
                let hints = Hints {
                    killer: (worker.stack.at(0).killer, job.shared.params.order_killer),
                    checks: Some((board.check_squares(), job.shared.params.order_check)),
                    trust: job.shared.params.order_noisy,
                    ..Hints::of(Context::at(&Stack::new(), 0))
                };
                let tt_move = job.shared.tt.probe(board.key()).and_then(|hit| hit.mv);
                assert_eq!(tt_move.is_some(), searched, "{fen}");
                let mut picker = Picker::new(tt_move);
                let picked: Vec<Move> = std::iter::from_fn(|| picker.next(board, &worker.histories, &hints)).collect();
                assert_eq!(listed, picked, "{fen}");
            }
        }
    }

    #[test]
    fn the_history_of_a_recipe_is_shown_and_kept() {
        let madchess = Choice { main: "madchess", ..Choice::default() };
        let job = job("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", madchess);
        let mut worker = Worker::new(0);
        worker.search(&job);
        for _ in 0..2 {
            let quiets: Vec<Move> =
                list(&mut worker, &job).iter().map(|ranked| ranked.mv).filter(|mv| mv.is_quiet()).collect();
            let known = |&mv: &Move| worker.histories.own.get(job.game.board(), mv);
            let killer = worker.stack.at(0).killer;
            let values: Vec<i32> = quiets.iter().filter(|&&mv| Some(mv) != killer).map(known).collect();
            assert!(values[1..].is_sorted_by(|one, other| one >= other), "{values:?}");
            assert!(values.iter().any(|&value| value > 0) && values.iter().any(|&value| value < 0), "{values:?}");
        }
    }

    #[test]
    fn killers_of_the_last_search_are_shown_and_kept() {
        let (job, mut worker) = (job("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1", Choice::default()), Worker::new(0));
        worker.search(&job);
        let killer = job.game.board().parse_uci("a1a7", false).unwrap();
        worker.stack.at_mut(0).killer = Some(killer);
        for _ in 0..2 {
            let killers: Vec<Move> =
                list(&mut worker, &job).iter().filter(|ranked| ranked.killer).map(|ranked| ranked.mv).collect();
            assert_eq!(killers, [killer]);
        }
    }
}
