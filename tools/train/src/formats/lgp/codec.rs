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
    /// Bits of the games encoded so far.
    pub bits_by_part: BitsByPart,
}

/// Bits by part.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitsByPart {
    pub starts: f64,
    pub moves: f64,
    pub scores: f64,
    /// End-of-game flags and results.
    pub endings: f64,
}

impl BitsByPart {
    pub fn add(&mut self, other: &Self) {
        self.starts += other.starts;
        self.moves += other.moves;
        self.scores += other.scores;
        self.endings += other.endings;
    }
}

/// A game to encode: header, moves with scores from White's point of view, result.
type Input<'a> = (&'a Header, &'a [(Move, i32)], GameResult);

impl Codec {
    pub fn new() -> Self {
        let (starts, endings, scores, moves) = (Starts::new(), Endings::new(), Scores::new(), Moves::new());
        Self { starts, endings, scores, moves, bits_by_part: BitsByPart::default() }
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
        let mut at = coder.bits();
        let mut count_bits = |coder: &C, part: &mut f64| {
            let before = std::mem::replace(&mut at, coder.bits());
            *part += at - before;
        };
        let mut header = self.starts.code(coder, header);
        count_bits(coder, &mut self.bits_by_part.starts);
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
            count_bits(coder, &mut self.bits_by_part.endings);
            if coder.is_beyond() {
                return Err(format!("ply {}: the games end too early", plies.len() + 1));
            }
            if plies.len() == MAX_PLIES {
                return Err(format!("more than {MAX_PLIES} moves"));
            }
            let score = ply.map_or(0, |(_, score)| rounded(score * side.sign()));
            let score = self.scores.code(coder, &mut scores, &board, score);
            let score = score.ok_or_else(|| format!("ply {}: invalid score", plies.len() + 1))?;
            count_bits(coder, &mut self.bits_by_part.scores);
            let mv = ply.map(|&(mv, _)| mv);
            let (mv, chance) = self.moves.code(coder, &mut moves, &board, targets, score, mv);
            count_bits(coder, &mut self.bits_by_part.moves);
            scores.add_move(&board, mv, chance);
            endings.add(&board, score * side.sign());
            plies.push(viri::ply(mv, score * side.sign()));
            board.play(mv);
        };
        let result = self.endings.code_result(coder, &endings, &board, is_over, result);
        count_bits(coder, &mut self.bits_by_part.endings);
        header[RESULT] = result.half_points() as u8;
        Ok(StoredGame { place, header, plies, checked: Some(start) })
    }
}
