//! A game: the position and the keys of the preceding ones.

use super::fen::FenError;
use super::{Board, Move};

/// A position with the history needed to detect repetitions.
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    earlier: Vec<u64>,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The fifty-move rule applies.
    Fifty,
    /// The position has occurred three times.
    Threefold,
    /// Neither side can mate.
    Insufficient,
}

impl Game {
    /// A new game from the standard start position.
    pub fn start() -> Self {
        Self::from(Board::start())
    }

    /// A new game from a FEN, which may be followed by `moves` and the moves played since, in UCI notation or SAN.
    ///
    /// # Errors
    /// See [`Board::from_fen`]; a move that is not legal.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let end = words.iter().position(|word| word.eq_ignore_ascii_case("moves")).unwrap_or(words.len());
        let mut game = Self::from(Board::from_fen(&words[..end].join(" "))?);
        for (number, word) in (1..).zip(words.iter().skip(end + 1)) {
            game.play_text(word, false).map_err(|problem| FenError::new(text, format!("move {number} {problem}")))?;
        }
        Ok(game)
    }

    /// Plays a legal move in UCI notation or SAN, or a null move (`0000`), which clears the history. Errors quote the text and say what is
    /// expected.
    pub fn play_text(&mut self, text: &str, chess960: bool) -> Result<(), String> {
        if text == "0000" {
            *self = self.passed().map_err(|reason| format!("{text:?} is not legal: {reason}"))?;
            return Ok(());
        }
        self.play(self.board.read_move(text, chess960)?);
        Ok(())
    }

    /// The current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Keys of the preceding positions since the last irreversible move, oldest first.
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

    /// The game if the side to move passed, without history. Fails with the reason if it has no legal move or is in
    /// check.
    pub fn passed(&self) -> Result<Self, &'static str> {
        match self.verdict() {
            Some(Verdict::Checkmate) => Err("checkmate"),
            Some(Verdict::Stalemate) => Err("stalemate"),
            _ if self.board.in_check() => Err("the side to move is in check"),
            _ => {
                let mut board = self.board.clone();
                board.pass();
                Ok(Self::from(board))
            }
        }
    }

    /// XORs all keys with a salt, so that a shared hash table keeps searches of different salts apart.
    pub fn with_salt(mut self, salt: u64) -> Self {
        self.board.keys.all ^= salt;
        self.earlier.iter_mut().for_each(|key| *key ^= salt);
        self
    }

    /// Why the game is over, if it is. Checkmate takes precedence over the fifty-move rule.
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
