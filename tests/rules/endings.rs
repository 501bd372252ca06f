//! When a game ends and which moves there are: games and positions on which one rule decides.

use lento::chess::{Board, Game, Verdict};

/// Plays moves in UCI notation, separated by blanks.
fn played(fen: &str, moves: &str, chess960: bool) -> Game {
    let mut game = match fen {
        "startpos" => Game::start(),
        _ => Game::from_fen(fen).unwrap_or_else(|error| panic!("{error}")),
    };
    for text in moves.split_whitespace() {
        let mv = game.board().parse_uci(text, chess960);
        game.play(mv.unwrap_or_else(|| panic!("{text} is not legal in {}", game.board().fen(chess960))));
    }
    game
}

#[test]
fn games_end_as_the_rules_say() {
    let cases = [
        // Repetition: the position counts with its side to move, castling rights and legal en passant.
        ("startpos", "b1c3 b8c6 c3b1 c6b8 b1c3 b8c6 c3b1", None),
        ("startpos", "b1c3 b8c6 c3b1 c6b8 b1c3 b8c6 c3b1 c6b8", Some(Verdict::Threefold)),
        ("startpos", "e2e4 b8c6 g1f3 c6b8 f3g1 b8c6 g1f3 c6b8 f3g1", Some(Verdict::Threefold)),
        // The same men after eleven plies, but the king took one move more to come back.
        ("7k/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2 h8h7 a2a1 h7h8 e1e2 h8h7 e2d1 h7h8 d1e1 h8g8 a1a2", None),
        // White lost the right to castle on the way.
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8", None),
        (
            "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8",
            Some(Verdict::Threefold),
        ),
        // At its first occurrence the pawn on e4 could be taken en passant.
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1", None),
        (
            "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
            "e2e4 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1",
            Some(Verdict::Threefold),
        ),
        // No black pawn stands beside e4, so the first occurrence counts.
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1", Some(Verdict::Threefold)),
        // Fifty moves: quiet moves and castling complete them; a capture, a pawn move and mate come first.
        ("4k3/8/8/8/8/8/7R/4K3 w - - 98 90", "h2h3", None),
        ("4k3/8/8/8/8/8/7R/4K3 w - - 99 90", "h2h3", Some(Verdict::Fifty)),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 99 90", "e1c1", Some(Verdict::Fifty)),
        ("4k3/8/8/8/8/8/p6R/R3K3 w - - 99 90", "a1a2", None),
        ("4k3/8/8/8/8/8/P6R/4K3 w - - 99 90", "a2a3", None),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 90", "a1a8", Some(Verdict::Checkmate)),
        ("4k3/R7/8/8/8/8/8/4K2R w - - 99 90", "h1h8", Some(Verdict::Checkmate)),
        ("8/8/8/8/8/6k1/7p/7K b - - 99 90", "g3h3", Some(Verdict::Stalemate)),
        ("4k3/8/8/8/8/8/7R/4K3 b - - 100 90", "", Some(Verdict::Fifty)),
        // Material: what cannot mate at all, and what can with help.
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", Some(Verdict::Insufficient)),
        ("4k3/8/8/8/8/8/8/2N1K3 w - - 0 1", "", Some(Verdict::Insufficient)),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "", Some(Verdict::Insufficient)),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "", None),
        ("4k1n1/8/8/8/8/8/8/2B1K3 w - - 0 1", "", None),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", "", None),
        ("4k3/8/8/8/8/5P2/8/4K3 w - - 0 1", "", None),
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", Some(Verdict::Insufficient)),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", Some(Verdict::Insufficient)),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8r", None),
        // Mate and stalemate.
        ("startpos", "f2f3 e7e5 g2g4 d8h4", Some(Verdict::Checkmate)),
        ("startpos", "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7", Some(Verdict::Checkmate)),
        ("5rk1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "e1e8", None),
        ("k7/8/1K6/8/8/8/8/6Q1 w - - 0 1", "g1g7", None),
        ("k7/8/2K5/8/8/8/8/6Q1 w - - 0 1", "g1b6", Some(Verdict::Stalemate)),
        ("k7/8/1K6/8/8/8/8/6Q1 w - - 0 1", "g1g8", Some(Verdict::Checkmate)),
        // Stalemate but for the pawn that may take en passant.
        ("k7/8/1Q6/8/5p2/5P2/6P1/7K w - - 0 1", "g2g4", None),
        ("k7/8/1Q6/8/5p2/5P2/6P1/7K w - - 0 1", "h1g1", Some(Verdict::Stalemate)),
    ];
    for (fen, moves, verdict) in cases {
        assert_eq!(played(fen, moves, false).verdict(), verdict, "{fen} {moves}");
    }
}

/// Position, whether castling is spelled as in Chess960, number of legal moves, some that are legal, some that are not.
type Moves = (&'static str, bool, usize, &'static str, &'static str);

const MOVES: &[Moves] = &[
    // En passant: not if it uncovers a check along the rank, through the man that takes or the one taken; a second
    // shield allows it, and a pinned pawn may take along its pin.
    ("4k3/8/8/r2pP2K/8/8/8/8 w - d6 0 1", false, 6, "e5e6", "e5d6"),
    ("4k3/8/8/r1PpP2K/8/8/8/8 w - d6 0 1", false, 9, "e5d6 c5d6", ""),
    ("4k3/4r3/8/3pP3/8/8/8/4K3 w - d6 0 1", false, 6, "e5e6", "e5d6"),
    ("7b/2k5/8/3pP3/3K4/8/8/8 w - d6 0 1", false, 5, "", "e5d6 e5e6"),
    ("4k3/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1", false, 7, "e5d6", "e5e6"),
    ("1k6/b7/8/2pPp3/8/4K3/8/8 w - c6 0 1", false, 7, "d5d6", "d5c6 d5e6"),
    // En passant takes the man that gives check, and cannot help against another check.
    ("4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", false, 8, "e5d6", "e5e6"),
    ("4k3/8/8/3pP3/8/8/8/r3K3 w - d6 0 1", false, 3, "", "e5d6"),
    // Castling: not out of check, through check or into it; the rook may pass an attacked square or be attacked.
    ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", false, 4, "e1d1", "e1g1 e1c1"),
    ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", false, 23, "e1c1", "e1g1"),
    ("4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", false, 25, "e1c1", "e1g1"),
    ("4k3/8/8/8/1r5r/8/8/R3K2R w KQ - 0 1", false, 22, "e1c1 e1g1", ""),
    ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", false, 25, "", "e1c1 e1g1"),
    ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", false, 24, "a1d1 h1f1", "e1c1 e1g1"),
    // Chess960: king and rook may pass each other, may stand next to their targets, and nothing else may be between.
    ("4k3/8/8/8/8/8/8/1KR5 w C - 0 1", true, 17, "b1c1", "c1b1"),
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", true, 13, "f1g1", ""),
    ("4k3/8/8/8/8/8/8/2R2K1N w C - 0 1", true, 19, "f1c1", ""),
    ("4k3/8/8/8/8/8/8/RN3K2 w A - 0 1", true, 15, "", "f1a1"),
    ("4k3/8/8/8/4r3/8/8/R4K2 w A - 0 1", true, 14, "", "f1a1"),
    ("4k3/8/8/8/8/8/8/qRK5 w B - 0 1", true, 4, "", "c1b1"),
    ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", true, 22, "e1b1", "e1a1"),
    // Promotion: four ways, also by capture; a pinned pawn stays on its line.
    ("8/P6k/8/8/8/8/8/K7 w - - 0 1", false, 7, "a7a8q a7a8r a7a8b a7a8n", "a7a8 a7a8k a7a8p"),
    ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", false, 13, "a7b8q a7b8n a7a8r", "a7c8q"),
    ("3bk3/2P5/1K6/8/8/8/8/8 w - - 0 1", false, 11, "c7d8q", "c7b8q"),
    ("k1b5/3P4/4K3/8/8/8/8/8 w - - 0 1", false, 11, "d7c8q", "d7e8"),
    // Checks: take, interpose or step away; only step away from two; not back along the line of the check.
    ("4k3/8/8/8/4r3/8/3N4/4K2R w - - 0 1", false, 4, "d2e4 e1d1", "h1h4 d2b3"),
    ("4k3/8/8/b7/4r3/8/8/R3K3 w - - 0 1", false, 3, "e1d1", "a1a5"),
    ("4k3/8/8/8/r3K3/8/8/8 w - - 0 1", false, 6, "e4e5", "e4f4 e4d4"),
    ("4k3/8/8/8/8/8/4N3/r3K3 w - - 0 1", false, 3, "e1d2 e1f2 e2c1", "e2c3"),
    ("4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1", false, 4, "e1d1", "e2d3"),
    ("4k3/8/8/8/8/4q3/3p4/3K4 w - - 0 1", false, 1, "d1c2", "d1d2"),
];

#[test]
fn moves_are_legal_as_the_rules_say() {
    for &(fen, chess960, count, legal, illegal) in MOVES {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{error}"));
        for text in legal.split_whitespace() {
            assert!(board.parse_uci(text, chess960).is_some(), "{text} is legal in {fen}");
        }
        for text in illegal.split_whitespace() {
            assert!(board.parse_uci(text, chess960).is_none(), "{text} is not legal in {fen}");
        }
        assert_eq!(board.legal_moves().len(), count, "{fen}");
    }
}
