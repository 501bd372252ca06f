//! A game so far: the position, and the keys of those before it.

use super::fen::FenError;
use super::{Board, Move};

/// A position with its past, as far as repetitions need it.
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    earlier: Vec<u64>,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Fifty moves by each side without capture or pawn move.
    Fifty,
    /// The position has occurred three times.
    Threefold,
    /// Neither side can mate.
    Insufficient,
}

impl Game {
    /// A new game of chess.
    pub fn start() -> Self {
        Self::from(Board::start())
    }

    /// A game that starts from a position in FEN.
    ///
    /// # Errors
    /// Says what is wrong with the text or the position; see [`Board::from_fen`].
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        Board::from_fen(text).map(Self::from)
    }

    /// The position on the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The keys of the positions before this one since the last irreversible move, oldest first.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.earlier
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.earlier.push(self.board.key());
        self.board = self.board.after(mv);
        if self.board.reversible_plies() == 0 {
            self.earlier.clear();
        }
    }

    /// The same game with all keys changed by a salt, so that a table keeps what is found in it apart from what is found with another
    /// salt. Zero changes nothing.
    pub fn with_salt(mut self, salt: u64) -> Self {
        self.board.keys.all ^= salt;
        self.earlier.iter_mut().for_each(|key| *key ^= salt);
        self
    }

    /// Whether and why the game is over by the rules. Checkmate comes before the fifty moves.
    pub fn verdict(&self) -> Option<Verdict> {
        let board = &self.board;
        if !board.has_legal_move() {
            return Some(if board.in_check() { Verdict::Checkmate } else { Verdict::Stalemate });
        }
        let repeats = self.earlier.iter().filter(|&&key| key == board.key()).count();
        if board.insufficient_material() {
            Some(Verdict::Insufficient)
        } else if repeats >= 2 {
            Some(Verdict::Threefold)
        } else if board.halfmove_clock() >= 100 {
            Some(Verdict::Fifty)
        } else {
            None
        }
    }
}

impl From<Board> for Game {
    fn from(board: Board) -> Self {
        Self { board, earlier: Vec::new() }
    }
}
