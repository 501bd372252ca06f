//! The evaluation as used by the search.

use super::classical::{self, Classical, Terms};
use super::drawish;
use super::draws::Draws;
use super::nnue::simd::Simd;
use super::nnue::{self, Accumulators, Network};
use crate::chess::{Board, MoveDelta};
use crate::named::named_enum;
use crate::score::{DRAW, Score};
use std::fmt;
use std::sync::Arc;

named_enum! {
    /// Kind of evaluation.
    pub enum EvaluationKind {
        /// The neural network.
        #[default]
        Nnue = "nnue",
        /// The classical evaluation.
        Classical = "classical",
    }
}

/// Evaluation function.
#[derive(Clone, Debug)]
pub enum Model {
    /// A network, and the instruction set to run it with.
    Nnue(Arc<Network>, Simd),
    /// The classical evaluation.
    Classical,
}

/// Evaluation settings of a search.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// The evaluation function.
    pub model: Model,
    /// Whether [drawish endings](drawish) score as draws.
    pub drawish_endings: bool,
    /// Draw scores.
    pub draws: Draws,
}

impl Default for Model {
    /// The embedded network with the fastest instruction set.
    fn default() -> Self {
        Self::Nnue(nnue::embedded(), Simd::best())
    }
}

impl From<Model> for Evaluation {
    fn from(model: Model) -> Self {
        Self { model, ..Self::default() }
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.model {
            Model::Nnue(network, simd) => write!(f, "nnue {network}, {}", simd.name())?,
            Model::Classical => write!(f, "classical")?,
        }
        f.write_str(if self.drawish_endings { ", drawish endings are draws" } else { "" })
    }
}

impl Evaluation {
    /// Static evaluation in centipawns from the side to move's view, scaled as in search.
    pub fn value(&self, board: &Board, scaling: Scaling) -> Score {
        let mut evaluator = Evaluator::new(1);
        evaluator.start(self, board);
        evaluator.evaluate(board, 0, scaling)
    }

    /// The drawish ending on the board, if drawish endings are enabled.
    pub fn drawish_ending(&self, board: &Board) -> Option<&'static str> {
        drawish::find(board).filter(|_| self.drawish_endings)
    }
}

/// Scale of the network output, in 1/1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling(pub i32);

/// One thread's evaluator.
///
/// Call [`start`](Self::start) first, at ply 0, then [`play`](Self::play) and [`pass`](Self::pass) along the line; unmaking a move needs
/// no call.
pub struct Evaluator {
    classical: Classical,
    /// `Some` while the network is in use.
    accumulators: Option<Accumulators>,
    drawish_endings: bool,
    draws: Draws,
    positions: usize,
}

impl Evaluator {
    /// For up to `positions` plies; classical until [`start`](Self::start).
    pub fn new(positions: usize) -> Self {
        Self {
            classical: Classical::default(),
            accumulators: None,
            drawish_endings: false,
            draws: Draws::default(),
            positions,
        }
    }

    /// Sets up the root.
    pub fn start(&mut self, evaluation: &Evaluation, board: &Board) {
        (self.drawish_endings, self.draws) = (evaluation.drawish_endings, evaluation.draws);
        self.accumulators = match &evaluation.model {
            Model::Classical => None,
            Model::Nnue(network, simd) => Some(
                self.accumulators
                    .take_if(|accumulators| accumulators.belong_to(network, *simd))
                    .unwrap_or_else(|| Accumulators::new(Arc::clone(network), *simd, self.positions)),
            ),
        };
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.start(board);
        }
    }

    /// Makes a legal move at a ply.
    #[inline(always)]
    pub fn play(&mut self, ply: usize, delta: &MoveDelta) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.play(ply, delta);
        }
    }

    /// Makes a null move at a ply.
    #[inline(always)]
    pub fn pass(&mut self, ply: usize) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.pass(ply);
        }
    }

    /// Static evaluation at a ply in centipawns from the side to move's view, within ± [`MAX_EVAL`](crate::score::MAX_EVAL). Endgames known to the
    /// classical evaluation and drawish endings bypass the network.
    #[inline(always)]
    pub fn evaluate(&mut self, board: &Board, ply: usize, scaling: Scaling) -> Score {
        if self.is_drawish(board) {
            return self.draws.to(board.side_to_move());
        }
        let Some(accumulators) = &mut self.accumulators else { return self.classical.evaluate(board) };
        match classical::known_ending(board) {
            Some(DRAW) => self.draws.to(board.side_to_move()),
            Some(value) => value,
            None => scaling.apply(board, accumulators.evaluate(board, ply)),
        }
    }

    /// Classical terms read by reduction recipes, whatever the model.
    pub fn terms(&mut self, board: &Board) -> Terms {
        self.classical.terms(board)
    }

    /// Whether the position is a drawish ending, if these are enabled.
    #[inline(always)]
    pub fn is_drawish(&self, board: &Board) -> bool {
        self.drawish_endings && drawish::find(board).is_some()
    }

    /// Clears caches.
    pub fn clear(&mut self) {
        self.classical = Classical::default();
    }
}

impl Scaling {
    /// Scales the output of the network and lets it fade with the halfmove clock.
    #[inline(always)]
    pub fn apply(self, board: &Board, value: Score) -> Score {
        classical::finish(board, value * self.0 / 1024)
    }
}
