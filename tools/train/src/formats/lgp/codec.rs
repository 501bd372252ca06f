//! A game as a sequence of coded decisions: first position; for each ply a flag, the score and the move; the result.

use super::coder::{Decoder, Encoder};
use super::ending::{self, Endings};
use super::features::{self, Targets};
use super::moves::Moves;
use super::scores::{self, Scores, rounded};
use super::start::Starts;
use crate::formats::shards::MAX_PLIES;
use crate::formats::viri::{Header, RESULT, from_header, to_word};
use crate::formats::{Place, StoredGame};
use lento::chess::{Board, Move};
use lento_common::play::record::GameResult;

/// The adaptive models of a shard.
pub struct Codec {
    starts: Starts,
    endings: Endings,
    scores: Scores,
    moves: Moves,
}

/// Bits by part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub starts: f64,
    pub moves: f64,
    pub scores: f64,
    /// Flags for the end of a game, and results.
    pub endings: f64,
}

impl Spent {
    pub fn add(&mut self, other: &Self) {
        self.starts += other.starts;
        self.moves += other.moves;
        self.scores += other.scores;
        self.endings += other.endings;
    }
}

/// State of the game that is being coded.
struct Course {
    ending: ending::Past,
    scores: scores::Past,
    moves: features::Past,
}

impl Course {
    fn new() -> Self {
        Self { ending: ending::Past::default(), scores: scores::Past::none(), moves: features::Past::none() }
    }

    /// Records a ply: the score for the side to move, the move and its probability.
    fn add(&mut self, board: &Board, score: i32, (mv, chance): (Move, f32)) {
        self.scores.add_move(board, mv, chance);
        self.ending.add(board, score * board.side_to_move().sign());
    }
}

impl Codec {
    pub fn new() -> Self {
        Self { starts: Starts::new(), endings: Endings::new(), scores: Scores::new(), moves: Moves::new() }
    }

    /// Encodes a game with scores rounded to the grid, and adds its bits to `spent`. Fails if the game is invalid.
    pub fn encode(&mut self, encoder: &mut Encoder, game: &StoredGame, spent: &mut Spent) -> Result<(), String> {
        let mut at = encoder.bits();
        let mut since = |encoder: &Encoder| {
            let before = std::mem::replace(&mut at, encoder.bits());
            at - before
        };
        let mut course = Course::new();
        let (mut board, _) = game.start().map_err(|reason| format!("{}: {reason}", game.place))?;
        self.starts.code(encoder, &game.header);
        spent.starts += since(encoder);
        let mut valid = true;
        let result = game.walk(|position| {
            board.clone_from(&position.board);
            let targets = Targets::of(&board);
            self.endings.code_on(encoder, &course.ending, &board, true);
            spent.endings += since(encoder);
            let score = rounded(position.score * board.side_to_move().sign());
            valid &= self.scores.code(encoder, &mut course.scores, &board, score) == Some(score);
            spent.scores += since(encoder);
            let coded = self.moves.code(encoder, &mut course.moves, &board, targets, score, Some(position.mv));
            spent.moves += since(encoder);
            course.add(&board, score, coded);
            board.play(position.mv);
        })?;
        debug_assert!(valid);
        let is_over = Targets::of(&board).is_empty();
        if !is_over {
            self.endings.code_on(encoder, &course.ending, &board, false);
        }
        self.endings.code_result(encoder, &course.ending, &board, is_over, result);
        spent.endings += since(encoder);
        Ok(())
    }

    /// Decodes the next game. Fails if the bytes do not decode to a game.
    pub fn decode(&mut self, decoder: &mut Decoder, place: Place) -> Result<StoredGame, String> {
        let mut header = self.starts.code(decoder, &Header::default());
        let (start, _) = from_header(&header)?;
        let (mut board, mut course, mut plies) = (start.clone(), Course::new(), Vec::new());
        let is_over = loop {
            let targets = Targets::of(&board);
            if targets.is_empty() {
                break true;
            }
            if !self.endings.code_on(decoder, &course.ending, &board, false) {
                break false;
            }
            if decoder.is_beyond() {
                return Err(format!("ply {}: the games end too early", plies.len() + 1));
            }
            if plies.len() == MAX_PLIES {
                return Err(format!("more than {MAX_PLIES} moves"));
            }
            let score = self.scores.code(decoder, &mut course.scores, &board, 0);
            let score = score.ok_or_else(|| format!("ply {}: a score that is none", plies.len() + 1))?;
            let coded = self.moves.code(decoder, &mut course.moves, &board, targets, score, None);
            course.add(&board, score, coded);
            let [low, high] = to_word(coded.0).to_le_bytes();
            let [score_low, score_high] = ((score * board.side_to_move().sign()) as i16).to_le_bytes();
            plies.push([low, high, score_low, score_high]);
            board.play(coded.0);
        };
        let result = self.endings.code_result(decoder, &course.ending, &board, is_over, GameResult::Draw);
        header[RESULT] = result.half_points() as u8;
        Ok(StoredGame { place, header, plies, checked: Some(start) })
    }
}
