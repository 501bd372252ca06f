//! A game as a sequence of coded decisions: first position; for each ply a flag, the score and the move; the result.

use super::coder::{Coder, Decoder, Encoder};
use super::ending::{self, Endings};
use super::features::{self, Targets};
use super::moves::Moves;
use super::scores::{self, Scores, rounded};
use super::start::Starts;
use crate::formats::shards::MAX_PLIES;
use crate::formats::viri::{self, Header, RESULT, from_header};
use crate::formats::{Place, StoredGame};
use lento::chess::Move;
use lento_common::play::record::GameResult;

/// The adaptive models of a shard.
pub struct Codec {
    starts: Starts,
    endings: Endings,
    scores: Scores,
    moves: Moves,
    /// The bits of the games encoded so far.
    pub spent: Spent,
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

/// A game that is encoded: its header, its moves with their scores from White's view, and its result.
type Given<'a> = (&'a Header, &'a [(Move, i32)], GameResult);

impl Codec {
    pub fn new() -> Self {
        let spent = Spent::default();
        Self { starts: Starts::new(), endings: Endings::new(), scores: Scores::new(), moves: Moves::new(), spent }
    }

    /// Encodes a game with scores rounded to the grid. Fails if the game is invalid.
    pub fn encode(&mut self, encoder: &mut Encoder, game: &StoredGame) -> Result<(), String> {
        let mut plies = Vec::with_capacity(game.plies.len());
        let result = game.walk(|position| plies.push((position.mv, position.score)))?;
        self.code(encoder, (&game.header, &plies, result), game.place.clone()).map(drop)
    }

    /// Decodes the next game. Fails if the bytes do not decode to a game.
    pub fn decode(&mut self, decoder: &mut Decoder, place: Place) -> Result<StoredGame, String> {
        self.code(decoder, (&Header::default(), &[], GameResult::Draw), place)
    }

    /// Codes a game; a decoder ignores the one given.
    fn code<C: Coder>(&mut self, coder: &mut C, given: Given, place: Place) -> Result<StoredGame, String> {
        let (header, given, result) = given;
        let mut at = coder.bits();
        let mut spend = |coder: &C, part: &mut f64| {
            let before = std::mem::replace(&mut at, coder.bits());
            *part += at - before;
        };
        let mut header = self.starts.code(coder, header);
        spend(coder, &mut self.spent.starts);
        let (start, _) = from_header(&header)?;
        let (mut board, mut plies) = (start.clone(), Vec::new());
        let (mut endings, mut scores, mut moves) =
            (ending::Past::default(), scores::Past::none(), features::Past::none());
        let is_over = loop {
            let targets = Targets::of(&board);
            if targets.is_empty() {
                break true;
            }
            let (given, side) = (given.get(plies.len()), board.side_to_move());
            if !self.endings.code_on(coder, &endings, &board, given.is_some()) {
                break false;
            }
            spend(coder, &mut self.spent.endings);
            if coder.is_beyond() {
                return Err(format!("ply {}: the games end too early", plies.len() + 1));
            }
            if plies.len() == MAX_PLIES {
                return Err(format!("more than {MAX_PLIES} moves"));
            }
            let score = given.map_or(0, |(_, score)| rounded(score * side.sign()));
            let score = self.scores.code(coder, &mut scores, &board, score);
            let score = score.ok_or_else(|| format!("ply {}: a score that is none", plies.len() + 1))?;
            spend(coder, &mut self.spent.scores);
            let mv = given.map(|&(mv, _)| mv);
            let (mv, chance) = self.moves.code(coder, &mut moves, &board, targets, score, mv);
            spend(coder, &mut self.spent.moves);
            scores.add_move(&board, mv, chance);
            endings.add(&board, score * side.sign());
            plies.push(viri::ply(mv, score * side.sign()));
            board.play(mv);
        };
        let result = self.endings.code_result(coder, &endings, &board, is_over, result);
        spend(coder, &mut self.spent.endings);
        header[RESULT] = result.half_points() as u8;
        Ok(StoredGame { place, header, plies, checked: Some(start) })
    }
}
