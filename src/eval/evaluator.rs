//! What the search asks for the value of a position.

use super::classical::{self, Classical, Terms};
use super::drawish;
use super::draws::Draws;
use super::nnue::simd::Simd;
use super::nnue::{self, Accumulators, Network};
use crate::chess::{Board, Move, PieceType};
use crate::score::{DRAW, MAX_EVAL, Score};
use std::fmt;
use std::sync::Arc;

/// The kinds of evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationKind {
    /// The network.
    #[default]
    Nnue,
    /// The sum of terms.
    Classical,
}

impl EvaluationKind {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 2] = ["nnue", "classical"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Nnue, Self::Classical].into_iter().find(|kind| kind.name() == name)
    }
}

/// What gives positions their values.
#[derive(Clone, Debug)]
pub enum Model {
    /// A network, with the arithmetic of an instruction set.
    Nnue(Arc<Network>, Simd),
    /// The sum of terms.
    Classical,
}

/// What a search evaluates with.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// What gives positions their values.
    pub model: Model,
    /// Whether [drawish endings](drawish) count as draws, whatever the model says.
    pub drawish_endings: bool,
    /// What a draw is worth.
    pub draws: Draws,
}

impl Default for Model {
    /// The network that the program carries, as fast as the processor can.
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
    /// The value of a position in centipawns from the view of the side to move, as a search takes it.
    pub fn value(&self, board: &Board, scaling: Scaling) -> Score {
        let mut evaluator = Evaluator::new(1);
        evaluator.start(self, board);
        evaluator.evaluate(board, 0, scaling)
    }

    /// The name of the drawish ending on the board, if there is one and it counts as a draw.
    pub fn drawish_ending(&self, board: &Board) -> Option<&'static str> {
        drawish::find(board).filter(|_| self.drawish_endings)
    }
}

/// How the network's value depends on what is left on the board: in 1/1024, `base` plus `material` for each pawn's worth of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// On an empty board.
    pub base: i32,
    /// For each unit of material: 3 for a knight or bishop, 5 for a rook, 9 for a queen, of both colors.
    pub material: i32,
}

/// The evaluator of one thread.
///
/// [`start`](Self::start) comes before everything else. Then each position of a line of play has its ply, 0 for the
/// first one: moves are announced by [`play`](Self::play) and [`pass`](Self::pass); to take one back nothing is said.
pub struct Evaluator {
    classical: Classical,
    /// While the network is in use.
    accumulators: Option<Accumulators>,
    drawish_endings: bool,
    draws: Draws,
    positions: usize,
}

impl Evaluator {
    /// An evaluator for lines of play of so many positions. It knows nothing, and is classical until it is told otherwise.
    pub fn new(positions: usize) -> Self {
        Self {
            classical: Classical::default(),
            accumulators: None,
            drawish_endings: false,
            draws: Draws::default(),
            positions,
        }
    }

    /// A search begins with this position.
    pub fn start(&mut self, evaluation: &Evaluation, board: &Board) {
        (self.drawish_endings, self.draws) = (evaluation.drawish_endings, evaluation.draws);
        match (&evaluation.model, &mut self.accumulators) {
            (Model::Classical, accumulators) => *accumulators = None,
            (Model::Nnue(network, simd), Some(accumulators))
                if Arc::ptr_eq(network, accumulators.network()) && *simd == accumulators.simd() => {}
            (Model::Nnue(network, simd), accumulators) => {
                *accumulators = Some(Accumulators::new(Arc::clone(network), *simd, self.positions));
            }
        }
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.start(board);
        }
    }

    /// A legal move is made in the position at a ply.
    #[inline(always)]
    pub fn play(&mut self, ply: usize, board: &Board, mv: Move) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.play(ply, board, mv);
        }
    }

    /// The turn is passed in the position at a ply.
    #[inline(always)]
    pub fn pass(&mut self, ply: usize) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.pass(ply);
        }
    }

    /// The value of the position at a ply in centipawns from the view of the side to move, inside ± [`MAX_EVAL`]. The network
    /// is not asked about known endings, of which it has seen few, and nothing is asked about a drawish ending that counts as
    /// a draw.
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

    /// The classical terms that recipes of reductions read, whatever evaluates.
    pub fn terms(&mut self, board: &Board) -> Terms {
        self.classical.evaluate_terms(board)
    }

    /// Whether the position is a drawish ending that counts as a draw.
    #[inline(always)]
    pub fn is_drawish(&self, board: &Board) -> bool {
        self.drawish_endings && drawish::find(board).is_some()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.classical.clear();
    }
}

impl Scaling {
    /// The network's value as the search takes it: by material, and fading towards the draw by the fifty-move rule.
    #[inline(always)]
    pub fn apply(self, board: &Board, value: Score) -> Score {
        let clock = board.halfmove_clock().min(100) as i32;
        let scaled = value * self.factor(board) / 1024;
        (scaled * (classical::FADE - clock) / classical::FADE).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// In 1/1024. Nothing is counted while material does not matter, which is so by default.
    #[inline(always)]
    fn factor(self, board: &Board) -> i32 {
        if self.material == 0 {
            return self.base;
        }
        let count = |kind| board.kind(kind).count() as i32;
        let minors = count(PieceType::Knight) + count(PieceType::Bishop);
        self.base + self.material * (3 * minors + 5 * count(PieceType::Rook) + 9 * count(PieceType::Queen))
    }
}
