//! The evaluation as used by the search.

use super::draws::Draws;
use super::nnue::simd::Simd;
use super::nnue::{self, Accumulators, Network};
use super::{drawish, endings};
use crate::chess::{Board, MoveDelta};
use crate::score::{DRAW, MAX_EVAL, Score};
use std::fmt;
use std::sync::Arc;

/// Evaluation settings of a search.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The network.
    pub network: Arc<Network>,
    /// The instruction set to run the network with.
    pub simd: Simd,
    /// Whether [drawish endings](drawish) score as draws.
    pub drawish_endings: bool,
    /// Draw scores.
    pub draws: Draws,
}

impl Default for Evaluation {
    /// The embedded network with the fastest instruction set.
    fn default() -> Self {
        nnue::embedded().into()
    }
}

impl From<Arc<Network>> for Evaluation {
    /// A network with the fastest instruction set.
    fn from(network: Arc<Network>) -> Self {
        Self { network, simd: Simd::best(), drawish_endings: false, draws: Draws::default() }
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let endings = if self.drawish_endings { ", drawish endings are draws" } else { "" };
        write!(f, "nnue {}, {}{endings}", self.network, self.simd.name())
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
    /// `None` before the first [`start`](Self::start).
    accumulators: Option<Accumulators>,
    drawish_endings: bool,
    draws: Draws,
    positions: usize,
}

impl Evaluator {
    /// For up to `positions` plies.
    pub fn new(positions: usize) -> Self {
        Self { accumulators: None, drawish_endings: false, draws: Draws::default(), positions }
    }

    /// Sets up the root.
    pub fn start(&mut self, evaluation: &Evaluation, board: &Board) {
        let Evaluation { network, simd, drawish_endings, draws } = evaluation;
        (self.drawish_endings, self.draws) = (*drawish_endings, *draws);
        let fitting = self.accumulators.take_if(|accumulators| accumulators.belong_to(network, *simd));
        let new = || Accumulators::new(Arc::clone(network), *simd, self.positions);
        self.accumulators.insert(fitting.unwrap_or_else(new)).start(board);
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

    /// Static evaluation at a ply in centipawns from the side to move's view, within ± [`MAX_EVAL`]; 0 before
    /// [`start`](Self::start). Known and drawish endings bypass the network.
    #[inline(always)]
    pub fn evaluate(&mut self, board: &Board, ply: usize, scaling: Scaling) -> Score {
        if self.is_drawish(board) {
            return self.draws.to(board.side_to_move());
        }
        let Some(accumulators) = &mut self.accumulators else { return 0 };
        match endings::known(board) {
            Some(DRAW) => self.draws.to(board.side_to_move()),
            Some(value) => fade(board, value),
            None => scaling.apply(board, accumulators.evaluate(board, ply)),
        }
    }

    /// Whether the position is a drawish ending, if these are enabled.
    #[inline(always)]
    pub fn is_drawish(&self, board: &Board) -> bool {
        self.drawish_endings && drawish::find(board).is_some()
    }
}

impl Scaling {
    /// Scales the output of the network and lets it fade with the halfmove clock.
    #[inline(always)]
    pub fn apply(self, board: &Board, value: Score) -> Score {
        fade(board, value * self.0 / 1024)
    }
}

/// Decreases a score by 1/200 per ply of the halfmove clock and clamps it to evaluation scores.
fn fade(board: &Board, score: Score) -> Score {
    let clock = board.halfmove_clock().min(100) as i32;
    (score * (200 - clock) / 200).clamp(-MAX_EVAL, MAX_EVAL)
}
