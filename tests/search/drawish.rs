//! The option for drawish endings.

use lento::chess::{Board, Color, Game, Piece, Square};
use lento::engine::Engine;
use lento::eval::drawish;
use lento::score::{Score, mate_distance};
use lento::search::limits::Limits;
use lento::search::report::Outcome;

/// An example of each ending.
const POSITIONS: [(&str, &str); 15] = [
    ("KQvKQ", "5k2/6q1/8/8/8/8/1Q6/1K6 w - - 0 1"),
    ("KRRvKQ", "6k1/5rr1/8/8/8/8/1Q6/1K6 w - - 0 1"),
    ("KRRvKRR", "6k1/5rr1/8/8/8/2R5/1R6/1K6 w - - 0 1"),
    ("KRBvKRB", "6k1/5rb1/8/8/8/8/1RB5/1K6 w - - 0 1"),
    ("KRBvKRN", "6k1/6n1/5r2/8/8/2R5/2B5/1K6 w - - 0 1"),
    ("KRNvKRN", "6k1/5rn1/8/8/8/2R5/2N5/1K6 w - - 0 1"),
    ("KRBvKR", "1k6/7r/8/3K4/8/2B5/3R4/8 w - - 0 1"),
    ("KRNvKR", "6k1/5r2/8/8/8/2N5/1R6/1K6 w - - 0 1"),
    ("KRBNvKR", "7k/6r1/8/8/8/8/2BN4/1K1R4 b - - 0 1"),
    ("KRvKR", "6k1/6r1/8/8/8/2K5/1R6/8 w - - 0 1"),
    ("KRvKB", "6k1/6b1/8/8/8/1R6/2K5/8 w - - 0 1"),
    ("KRvKN", "6k1/6n1/8/8/8/1R6/2K5/8 w - - 0 1"),
    ("KNNvKB", "6k1/6b1/8/8/8/1N6/1K1N4/8 w - - 0 1"),
    ("KNNvKN", "6k1/6n1/8/8/8/1N6/1K1N4/8 w - - 0 1"),
    ("KNNvK", "6k1/8/8/8/8/1N6/1K1N4/8 w - - 0 1"),
];

/// The position with colors swapped.
fn mirrored(fen: &str) -> String {
    let board = Board::from_fen(fen).unwrap();
    let piece = |rank: usize, file: usize| board.piece_on(Square::from_index(rank * 8 + file));
    let row = |rank: usize| -> String {
        let cell = |file| piece(rank, file).map_or('1', |piece| Piece::new(!piece.color(), piece.kind()).letter());
        (0..8).map(cell).collect()
    };
    let rows: Vec<String> = (0..8).map(row).collect();
    let side = if board.side_to_move() == Color::White { 'b' } else { 'w' };
    format!("{} {side} - - 0 1", rows.join("/"))
}

fn engine(drawish_endings: bool) -> Engine {
    let mut engine = Engine::new();
    engine.settings.drawish_endings = drawish_endings;
    engine
}

/// Static evaluation and search result.
fn evaluate(engine: &mut Engine, fen: &str, depth: i32) -> (Score, Outcome) {
    engine.new_game();
    engine.game = Game::from_fen(fen).unwrap();
    let value = engine.evaluation().value(engine.game.board(), engine.params().scaling());
    (value, engine.search_blocking(&Limits { depth: Some(depth), ..Limits::default() }, |_| ()))
}

#[test]
fn drawish_endings_score_zero_but_are_searched() {
    let mut engine = engine(true);
    for (name, fen) in POSITIONS {
        for fen in [fen.to_owned(), mirrored(fen)] {
            let (value, outcome) = evaluate(&mut engine, &fen, 8);
            assert_eq!(drawish::find(engine.game.board()), Some(name), "{fen}");
            assert_eq!((value, outcome.lines[0].score), (0, 0), "{name} {fen}");
            assert!(outcome.lines[0].nodes > 300, "{name} {fen}: {} nodes", outcome.lines[0].nodes);
        }
    }
    assert_eq!(POSITIONS.map(|(name, _)| name), drawish::ENDINGS);
}

#[test]
fn unequal_endings_have_a_value_without_the_option() {
    let mut engine = engine(false);
    // Endings with equal material may evaluate to anything, and two knights are a known draw.
    let unequal = ["KRRvKQ", "KRBvKR", "KRNvKR", "KRBNvKR", "KRvKB", "KRvKN"];
    let mut drawn = Vec::new();
    for (name, fen) in POSITIONS.into_iter().filter(|(name, _)| unequal.contains(name)) {
        let [one, other] = [fen.to_owned(), mirrored(fen)].map(|fen| evaluate(&mut engine, &fen, 1).0);
        assert_eq!((one == 0, name), (other == 0, name));
        drawn.extend((one == 0).then_some(name));
    }
    // The network may evaluate some of them as draws.
    assert!(drawn.len() <= 2, "{drawn:?}");
}

#[test]
fn other_endings_keep_their_value() {
    let (mut with, mut without) = (engine(true), engine(false));
    for fen in [
        "6k1/5r2/8/8/8/1R6/1P6/1K6 w - - 0 1",
        "6k1/5r2/6p1/8/8/1R6/1B6/1K6 w - - 0 1",
        "6k1/5n2/8/8/8/1N6/PK1N4/8 w - - 0 1",
        "6k1/5r2/8/8/1Q6/1R6/8/1K6 w - - 0 1",
        "6k1/5r2/8/8/1B6/1R6/1B6/1K6 w - - 0 1",
        "6k1/8/8/8/8/1R6/8/1K6 w - - 0 1",
        "6k1/5r2/8/3q4/8/1Q6/8/1K6 w - - 0 1",
    ] {
        for fen in [fen.to_owned(), mirrored(fen)] {
            let (value, _) = evaluate(&mut with, &fen, 1);
            assert_eq!(value, evaluate(&mut without, &fen, 1).0, "{fen}");
            assert_ne!(value, 0, "{fen}");
        }
    }
}

#[test]
fn mates_and_hanging_pieces_are_still_found() {
    let mut engine = engine(true);
    for (fen, best, mate) in [
        ("3k4/8/3K4/8/8/1r6/8/7R w - - 0 1", "h1h8", Some(1)),
        ("7k/8/6K1/8/q7/8/8/5Q2 w - - 0 1", "f1f8", Some(1)),
        ("k7/3N4/1K6/3N4/8/8/8/8 w - - 0 1", "d5c7", Some(1)),
        ("6k1/8/8/3q4/8/1Q6/8/1K6 w - - 0 1", "b3d5", None),
        ("6k1/8/8/8/8/1r6/1K6/5R2 w - - 0 1", "b2b3", None),
    ] {
        let (value, outcome) = evaluate(&mut engine, fen, 4);
        assert_eq!((value, engine.game.board().uci(outcome.best.unwrap(), false)), (0, best.to_owned()), "{fen}");
        let score = outcome.lines[0].score;
        assert!(mate_distance(score) == mate && score > 500, "{fen}: {score}");
        let (value, outcome) = evaluate(&mut engine, &mirrored(fen), 4);
        let score = outcome.lines[0].score;
        assert!(value == 0 && mate_distance(score) == mate && score > 500, "{fen} with colors exchanged: {score}");
    }
}

/// With insufficient material only the root moves are searched.
#[test]
fn dead_draws_end_the_search() {
    for drawish_endings in [false, true] {
        let mut engine = engine(drawish_endings);
        for fen in
            ["6k1/8/8/8/8/1N6/1K6/8 w - - 0 1", "6k1/8/8/8/8/B7/1K6/8 w - - 0 1", "6k1/8/8/8/8/8/1K6/8 w - - 0 1"]
        {
            let depth = 6;
            let (_, outcome) = evaluate(&mut engine, fen, depth);
            let moves = engine.game.board().legal_moves().len() as u64;
            let line = &outcome.lines[0];
            // The root and its moves, at most twice per iteration.
            assert!(line.score == 0 && line.nodes <= 2 * (moves + 1) * depth as u64, "{fen}: {line:?}");
        }
    }
}
