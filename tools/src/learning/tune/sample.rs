//! Extracted positions for tests.

use super::features::{Chunk, Extractor};
use crate::learning::formats::{Position, sample};
use lento::chess::Board;
use lento::eval::Classical;

/// The positions of random games with what the evaluation in play says, from White's view, and their features.
pub fn positions(games: usize, seed: u64) -> (Vec<(Board, i32)>, Chunk) {
    let (mut boards, mut chunk) = (Vec::new(), Chunk::default());
    let mut extractor = Extractor::new();
    let mut evaluator = Classical::new();
    for (number, game) in sample::games(games, seed).into_iter().enumerate() {
        let mut board = game.start.clone();
        for (index, ply) in game.plies.iter().enumerate() {
            let score = evaluator.evaluate(&board) * board.side_to_move().sign();
            let position = Position { board: board.clone(), score, result: game.result, mv: ply.mv, ply: index };
            if extractor.extract(&position, number % 10 == 9, &mut chunk) {
                boards.push((board.clone(), score));
            }
            board = board.after(ply.mv);
        }
    }
    (boards, chunk)
}
