//! Limited strength: loss by Elo, reproducibility and independence of other searches.

use lento::chess::{Color, Game, Move, Verdict};
use lento::engine::{Engine, Output};
use lento::eval::wdl;
use lento::score::{Score, is_decisive};
use lento::search::limits::Limits;
use std::collections::HashMap;

/// Game positions with room for error.
const POSITIONS: [&str; 8] = [
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP3PP/R2Q1RK1 w - - 0 12",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 2 9",
    "2rq1rk1/pb2bppp/1pn1pn2/8/3P4/P1NB1N2/1P2QPPP/R1BR2K1 w - - 1 14",
    "3r2k1/pp3ppp/2p2n2/4p3/4P1b1/2PB1N2/PP3PPP/R5K1 w - - 0 17",
    "8/5pk1/4p1p1/1R5p/1P2r3/5P1P/6PK/8 w - - 0 40",
    "r3k2r/pp1b1ppp/1qn1p3/3pPn2/3P4/1P1B1N2/P4PPP/RNBQ1RK1 w kq - 1 11",
    "4rrk1/1pp2ppp/p1np4/4p2q/2B1P1b1/2PP1N2/PP2QPPP/R4RK1 w - - 2 15",
];

fn limited(elo: u64, seed: u64) -> Engine {
    let mut engine = Engine::new();
    let strength = &mut engine.settings.strength;
    (strength.limited, strength.elo, strength.seed) = (true, elo, seed);
    engine
}

fn chance(score: Score, material: i32) -> f64 {
    if is_decisive(score) {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    let [win, draw, _] = wdl::FITTED.chances(score, material);
    win + draw / 2.0
}

/// Expected score of each move, by a search at full strength.
fn values(fen: &str) -> HashMap<Move, f64> {
    let mut engine = Engine::new();
    engine.settings.search.multi_pv = 256;
    let game = Game::from_fen(fen).expect(fen);
    let material = wdl::material(game.board());
    engine.game = game;
    let outcome = engine.search_blocking(&Limits { depth: Some(7), ..Limits::default() }, |_| ());
    outcome.lines.iter().map(|line| (line.pv[0], chance(line.score, material))).collect()
}

#[test]
fn higher_elo_loses_less() {
    let values: Vec<_> = POSITIONS.map(values).into();
    let loss = |elo: u64, seeds: u64| {
        let (mut sum, mut count) = (0.0, 0.0);
        for seed in 1..=seeds {
            let mut engine = limited(elo, seed);
            for (fen, values) in POSITIONS.iter().zip(&values) {
                engine.game = Game::from_fen(fen).expect(fen);
                let played = engine.search_blocking(&Limits::default(), |_| ()).best.expect("a move");
                sum += values.values().fold(0.0_f64, |best, &value| best.max(value)) - values[&played];
                count += 1.0;
            }
        }
        sum / count
    };
    let losses = [loss(800, 24), loss(1400, 24), loss(2000, 12)];
    assert!(losses.is_sorted_by(|weak, strong| weak > strong), "{losses:?}");
    assert!(losses[0] > 0.05 && losses[2] < 0.05, "{losses:?}");
}

#[test]
fn moves_depend_on_seed_and_game_only() {
    let limits = Limits { nodes: Some(1_000_000), ..Limits::default() };
    let play = |engine: &mut Engine, fen: &str| {
        engine.game = Game::from_fen(fen).expect(fen);
        let outcome = engine.search_blocking(&limits, |_| ());
        (outcome.best, outcome.lines[0].score, outcome.lines[0].nodes)
    };
    let mut one = limited(1200, 3);
    let moves = POSITIONS.map(|fen| play(&mut one, fen));
    // In reverse order, with other threads and a filled table: no difference.
    let mut other = limited(1200, 3);
    other.set_threads(3).expect("threads");
    other.settings.strength.limited = false;
    other.game = Game::from_fen(POSITIONS[0]).expect("a FEN");
    other.search_blocking(&Limits { depth: Some(8), ..Limits::default() }, |_| ());
    other.settings.strength.limited = true;
    for (fen, &expected) in POSITIONS.iter().zip(&moves).rev() {
        assert_eq!(play(&mut other, fen), expected, "{fen}");
    }
    other.new_game();
    assert_eq!(play(&mut other, POSITIONS[0]), moves[0], "a fixed seed survives a new game");
    // Without a seed each game differs.
    let mut unseeded = limited(1200, 0);
    let mut seen = Vec::new();
    for _ in 0..12 {
        unseeded.new_game();
        let first = play(&mut unseeded, POSITIONS[1]);
        assert_eq!(play(&mut unseeded, POSITIONS[1]), first, "constant within a game");
        seen.push(first);
    }
    assert!(seen.iter().any(|other| *other != seen[0]), "{seen:?}");
}

#[test]
fn limited_search_does_not_affect_later_searches() {
    let full = Limits { depth: Some(9), ..Limits::default() };
    let nodes = |engine: &mut Engine| engine.search_blocking(&full, |_| ()).lines[0].nodes;
    let mut plain = Engine::new();
    let expected = [nodes(&mut plain), nodes(&mut plain)];
    let mut engine = limited(1600, 1);
    engine.settings.strength.limited = false;
    let first = nodes(&mut engine);
    engine.settings.strength.limited = true;
    engine.search_blocking(&Limits::default(), |_| ());
    engine.settings.strength.limited = false;
    assert_eq!([first, nodes(&mut engine)], expected);
}

/// A player of Elo 1500 avoids losing its last piece and mates with rook or queen against full strength, with a different seed per
/// game.
#[test]
fn elementary_endings_are_won() {
    let mut defender = Engine::new();
    let (mut won, mut lost, mut games) = (0, 0, 0);
    for (index, fen) in [
        "8/8/8/k7/2R5/8/5K2/8 w - - 0 1",
        "8/8/8/8/4k3/8/7K/7R w - - 0 1",
        "8/8/7k/8/K7/8/4R3/8 w - - 0 1",
        "8/3k4/8/8/8/1Q6/8/6K1 w - - 0 1",
        "Q7/8/8/4k3/8/8/K7/8 w - - 0 1",
        "8/8/2k5/8/8/5R2/8/R6K w - - 0 1",
        "7R/8/8/6R1/7K/8/2k5/8 w - - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for seed in 1..=4 {
            let mut player = limited(1500, 10 * index as u64 + seed);
            let mut game = Game::from_fen(fen).expect(fen);
            defender.new_game();
            while game.verdict().is_none() {
                let board = game.board();
                let is_player = board.side_to_move() == Color::White;
                let engine = if is_player { &mut player } else { &mut defender };
                engine.game = game.clone();
                let mv = engine.search_blocking(&Limits { nodes: Some(1000), ..Limits::default() }, |_| ()).best;
                let mv = mv.expect("a legal move");
                lost += usize::from(!is_player && mv.is_capture());
                game.play(mv);
            }
            won += usize::from(game.verdict() == Some(Verdict::Checkmate));
            games += 1;
        }
    }
    assert!(won * 10 >= games * 8 && lost <= 1, "{won} of {games} won, {lost} pieces lost");
}

/// The last lines belong to the played move, and MultiPV is respected.
#[test]
fn lines_match_the_played_move() {
    for (elo, multi_pv) in [(800, 1), (800, 3), (1600, 2), (2300, 1)] {
        for seed in 1..6 {
            let mut engine = limited(elo, seed);
            engine.settings.search.multi_pv = multi_pv;
            engine.game = Game::from_fen(POSITIONS[seed as usize]).expect("a FEN");
            let outcome = engine.search_blocking(&Limits::default(), |output| {
                if let Output::Info(info) = output {
                    assert!(info.multipv <= multi_pv as usize);
                }
            });
            assert_eq!(outcome.lines.len(), multi_pv as usize);
            assert_eq!(outcome.best, outcome.lines[0].pv.first().copied());
            assert_eq!(outcome.ponder, outcome.lines[0].pv.get(1).copied());
        }
    }
}

#[test]
fn analysis_has_full_strength() {
    let mut engine = limited(800, 1);
    engine.settings.analyse_mode = Some(true);
    let outcome = engine.search_blocking(&Limits { depth: Some(9), ..Limits::default() }, |_| ());
    assert_eq!(outcome.lines[0].depth, 9);
}
