//! Move order of a position, as in a node of the search.

use super::job::Job;
use super::node::{NodeState, Pv, Root, SoFar, Window};
use super::observer::NoObserver;
use super::picker::Picker;
use super::worker::{Search, Worker};
use crate::chess::Move;

/// A legal move with the data used to order it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedMove {
    /// The move.
    pub mv: Move,
    /// Whether it is the TT move.
    pub best: bool,
    /// Whether it is the killer of its ply.
    pub killer: bool,
    /// Whether it is the last best reply.
    pub reply: bool,
    /// Its history; quiet moves have a different scale than captures and promotions.
    pub history: i32,
    /// The share of continuation history; `None` for captures and promotions.
    pub continuation: Option<i32>,
    /// Its first reduction in plies with alpha at the static evaluation; negative if extended.
    pub reduction: i32,
}

impl Worker {
    /// Lists the moves of the position at the end of a path from the job's root, in the order of a PV node at this depth.
    /// `was_searched`: whether the job's root was searched last, so that killers are valid. Leaves the tables unchanged.
    pub(crate) fn list_moves(&mut self, job: &Job, path: &[Move], was_searched: bool, depth: i32) -> Vec<ListedMove> {
        let kept = self.stack.clone();
        let mut search = Search::new(self, job, NoObserver);
        let (mut board, ply) = (job.game.board().clone(), path.len());
        for (ply, &mv) in path.iter().enumerate() {
            search.play(&board.clone(), &mut board, ply, mv);
        }
        search.frame_mut(ply).killer = kept.at(ply).killer.filter(|_| was_searched);
        let hit = search.probe_table(&board, ply);
        let mut node = search.assess::<Pv>(&board, NodeState::new(ply, Window::FULL, depth, false, hit));
        node.window.alpha = node.eval;
        let reply = search.last_best_reply(&board, ply);
        let checks = board.check_squares();
        let hints = search.hints(ply, reply, checks);
        let (mut picker, mut moves, mut quiets) = (Picker::new(node.tt_move), Vec::new(), 1);
        while let Some(mv) = picker.next(&board, &search.me.histories, &hints) {
            let so_far = SoFar { number: moves.len() + 1, quiet_number: quiets, raised: false };
            let facts = search.gather(&board, &node, mv, so_far, &hints, checks.gives_check(&board, mv));
            quiets += usize::from(facts.quiet);
            let mut child = board.clone();
            search.play(&board, &mut child, ply, mv);
            let reduced = if path.is_empty() {
                search.reduced_depth::<Root>(&board, &child, &node, &facts, depth - 1)
            } else {
                search.reduced_depth::<Pv>(&board, &child, &node, &facts, depth - 1)
            };
            search.take_back();
            moves.push(ListedMove {
                mv,
                best: node.tt_move == Some(mv),
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
    use crate::chess::Board;
    use crate::search::lmr::{Choice, LmrSet, RecipeName};
    use crate::search::params::Params;
    use crate::search::tests::job;
    use std::sync::Arc;

    fn list(worker: &mut Worker, job: &Job) -> Vec<ListedMove> {
        worker.list_moves(job, &[], true, 10)
    }

    #[test]
    fn listing_stores_nothing() {
        let job = job("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &Choice::default());
        assert_eq!(list(&mut Worker::new(0), &job).len(), 48);
        assert_eq!(job.tt.probe(job.game.board().key()), None);
    }

    /// The TT move, captures that win material, quiet moves, captures that lose material.
    #[test]
    fn moves_are_listed_in_stages() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkb1r/pp1p1pPp/8/2p1pP2/1P1P4/7P/P1P1P3/RNBQKBNR w KQkq e6 0 1",
            "4k3/8/8/8/7b/8/3P1P2/3QKB2 w - - 0 1",
        ] {
            let (job, mut worker) = (job(fen, &Choice::default()), Worker::new(0));
            let board = job.game.board();
            for searched in [false, true] {
                if searched {
                    worker.search(&job, None);
                }
                let tt_move = job.tt.probe(board.key()).and_then(|hit| hit.mv);
                assert_eq!(tt_move.is_some(), searched, "{fen}");
                let listed: Vec<Move> = list(&mut worker, &job).iter().map(|ranked| ranked.mv).collect();
                let mut sorted = listed.clone();
                sorted.sort_unstable_by_key(|mv| mv.word());
                let mut legal = board.legal_moves().to_vec();
                legal.sort_unstable_by_key(|mv| mv.word());
                assert_eq!(sorted, legal, "{fen}");
                let rest = &listed[usize::from(searched)..];
                assert!(!searched || tt_move == Some(listed[0]), "{fen}");
                let quiets = rest.iter().position(|mv| mv.is_quiet()).unwrap_or(rest.len());
                let bad = rest.iter().rposition(|mv| mv.is_quiet()).map_or(quiets, |last| last + 1);
                assert!(rest[quiets..bad].iter().all(|mv| mv.is_quiet()), "{fen}");
                assert!(rest[..quiets].iter().all(|&mv| board.see_ge(mv, -200)), "{fen}");
                assert!(rest[bad..].iter().all(|&mv| !board.see_ge(mv, 200)), "{fen}");
            }
        }
    }

    #[test]
    fn recipe_history_is_shown_and_kept() {
        let madchess = Choice { main: RecipeName::Madchess, ..Choice::default() };
        let job = job("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", &madchess);
        let mut worker = Worker::new(0);
        worker.search(&job, None);
        for _ in 0..2 {
            let quiets: Vec<Move> =
                list(&mut worker, &job).iter().map(|ranked| ranked.mv).filter(|mv| mv.is_quiet()).collect();
            let known = |&mv: &Move| worker.histories.recipe.get(job.game.board(), mv);
            let killer = worker.stack.at(0).killer;
            let values: Vec<i32> = quiets.iter().filter(|&&mv| Some(mv) != killer).map(known).collect();
            assert!(values[1..].is_sorted_by(|one, other| one >= other), "{values:?}");
            assert!(values.iter().any(|&value| value > 0) && values.iter().any(|&value| value < 0), "{values:?}");
        }
    }

    #[test]
    fn last_killers_are_shown_and_kept() {
        let (job, mut worker) = (job("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1", &Choice::default()), Worker::new(0));
        worker.search(&job, None);
        let killer = job.game.board().parse_uci("a1a7", false).unwrap();
        worker.stack.at_mut(0).killer = Some(killer);
        for _ in 0..2 {
            let killers: Vec<Move> =
                list(&mut worker, &job).iter().filter(|ranked| ranked.killer).map(|ranked| ranked.mv).collect();
            assert_eq!(killers, [killer]);
        }
    }

    /// The recipe reduces less at the root than at other PV nodes.
    #[test]
    fn reductions_below_the_root_are_those_of_a_pv_node() {
        let start = Board::start();
        let mv = start.parse_uci("e2e4", false).unwrap();
        let total = |fen: &str, path: &[Move]| -> i32 {
            let mut job = job(fen, &Choice::default());
            let params = Params { lmr_root: -2048, ..Params::default() };
            job.lmr = Arc::new(LmrSet::compile(&Choice::default(), &params));
            Worker::new(0).list_moves(&job, path, false, 10).iter().map(|row| row.reduction).sum()
        };
        assert!(total(&start.fen(false), &[mv]) > total(&start.after(mv).fen(false), &[]));
    }
}
