//! Words of PGN movetext.

use lento::chess::{Board, Move};

/// A parsed word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// Result of the game.
    Result(&'static str),
    /// NAG of a suffix such as `!?`.
    Glyph(u8),
    /// A null move.
    Null(&'a str),
    /// A move with its suffix.
    Move(&'a str, Option<u8>),
    /// Ignored, e.g. a move number.
    Ignored,
}

const RESULTS: [(&str, &str); 10] = [
    ("1-0", "1-0"),
    ("0-1", "0-1"),
    ("1/2-1/2", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("½-½", "1/2-1/2"),
    ("1–0", "1-0"),
    ("0–1", "0-1"),
    ("1:0", "1-0"),
    ("0:1", "0-1"),
    ("*", "*"),
];

const GLYPHS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// Position assessments and other printed symbols.
const SIGNS: [(&str, u8); 12] = [
    ("=", 10),
    ("∞", 13),
    ("+=", 14),
    ("=+", 15),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("+/-", 16),
    ("∓", 17),
    ("-/+", 17),
    ("+-", 18),
    ("-+", 19),
];

const NULL_MOVES: [&str; 6] = ["--", "Z0", "null", "NULL", "@@@@", "0000"];

impl<'a> Word<'a> {
    /// Classifies a word.
    pub fn new(word: &'a str) -> Self {
        let known = |list: &[(&str, u8)], word| list.iter().find(|(text, _)| *text == word).map(|&(_, number)| number);
        if let Some(&(_, result)) = RESULTS.iter().find(|(text, _)| *text == word) {
            return Self::Result(result);
        }
        let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = if behind.is_empty() || behind.starts_with(['.', '…']) {
            behind.trim_start_matches(['.', '…'])
        } else {
            word
        };
        if word.is_empty() || ["e.p.", "ep", "N", "D", "+", "#", "++", "mate", "ch"].contains(&word) {
            return Self::Ignored;
        }
        if let Some(glyph) = known(&GLYPHS, word).or_else(|| known(&SIGNS, word)) {
            return Self::Glyph(glyph);
        }
        let text = word.trim_end_matches(['!', '?']);
        if NULL_MOVES.contains(&text) {
            return Self::Null(text);
        }
        Self::Move(text, known(&GLYPHS, &word[text.len()..]))
    }
}

/// Parses a legal move in SAN with nonstandard spellings, or in coordinates.
pub fn parse(board: &Board, text: &str, chess960: bool) -> Option<Move> {
    let found = board.parse_san(text).or_else(|| board.parse_uci(text, chess960));
    found.or_else(|| {
        let plain = text.trim_end_matches("e.p.").replace(['/', ':', '(', ')'], "");
        let plain = plain.strip_prefix('P').unwrap_or(&plain);
        let castling = plain.trim_end_matches(['+', '#']).to_ascii_uppercase();
        match castling.as_str() {
            "O-O" | "OO" | "0-0" | "00" => board.parse_san("O-O"),
            "O-O-O" | "OOO" | "0-0-0" | "000" => board.parse_san("O-O-O"),
            // A promotion in lower case.
            _ => match plain.trim_end_matches(['+', '#']).char_indices().next_back() {
                Some((at, piece @ ('q' | 'r' | 'b' | 'n'))) => {
                    board.parse_san(&format!("{}{}", &plain[..at], piece.to_ascii_uppercase()))
                }
                _ => board.parse_san(plain),
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_words() {
        for ignored in ["1.", "12...", "7", "...", "e.p.", "3…"] {
            assert_eq!(Word::new(ignored), Word::Ignored, "{ignored}");
        }
        for (text, word) in [
            ("1/2", Word::Result("1/2-1/2")),
            ("1-0", Word::Result("1-0")),
            ("0-0", Word::Move("0-0", None)),
            ("0-0-0!", Word::Move("0-0-0", Some(1))),
            ("1.e4!?", Word::Move("e4", Some(5))),
            ("1...Nf6", Word::Move("Nf6", None)),
            ("??", Word::Glyph(4)),
            ("+-", Word::Glyph(18)),
            ("5.--", Word::Null("--")),
            ("Z0", Word::Null("Z0")),
        ] {
            assert_eq!(Word::new(text), word, "{text}");
        }
    }

    #[test]
    fn parses_nonstandard_moves() {
        let board = Board::from_fen("r3k2r/P3P3/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1").unwrap();
        for (uci, texts) in [
            ("e1g1", &["O-O", "0-0", "o-o", "OO", "0-0+", "e1g1"][..]),
            ("e1c1", &["O-O-O", "0-0-0", "o-o-o"]),
            ("e5d6", &["exd6", "exd6e.p.", "ed6", "e5xd6", "e5:d6", "Pexd6"]),
            ("h1h8", &["Rxh8", "Rh8+", "Rh1xh8+", "R:h8"]),
        ] {
            for text in texts {
                assert_eq!(parse(&board, text, false), board.parse_uci(uci, false), "{text}");
                assert!(board.parse_uci(uci, false).is_some());
            }
        }
        let board = Board::from_fen("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        for text in ["a8Q", "a8=Q", "a8/Q", "a8(Q)", "a8q", "a7a8q", "a7-a8=Q", "a8=q"] {
            assert_eq!(parse(&board, text, false), board.parse_uci("a7a8q", false), "{text}");
        }
        for text in ["Nf9", "", "x", "é", "O-O", "Q", "a8"] {
            assert_eq!(parse(&board, text, false), None, "{text}");
        }
    }
}
