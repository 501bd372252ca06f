//! Wraps PGN movetext.

use super::{plain, san};
use lento::chess::{Board, Color, Move};
use lento_common::columns::wrapped;

/// Maximum line length in characters.
const WIDTH: usize = 79;
/// Maximum length of an unbroken comment command.
const MAX_PIECE: usize = WIDTH / 2;

/// Text in lines of at most [`WIDTH`] characters.
#[derive(Default)]
pub struct Wrapped {
    words: Vec<String>,
    /// Opening brackets before the next word.
    opens: String,
    /// Whether a comment or variation follows the last move, so that Black's next move needs its number.
    after_comment: bool,
}

impl Wrapped {
    /// The game of these tags and words, followed by an empty line.
    pub fn game(mut self, tags: &[(impl AsRef<str>, String)], result: &str) -> String {
        self.word(result);
        let tags: String = tags.iter().map(|(name, value)| tag(name.as_ref(), value)).collect();
        format!("{tags}\n{}\n\n", wrapped(&self.words, WIDTH))
    }

    /// Adds a word, never broken.
    pub fn word(&mut self, word: &str) {
        self.words.push(std::mem::take(&mut self.opens) + word);
    }

    /// Adds a move with its glyphs, and with its number at the start of a line of play, for White, and after a comment.
    pub fn played(&mut self, board: &Board, mv: impl Into<Option<Move>>, first: bool, nags: &[u8]) {
        let numbered = first || board.side_to_move() == Color::White || self.after_comment;
        self.after_comment = false;
        self.word(&san(board, mv, numbered));
        nags.iter().for_each(|nag| self.word(&format!("${nag}")));
    }

    pub fn open(&mut self) {
        self.opens.push('(');
    }

    pub fn close(&mut self) {
        if let Some(last) = self.words.last_mut() {
            last.push(')');
        }
        self.after_comment = true;
    }

    /// Adds a comment in braces, unless empty.
    pub fn comment(&mut self, words: &[String]) {
        let mut pieces: Vec<String> = Vec::new();
        // Braces do not nest. Words starting with `%` or `[` must not start a line: `%` would hide it, and `[` looks
        // like a tag.
        for word in words {
            let word = plain(&word.replace('{', "(").replace('}', ")"));
            let whole = word.chars().count() <= MAX_PIECE;
            for piece in if whole { vec![word.as_str()] } else { word.split(' ').collect() } {
                match pieces.last_mut() {
                    _ if piece.is_empty() => {}
                    // Starts another comment if both do not fit on a line.
                    Some(last) if piece.starts_with(['%', '[']) => {
                        if last.chars().count() + piece.chars().count() + 3 <= WIDTH {
                            *last += &format!(" {piece}");
                        } else {
                            last.push('}');
                            pieces.push(format!("{{{piece}"));
                        }
                    }
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

fn tag(name: &str, value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""))
}
