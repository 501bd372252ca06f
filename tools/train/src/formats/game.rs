//! A stored game and the walk through its positions.

use super::convert::{from_viri_board, from_viri_move, move_on};
use super::{DataError, Place, plausible};
use lento::chess::{Board, Move};
use lento_common::play::record::GameResult;
use viriformat::chess::chessmove::Move as ViriMove;
use viriformat::dataformat::Game as ViriGame;

/// The bytes of a game's first position.
pub const HEADER: usize = 32;
/// The bytes of a move with its score.
pub const PLY: usize = 4;
/// The byte of the first position that holds the result.
pub const RESULT: usize = 30;
/// What ends a game.
pub const TERMINATOR: [u8; PLY] = [0; PLY];

/// A game as viriformat stores it.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// Where it lies.
    pub place: Place,
    /// The first position.
    pub header: [u8; HEADER],
    /// Moves and scores.
    pub plies: Vec<[u8; PLY]>,
    /// The first position if position, moves and scores are known to be valid, as those of packed games are.
    pub checked: Option<Board>,
}

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Position {
    /// The position.
    pub board: Board,
    /// What the player thought of it, in centipawns from White's view.
    pub score: i32,
    /// How the game ended.
    pub result: GameResult,
    /// The move that was played.
    pub mv: Move,
    /// Its number in the game, from 0.
    pub ply: usize,
}

impl StoredGame {
    /// Shows every position in which a move was played, in order, and gives the game's result.
    ///
    /// # Errors
    /// The bytes are no position, a move is not legal, a score is none, or the result cannot be.
    pub fn walk(&self, mut visit: impl FnMut(&Position)) -> Result<GameResult, DataError> {
        let corrupt = |reason: String| DataError::Corrupt { place: self.place.clone(), reason };
        let (mut board, result) = match &self.checked {
            Some(board) => (board.clone(), result(&self.header)),
            None => first_position(&self.header).map_err(corrupt)?,
        };
        for (ply, bytes) in self.plies.iter().enumerate() {
            let [low, high, score_low, score_high] = *bytes;
            let viri = ViriMove::from_raw(u16::from_le_bytes([low, high]))
                .ok_or_else(|| corrupt(format!("ply {}: a score without a move", ply + 1)))?;
            let mv = match &self.checked {
                Some(_) => move_on(&board, viri),
                None => from_viri_move(&board, viri).map_err(|error| corrupt(format!("ply {}: {error}", ply + 1)))?,
            };
            let score = i32::from(i16::from_le_bytes([score_low, score_high]));
            plausible::score(score).map_err(|reason| corrupt(format!("ply {}: {reason}", ply + 1)))?;
            let position = Position { board, score, result, mv, ply };
            visit(&position);
            board = position.board;
            board.play(mv);
        }
        plausible::ending(&board, result).map_err(corrupt)?;
        Ok(result)
    }

    /// The first position.
    ///
    /// # Errors
    /// The bytes are no position.
    pub fn start(&self) -> Result<Board, String> {
        match &self.checked {
            Some(board) => Ok(board.clone()),
            None => first_position(&self.header).map(|(board, _)| board),
        }
    }

    /// The bytes of the game in a file of viriformat.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.header[..], self.plies.as_flattened(), &TERMINATOR].concat()
    }
}

/// The first position of a game and the result, from its header.
///
/// # Errors
/// The bytes are no position, or no result.
pub fn first_position(header: &[u8; HEADER]) -> Result<(Board, GameResult), String> {
    check_header(header)?;
    let bytes = [&header[..], &TERMINATOR].concat();
    let game = ViriGame::deserialise_from(&mut bytes.as_slice(), Vec::new()).map_err(|error| error.to_string())?;
    let board = from_viri_board(&game.initial_position()).map_err(|error| error.to_string())?;
    plausible::start(header, &board)?;
    Ok((board, result(header)))
}

/// The result in a valid header.
fn result(header: &[u8; HEADER]) -> GameResult {
    match header[RESULT] {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        _ => GameResult::WhiteWins,
    }
}

/// The byte for a result.
pub fn result_byte(result: GameResult) -> u8 {
    result.half_points() as u8
}

/// Refuses bytes that viriformat would take for granted.
fn check_header(header: &[u8; HEADER]) -> Result<(), String> {
    let occupied = std::array::from_fn(|index| header[index]);
    let pieces = u64::from_le_bytes(occupied).count_ones() as usize;
    if !(2..=32).contains(&pieces) {
        return Err(format!("a position of {pieces} pieces, expected 2 to 32"));
    }
    let code = |index: usize| header[8 + index / 2] >> (4 * (index % 2)) & 15;
    if let Some(code) = (0..pieces).map(code).find(|code| code & 7 > 6) {
        return Err(format!("piece number {code}, expected 0 to 6 or 8 to 14"));
    }
    for (color, king) in [("White", 5), ("Black", 13)] {
        let kings = (0..pieces).filter(|&index| code(index) == king).count();
        if kings != 1 {
            return Err(format!("{color} has {kings} kings, expected 1"));
        }
    }
    let (clock, number, result) = (header[25], u16::from_le_bytes([header[26], header[27]]), header[RESULT]);
    if clock > 100 {
        return Err(format!("half-move clock {clock}, expected at most 100"));
    }
    if number == 0 {
        return Err("move number 0, expected at least 1".to_owned());
    }
    if result > 2 {
        return Err(format!("result {result}, expected 0 (Black wins), 1 or 2 (White wins)"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Shards;
    use crate::sample;
    use lento::chess::Color;
    use lento_common::scratch::Folder;

    fn first_game(bytes: &[u8]) -> StoredGame {
        let folder = Folder::new("game");
        let path = folder.write("one.vf", bytes);
        Shards::new(vec![path]).next().unwrap().unwrap()
    }

    #[test]
    fn a_walk_gives_back_what_was_stored() {
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
                assert_eq!(position.score, ply.score * board.side_to_move().sign(), "scores are White's");
                board = board.after(ply.mv);
            }
            assert!(seen.iter().any(|position| position.board.side_to_move() == Color::Black));
        }
    }

    #[test]
    fn broken_bytes_are_refused_and_named() {
        let bytes = sample::bytes(&sample::games(1, 3));
        let broken = |index: usize, value: u8, part: &str| {
            let mut bytes = bytes.clone();
            bytes[index] = value;
            let error = first_game(&bytes).walk(|_| {}).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("one.vf: game 1 at byte 0"), "{index}: {error}");
        };
        broken(30, 3, "result 3");
        broken(25, 101, "half-move clock 101");
        broken(8, 0x77, "piece number 7");
        broken(10, 0x00, "White has 0 kings");
        broken(33, 0xF1, "ply 1: move");
        broken(0, 0, "Black has 0 kings");
    }
}
