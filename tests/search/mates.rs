//! Forced mates and draws.

use crate::data;
use lento::chess::{Board, Game};
use lento::engine::Engine;
use lento::score::{Bound, mate_distance};
use lento::search::limits::Limits;
use lento::search::report::Outcome;
use std::ops::ControlFlow;

/// Positions with the distance to mate in moves, negative if the side to move is mated.
const MATES: [(&str, i32); 13] = [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
    ("k7/7R/1K6/8/8/8/8/8 w - - 99 120", 1),
    ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 1),
    ("5k2/3Q4/8/8/2B5/8/8/4K2R w K - 0 1", 1),
    ("7k/8/8/8/8/1r6/r7/5K2 b - - 0 1", 1),
    ("7k/8/8/8/8/1r6/r7/5K2 w - - 0 1", -1),
    ("8/8/8/8/8/4k3/R7/1R2K3 b - - 0 1", -5),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("1k6/5R2/1K6/8/8/8/8/8 w - - 0 1", 1),
    ("3k4/8/3K4/8/8/8/8/7R w - - 0 1", 1),
    ("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", 0),
    ("2k5/8/1K6/8/8/8/8/4R3 w - - 0 1", 2),
    ("8/8/8/2R1R3/3K4/8/7k/8 w - - 0 1", 4),
];

fn search(engine: &mut Engine, game: Game, args: &Limits) -> Outcome {
    engine.new_game();
    engine.game = game;
    engine.search_blocking(args, |_| ())
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Whether the PV ends in mate.
fn mates(board: &Board, outcome: &Outcome) -> bool {
    let mut board = board.clone();
    for &mv in &outcome.lines[0].pv {
        assert!(board.is_legal(mv));
        board = board.after(mv);
    }
    board.in_check() && !board.has_legal_move()
}

#[test]
fn forced_mates_have_the_right_distance() {
    let mut engine = Engine::new();
    for (fen, distance) in MATES {
        let game = Game::from_fen(fen).unwrap();
        let board = game.board().clone();
        let outcome = search(&mut engine, game, &nodes(400_000));
        assert_eq!(mate_distance(outcome.lines[0].score), Some(distance), "{fen}: {:?}", outcome.lines[0]);
        assert!(mates(&board, &outcome), "{fen}: the PV does not end in mate");
    }
}

/// Searches a file of mates in `moves`; returns how many are found and the total.
fn found(moves: u32, limits: &Limits) -> [usize; 2] {
    let text = data::text(data::path(&format!("epd/mate_in_{moves}.epd")));
    let mut engine = Engine::new();
    let finds = |line: &&str| {
        let fen = line.split(" bm ").next().unwrap();
        let best = search(&mut engine, Game::from_fen(fen).unwrap(), limits).lines.swap_remove(0);
        let found = mate_distance(best.score) == Some(moves as i32);
        // An interrupted search may report a bound without a PV.
        assert!(!found || best.bound != Bound::Exact || best.pv.len() == 2 * moves as usize - 1, "{fen}");
        found
    };
    [text.lines().filter(finds).count(), text.lines().count()]
}

/// `go mate` finds at least 95 % of mates within few nodes.
#[test]
fn go_mate_finds_mates() {
    for (moves, limit) in [(1, 20_000), (2, 200_000), (3, 400_000)] {
        let [found, tried] = found(moves, &Limits { mate: Some(moves), ..nodes(limit) });
        assert!(found * 100 >= tried * 95, "{found} of {tried} in {moves}");
    }
}

/// An ordinary search finds at least 90 % of mates within 20 000 nodes.
#[test]
fn ordinary_search_finds_mates() {
    for moves in 1..=3 {
        let [found, tried] = found(moves, &nodes(20_000));
        assert!(found * 10 >= tried * 9, "{found} of {tried} in {moves}");
    }
}

/// Morphy's problem: a zugzwang, which null move pruning misses.
#[test]
fn go_mate_finds_a_zugzwang_mate() {
    let args = Limits { mate: Some(2), ..nodes(400_000) };
    let game = Game::from_fen("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1").unwrap();
    let outcome = search(&mut Engine::new(), game, &args);
    assert_eq!(mate_distance(outcome.lines[0].score), Some(2));
}

/// A mate that a search with reductions finds late.
#[test]
fn go_mate_finds_a_quiet_mate() {
    let args = Limits { mate: Some(3), ..nodes(300_000) };
    for lines in [1, 3] {
        let mut engine = Engine::new();
        engine.settings.search.multi_pv = lines;
        let game = Game::from_fen("8/1p2p1kp/2rRB3/pq2n1Pp/4P3/8/PPP2Q2/2K5 w - - 0 1").unwrap();
        let board = game.board().clone();
        let outcome = search(&mut engine, game, &args);
        assert_eq!(mate_distance(outcome.lines[0].score), Some(3), "{:?}", outcome.lines[0]);
        assert_eq!((outcome.lines.len() as u64, outcome.lines[0].pv.len()), (lines, 5));
        assert!(mates(&board, &outcome));
    }
}

/// A mate that does not exist is refuted; being mated is reported.
#[test]
fn go_mate_refutes_missing_mates() {
    let mut engine = Engine::new();
    // Without its key move the mate in three is gone.
    let three = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1";
    for (fen, mate, searched, distance) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 2, "", None),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, "", None),
        (three, 3, "", Some(3)),
        (three, 3, "h2h3 f6f7 e5f4", None),
        ("8/8/8/8/8/4k3/R7/1R2K3 b - - 0 1", 5, "", Some(-5)),
        ("8/8/8/8/8/4k3/R7/1R2K3 b - - 0 1", 3, "", None),
    ] {
        let game = Game::from_fen(fen).unwrap();
        let board = game.board().clone();
        let moves: Vec<_> = searched.split_whitespace().map(|text| board.parse_uci(text, false).unwrap()).collect();
        engine.new_game();
        engine.game = game;
        let start = std::time::Instant::now();
        let limits = Limits { mate: Some(mate), movetime: Some(60_000), ..Limits::default() };
        let outcome = engine.search_until(&limits, &moves, |_, _| ControlFlow::Continue(()));
        let found = mate_distance(outcome.lines[0].score).filter(|found| found.unsigned_abs() <= mate);
        assert_eq!(found, distance, "{fen}: {:?}", outcome.lines[0]);
        assert!(found.is_none() || mates(&board, &outcome), "{fen}");
        assert!(moves.is_empty() || moves.contains(&outcome.best.unwrap()));
        assert!(start.elapsed().as_secs() < 50, "{fen}: the search did not end");
    }
}

#[test]
fn draws_score_near_zero() {
    let mut engine = Engine::new();
    for (fen, why) in [
        ("8/8/8/4k3/8/8/8/R3K3 w - - 98 120", "fifty-move rule before mate"),
        ("6k1/6p1/8/7Q/8/8/qq3PPP/6K1 w - - 0 1", "perpetual check"),
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", "bare kings"),
        ("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", "stalemate"),
    ] {
        let outcome = search(&mut engine, Game::from_fen(fen).unwrap(), &nodes(200_000));
        assert!(outcome.lines[0].score.abs() <= 30, "{why}: {:?}", outcome.lines[0]);
    }
}

#[test]
fn wins_are_preserved_in_edge_cases() {
    let mut engine = Engine::new();
    // At 99 plies only a pawn move or capture preserves the win.
    let game = Game::from_fen("7k/6p1/7p/8/8/5Q2/5PPP/6K1 w - - 99 120").unwrap();
    let board = game.board().clone();
    let best = search(&mut engine, game, &nodes(200_000)).best.unwrap();
    assert_eq!(board.after(best).halfmove_clock(), 0, "{}", board.san(best));
    // Promotion to a queen allows stalemate after Rc4+.
    let game = Game::from_fen("8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1").unwrap();
    let board = game.board().clone();
    let best = search(&mut engine, game, &nodes(400_000)).best.unwrap();
    assert_eq!(board.uci(best, false), "c7c8r");
    // Zugzwang: only Kb1 wins (Lasker and Reichhelm).
    let game = Game::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").unwrap();
    let board = game.board().clone();
    let outcome = search(&mut engine, game, &nodes(3_000_000));
    assert_eq!(board.uci(outcome.best.unwrap(), false), "a1b1");
    assert!(outcome.lines[0].score > 200);
}
