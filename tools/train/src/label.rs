//! What a search says about a position.

use crate::formats::{Filter, Position};
use lento::chess::{Board, Game, Move};
use lento::engine::{Engine, Output};
use lento::score::{Bound, Score};
use lento_common::play::limit::Limit;
use lento_common::play::record::GameResult;
use std::time::Duration;

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// The score from White's view: that of the last line that was searched to its end.
    pub score: Score,
    /// The best move.
    pub best: Move,
    /// The nodes that it took.
    pub nodes: u64,
}

impl Label {
    /// Searches a position; `None` if it has no legal move.
    pub fn of(engine: &mut Engine, game: &Game, limit: Limit) -> Option<Self> {
        engine.set_game(game.clone());
        let side = game.board().side_to_move();
        let mut exact = None;
        let outcome = engine.search_blocking(&limit.args(side, Duration::ZERO), |output| {
            if let Output::Info(info) = output
                && info.bound == Bound::Exact
            {
                exact = Some(info.score);
            }
        });
        let line = outcome.lines.first();
        let score = exact.or(line.map(|line| line.score)).unwrap_or_default();
        Some(Self { score: score * side.sign(), best: outcome.best?, nodes: line.map_or(0, |line| line.nodes) })
    }

    /// Whether a position with this label is one to learn from: quiet, and not decided.
    pub fn is_taken(&self, board: &Board, filter: &Filter) -> bool {
        let position = Position {
            board: board.clone(),
            score: self.score,
            // The filter asks neither for the result nor, with this, for the place in a game.
            result: GameResult::Draw,
            mv: self.best,
            ply: filter.skip_plies,
        };
        filter.keeps(&position)
    }
}

/// Ends the drawing from searches and gives the positions that it has brought, as far as they may be quiet: with a legal move, and no
/// check.
pub fn take_drawn(engine: &mut Engine) -> impl Iterator<Item = Game> + use<> {
    let drawn = engine.take_drawn();
    engine.draw_nodes(None);
    drawn.into_iter().map(Game::from).filter(|game| game.verdict().is_none() && !game.board().in_check())
}
