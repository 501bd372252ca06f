//! Reproducibility, exact node limits and thread handling.

use lento::chess::{Game, Move};
use lento::engine::{Engine, Output, Sharing, Stagger};
use lento::named::Named;
use lento::score::Score;
use lento::search::lbr::Lbr;
use lento::search::limits::{Determinism, Limits};
use lento::search::lmr::RecipeName;
use lento::search::report::Outcome;
use std::collections::HashSet;
use std::time::{Duration, Instant};

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Nodes, move and score of searching two positions in a new game.
fn signature(engine: &mut Engine) -> Vec<(u64, Option<Move>, i32)> {
    engine.new_game();
    let mut search = |game: Game| {
        engine.game = game;
        let outcome = engine.search_blocking(&depth(9), |_| ());
        (outcome.lines[0].nodes, outcome.best, outcome.lines[0].score)
    };
    vec![search(Game::start()), search(Game::from_fen(MIDDLEGAME).unwrap())]
}

#[test]
fn single_thread_is_deterministic() {
    let mut engine = Engine::new();
    let first = signature(&mut engine);
    assert_eq!(signature(&mut engine), first, "twice in one process");
    engine.set_hash(3).unwrap();
    signature(&mut engine);
    engine.set_hash(16).unwrap();
    assert_eq!(signature(&mut engine), first, "after another table");
    engine.set_threads(3).unwrap();
    signature(&mut engine);
    engine.set_threads(1).unwrap();
    assert_eq!(signature(&mut engine), first, "after more threads");
    assert_eq!(signature(&mut Engine::new()), first, "another engine");
}

#[test]
fn inline_engine_matches_a_worker_thread() {
    let first = signature(&mut Engine::new());
    let run = move || {
        let mut engine = Engine::inline();
        assert_eq!((engine.threads(), signature(&mut engine)), (1, first.clone()));
        let mut outputs = 0;
        engine.search_blocking(&depth(6), |output| {
            assert!(matches!(output, Output::Best(_)), "{output:?}");
            outputs += 1;
        });
        assert_eq!((outputs, engine.list_moves(5).len()), (1, 48));
        engine.set_threads(3).unwrap();
        let mut lines = 0;
        let outcome =
            engine.search_blocking(&nodes(5000), |output| lines += u32::from(matches!(output, Output::Info(_))));
        assert!(outcome.lines[0].nodes == 5000 && lines > 1 && engine.threads() == 3);
        engine.set_threads(1).unwrap();
        assert_eq!(signature(&mut engine), first, "after more threads");
    };
    std::thread::Builder::new().stack_size(Engine::STACK_BYTES).spawn(run).unwrap().join().unwrap();
}

#[test]
fn node_limits_are_exact_with_any_number_of_threads() {
    let mut engine = Engine::new();
    for threads in [1, 2, 5, 40] {
        engine.set_threads(threads).unwrap();
        for limit in [1, 2, 777, 20_000] {
            let outcome = engine.search_blocking(&nodes(limit), |_| ());
            assert_eq!(outcome.lines[0].nodes, limit, "{threads} threads");
            assert!(outcome.best.is_some());
        }
    }
}

#[test]
fn table_survives_a_change_of_threads() {
    let mut engine = Engine::new();
    let cold = engine.search_blocking(&depth(8), |_| ()).lines[0].nodes;
    engine.search_blocking(&depth(11), |_| ());
    engine.set_threads(2).unwrap();
    engine.set_threads(1).unwrap();
    // The deeper entries are reused.
    let warm = engine.search_blocking(&depth(8), |_| ()).lines[0].nodes;
    assert!(warm < cold / 2, "{cold} nodes, then {warm}");
}

#[test]
fn root_moves_and_multipv_are_respected() {
    let mut engine = Engine::new();
    let board = engine.game.board().clone();
    let wanted: Vec<Move> = ["a2a3", "h2h4"].iter().filter_map(|text| board.parse_uci(text, false)).collect();
    engine.go_among(&depth(6), &wanted);
    let outcome = wait_for_best(&mut engine);
    assert!(wanted.contains(&outcome.best.unwrap()));

    engine.settings.search.multi_pv = 5;
    let outcome = engine.search_blocking(&depth(7), |_| ());
    assert_eq!(outcome.lines.len(), 5);
    assert!(outcome.lines.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let mut firsts: Vec<u16> = outcome.lines.iter().map(|line| line.pv[0].word()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5, "duplicate moves");
}

/// Starts an infinite search, lets it run for a while and stops it.
fn start_and_stop(engine: &mut Engine, run: Duration) -> Outcome {
    engine.go(&Limits { infinite: true, ..Limits::default() });
    let end = Instant::now() + run;
    while let Some(output) = engine.next_output(Some(end)) {
        assert!(!matches!(output, Output::Best(_)), "an answer before stop");
    }
    engine.stop().expect("a running search")
}

/// Waits for the result of a search.
fn wait_for_best(engine: &mut Engine) -> Outcome {
    loop {
        if let Output::Best(outcome) = engine.next_output(None).expect("a search") {
            return outcome;
        }
    }
}

#[test]
fn many_threads_start_and_stop() {
    let mut engine = Engine::new();
    for threads in [2, 64, 3] {
        engine.set_threads(threads).unwrap();
        assert_eq!(engine.threads(), threads);
        for run in [0, 20] {
            let outcome = start_and_stop(&mut engine, Duration::from_millis(run));
            assert!(engine.game.board().is_legal(outcome.best.unwrap()), "{threads} threads");
            assert!(!engine.is_searching());
        }
    }
    engine.set_hash(8).expect("no thread holds the table");
}

#[test]
fn every_stagger_and_sharing_mode_finds_the_same_tactic() {
    let mut engine = Engine::new();
    engine.set_threads(4).unwrap();
    let modes =
        Stagger::ALL.iter().flat_map(|&(_, stagger)| Sharing::ALL.iter().map(move |&(_, sharing)| (stagger, sharing)));
    for (stagger, sharing) in modes {
        (engine.settings.search.stagger, engine.settings.search.shared_history) = (stagger, sharing);
        engine.new_game();
        engine.game = Game::from_fen("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1").unwrap();
        let outcome = engine.search_blocking(&depth(10), |_| ());
        let best = engine.game.board().uci(outcome.best.unwrap(), false);
        assert_eq!(best, "f6a6", "{} {}", stagger.name(), sharing.name());
    }
}

#[test]
fn multipv_0_gives_one_line() {
    let mut engine = Engine::new();
    engine.settings.search.multi_pv = 0;
    assert_eq!(engine.search_blocking(&depth(3), |_| ()).lines.len(), 1);
}

#[test]
fn positions_with_at_most_one_legal_move() {
    let mut engine = Engine::new();
    engine.game = Game::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    assert_eq!(engine.search_blocking(&depth(5), |_| ()).best, None);
    engine.game = Game::from_fen("7k/8/8/8/8/8/6q1/7K w - - 0 1").unwrap();
    let clock = Limits { clock: [Some(600_000), Some(600_000)], ..Limits::default() };
    let outcome = engine.search_blocking(&clock, |_| ());
    assert_eq!(engine.game.board().uci(outcome.best.unwrap(), false), "h1g2");
    assert_eq!(outcome.lines[0].depth, 1, "a forced move is played at once");
}

#[test]
fn recipes_and_lbr_change_the_search() {
    let mut engine = Engine::new();
    let mut count = |lmr, lbr| {
        engine.settings.lmr.main = lmr;
        engine.settings.search.lbr = lbr;
        engine.new_game();
        engine.search_blocking(&depth(8), |_| ()).lines[0].nodes
    };
    let (replies, none) = (Lbr::default(), Lbr::OFF);
    let (default_nodes, without_reductions, without_replies) =
        (count(RecipeName::Tuned, replies), count(RecipeName::Off, replies), count(RecipeName::Tuned, none));
    assert!(
        without_reductions > default_nodes * 5 / 4,
        "{default_nodes} nodes, {without_reductions} without reductions"
    );
    assert_ne!(default_nodes, without_replies);
}

#[test]
fn lbr_variants_are_distinct_and_deterministic() {
    let mut engine = Engine::new();
    let mut count = |lbr: Lbr| {
        engine.settings.search.lbr = lbr;
        engine.new_game();
        // A large tree: captures are ordered without LBR, so in a small one the quiet variants may make no difference.
        engine.game = Game::from_fen(MIDDLEGAME).unwrap();
        engine.search_blocking(&depth(13), |_| ()).lines[0].nodes
    };
    let first: Vec<u64> = Lbr::ALL.iter().map(|&(_, lbr)| lbr).map(&mut count).collect();
    // In reverse, so that each variant follows a different one.
    let mut again: Vec<u64> = Lbr::ALL.iter().map(|&(_, lbr)| lbr).rev().map(&mut count).collect();
    again.reverse();
    assert_eq!(first, again);
    let different: HashSet<&u64> = first.iter().collect();
    assert_eq!(different.len(), first.len(), "{first:?}");
}

/// With eight threads and 20 000 nodes, helpers may use up all nodes before the main thread runs.
#[test]
fn hanging_queen_is_taken_with_shared_node_limits() {
    let mut engine = Engine::new();
    for (threads, limit) in [(1, 1000), (8, 1000), (8, 20_000), (64, 20_000)] {
        engine.set_threads(threads).unwrap();
        for _ in 0..10 {
            engine.new_game();
            engine.game = Game::from_fen("4k3/pppp1ppp/8/3q4/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 0 1").unwrap();
            let best = engine.search_blocking(&nodes(limit), |_| ()).best.unwrap();
            assert_eq!(engine.game.board().uci(best, false), "e4d5", "{threads} threads, {limit} nodes");
        }
    }
}

#[test]
fn dropping_an_engine_ends_its_search() {
    for threads in [1, 5] {
        let mut engine = Engine::new();
        engine.set_threads(threads).unwrap();
        engine.go(&Limits { infinite: true, ..Limits::default() });
        // Would block otherwise.
        drop(engine);
    }
}

#[test]
fn ponderhit_after_the_time_limit_is_answered() {
    let mut engine = Engine::new();
    let clock = Limits { clock: [Some(500); 2], ..Limits::default() };
    engine.go(&Limits { ponder: true, ..clock });
    // Longer than the hard limit of such a clock.
    let end = Instant::now() + Duration::from_millis(500);
    while let Some(output) = engine.next_output(Some(end)) {
        assert!(!matches!(output, Output::Best(_)), "an answer before ponderhit");
    }
    engine.ponderhit();
    wait_for_best(&mut engine);
}

#[test]
fn stop_without_a_search_returns_none() {
    let mut engine = Engine::new();
    assert!(engine.stop().is_none());
    engine.search_blocking(&depth(2), |_| ());
    engine.ponderhit();
    assert!(engine.stop().is_none() && !engine.is_searching());
}

/// With `nodestime`, the node count is reproducible and well below the clock.
#[test]
fn nodestime_is_reproducible() {
    let nodes = |rate: u64| {
        let mut engine = Engine::new();
        engine.settings.search.nodes_time = rate;
        let limits = Limits { clock: [Some(2000); 2], increment: [Some(20); 2], ..Limits::default() };
        engine.search_blocking(&limits, |_| ()).lines[0].nodes
    };
    let (once, again, more) = (nodes(100), nodes(100), nodes(300));
    assert_eq!(once, again);
    assert!(once < more && more < 300 * 1000, "{once} and {more} nodes");
}

/// Search, depth and rank of a line; nodes, score and moves.
type Reported = ((usize, i32, usize), u64, Score, Vec<Move>);

#[test]
fn rounds_are_reproducible_with_any_number_of_threads() {
    assert_reproducible(Determinism::Rounds);
}

#[test]
fn turns_are_reproducible_with_any_number_of_threads() {
    assert_reproducible(Determinism::Turns);
}

/// Deterministic modes reproduce node counts, also in later searches of a game, with more threads than cores, and with any MultiPV,
/// depth and node limit. A stopped search does not affect later ones.
fn assert_reproducible(deterministic: Determinism) {
    let mut engine = Engine::new();
    engine.settings.search.deterministic = deterministic;
    for threads in [2, 3, 8] {
        engine.set_threads(threads).unwrap();
        let mut run = |limits: [Limits; 3], lines: u64| {
            engine.settings.search.multi_pv = lines;
            engine.new_game();
            let mut reported: Vec<Reported> = Vec::new();
            for (search, limits) in limits.into_iter().enumerate() {
                engine.game = Game::from_fen(MIDDLEGAME).unwrap();
                engine.search_blocking(&limits, |output| match output {
                    Output::Info(info) => {
                        // A slow search also reports lines of unfinished iterations.
                        let key = (search, info.depth, info.multipv);
                        reported.retain(|earlier| earlier.0 != key);
                        reported.push((key, info.nodes, info.score, info.pv.to_vec()));
                    }
                    Output::Best(outcome) => {
                        let nodes = outcome.lines[0].nodes;
                        assert!(limits.nodes.is_none_or(|limit| limit == nodes), "{nodes} of {limits:?}");
                        reported.push(((search, 0, 0), nodes, outcome.lines[0].score, outcome.lines[0].pv.to_vec()));
                    }
                    Output::Progress(_) | Output::Note(_) => {}
                });
            }
            reported
        };
        for (limits, lines) in [([depth(9), nodes(30_001), depth(8)], 1), ([nodes(3), nodes(10_000), depth(7)], 3)] {
            let first = run(limits, lines);
            assert_eq!(run(limits, lines), first, "{threads} threads");
        }
        engine.settings.search.multi_pv = 1;
        engine.go(&Limits { infinite: true, ..Limits::default() });
        std::thread::sleep(Duration::from_millis(20));
        assert!(engine.stop().is_some_and(|outcome| outcome.best.is_some()));
        engine.search_blocking(&Limits { movetime: Some(30), ..Limits::default() }, |_| ());
    }
}

#[test]
fn rounds_on_a_clock_of_nodes_are_reproducible() {
    let mut engine = Engine::new();
    engine.set_threads(3).unwrap();
    (engine.settings.search.deterministic, engine.settings.search.nodes_time) = (Determinism::Rounds, 100);
    let limits = Limits { movetime: Some(500), ..Limits::default() };
    let mut nodes = || {
        engine.new_game();
        engine.search_blocking(&limits, |_| ()).lines[0].nodes
    };
    let first = nodes();
    assert!((0..10).all(|_| nodes() == first));
}
