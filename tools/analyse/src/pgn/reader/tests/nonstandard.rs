//! Games in nonstandard notation, as on web pages and from old programs.

use super::super::*;
use fastrand::Rng;
use lento::chess::{Move, PieceType};

/// A random game from the start position.
fn game(random: &mut Rng) -> Vec<(Board, Move)> {
    let mut board = Board::start();
    let mut played = Vec::new();
    for _ in 0..random.usize(1..120) {
        let Some(mv) = random.choice(board.legal_moves()) else { break };
        let after = board.after(mv);
        played.push((board, mv));
        board = after;
    }
    played
}

/// Whitespace with invisible characters.
fn blank(random: &mut Rng) -> String {
    const BLANKS: [&str; 10] =
        ["\u{200B}", "\u{200E}", "\u{AD}", "\u{FEFF}", "\u{A0}", "\u{2060}", "\u{202C}", "\r\n", "\t", "\n"];
    (0..random.usize(0..3)).map(|_| *random.choice(&BLANKS).unwrap()).chain([" "]).collect()
}

/// A move in SAN, possibly with figurines, suffixes and other spellings.
fn spelled(board: &Board, mv: Move, random: &mut Rng) -> String {
    let mut san = board.san(mv);
    if random.bool() {
        let shown = *random.choice(&["", "\u{FE0E}", "\u{FE0F}"]).unwrap();
        for (letter, [white, black]) in [('K', "♔♚"), ('Q', "♕♛"), ('R', "♖♜"), ('B', "♗♝"), ('N', "♘♞")]
            .map(|(letter, pair)| (letter, [0, 1].map(|at| pair.chars().nth(at).unwrap())))
        {
            san = san.replace(letter, &format!("{}{shown}", if random.bool() { white } else { black }));
        }
    }
    match random.usize(0..12) {
        0 => san.replace("O", "0"),
        1 => san.replace('#', "mate").replace('+', "ch"),
        2 => san.replace('=', ""),
        3 => san.replace(['+', '#'], ""),
        4 => format!("{san}!?"),
        5 => board.uci(mv, false),
        6 if !mv.is_castle() && !mv.is_promotion() => {
            let piece = board.piece_on(mv.from()).filter(|piece| piece.kind() != PieceType::Pawn);
            let letter = piece.map_or(String::new(), |piece| piece.letter().to_ascii_uppercase().into());
            format!("{letter}{}{}{}", mv.from(), if mv.is_capture() { 'x' } else { '-' }, mv.to())
        }
        _ => san,
    }
}

/// The game with stray words, comments and variations between moves, and the number of stray words.
fn written(played: &[(Board, Move)], random: &mut Rng) -> (String, usize) {
    let mut text = String::from("[Event \"x\"]\n");
    if random.bool() {
        text += "[SetUp \"0\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n";
    }
    let mut strays = 0;
    for (ply, (board, mv)) in played.iter().enumerate() {
        text += &blank(random);
        if random.bool() {
            text += &format!("{}{}", ply / 2 + 1, random.choice(&[".", "...", ". ", ".\u{200B}", "…"]).unwrap());
        }
        text += &spelled(board, *mv, random);
        text += &blank(random);
        match random.usize(0..20) {
            0 => text += "{a comment 1. e4}",
            1 => text += "$14 +-",
            2 => text += "(1... Nf9 (1. stray) $2) ",
            3 | 4 => {
                text += random.choice(&["stray", "White", "Time:", "4th", "\u{ab}sic\u{bb}", "move,"]).unwrap();
                strays += 1;
            }
            _ => {}
        }
    }
    (text + " 1/2-1/2\n", strays)
}

/// The text in an encoding with a byte-order mark.
fn encoded(text: &str, random: &mut Rng) -> Vec<u8> {
    let text = format!("\u{FEFF}{text}");
    match random.usize(0..3) {
        0 => text.into_bytes(),
        1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

proptest::proptest! {
    #[test]
    fn nonstandard_games_have_the_same_moves(seed: u64) {
        let random = &mut Rng::with_seed(seed);
        let played = game(random);
        let (text, strays) = written(&played, random);
        let bytes = encoded(&text, random);
        let mut reader = Reader::new(&bytes[..]);
        let readings: Vec<Reading> = std::iter::from_fn(|| reader.next_game().unwrap()).collect();
        proptest::prop_assert_eq!(readings.len(), 1, "{}", text);
        let game = readings[0].game.as_ref().expect("a game");
        let moves: Vec<Option<Move>> = game.moves.iter().map(|played| played.mv).collect();
        let problems = &readings[0].problems;
        proptest::prop_assert_eq!(&moves, &played.iter().map(|&(_, mv)| Some(mv)).collect::<Vec<_>>(), "{} {:?}", text, problems);
        proptest::prop_assert_eq!(&game.result, "1/2-1/2");
        let skipped = problems.iter().filter(|problem| problem.text.ends_with("is not a move; skipped")).count();
        proptest::prop_assert!(skipped == strays || problems.len() == MAX_LISTED, "{} {:?}", text, problems);
    }
}
