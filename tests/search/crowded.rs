//! Positions with more pieces than promotions allow: no overflow of values or move lists.

use fastrand::Rng;
use lento::chess::perft::perft;
use lento::chess::{Board, Game};
use lento::engine::Engine;
use lento::eval::Evaluation;
use lento::score::MAX_EVAL;
use lento::search::limits::Limits;
use lento::search::params::Params;

/// Positions with many moves and their legal move counts, at least.
const CROWDS: [(&str, u64); 4] = [
    // A ring of queens: each empty square inside can be reached from eight directions.
    ("QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/pp5Q/knQQQQQK w - - 0 1", 257),
    ("qqqqqqqk/q6q/q6q/q6q/q6q/q6q/q5PP/qqqqqqNK b - - 0 1", 257),
    // The maximum among reachable positions.
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),
    // Eight promoting pawns, seven of them with two targets and one with one.
    ("1q1q1q1q/PPPPPPPP/8/8/8/2k5/8/K7 w - - 0 1", 4 * 4 + 7 * 4),
];

/// Board field of a FEN with both kings and up to 30 of these pieces, on ranks 2 to 7 if they include pawns.
fn placement(random: &mut Rng, letters: &[u8]) -> String {
    let mut squares = [b'1'; 64];
    let range = if letters.iter().any(|letter| b"Pp".contains(letter)) { 8..56 } else { 0..64 };
    for _ in 0..random.u8(..31) {
        squares[random.usize(range.clone())] = letters[random.usize(..letters.len())];
    }
    squares[random.usize(..64)] = b'K';
    squares[random.usize(..64)] = b'k';
    squares.chunks(8).map(|rank| String::from_utf8_lossy(rank).into_owned()).collect::<Vec<_>>().join("/")
}

/// Random positions without limits on piece counts.
fn random_crowds(count: usize) -> Vec<Board> {
    const LETTERS: [&[u8]; 9] =
        [b"QQQQQQQQQq", b"Q", b"Qq", b"QNqn", b"QQQRBNPqrbnp", b"PpPpPpQq", b"Nn", b"RRRrrrBb", b"QQQQQQQQQQQQQQQQp"];
    let mut random = Rng::with_seed(5);
    let mut boards = Vec::new();
    while boards.len() < count {
        let letters = LETTERS[random.usize(..LETTERS.len())];
        let side = if random.bool() { 'w' } else { 'b' };
        let fen = format!("{} {side} - - {} 1", placement(&mut random, letters), random.u8(..120));
        boards.extend(Board::from_fen(&fen));
    }
    boards
}

fn crowds() -> Vec<Board> {
    CROWDS.iter().map(|(fen, _)| Board::from_fen(fen).unwrap()).chain(random_crowds(400)).collect()
}

#[test]
fn move_lists_hold_all_moves() {
    for (fen, expected) in CROWDS {
        let board = Board::from_fen(fen).unwrap();
        assert!(perft(&board, 1) >= expected, "{fen}: {} moves", perft(&board, 1));
    }
    for board in crowds() {
        let moves = board.legal_moves();
        assert_eq!(moves.len() as u64, perft(&board, 1), "{}", board.fen(false));
        assert_eq!(moves.iter().map(|&mv| perft(&board.after(mv), 1)).sum::<u64>(), perft(&board, 2));
        assert!(moves.iter().all(|&mv| board.is_legal(mv)), "{}", board.fen(false));
    }
}

#[test]
fn evaluations_do_not_overflow() {
    let scaling = Params::default().scaling();
    let evaluation = Evaluation::default();
    for board in crowds() {
        assert!(evaluation.value(&board, scaling).abs() <= MAX_EVAL, "{}", board.fen(false));
    }
}

#[test]
fn searches_return_a_legal_move() {
    let mut engine = Engine::new();
    for board in crowds() {
        engine.new_game();
        engine.game = Game::from_fen(&board.fen(false)).unwrap();
        let outcome = engine.search_blocking(&Limits { nodes: Some(300), ..Limits::default() }, |_| ());
        match outcome.lines[0].pv.first() {
            Some(&mv) => assert!(board.is_legal(mv), "{}", board.fen(false)),
            None => assert!(!board.has_legal_move() || board.halfmove_clock() >= 100, "{}", board.fen(false)),
        }
    }
}
