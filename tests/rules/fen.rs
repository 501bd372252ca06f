//! Which texts are positions: what is refused, what is read, and what is dropped on the way.

use lento::chess::Board;

/// Texts that are no position, by what is wrong with them.
const REFUSED: &[(&str, &str)] = &[
    ("nothing", ""),
    ("only spaces", " \t "),
    ("a word", "position"),
    ("a digit", "8"),
    ("quotes around it", "'4k3/8/8/8/8/8/8/4K3 w - - 0 1'"),
    ("six ranks", "4k3/8/8/8/8/4K3 w - - 0 1"),
    ("nine ranks", "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("a slash at the end", "4k3/8/8/8/8/8/8/4K3/ w - - 0 1"),
    ("a rank left empty", "4k3/8/8//8/8/8/4K3 w - - 0 1"),
    ("a rank of seven squares", "4k3/8/8/7/8/8/8/4K3 w - - 0 1"),
    ("a rank of nine squares", "4k4/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("the digit nine", "4k3/9/8/8/8/8/8/4K3 w - - 0 1"),
    ("the digit zero", "4k3/08/8/8/8/8/8/4K3 w - - 0 1"),
    ("a letter that is no piece", "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1"),
    ("figurines", "4♚3/8/8/8/8/8/8/4♔3 w - - 0 1"),
    ("a wide digit", "4k3/８/8/8/8/8/8/4K3 w - - 0 1"),
    ("a mark of a promoted piece", "4k3/8/8/3Q~4/8/8/8/4K3 b - - 0 1"),
    ("a space on the board", "4k3/8/8 /8/8/8/8/4K3 w - - 0 1"),
    ("underscores", "4k3/8/8/8/8/8/8/4K3_w_-_-_0_1"),
    ("an empty board", "8/8/8/8/8/8/8/8 w - - 0 1"),
    ("no white king", "4k3/8/8/8/8/8/8/4Q3 b - - 0 1"),
    ("no black king", "4q3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("two white kings", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1"),
    ("two black kings", "k3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("kings side by side", "8/8/8/3kK3/8/8/8/8 w - - 0 1"),
    ("kings corner to corner", "8/8/8/3k4/4K3/8/8/8 b - - 0 1"),
    ("the rook could take the king", "4k3/8/8/8/4R3/8/8/4K3 w - - 0 1"),
    ("the bishop could take the king", "4k3/8/8/1B6/8/8/8/4K3 w - - 0 1"),
    ("the knight could take the king", "4k3/2N5/8/8/8/8/8/4K3 w - - 0 1"),
    ("the pawn could take the king", "4k3/8/8/8/8/8/5p2/4K3 b - - 0 1"),
    ("the wrong side to move", "rnbqkbnr/ppp2ppp/8/1B1pp3/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3"),
    ("a white pawn on the first rank", "4k3/8/8/8/8/8/8/4K2P w - - 0 1"),
    ("a white pawn on the last rank", "P3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("a black pawn on the first rank", "4k3/8/8/8/8/8/8/p3K3 b - - 0 1"),
    ("a piece more than a game begins with", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
    ("queens all over", "QQQQQQQQ/QQQQQQQQ/QQQKQQQQ/8/8/qqqqkqqq/qqqqqqqq/qqqqqqqq w - - 0 1"),
    ("the side in capitals", "4k3/8/8/8/8/8/8/4K3 B - - 0 1"),
    ("a dash for the side", "4k3/8/8/8/8/8/8/4K3 - - - 0 1"),
    ("no side, but the rest", "4k3/8/8/8/8/8/8/4K3 - - 0 1"),
    ("letters that are no rights", "r3k2r/8/8/8/8/8/8/R3K2R w KQxy - 0 1"),
    ("five rights", "r3k2r/8/8/8/8/8/8/R3K2R w KQkqQ - 0 1"),
    ("a square beyond the board", "4k3/8/8/8/8/8/8/4K3 w - i6 0 1"),
    ("half a square", "4k3/8/8/8/8/8/8/4K3 w - 6 0 1"),
    ("two squares", "4k3/8/8/8/8/8/8/4K3 w - d6e6 0 1"),
    ("a negative clock", "4k3/8/8/8/8/8/8/4K3 w - - -1 1"),
    ("a negative move number", "4k3/8/8/8/8/8/8/4K3 w - - 0 -1"),
    ("a clock of letters", "4k3/8/8/8/8/8/8/4K3 w - - none 1"),
    ("a fraction", "4k3/8/8/8/8/8/8/4K3 w - - 0.5 1"),
    ("a clock of 2^32", "4k3/8/8/8/8/8/8/4K3 w - - 4294967296 1"),
    ("a move number beyond all numbers", "4k3/8/8/8/8/8/8/4K3 w - - 0 340282366920938463463374607431768211456"),
];

/// Texts that are positions, and how these are written again.
const READ: &[(&str, &str)] = &[
    // Spaces and missing fields.
    ("  4k3/8/8/8/8/8/8/4K3  b\t-  -   3 7 \n", "4k3/8/8/8/8/8/8/4K3 b - - 3 7"),
    ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R b Kq", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 12", "4k3/8/8/8/8/8/8/4K3 w - - 12 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 300 70000", "4k3/8/8/8/8/8/8/4K3 w - - 300 70000"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 and more", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    // Castling rights: twice the same, without rook, without king, with a foreign rook.
    ("4k3/8/8/8/8/8/8/R3K2R w QQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1"),
    ("r3k2r/8/8/8/8/8/8/4K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 1"),
    ("r3k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1", "r3k2r/8/8/8/8/8/4K3/R6R w kq - 0 1"),
    ("4k3/8/8/8/8/8/8/r3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/r3K3 w - - 0 1"),
    ("7k/8/8/8/8/8/8/R6K w Q - 0 1", "7k/8/8/8/8/8/8/R6K w - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 w AHah - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    // X-FEN and Shredder-FEN: the letter names the file where the outermost rook is not meant.
    ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w B - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K3 w Q - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w Q - 0 1"),
    ("1r2k1r1/8/8/8/8/8/8/RK4R1 w GAgb - 0 1", "1r2k1r1/8/8/8/8/8/8/RK4R1 w KQkq - 0 1"),
    // En passant: taken away when nothing can be taken there.
    ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1"),
    ("4k3/8/8/8/3P1p2/8/8/4K3 b - d3 0 1", "4k3/8/8/8/3P1p2/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/3Pp3/8/8/4K3 b - d4 0 1", "4k3/8/8/8/3Pp3/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/3Pp3/3N4/8/4K3 b - d3 0 1", "4k3/8/8/8/3Pp3/3N4/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/3Pp3/8/3N4/4K3 b - d3 0 1", "4k3/8/8/8/3Pp3/8/3N4/4K3 b - - 0 1"),
    ("4k3/8/8/8/4p3/8/8/4K3 b - d3 0 1", "4k3/8/8/8/4p3/8/8/4K3 b - - 0 1"),
    ("8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1", "8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1"),
    ("4r3/8/8/8/3PpP2/8/8/k3K3 b - d3 0 1", "4r3/8/8/8/3PpP2/8/8/k3K3 b - d3 0 1"),
    ("4k3/8/8/8/3Pp3/8/8/K3R3 b - d3 0 1", "4k3/8/8/8/3Pp3/8/8/K3R3 b - - 0 1"),
    // Odd, but searchable: mate, stalemate, ten rooks, two bishops that check along one line.
    ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"),
    ("k7/2Q5/8/8/8/8/8/4K3 b - - 0 1", "k7/2Q5/8/8/8/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/2RRR3/2RRR3/2R5/RRR5/7K b - - 0 1", "4k3/8/8/2RRR3/2RRR3/2R5/RRR5/7K b - - 0 1"),
    ("7k/6B1/5B2/8/8/8/8/K7 b - - 0 1", "7k/6B1/5B2/8/8/8/8/K7 b - - 0 1"),
    // More than promotions allow: nine pawns, a third knight beside eight pawns, seventeen pieces of a color, thirty queens.
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/5N2/PPPPPPPP/RNBQKBNR w KQ - 0 1", "4k3/8/8/8/8/5N2/PPPPPPPP/RNBQKBNR w KQ - 0 1"),
    ("QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/pp5Q/knQQQQQK w - - 0 1", "QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/pp5Q/knQQQQQK w - - 0 1"),
    // Clocks beyond 16 bits.
    ("4k3/8/8/8/8/8/8/4K3 w - - 65535 1", "4k3/8/8/8/8/8/8/4K3 w - - 65535 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 100000 100000", "4k3/8/8/8/8/8/8/4K3 w - - 100000 100000"),
];

#[test]
fn broken_and_impossible_texts_are_refused() {
    for (what, text) in REFUSED {
        assert!(Board::from_fen(text).is_err(), "{what}: {text:?}");
    }
}

#[test]
fn readable_texts_are_read_and_impossible_rights_dropped() {
    for (text, expected) in READ {
        let board = Board::from_fen(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(board.fen(false), *expected, "{text:?}");
        assert_eq!(Board::from_fen(&board.fen(true)).unwrap().fen(false), *expected, "{text:?} by way of Shredder-FEN");
    }
}

/// The clock counts on from any number that is read.
#[test]
fn moves_and_passes_count_the_clock_on() {
    for clock in [99, 65_534, 65_535, 100_000] {
        let board = Board::from_fen(&format!("4k3/8/8/8/8/8/8/4K3 w - - {clock} 7")).unwrap();
        let mv = board.parse_uci("e1d1", false).unwrap();
        let mut passed = board.clone();
        passed.pass();
        assert_eq!((board.after(mv).halfmove_clock(), passed.halfmove_clock()), (clock + 1, clock + 1));
        assert_eq!(board.after(mv).fen(false), format!("4k3/8/8/8/8/8/8/3K4 b - - {} 7", clock + 1));
    }
}

/// The message is shown to people: one short line, whatever was given.
#[test]
fn messages_stay_short() {
    for text in ["Ü".repeat(3000), "/".repeat(100_000), format!("4k3/8/8/8/8/8/8/4K3 {} - - 0 1", "ß".repeat(9000))] {
        let message = Board::from_fen(&text).unwrap_err().to_string();
        assert!(message.len() < 1000 && !message.contains('\n'), "{} bytes", message.len());
    }
}
