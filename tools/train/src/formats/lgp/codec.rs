//! Codes a game as a sequence of decisions: start position; a flag, score and move per ply; result.

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
use lento_common::play::GameResult;

/// Adaptive models of a shard.
pub struct Codec {
    starts: Starts,
    endings: Endings,
    scores: Scores,
    moves: Moves,
}

/// A game to encode: header, moves with scores from White's point of view, result.
type Input<'a> = (&'a Header, &'a [(Move, i32)], GameResult);

impl Codec {
    pub fn new() -> Self {
        Self { starts: Starts::new(), endings: Endings::new(), scores: Scores::new(), moves: Moves::new() }
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

    /// Codes a game. Decoders ignore the input.
    fn code<C: Coder>(&mut self, coder: &mut C, input: Input, place: Place) -> Result<StoredGame, String> {
        let (header, input_plies, result) = input;
        let mut header = self.starts.code(coder, header);
        let (start, _) = from_header(&header)?;
        let (mut board, mut plies) = (start.clone(), Vec::new());
        let (mut endings, mut scores, mut moves) =
            (ending::Past::default(), scores::Past::none(), features::Past::none());
        let is_over = loop {
            let targets = Targets::of(&board);
            if targets.is_empty() {
                break true;
            }
            let (ply, side) = (input_plies.get(plies.len()), board.side_to_move());
            if !self.endings.code_continues(coder, &endings, &board, ply.is_some()) {
                break false;
            }
            if coder.is_beyond() {
                return Err(format!("ply {}: the games end too early", plies.len() + 1));
            }
            if plies.len() == MAX_PLIES {
                return Err(format!("more than {MAX_PLIES} moves"));
            }
            let score = ply.map_or(0, |(_, score)| rounded(score * side.sign()));
            let score = self.scores.code(coder, &mut scores, &board, score);
            let score = score.ok_or_else(|| format!("ply {}: invalid score", plies.len() + 1))?;
            let mv = ply.map(|&(mv, _)| mv);
            let (mv, chance) = self.moves.code(coder, &mut moves, &board, targets, score, mv);
            scores.add_move(&board, mv, chance);
            endings.add(&board, score * side.sign());
            plies.push(viri::ply(mv, score * side.sign()));
            board.play(mv);
        };
        let result = self.endings.code_result(coder, &endings, &board, is_over, result);
        header[RESULT] = result.half_points() as u8;
        Ok(StoredGame { place, header, plies, checked: Some(start) })
    }
}
