//! PGN tokens and words of movetext.

use super::comment::is_clock;
use lento::chess::{Board, Move};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `[name "value"]`.
    Tag(String, String),
    /// A move, a null move, or other text without spaces.
    Move(String),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'static str),
    /// `$5`, or a suffix or symbol such as `!?`.
    Nag(u8),
    /// `{...}`, or `;...` up to the end of the line.
    Comment(String),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `{...` without a closing brace before the next game or the end of the file.
    UnclosedComment,
}

/// Spellings of null moves, in any case.
const NULL_MOVES: [&str; 6] = ["--", "Z0", "null", "pass", "@@@@", "0000"];

pub fn is_null_move(word: &str) -> bool {
    NULL_MOVES.iter().any(|spelling| spelling.eq_ignore_ascii_case(word))
}

pub fn result(word: &str) -> Option<&'static str> {
    match word {
        "1-0" | "1–0" | "1:0" => Some("1-0"),
        "0-1" | "0–1" | "0:1" => Some("0-1"),
        "1/2-1/2" | "1/2–1/2" | "1/2" | "½-½" | "½–½" => Some("1/2-1/2"),
        "*" => Some("*"),
        _ => None,
    }
}

/// Suffixes of moves with their NAGs.
const SUFFIXES: [(&str, u8); 6] = [("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)];
/// Assessments of positions with their NAGs, longest first.
const ASSESSMENTS: [(&str, u8); 12] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+=", 14),
    ("=+", 15),
    ("+-", 18),
    ("-+", 19),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("∓", 17),
    ("∞", 13),
    ("=", 10),
];

/// The NAG of a suffix or an assessment.
fn glyph(word: &str) -> Option<u8> {
    SUFFIXES.iter().chain(&ASSESSMENTS).find(|(known, _)| *known == word).map(|&(_, nag)| nag)
}

/// The bytes of a word before an assessment, as in `Nf3+-`; of an assessment alone, all.
pub fn before_assessment(word: &str) -> usize {
    let found = ASSESSMENTS.iter().find_map(|(known, _)| word.strip_suffix(known));
    found.filter(|before| !before.is_empty()).unwrap_or(word).len()
}

/// Classifies a word without suffix; `None` for ignored words, such as move numbers.
pub fn token(word: &str) -> Option<Token> {
    if let Some(result) = result(word) {
        return Some(Token::Result(result));
    }
    let dots = ['.', '…'];
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (behind.is_empty() && !is_null_move(word)) || behind.starts_with(dots);
    let word = if is_number { behind.trim_start_matches(dots) } else { word };
    let is_time = word.contains(':') && is_clock(word);
    if word.is_empty() || is_time || ["e.p.", "ep", "N", "D", "+", "#", "++", "mate", "ch"].contains(&word) {
        return None;
    }
    Some(glyph(word).map_or_else(|| Token::Move(word.to_owned()), Token::Nag))
}

/// Suffixes in words, longest first.
const SPELLED_OUT: [&str; 8] = ["checkmate", "check", "mate", "dbl.ch", "dis.ch", "ch", "e.p", "ep"];

/// Whether a word looks like a move: castling, or a square after a piece letter of any language, an origin and capture signs.
pub fn looks_like_move(text: &str) -> bool {
    let text = plain(text);
    let text = text.trim_end_matches(['+', '#']);
    if text.len() > 1 && text.chars().all(|c| "0Oo-".contains(c)) {
        return true;
    }
    let is_file = |c: char| ('a'..='h').contains(&c);
    let squares = text.strip_prefix(|c: char| c.is_alphabetic() && !is_file(c)).unwrap_or(text);
    let squares = squares.trim_end_matches(|c: char| c.is_alphabetic() || "=/()".contains(c));
    let is_square = |pair: &[u8]| is_file(pair[0].into()) && pair[1].is_ascii_digit();
    squares.chars().all(|c| is_file(c) || c.is_ascii_digit() || "x:-".contains(c))
        && squares.as_bytes().windows(2).any(is_square)
}

/// Replaces figurines and typographic signs, and removes punctuation and suffixes in words.
fn plain(text: &str) -> String {
    let letters = ['K', 'Q', 'R', 'B', 'N', 'P'];
    let letter = |c: char| match c {
        '♔'..='♙' => Some(letters[c as usize - '♔' as usize]),
        '♚'..='♟' => Some(letters[c as usize - '♚' as usize]),
        // Variation selectors of the character before.
        '\u{FE0E}' | '\u{FE0F}' => None,
        // Dashes and the minus sign.
        '\u{2010}'..='\u{2014}' | '\u{2212}' => Some('-'),
        '×' => Some('x'),
        _ => Some(c),
    };
    let text: String = text.chars().filter_map(letter).collect();
    let text = text.trim_end_matches([',', '.']);
    let suffix = SPELLED_OUT.iter().find(|suffix| text.len() > suffix.len() && text.ends_with(**suffix));
    text[..text.len() - suffix.map_or(0, |suffix| suffix.len())].to_owned()
}

/// Parses a legal move in SAN with nonstandard spellings, or in coordinates.
pub fn parse(board: &Board, text: &str, chess960: bool) -> Option<Move> {
    let text = &plain(text);
    let found = board.parse_san(text).or_else(|| board.parse_uci(text, chess960));
    found.or_else(|| {
        // Castling may be in lower case.
        let plain = text.replace(['/', ':', '(', ')'], "").replace('o', "O");
        let plain = plain.strip_prefix('P').unwrap_or(&plain);
        match plain.trim_end_matches(['+', '#']).char_indices().next_back() {
            // So may a promotion.
            Some((at, piece @ ('q' | 'r' | 'b' | 'n'))) => {
                board.parse_san(&format!("{}{}", &plain[..at], piece.to_ascii_uppercase()))
            }
            _ => board.parse_san(plain).or_else(|| castling_as_king_move(board, plain)),
        }
    })
}

/// Castling as a move of the king: Kg1, or Ke1-g1.
fn castling_as_king_move(board: &Board, text: &str) -> Option<Move> {
    let squares = text.trim_end_matches(['+', '#']).strip_prefix('K')?.replace('-', "");
    let king = board.king(board.side_to_move());
    let target = squares.strip_prefix(&king.to_string()).filter(|rest| !rest.is_empty()).unwrap_or(&squares);
    let mv = board.parse_uci(&format!("{king}{target}"), false).filter(|mv| mv.is_castle())?;
    (mv.castling_side().king_target(board.side_to_move()).to_string() == target).then_some(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_words() {
        for ignored in ["1.", "12...", "7", "...", "e.p.", "3…", "0:00", "1:05:23"] {
            assert_eq!(token(ignored), None, "{ignored}");
        }
        for (text, expected) in [
            ("1/2", Token::Result("1/2-1/2")),
            ("½–½", Token::Result("1/2-1/2")),
            ("1-0", Token::Result("1-0")),
            ("0-0", Token::Move("0-0".into())),
            ("1.e4", Token::Move("e4".into())),
            ("1...Nf6", Token::Move("Nf6".into())),
            ("??", Token::Nag(4)),
            ("+-", Token::Nag(18)),
            ("5.--", Token::Move("--".into())),
            ("0000", Token::Move("0000".into())),
        ] {
            assert_eq!(token(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn words_that_look_like_moves() {
        for text in [
            "e4", "Sf3", "Кf3", "Dxd8+", "exd8=D", "e8S", "Nbd2", "N1f3", "e2-e4", "O-O", "0-0-0", "♘f3", "Qxf7mate",
            "bxc3e.p.", "Nf9",
        ] {
            assert!(looks_like_move(text), "{text}");
        }
        for text in
            ["stray", "text", "White", "resigns", "Time", "4th", "a", "Nf", "i4", "-", "x", "2024", "½", "Elo2700"]
        {
            assert!(!looks_like_move(text), "{text}");
        }
    }

    #[test]
    fn parses_nonstandard_moves() {
        let board = Board::from_fen("r3k2r/P3P3/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1").unwrap();
        for (uci, texts) in [
            ("e1g1", &["O-O", "0-0", "o-o", "OO", "0-0+", "e1g1", "Ke1-g1", "Kg1"][..]),
            ("e1c1", &["O-O-O", "0-0-0", "o-o-o", "OOO", "000", "ooo+"]),
            ("e5d6", &["exd6", "exd6e.p.", "exd6ep", "ed6", "e5xd6", "e5:d6", "Pexd6"]),
            ("h1h8", &["Rxh8", "Rh8+", "Rh1xh8+", "R:h8"]),
        ] {
            for text in texts {
                assert_eq!(parse(&board, text, false), board.parse_uci(uci, false), "{text}");
                assert!(board.parse_uci(uci, false).is_some());
            }
        }
        for text in ["Kh1", "Ka1", "Ke1-h1"] {
            assert_eq!(parse(&board, text, false), None, "{text}");
        }
        let board = Board::from_fen("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        for text in ["a8Q", "a8=Q", "a8/Q", "a8(Q)", "a8q", "a7a8q", "a7-a8=Q", "a8=q"] {
            assert_eq!(parse(&board, text, false), board.parse_uci("a7a8q", false), "{text}");
        }
        for text in ["♙a8=♕", "♟a8♛", "a8=Qmate", "a8=Q+ch", "a8\u{FE0F}=♕\u{FE0E}"] {
            assert_eq!(parse(&board, text, false), board.parse_uci("a7a8q", false), "{text}");
        }
        assert_eq!(parse(&board, "♖b1", false), None);
        assert_eq!(parse(&board, "♔f1", false), board.parse_uci("e1f1", false));
        for text in ["Nf9", "", "x", "é", "O-O", "Q", "a8"] {
            assert_eq!(parse(&board, text, false), None, "{text}");
        }
    }
}
