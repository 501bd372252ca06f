//! Splits PGN into tokens.

use super::word::{self, Token};
use crate::lines::{Line, Lines};
use std::io::{self, BufRead};

/// Comments are truncated to this many bytes.
pub const MAX_COMMENT: usize = 1 << 16;
/// Words are truncated to this many characters.
const MAX_WORD: usize = 255;

/// Whether a character separates words: whitespace, or an invisible character as found between moves on web pages.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn ends_name(c: char) -> bool {
    c.is_whitespace() || c == '"' || c == ']'
}

fn shortened(word: String) -> String {
    if word.len() > MAX_WORD { word.chars().take(MAX_WORD / 4).collect() } else { word }
}

#[derive(Debug)]
pub struct Lexer<R> {
    pub lines: Lines<R>,
    pub line: Line,
    /// Byte offset in the line.
    at: usize,
    /// Byte offset of the line in the file.
    offset: u64,
    /// Whether the latest token begins its line.
    begins: bool,
    /// Whether a move has been read since the latest tag pair or result.
    in_moves: bool,
    /// Whether a comment was longer than [`MAX_COMMENT`].
    pub is_truncated: bool,
}

impl<R: BufRead> Lexer<R> {
    pub fn new(reader: R) -> Self {
        let line = Line { number: 0, text: String::new(), begins: true };
        Self { lines: Lines::new(reader), line, at: 0, offset: 0, begins: false, in_moves: false, is_truncated: false }
    }

    /// The byte offset of the line that the latest token begins, if it begins one.
    pub fn line_begun(&self) -> Option<u64> {
        self.begins.then_some(self.offset)
    }

    /// Whether a comment follows on the current line.
    pub fn comment_follows(&self) -> bool {
        self.rest().trim_start().starts_with(['{', ';'])
    }

    fn rest(&self) -> &str {
        &self.line.text[self.at..]
    }

    /// Advances to the next line; `false` at the end.
    fn next_line(&mut self) -> io::Result<bool> {
        let offset = self.lines.bytes;
        let Some(line) = self.lines.next_line()? else {
            self.at = self.line.text.len();
            return Ok(false);
        };
        (self.line, self.at, self.offset) = (line, 0, offset);
        Ok(true)
    }

    pub fn token(&mut self) -> io::Result<Option<Token>> {
        loop {
            let begins = self.line.begins && self.at == 0;
            self.at += self.rest().len() - self.rest().trim_start_matches(is_blank).len();
            let Some(first) = self.rest().chars().next() else {
                if !self.next_line()? {
                    return Ok(None);
                }
                // Escape mechanism of the standard: ignores the line.
                if self.line.begins && self.line.text.starts_with('%') {
                    self.at = self.line.text.len();
                }
                continue;
            };
            self.begins = begins;
            let token = match first {
                '[' if self.is_tag() => Some(self.tag()),
                '[' => Some(self.bracketed()),
                '{' => Some(self.comment()?),
                ';' => Some(Token::Comment(self.take(self.rest().len())[1..].trim().to_owned())),
                '$' => self.nag(),
                '(' | ')' | ']' | '}' | '<' | '>' | '"' => match self.take(1).as_str() {
                    "(" => Some(Token::Open),
                    ")" => Some(Token::Close),
                    _ => None,
                },
                _ => word::token(&self.word()),
            };
            match token {
                Some(Token::Move(_)) => self.in_moves = true,
                Some(Token::Tag(..) | Token::Result(_)) => self.in_moves = false,
                Some(_) => {}
                None => continue,
            }
            return Ok(token);
        }
    }

    fn take(&mut self, bytes: usize) -> String {
        let text = self.rest()[..bytes].to_owned();
        self.at += bytes;
        text
    }

    fn nag(&mut self) -> Option<Token> {
        let digits = self.rest()[1..].bytes().take_while(u8::is_ascii_digit).count();
        let text = self.take(1 + digits);
        text[1..].parse().ok().map(Token::Nag)
    }

    /// A word, or a suffix such as `!?`, without its move.
    fn word(&mut self) -> String {
        let is_glyph = |c: char| matches!(c, '!' | '?');
        let begins = self.rest().starts_with(is_glyph);
        let ends = |c: char| is_blank(c) || "{}()[];$<>\"".contains(c) || is_glyph(c) != begins;
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let mut word = self.take(word::before_assessment(&self.rest()[..length]));
        // Nonstandard promotion: e8(Q).
        if let [b'(', piece @ (b'Q' | b'R' | b'B' | b'N'), b')', ..] = *self.rest().as_bytes()
            && word.ends_with(['1', '8'])
        {
            word.push(char::from(piece));
            self.at += 3;
        }
        shortened(word)
    }

    /// Whether a bracket opens a tag pair. Within movetext it needs a name and a quoted value.
    fn is_tag(&self) -> bool {
        let inside = self.rest()[1..].trim_start_matches(is_blank);
        let name = inside.find(ends_name).unwrap_or(inside.len());
        !self.in_moves || name > 0 && inside[name..].trim_start().starts_with('"')
    }

    /// Text in brackets within movetext, such as `[%clk 0:01]`, as one word; ends with its line.
    fn bracketed(&mut self) -> Token {
        let length = self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
        Token::Move(shortened(self.take(length)))
    }

    /// A tag pair, tolerating bad quotes; ends with its line.
    fn tag(&mut self) -> Token {
        self.at += 1;
        self.at += self.rest().len() - self.rest().trim_start_matches(is_blank).len();
        let name = self.take(self.rest().find(ends_name).unwrap_or(self.rest().len()));
        let text = self.rest();
        let (value, length) = match text.trim_start().strip_prefix('"') {
            Some(quoted) => {
                let (value, length) = quoted_value(quoted);
                (value, text.len() - quoted.len() + length)
            }
            None => {
                let end = text.find(']').unwrap_or(text.len());
                (text[..end].trim().to_owned(), (end + 1).min(text.len()))
            }
        };
        self.at += length;
        Token::Tag(name, value)
    }

    fn comment(&mut self) -> io::Result<Token> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let end = self.rest().find('}');
            let piece = self.take(end.unwrap_or(self.rest().len()));
            let room = MAX_COMMENT.saturating_sub(text.len());
            self.is_truncated |= piece.len() > room;
            text.push_str(&piece[..piece.floor_char_boundary(room)]);
            if end.is_some() {
                self.at += 1;
                return Ok(Token::Comment(text.trim().to_owned()));
            }
            if !self.next_line()? || (self.line.begins && self.line.text.starts_with("[Event \"")) {
                return Ok(Token::UnclosedComment);
            }
            if !text.is_empty() && !text.ends_with(' ') {
                text.push(' ');
            }
        }
    }
}

/// The tag value after the opening quote, and the number of bytes up to the end of the tag. A quote is part of the value
/// unless a bracket follows.
fn quoted_value(text: &str) -> (String, usize) {
    let escaped = |at: usize| text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1;
    let end = |(at, _)| {
        let behind = text[at + 1..].trim_start().strip_prefix(']').filter(|_| !escaped(at))?;
        Some((&text[..at], text.len() - behind.len()))
    };
    let unterminated = || (text.trim_end().trim_end_matches(']').trim_end_matches('"'), text.len());
    let (value, length) = text.match_indices('"').find_map(end).unwrap_or_else(unterminated);
    (value.replace("\\\"", "\"").replace("\\\\", "\\"), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Vec<Token> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.token().unwrap()).collect()
    }

    fn word(text: &str) -> Token {
        Token::Move(text.into())
    }

    #[test]
    fn tag_pairs_are_parsed() {
        for (text, name, value) in [
            (r#"[Event "a"]"#, "Event", "a"),
            (r#"[Event "a \"b\" \\ c"]"#, "Event", r#"a "b" \ c"#),
            (r#"[Event "a "b" c"]"#, "Event", r#"a "b" c"#),
            (r#"[Event "no end"#, "Event", "no end"),
            (r#"[Event "C:\games"]"#, "Event", r"C:\games"),
            ("[Event]", "Event", ""),
            ("[Event bare]", "Event", "bare"),
            (r#"[ "nameless"]"#, "", "nameless"),
            (r#"[ Event  "a" ]"#, "Event", "a"),
        ] {
            assert_eq!(tokens(text.as_bytes()), [Token::Tag(name.into(), value.into())], "{text}");
        }
        assert_eq!(tokens(br#"[A "x"][B "y"] e4"#).len(), 3);
    }

    #[test]
    fn brackets_within_movetext_need_the_form_of_a_tag_pair() {
        let tag = |name: &str, value: &str| Token::Tag(name.into(), value.into());
        assert_eq!(
            tokens(b"1.e4 [%clk 0:01] e5 2.Nf3 [2.Nc3\n[2.Nc3 Nf6] Nc6\n[A \"x\"]\n1.d4 *\n[A x]"),
            [
                word("e4"),
                word("[%clk 0:01]"),
                word("e5"),
                word("Nf3"),
                word("[2.Nc3"),
                word("[2.Nc3 Nf6]"),
                word("Nc6"),
                tag("A", "x"),
                word("d4"),
                Token::Result("*"),
                tag("A", "x"),
            ]
        );
    }

    #[test]
    fn words_comments_and_nags_are_parsed() {
        assert_eq!(
            tokens(b"1.e4{a}e5!?$14 (d5)"),
            [
                word("e4"),
                Token::Comment("a".into()),
                word("e5"),
                Token::Nag(5),
                Token::Nag(14),
                Token::Open,
                word("d5"),
                Token::Close,
            ]
        );
        assert_eq!(
            tokens("Nf3+- + e5± Qh5+= e8=Q= +=".as_bytes()),
            [
                word("Nf3"),
                Token::Nag(18),
                word("e5"),
                Token::Nag(16),
                word("Qh5"),
                Token::Nag(14),
                word("e8=Q"),
                Token::Nag(10),
                Token::Nag(14),
            ]
        );
        assert_eq!(
            tokens(b"e8(Q) e4 ; to the end {\n% not ours { (\n{two\nlines} $999 \xfc"),
            [
                word("e8Q"),
                word("e4"),
                Token::Comment("to the end {".into()),
                Token::Comment("two lines".into()),
                word("ü"),
            ]
        );
    }

    #[test]
    fn invisible_characters_are_blanks() {
        for blank in ["\u{200B}", "\u{200E}", "\u{AD}", "\u{FEFF}", "\u{2060}", "\u{202C}", "\u{A0}", "\0", "\u{2066} "]
        {
            let text = format!("1.d4 Nf6 2.c4 {blank}g6{blank}3.Nc3{blank} d5{blank}{{a{blank}b}}{blank}*");
            let comment = Token::Comment(format!("a{blank}b"));
            let expected = ["d4", "Nf6", "c4", "g6", "Nc3", "d5"].map(word);
            assert_eq!(tokens(text.as_bytes()), [&expected[..], &[comment, Token::Result("*")]].concat(), "{blank:?}");
        }
    }

    #[test]
    fn unterminated_comments_end_at_the_next_game() {
        assert_eq!(
            tokens(b"e4 {open\n[Event \"next\"]\n"),
            [word("e4"), Token::UnclosedComment, Token::Tag("Event".into(), "next".into()),]
        );
        assert_eq!(tokens(b"{open"), [Token::UnclosedComment]);
        let long = format!("{{{}}} e4", "x ".repeat(1 << 21));
        assert!(
            matches!(&tokens(long.as_bytes())[..], [Token::Comment(text), Token::Move(_)] if text.len() <= MAX_COMMENT)
        );
    }
}
