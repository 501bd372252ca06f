use super::*;
use lento_console::setup::Setup;
use lento_testing::Folder;
use lento_testing::polyglot::book;
use std::collections::HashMap;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A board and its last move.
fn after(fen: &str, moves: &str) -> (Board, Option<Move>) {
    let mut board = Board::from_fen(fen).unwrap();
    let moves = Setup::default().moves(&board, moves).unwrap();
    moves.iter().for_each(|&mv| board.play(mv));
    (board, moves.last().copied())
}

/// The nine positions of the format's description.
#[test]
fn keys_of_the_format_description() {
    for (moves, fen, expected) in [
        ("", START, 0x463b_9618_1691_fc9c),
        ("e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
        (
            "e2e4 d7d5 e4e5 f7f5 e1e2",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
            0x652a_607c_a3f2_42c1,
        ),
        (
            "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7",
            "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4",
            0x00fd_d303_c946_bdd9,
        ),
        (
            "a2a4 b7b5 h2h4 b5b4 c2c4",
            "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
            0x3c81_23ea_7b06_7637,
        ),
        (
            "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3",
            "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
            0x5c3f_9b82_9b27_9560,
        ),
    ] {
        let (board, last) = after(START, moves);
        assert_eq!((key(&board, last), key(&Board::from_fen(fen).unwrap(), None)), (expected, expected), "{fen}");
    }
}

/// Checked with python-chess.
#[test]
fn en_passant_counts_pinned_pawns() {
    let (board, last) = after("8/3p4/8/K1P4r/8/8/8/4k3 b - - 0 1", "d7d5");
    assert_eq!(board.en_passant(), None);
    assert_eq!(key(&board, last) ^ key(&board, None), u64::from_be_bytes(*RANDOM[8 * 775..].first_chunk().unwrap()));
}

#[test]
fn draws_moves_by_weight() {
    let folder = Folder::new("polyglot");
    let bytes = book(&[("", "e2e4", 300), ("", "d2d4", 100), ("", "a2a4", 0), ("e2e4", "e7e5", 1)]);
    let book = Book::read(&folder.write("a.bin", &bytes)).unwrap();
    let mut rng = Rng::with_seed(1);
    let mut drawn = HashMap::new();
    for _ in 0..400 {
        *drawn.entry(book.draw(9, &mut rng).fen(false)).or_insert(0) += 1;
    }
    let count = |moves: &str| drawn[&after(START, moves).0.fen(false)];
    assert!(drawn.len() == 2 && (70..130).contains(&count("d2d4")) && count("e2e4 e7e5") > 270, "{drawn:?}");
    assert_eq!(book.draw(0, &mut rng), Board::start());
}

#[test]
fn decodes_castling_and_promotions() {
    let board = Board::from_fen("r3k3/1P6/8/8/8/8/8/4K2R w Kq - 0 1").unwrap();
    let word = |from: Square, to: Square, promoted: u16| {
        Entry { key: 0, mv: to.index() as u16 | (from.index() as u16) << 6 | promoted << 12, weight: 1 }.text()
    };
    let [castle, step] = [Square::H1, Square::G1].map(|to| board.parse_uci(&word(Square::E1, to, 0), true).unwrap());
    assert!(castle == step && castle.is_castle());
    assert_eq!(Entry::new(0, castle, 1).text(), "e1h1");
    for (number, letter) in [(1, 'n'), (2, 'b'), (3, 'r'), (4, 'q')] {
        let text = word(Square::B7, Square::A8, number);
        assert_eq!(text, format!("b7a8{letter}"));
        assert_eq!(Entry::new(0, board.parse_uci(&text, true).unwrap(), 1).text(), text);
    }
    for number in 5..8 {
        assert_eq!(board.parse_uci(&word(Square::B7, Square::A8, number), true), None);
    }
}

#[test]
fn invalid_files_are_errors() {
    let folder = Folder::new("polyglot-invalid");
    let check_error = |bytes: &[u8], expected: &str| {
        let error = Book::read(&folder.write("a.bin", bytes)).unwrap_err();
        assert!(
            error.contains("a.bin: ") && error.ends_with("expected a Polyglot book") && error.contains(expected),
            "{error}"
        );
    };
    check_error(b"", "empty");
    check_error(&[0; 33], "33 bytes, not a multiple of 16");
    check_error(&[[0; 16], [1; 16], [0; 16]].concat(), "entry 3 of 3 has a smaller key");
}
