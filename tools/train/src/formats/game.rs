//! Stored games and their positions.

use super::viri::{self, Header, PLY, TERMINATOR};
use lento::chess::{Board, Move};
use lento::score::MATE;
use lento_common::play::GameResult;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Maximum score in centipawns.
pub const MAX_SCORE: i32 = MATE;

/// Place of a game in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<Path>,
    /// Number of the game in its file, from 1.
    pub game: u64,
    /// Offset of its first byte.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: game {} at byte {}", self.file.display(), self.game, self.offset)
    }
}

/// A game as viriformat stores it.
#[derive(Clone, Debug)]
pub struct StoredGame {
    pub place: Place,
    pub header: Header,
    /// Moves and scores.
    pub plies: Vec<[u8; PLY]>,
    /// The start position if the game is known to be valid, as packed games are.
    pub checked: Option<Board>,
}

#[derive(Clone, Debug)]
pub struct Position {
    pub board: Board,
    /// Score in centipawns from White's point of view.
    pub score: i32,
    pub result: GameResult,
    pub mv: Move,
    /// Plies played before.
    pub ply: usize,
}

impl StoredGame {
    /// Visits every position in which a move was played and returns the result of the game. Clamps scores to those of mates. Fails if a
    /// position, move or result is invalid.
    pub fn walk(&self, mut visit: impl FnMut(&Position)) -> Result<GameResult, String> {
        let corrupt = |reason: String| format!("{}: {reason}", self.place);
        let (mut board, result) = match &self.checked {
            Some(board) => (board.clone(), viri::result(&self.header).map_err(corrupt)?),
            None => viri::from_header(&self.header).map_err(corrupt)?,
        };
        for (ply, bytes) in self.plies.iter().enumerate() {
            let [low, high, score_low, score_high] = *bytes;
            let word = u16::from_le_bytes([low, high]);
            let mv = if self.checked.is_some() {
                viri::from_word(&board, word)
            } else {
                viri::legal_move(&board, word).map_err(|reason| corrupt(format!("ply {}: {reason}", ply + 1)))?
            };
            // Mates of other programs may score more.
            let score = i32::from(i16::from_le_bytes([score_low, score_high])).clamp(-MAX_SCORE, MAX_SCORE);
            let position = Position { board, score, result, mv, ply };
            visit(&position);
            board = position.board;
            board.play(mv);
        }
        check_ending(&board, result).map_err(corrupt)?;
        Ok(result)
    }

    /// The game in viriformat.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.header[..], self.plies.as_flattened(), &TERMINATOR].concat()
    }
}

/// Fails for a result that contradicts the last position of the game.
fn check_ending(board: &Board, result: GameResult) -> Result<(), String> {
    if board.has_legal_move() {
        return Ok(());
    }
    let expected = if board.in_check() { GameResult::lost_by(board.side_to_move()) } else { GameResult::Draw };
    if result == expected {
        return Ok(());
    }
    let (fen, found, expected) = (board.fen(true), result.text(), expected.text());
    Err(format!("result {found}, expected {expected} after \"{fen}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::GameFile;
    use crate::tests::sample;
    use lento::chess::Color;
    use lento_testing::Folder;

    fn first_game(bytes: &[u8]) -> StoredGame {
        let folder = Folder::new("game");
        let path = folder.write("one.vf", bytes);
        GameFile::open(&path).unwrap().next().unwrap().unwrap()
    }

    #[test]
    fn walk_visits_stored_positions() {
        let games = sample::games(3, 7);
        for (game, bytes) in games.iter().map(|game| (game, sample::bytes(std::slice::from_ref(game)))) {
            let mut seen = Vec::new();
            let stored = first_game(&bytes);
            let result = stored.walk(|position| seen.push(position.clone())).unwrap();
            assert_eq!(result, game.result);
            assert_eq!(seen.len(), game.plies.len());
            let mut board = game.start.clone();
            for (index, (position, ply)) in seen.iter().zip(&game.plies).enumerate() {
                assert_eq!(position.board, board);
                assert_eq!((position.mv, position.ply, position.result), (ply.mv, index, result));
                assert_eq!(
                    position.score,
                    ply.score * board.side_to_move().sign(),
                    "scores are from White's point of view"
                );
                board = board.after(ply.mv);
            }
            assert!(seen.iter().any(|position| position.board.side_to_move() == Color::Black));
        }
    }

    #[test]
    fn scores_beyond_mates_are_clamped() {
        let mut bytes = sample::bytes(&sample::games(1, 3));
        bytes[34..36].copy_from_slice(&32_766_i16.to_le_bytes());
        let mut scores = Vec::new();
        first_game(&bytes).walk(|position| scores.push(position.score)).unwrap();
        assert_eq!(scores[0], MAX_SCORE);
    }

    #[test]
    fn errors_describe_invalid_bytes() {
        let bytes = sample::bytes(&sample::games(1, 3));
        let check_error = |index: usize, value: u8, part: &str| {
            let mut bytes = bytes.clone();
            bytes[index] = value;
            let error = first_game(&bytes).walk(|_| {}).unwrap_err();
            assert!(error.contains(part) && error.contains("one.vf: game 1 at byte 0"), "{index}: {error}");
        };
        check_error(30, 3, "result 3");
        check_error(25, 101, "half-move clock 101");
        check_error(8, 0x77, "piece number 7");
        check_error(10, 0x24, "White has 0 kings");
        check_error(33, 0xF1, "ply 1: move");
        check_error(0, 0, "pawn on the first or last rank");
    }

    /// A flipped bit never panics and is an error unless it affects only undetectable fields.
    #[test]
    fn flipped_bits_are_errors_or_undetectable() {
        let folder = Folder::new("game-flipped");
        let games: Vec<_> = sample::games(40, 9).into_iter().filter(|game| game.plies.len() < 60).take(2).collect();
        let whole = sample::bytes(&games);
        let length = |index: usize| 32 + 4 * (games[index].plies.len() + 1);
        let mut accepted = 0;
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut file = GameFile::open(&folder.write("flipped.vf", &bytes)).unwrap();
            let mut read = Vec::new();
            let mut failed = None;
            for game in file.by_ref() {
                match game.and_then(|game| game.walk(|_| {}).map(|_| game)) {
                    Ok(game) => read.push(game),
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            if let Some(error) = failed {
                assert!(error.contains("flipped.vf: game ") && error.contains(" at byte "), "bit {bit}: {error}");
                continue;
            }
            if file.torn.is_some() {
                continue;
            }
            accepted += 1;
            // A score, result or counter, an irrelevant piece, or another legal move consistent with all later ones.
            let sizes: Vec<usize> = read.iter().map(|game| 32 + 4 * (game.plies.len() + 1)).collect();
            assert_eq!(sizes, [length(0), length(1)], "bit {bit}");
            let at = if bit / 8 < length(0) { bit / 8 } else { bit / 8 - length(0) };
            let is_detectable = at < 8 || at == 24;
            assert!(!is_detectable, "byte {at} of a game, bit {}", bit % 8);
        }
        assert!(accepted * 2 < 8 * whole.len(), "{accepted} of {} are accepted", 8 * whole.len());
    }
}
