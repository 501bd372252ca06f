//! Words of PGN movetext.

use super::lexer::Token;
use lento::chess::{Board, Move};

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

/// Suffixes, position assessments and other printed symbols.
const GLYPHS: [(&str, u8); 18] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
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

/// Spellings of null moves.
pub const NULL_MOVES: [&str; 6] = ["--", "Z0", "null", "NULL", "@@@@", "0000"];

/// The result that a word spells.
pub fn result(word: &str) -> Option<&'static str> {
    RESULTS.iter().find(|(text, _)| *text == word).map(|&(_, result)| result)
}

/// Classifies a word without suffix; `None` for words to be ignored, such as a move number.
pub fn token(word: &str) -> Option<Token> {
    if let Some(result) = result(word) {
        return Some(Token::Result(result));
    }
    let dots = ['.', '…'];
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = behind.is_empty() || behind.starts_with(dots);
    let word = if is_number { behind.trim_start_matches(dots) } else { word };
    if word.is_empty() || ["e.p.", "ep", "N", "D", "+", "#", "++", "mate", "ch"].contains(&word) {
        return None;
    }
    if let Some(&(_, glyph)) = GLYPHS.iter().find(|(text, _)| *text == word) {
        return Some(Token::Nag(glyph));
    }
    Some(Token::Move(word.to_owned()))
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
            assert_eq!(token(ignored), None, "{ignored}");
        }
        for (text, expected) in [
            ("1/2", Token::Result("1/2-1/2")),
            ("1-0", Token::Result("1-0")),
            ("0-0", Token::Move("0-0".into())),
            ("1.e4", Token::Move("e4".into())),
            ("1...Nf6", Token::Move("Nf6".into())),
            ("??", Token::Nag(4)),
            ("+-", Token::Nag(18)),
            ("5.--", Token::Move("--".into())),
        ] {
            assert_eq!(token(text), Some(expected), "{text}");
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
