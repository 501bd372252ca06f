//! A line of a game that is being read: the main line, or a variation.

use super::{PgnMove, Remarks, Variation, VariationMove};
use crate::chess::{Board, Move};

/// A line of which a part is read.
#[derive(Debug, Default)]
pub struct Level {
    comment: Option<String>,
    moves: Vec<VariationMove>,
    /// Before the last move, if there is one.
    before: Option<Board>,
    /// Where the line stands; `None` where there is no such game.
    board: Option<Board>,
    /// Whether what follows cannot be played.
    pub over: bool,
}

impl Level {
    /// Begins at this position.
    pub fn begin(&mut self, board: Board) {
        self.board = Some(board);
    }

    /// What might have been played instead of the last move; `None` if there is none.
    pub fn variation(&self) -> Option<Self> {
        let board = self.before.clone().filter(|_| !self.over)?;
        Some(Self { board: Some(board), ..Self::default() })
    }

    /// Where the line stands.
    pub fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// How many moves have been played.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Plays a move; `None` passes the turn, which must be possible.
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

    /// What is said of the last move.
    pub fn remarks(&mut self) -> Option<&mut Remarks> {
        self.moves.last_mut().map(|last| &mut last.remarks)
    }

    /// Adds a comment to the last move, or before the first.
    pub fn say(&mut self, text: &str) {
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

    /// Adds a variation to the last move. What has no moves may have said something all the same.
    pub fn add(&mut self, variation: Self) {
        let Self { comment, moves, .. } = variation;
        if moves.is_empty() {
            comment.iter().for_each(|comment| self.say(comment));
        } else if let Some(remarks) = self.remarks() {
            remarks.variations.push(Variation { comment, moves });
        }
    }

    /// The main line: what stands before it, and its moves.
    pub fn main_line(self) -> (Option<String>, Vec<PgnMove>) {
        let played = |VariationMove { mv, remarks }| mv.map(|mv| PgnMove { mv, remarks });
        (self.comment, self.moves.into_iter().filter_map(played).collect())
    }
}
