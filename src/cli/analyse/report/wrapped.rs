//! The moves of a game as text, in lines of the width that PGN asks for.

use super::plain;

/// Longest line, in characters.
const WIDTH: usize = 79;
/// A command in a comment stays in one piece if it is no longer.
const LONGEST_PIECE: usize = WIDTH / 2;

/// Words in lines of at most [`WIDTH`] characters.
#[derive(Default)]
pub struct Wrapped {
    text: String,
    column: usize,
    /// The last word: a bracket may yet close behind it.
    last: String,
    /// Brackets that open before the next word.
    opens: String,
    /// Whether something stood between the last move and here, so that a move of Black's needs its number.
    after_comment: bool,
}

impl Wrapped {
    /// The text.
    pub fn finish(mut self) -> String {
        self.flush();
        self.text
    }

    /// Whether something stood between the last move and here.
    pub fn is_after_comment(&self) -> bool {
        self.after_comment
    }

    /// Writes the last word.
    fn flush(&mut self) {
        let length = self.last.chars().count();
        if length == 0 {
            return;
        }
        if self.column > 0 && self.column + 1 + length > WIDTH {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(&self.last);
        self.last.clear();
        self.column += length;
    }

    /// Adds a word, which stays in one piece.
    pub fn word(&mut self, word: &str) {
        self.flush();
        self.last = std::mem::take(&mut self.opens) + word;
    }

    /// Adds a move and its glyphs.
    pub fn played(&mut self, mv: &str, nags: &[u8]) {
        self.after_comment = false;
        self.word(mv);
        nags.iter().for_each(|nag| self.word(&format!("${nag}")));
    }

    /// A variation begins.
    pub fn open(&mut self) {
        self.opens.push('(');
    }

    /// A variation ends.
    pub fn close(&mut self) {
        self.last.push(')');
        self.after_comment = true;
    }

    /// Adds a comment in braces, if there is one.
    pub fn comment(&mut self, words: &[String]) {
        let mut pieces: Vec<String> = Vec::new();
        // Braces do not nest. A line that begins with `%` would be skipped, and with `[` it looks like a tag to some programs, so
        // such words stay behind the one before.
        for word in words {
            let word = plain(&word.replace('{', "(").replace('}', ")"));
            let whole = word.chars().count() <= LONGEST_PIECE;
            for piece in if whole { vec![word.as_str()] } else { word.split(' ').collect() } {
                match pieces.last_mut() {
                    _ if piece.is_empty() => {}
                    Some(last) if piece.starts_with(['%', '[']) => *last = format!("{last} {piece}"),
                    _ => pieces.push(piece.to_owned()),
                }
            }
        }
        let Some(last) = pieces.len().checked_sub(1) else { return };
        pieces[0].insert(0, '{');
        pieces[last].push('}');
        pieces.iter().for_each(|piece| self.word(piece));
        self.after_comment = true;
    }
}
