//! The steps of a node, one by one.

use super::job_to;
use crate::chess::{Board, Game, Move};
use crate::score::{Bound, INFINITE, Score, mate_in, mated_in};
use crate::search::history::Context;
use crate::search::job::Event;
use crate::search::lmr::Choice;
use crate::search::node::{Best, NodeState, NonPv, Pv, Root, SoFar, Tried, Window};
use crate::search::observer::NoObserver;
use crate::search::params::Params;
use crate::search::picker::Picker;
use crate::search::report::Output;
use crate::search::root::RootMoves;
use crate::search::worker::{Search, Worker};
use crate::sync::channel::unbounded;
use crate::tt::{Tt, TtEntry};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Fixed parameters, so that tuning the defaults does not affect these tests.
fn params() -> Params {
    Params {
        rfp_depth: 9,
        rfp_margin: 56,
        rfp_worsening: 32,
        rfp_all: 8,
        rfp_history: 3,
        null_eval_divisor: 171,
        null_static_base: 157,
        null_static_slope: 23,
        iir_depth: 3,
        iir_lag: 4,
        prune_history: -100,
        lmp_base: 8,
        futility_depth: 8,
        futility_base: 55,
        futility_margin: 72,
        see_quiet_depth: 8,
        see_quiet: 23,
        history_depth: 5,
        history_margin: 4700,
        singular_depth: 6,
        singular_margin: 46,
        singular_double: 12,
        raised_reduction: 1,
        hindsight_deeper: 2,
        quiesce_margin: 127,
        ..Params::default()
    }
}

/// Runs a test on a search from this position.
fn with<T>(fen: &str, test: impl FnOnce(&mut Search<NoObserver>, &Board) -> T) -> T {
    let job = job_to(Game::from_fen(fen).unwrap(), 7, &Choice::default(), params(), Tt::new(1, 1).unwrap());
    let mut worker = Worker::new(0);
    let mut search = Search::new(&mut worker, &job, NoObserver);
    test(&mut search, job.game.board())
}

/// The state of a null-window node at ply 1.
fn node(search: &mut Search<NoObserver>, board: &Board, depth: i32, hit: Option<TtEntry>) -> NodeState {
    search.assess::<NonPv>(board, NodeState::new(1, Window::FULL, depth, true, hit))
}

const QUEEN_UP: &str = "4k3/8/8/8/8/8/4P3/3QK1N1 w - - 0 1";
const QUIET: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

#[test]
fn quiescence_stands_pat_captures_and_sees_mate() {
    let quiesce = |fen: &str| {
        with(fen, |search, board| {
            let eval = if board.in_check() { 0 } else { search.evaluate(board, 1) };
            (search.quiesce::<Pv>(board, 1, Window::FULL, false).unwrap(), eval)
        })
    };
    let (score, eval) = quiesce("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(score, eval);
    let (score, eval) = quiesce("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    assert!(score > eval + 500, "{score} {eval}");
    assert_eq!(quiesce("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1").0, mated_in(1));
}

#[test]
fn reverse_futility_needs_a_margin() {
    with(QUEEN_UP, |search, board| {
        let state = node(search, board, 3, None);
        let pruned = |search: &mut Search<NoObserver>, beta| {
            search.prune_node(board, &NodeState { window: Window::below(beta), ..state }).unwrap()
        };
        let score = pruned(search, 0).expect("far above beta");
        assert!(score >= 0 && score < state.eval);
        // The null move cannot reach a beta above the evaluation either.
        assert_eq!(pruned(search, state.eval + 50), None);
        // A mated score as beta is exceeded without proof, since few positions are mates.
        assert_eq!(pruned(search, mated_in(20)), Some(state.estimate));
    });
}

#[test]
fn late_quiets_are_skipped_but_not_checks() {
    with(QUEEN_UP, |search, board| {
        let mut state = node(search, board, 2, None);
        state.improving = false;
        let checks = board.check_squares();
        let hints = search.hints(1, None, checks);
        let skipped = |text: &str, number: usize, alpha: Score| {
            let mv = board.parse_uci(text, false).unwrap();
            let state = NodeState { window: Window::above(alpha), ..state };
            let so_far = SoFar { number, quiet_number: number, raised: false };
            let facts = search.gather(board, &state, mv, so_far, &hints, checks.gives_check(board, mv));
            search.skips(board, &state, &facts, &mut Picker::new(None))
        };
        let low = state.eval - 500;
        assert!(!skipped("e1f2", 2, low) && skipped("e1f2", 40, low));
        assert!(!skipped("d1a4", 40, low), "a check");
        assert!(skipped("e1f2", 2, state.eval + 2000), "futile");
        assert!(skipped("e1f2", 2, mate_in(9)), "no shorter mate");
    });
}

#[test]
fn table_mates_cut_at_any_depth() {
    with(QUEEN_UP, |search, board| {
        let found = |search: &mut Search<NoObserver>, score, beta| {
            search.store(board, 1, TtEntry { mv: None, score, eval: None, depth: 1, bound: Bound::Exact, pv: false });
            let before = search.nodes;
            let found = search.negamax::<NonPv>(board, 1, Window::below(beta), 6, true).unwrap();
            (found, search.nodes - before)
        };
        assert_eq!(found(search, mate_in(9), 100), (mate_in(9), 1));
        assert_eq!(found(search, mated_in(8), 100), (mated_in(8), 1));
        assert!(found(search, mate_in(9), mate_in(5)).1 > 1, "a shorter mate");
        assert!(found(search, 2000, 100).1 > 1, "no mate");
    });
}

#[test]
fn fail_lows_below_the_pv_are_marked() {
    for pv in [false, true] {
        with(QUIET, |search, board| {
            search.frame_mut(0).tt_pv = pv;
            let score = search.negamax::<NonPv>(board, 1, Window::below(400), 4, false).unwrap();
            assert!(score < 400, "{score}");
            assert_eq!(search.probe_table(board, 1).map(|hit| (hit.bound, hit.pv)), Some((Bound::Upper, pv)));
        });
    }
}

#[test]
fn depth_drops_after_alpha_is_raised() {
    with(QUIET, |search, board| {
        let state = node(search, board, 6, None);
        let less = |depth, score| search.raised::<Pv>(&NodeState { depth, ..state }, score);
        assert_eq!([2, 3, 13, 14].map(|depth| less(depth, 50)), [0, 1, 1, 0]);
        assert_eq!((less(6, mate_in(9)), search.raised::<Root>(&state, 50)), (0, 0));
    });
}

#[test]
fn conditions_of_iir_and_hindsight() {
    with(QUIET, |search, board| {
        let state = node(search, board, 6, None);
        assert!(search.iir_applies::<NonPv>(&state, 6) && !search.iir_applies::<NonPv>(&state, 1));
        let mv = board.parse_uci("f1b5", false).unwrap();
        let entry = |depth| TtEntry { mv: Some(mv), score: 20, eval: Some(20), depth, bound: Bound::Lower, pv: false };
        let state = node(search, board, 6, Some(entry(6)));
        assert_eq!(state.tt_move, Some(mv));
        assert!(!search.iir_applies::<NonPv>(&state, 6));
        let state = node(search, board, 12, Some(entry(2)));
        assert!(search.iir_applies::<NonPv>(&state, 12), "an entry of far less depth");

        assert_eq!(search.hindsight(&state), 0);
        search.frame_mut(0).reduction = 4;
        assert_eq!(search.hindsight(&NodeState { opponent_worsening: false, ..state }), 1);
        assert_eq!(search.hindsight(&NodeState { opponent_worsening: true, ..state }), 0);
    });
}

#[test]
fn recapture_is_singular() {
    // Only recapturing the queen keeps the balance.
    with("3qk3/8/8/3P4/8/8/8/3RK3 b - - 0 1", |search, board| {
        search.iteration = 12;
        let mv = board.parse_uci("d8d5", false).unwrap();
        let hit = TtEntry { mv: Some(mv), score: -200, eval: None, depth: 10, bound: Bound::Lower, pv: false };
        let state = node(search, board, 8, Some(hit));
        let other = board.parse_uci("e8f8", false).unwrap();
        let below = |beta, state| NodeState { window: Window::below(beta), ..state };
        assert_eq!(search.extend::<NonPv>(board, &below(-150, state), other).unwrap(), ControlFlow::Continue(0));
        let hit = TtEntry { score: 4000, ..hit };
        let state = node(search, board, 8, Some(hit));
        let ControlFlow::Continue(extension) = search.extend::<NonPv>(board, &below(5000, state), mv).unwrap() else {
            panic!("not a multicut")
        };
        assert!(extension >= 1, "{extension}");
        assert_eq!(search.frame(1).excluded, None);
    });
}

#[test]
fn cutoff_rewards_its_move_and_penalises_earlier_ones() {
    with(QUIET, |search, board| {
        let [best, worse] = ["f1b5", "a2a3"].map(|text| board.parse_uci(text, false).unwrap());
        let state = node(search, board, 6, None);
        let context = Context::at(&search.me.stack, 1);
        let mut tried = Tried::default();
        tried.quiets.push(worse);
        search.learn::<NonPv>(board, &state, &Best { score: 90, mv: Some(best), bound: Bound::Lower }, &tried);
        let history = |mv| search.me.histories.quiet(board, mv, &context);
        assert!(history(best) > 0 && history(worse) < 0);
        assert_eq!(search.frame(1).killer, Some(best));
        let stored = search.probe_table(board, 1).expect("an entry");
        assert_eq!((stored.mv, stored.score, stored.depth, stored.bound), (Some(best), 90, 6, Bound::Lower));
    });
}

#[test]
fn reported_numbers_of_root_moves_count_earlier_lines() {
    with(QUIET, |search, board| {
        let all = search.root.all().len();
        for (open, settled, last) in [(0..all, 0, all), (2..3, 0, 3), (2..all, 2, all)] {
            (search.root.open, search.root.settled) = (open, settled);
            search.negamax::<Root>(board, 0, Window::FULL, 1, false).unwrap();
            assert_eq!(search.current.map(|(_, number)| number), Some(last));
        }
    });
}

#[test]
fn root_moves_are_sorted_stably_by_score() {
    let moves: Vec<Move> = Board::start().legal_moves().to_vec();
    let mut root = RootMoves::new(&moves);
    let line = Default::default();
    root.record(moves[3], 100, Some((30, Bound::Exact)), 5, 7, &line);
    root.record(moves[5], 300, Some((50, Bound::Lower)), 5, 7, &line);
    root.record(moves[0], 10, None, 5, 7, &line);
    root.sort();
    assert_eq!([root.all()[0].mv, root.all()[1].mv, root.all()[2].mv], [moves[5], moves[3], moves[0]]);
    assert_eq!((root.all()[0].score, root.all()[2].score), (50, -INFINITE));
    assert!((root.first_share() - 300.0 / 410.0).abs() < 1e-9 && root.has_been_best(moves[3]));
    assert_eq!((root.worst_of(2, 5), root.worst_of(2, 6)), (30, -INFINITE));
    (root.open, root.settled) = (2..moves.len(), 2);
    assert!(!root.is_open(moves[5]) && root.is_open(moves[7]) && root.alpha(90, 5) == 30);
}

#[test]
fn new_best_moves_are_reported_within_a_long_iteration() {
    let (events, received) = unbounded();
    let mut job = job_to(Game::from_fen(QUIET).unwrap(), 7, &Choice::default(), params(), Tt::new(1, 1).unwrap());
    (job.events, job.control.start) = (events, Instant::now().checked_sub(Duration::from_secs(10)).unwrap());
    let mut worker = Worker::new(0);
    let mut search = Search::new(&mut worker, &job, NoObserver);
    (search.iteration, search.lines) = (5, search.root.all()[..1].to_vec());
    let mv = search.root.all()[3].mv;
    search.root.record(mv, 10, Some((30, Bound::Exact)), 5, 7, &Default::default());
    search.adopt_unfinished(mv);
    let shown = received.try_iter().filter_map(|event| match event {
        Event::Output(Output::Info(info)) => Some((info.depth, info.pv[0])),
        _ => None,
    });
    assert_eq!(shown.collect::<Vec<_>>(), [(5, mv)]);
}

/// In the search of the moves after several lines, only moves that enter the lines get a score.
#[test]
fn alpha_of_other_moves_is_the_worst_line() {
    with("rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", |search, board| {
        let all = search.root.all().len();
        search.iteration = 1;
        // Two lost lines of this iteration; the capture of the queen comes first among the others.
        for (text, score, depth) in [("a2a3", -2999, 1), ("h2h3", -3000, 1), ("f3h4", -3001, 0)] {
            let mv = board.parse_uci(text, false).unwrap();
            search.root.record(mv, 1, Some((score, Bound::Exact)), depth, 1, &Default::default());
        }
        search.root.sort();
        (search.root.open, search.root.settled) = (2..all, 2);
        search.negamax::<Root>(board, 0, Window { alpha: -3000, beta: INFINITE }, 1, false).unwrap();
        let known = search.root.all()[2..].iter().filter(|root| root.score != -INFINITE).count();
        assert!(known < all / 2, "{known} of {all}");
    });
}

#[test]
fn scores_of_the_last_iteration_do_not_outrank_a_fail_high() {
    let moves = Board::start().legal_moves().to_vec();
    let (mut root, line) = (RootMoves::new(&moves), Default::default());
    root.record(moves[0], 1, Some((45, Bound::Exact)), 4, 7, &line);
    root.record(moves[1], 1, Some((50, Bound::Exact)), 4, 7, &line);
    root.sort();
    root.begin_iteration();
    root.record(moves[1], 1, Some((42, Bound::Lower)), 5, 7, &line);
    root.sort();
    assert_eq!(root.current().mv, moves[1]);
    assert_eq!(root.all()[1].shown(), Some((45, Bound::Exact)));
}
