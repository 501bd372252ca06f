//! A line being parsed: the main line or a variation.

use super::{PgnMove, Remarks, Variation, VariationMove};
use lento::chess::{Board, Move};

#[derive(Debug, Default)]
pub struct Level {
    comment: Option<String>,
    moves: Vec<VariationMove>,
    /// Position before the last move.
    before: Option<Board>,
    /// Current position; `None` before the game begins.
    board: Option<Board>,
    /// Whether further moves are ignored.
    pub over: bool,
}

impl Level {
    /// Starts at a position.
    pub fn begin(&mut self, board: Board) {
        self.board = Some(board);
    }

    /// An alternative to the last move; `None` before the first move.
    pub fn variation(&self) -> Option<Self> {
        let board = self.before.clone().filter(|_| !self.over)?;
        Some(Self { board: Some(board), ..Self::default() })
    }

    /// Current position.
    pub fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Plays a legal move, or a null move for `None`.
    pub fn play(&mut self, mv: Option<Move>, nag: Option<u8>) {
        let Some(before) = &self.board else { return };
        let after = match mv {
            Some(mv) => before.after(mv),
            None => {
                let mut after = before.clone();
                after.pass();
                after
            }
        };
        self.before = self.board.replace(after);
        let remarks = Remarks { nags: nag.into_iter().collect(), ..Remarks::default() };
        self.moves.push(VariationMove { mv, remarks });
    }

    /// Annotations of the last move.
    pub fn remarks(&mut self) -> Option<&mut Remarks> {
        self.moves.last_mut().map(|last| &mut last.remarks)
    }

    /// Appends a comment to the last move, or before the first.
    pub fn add_comment(&mut self, text: &str) {
        let comment = match self.moves.last_mut() {
            Some(last) => &mut last.remarks.comment,
            None => &mut self.comment,
        };
        match comment {
            Some(before) => {
                before.push(' ');
                before.push_str(text);
            }
            None => *comment = Some(text.to_owned()),
        }
    }

    /// Adds a variation to the last move; if it has no moves, only its comment.
    pub fn add_variation(&mut self, variation: Self) {
        let Self { comment, moves, .. } = variation;
        if moves.is_empty() {
            comment.iter().for_each(|comment| self.add_comment(comment));
        } else if let Some(remarks) = self.remarks() {
            remarks.variations.push(Variation { comment, moves });
        }
    }

    /// Comment before the main line, and its moves.
    pub fn main_line(self) -> (Option<String>, Vec<PgnMove>) {
        let played = |VariationMove { mv, remarks }| mv.map(|mv| PgnMove { mv, remarks });
        (self.comment, self.moves.into_iter().filter_map(played).collect())
    }
}
