//! The move order of the current position.

use super::Engine;
use crate::chess::{Board, Move};
use crate::search::job::Job;
use crate::search::limits::Limits;
use crate::search::node::{Pv, Root};
use crate::search::observer::NoObserver;
use crate::search::picker::Picker;
use crate::search::scout::SoFar;
use crate::search::threads::Threads;
use crate::search::worker::{Search, Worker};

/// A legal move with the data that orders it.
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
    /// Its history. Quiet moves have another scale than captures and promotions.
    pub history: i32,
    /// Continuation history's part of it; `None` for captures and promotions.
    pub continuation: Option<i32>,
    /// Its first reduction in plies if alpha is the static evaluation; negative if extended.
    pub reduction: i32,
}

impl Worker {
    /// Lists the moves of the position at the end of a path from the job's root, in the order of a PV node at this depth.
    /// `was_searched` says whether the job's root was searched last, so that killers are valid. Leaves the tables unchanged.
    fn list_moves(&mut self, job: &Job, path: &[Move], was_searched: bool, depth: i32) -> Vec<ListedMove> {
        let kept = self.stack.clone();
        let mut observer = NoObserver;
        let mut search = Search::new(self, job, &mut observer);
        let (mut board, ply) = (job.game.board().clone(), path.len());
        for (ply, &mv) in path.iter().enumerate() {
            search.play(&board.clone(), &mut board, ply, mv);
        }
        search.frame_mut(ply).killer = kept.at(ply).killer.filter(|_| was_searched);
        let hit = search.probe_table(&board, ply);
        let node = search.assess::<Pv>(&board, ply, depth, false, hit);
        let reply = search.last_best_reply(&board, ply);
        let checks = board.check_squares();
        let hints = search.hints(ply, reply, checks);
        let (mut picker, mut moves, mut quiets) = (Picker::new(node.tt_move), Vec::new(), 1);
        while let Some(mv) = picker.next(&board, &search.me.histories, &hints) {
            let so_far = SoFar { number: moves.len() + 1, quiet_number: quiets, alpha: node.eval, raised: false };
            let facts = search.gather(&board, &node, mv, so_far, &hints, checks.gives_check(&board, mv));
            quiets += usize::from(facts.quiet);
            let mut child = board.clone();
            search.play(&board, &mut child, ply, mv);
            let reduced = search.reduced_depth::<Root>(&board, &child, &node, &facts, node.eval, depth - 1);
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

impl Engine {
    /// Lists the legal moves in the main thread's search order, with reductions of a PV node at this depth, in plies.
    /// Stops a running search.
    ///
    /// A position up to two plies after the last searched one is ordered as a node of that search, with its killer,
    /// last best reply and continuation history. Any other is ordered as a root.
    pub fn list_moves(&mut self, depth: i32) -> Vec<ListedMove> {
        self.finish();
        let board = self.game.board();
        let found = self.searched.as_ref().and_then(|last| Some((last.clone(), path(last.board(), board, 2)?)));
        let was_searched = found.is_some();
        let (game, path) = found.unwrap_or_else(|| (self.game.clone(), Vec::new()));
        let (job, _) = self.job(&Limits::default(), game, Vec::new(), Threads::new(1));
        self.pool.run_on_main(move |worker| worker.list_moves(&job, &path, was_searched, depth.max(1)))
    }
}

/// The moves leading from one position to another, up to `most`.
fn path(from: &Board, to: &Board, most: usize) -> Option<Vec<Move>> {
    if from.key() == to.key() {
        return Some(Vec::new());
    }
    let through = |&mv: &Move| Some([&[mv], &path(&from.after(mv), to, most.checked_sub(1)?)?[..]].concat());
    from.legal_moves().iter().find_map(through)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::search::lmr::{Choice, RecipeName};
    use crate::search::tests::job;

    fn after(moves: &str) -> Board {
        let mut game = Game::start();
        for text in moves.split_whitespace() {
            game.play(game.board().parse_uci(text, false).expect("a legal move"));
        }
        game.board().clone()
    }

    #[test]
    fn paths_are_found_up_to_two_plies() {
        let texts = |from: &str, to: &str| {
            let board = after(from);
            path(&board, &after(to), 2).map(|moves| {
                let mut board = board.clone();
                let text = |mv: Move| {
                    let text = board.uci(mv, false);
                    board = board.after(mv);
                    text
                };
                moves.into_iter().map(text).collect::<Vec<_>>()
            })
        };
        assert_eq!(texts("e2e4", "e2e4"), Some(vec![]));
        assert_eq!(texts("", "e2e4"), Some(vec!["e2e4".into()]));
        assert_eq!(texts("e2e4", "e2e4 e7e5 g1f3"), Some(vec!["e7e5".into(), "g1f3".into()]));
        assert_eq!(texts("", "e2e4 e7e5 g1f3"), None, "three plies");
        assert_eq!(texts("e2e4", "d2d4"), None, "another position");
        assert_eq!(texts("e2e4", ""), None, "an earlier position");
        assert_eq!(texts("e2e4", "d2d4 e7e5"), None, "no path");
    }

    fn list(worker: &mut Worker, job: &Job) -> Vec<ListedMove> {
        worker.list_moves(job, &[], true, 10)
    }

    #[test]
    fn a_listing_stores_nothing() {
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
                    worker.search(&job, &mut NoObserver);
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
    fn the_history_of_a_recipe_is_shown_and_kept() {
        let madchess = Choice { main: RecipeName::Madchess, ..Choice::default() };
        let job = job("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", &madchess);
        let mut worker = Worker::new(0);
        worker.search(&job, &mut NoObserver);
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
    fn killers_of_the_last_search_are_shown_and_kept() {
        let (job, mut worker) = (job("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1", &Choice::default()), Worker::new(0));
        worker.search(&job, &mut NoObserver);
        let killer = job.game.board().parse_uci("a1a7", false).unwrap();
        worker.stack.at_mut(0).killer = Some(killer);
        for _ in 0..2 {
            let killers: Vec<Move> =
                list(&mut worker, &job).iter().filter(|ranked| ranked.killer).map(|ranked| ranked.mv).collect();
            assert_eq!(killers, [killer]);
        }
    }
}
