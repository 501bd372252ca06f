//! Move histories: butterfly, capture and continuation history.

use super::{Cell, RecipeHistory, SharedCell};
use crate::chess::{Bitboard, Board, Color, Move, MoveDelta, Piece, PieceType, Square};
use crate::huge_pages::{HugeArc, HugeBox};
use crate::search::params::Params;
use crate::search::stack::Stack;
use std::array;

/// A row of continuation history: the piece and target square of an earlier move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation(u16);

impl Continuation {
    const MOVES: usize = Piece::COUNT * 64;
    /// The row after a null move and before the first move, which is never updated.
    pub(crate) const NONE: Self = Self(Self::MOVES as u16);
    /// Distances of the earlier moves, in plies.
    pub(crate) const BACK: [usize; 4] = [1, 2, 4, 6];

    #[inline(always)]
    pub(crate) fn of(delta: &MoveDelta) -> Self {
        Self(delta.mover.index() as u16 * 64 + delta.mv.to().index() as u16)
    }

    #[inline(always)]
    pub(super) fn row(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for Continuation {
    fn default() -> Self {
        Self::NONE
    }
}

/// `[color][from attacked][to attacked][from][to]`
type Quiets = [[[[[Cell; 64]; 64]; 2]; 2]; 2];
/// `[piece][to][victim]`
type Captures = [[[Cell; 6]; 64]; Piece::COUNT];
/// Continuation history: `[earlier piece and square][piece][square]`. Clones share their values.
#[derive(Clone)]
pub(crate) struct Continuations(HugeArc<[[[SharedCell; 64]; Piece::COUNT]; Continuation::MOVES + 1]>);

impl Continuations {
    /// Resets all values, also for clones.
    pub(crate) fn clear(&self) {
        self.0.as_flattened().as_flattened().iter().for_each(SharedCell::clear);
    }
}

impl Default for Continuations {
    fn default() -> Self {
        let row = |_| array::from_fn(|_| array::from_fn(|_| SharedCell::default()));
        Self(HugeBox::from_fn(Continuation::MOVES + 1, row).into_array().into())
    }
}

/// Weights of the histories, in 1/64.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    butterfly: i32,
    back: [i32; Continuation::BACK.len()],
    noisy: i32,
}

/// The move histories of one thread, and the continuation history that it uses.
pub(crate) struct Histories {
    quiets: Box<Quiets>,
    captures: Box<Captures>,
    continuations: Continuations,
    weights: Weights,
    /// The history of the LMR recipe.
    pub recipe: RecipeHistory,
}

/// Allocates an array on the heap row by row, as the largest does not fit on a thread's stack.
fn boxed<T: Clone, const N: usize>(row: T) -> Box<[T; N]> {
    match vec![row; N].into_boxed_slice().try_into() {
        Ok(table) => table,
        Err(_) => unreachable!("the vector has N rows"),
    }
}

/// The rows of continuation history for a node, nearest move first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context([Continuation; Continuation::BACK.len()]);

impl Context {
    #[inline(always)]
    pub(crate) fn at(stack: &Stack, ply: usize) -> Self {
        Self(Continuation::BACK.map(|back| stack.before(ply, back).continuation))
    }
}

/// The histories of one piece's quiet moves.
pub(crate) struct PieceHistory<'a> {
    /// Indexed by whether the target square is attacked.
    butterfly: [&'a [Cell; 64]; 2],
    continuations: [&'a [SharedCell; 64]; Continuation::BACK.len()],
    weights: &'a Weights,
    threats: Bitboard,
}

impl PieceHistory<'_> {
    /// Weighted sum of butterfly and continuation history of the move to a square. Each of the five parts is within
    /// ±[`Cell::MAX`] before weighting.
    #[inline(always)]
    pub(crate) fn get(&self, to: Square) -> i32 {
        let butterfly = self.butterfly[usize::from(self.threats.has(to))][to.index()];
        (butterfly.get() * self.weights.butterfly + self.weighted_continuations(to)) / 64
    }

    /// Weighted sum of continuation history, in 1/64.
    #[inline(always)]
    fn weighted_continuations(&self, to: Square) -> i32 {
        let parts = self.continuations.into_iter().zip(self.weights.back);
        parts.map(|(row, weight)| row[to.index()].get() * weight).sum()
    }
}

impl Histories {
    pub(crate) fn new(continuations: Continuations) -> Self {
        let cell = Cell::default();
        Self {
            quiets: boxed([[[[cell; 64]; 64]; 2]; 2]),
            captures: boxed([[cell; 6]; 64]),
            continuations,
            weights: Weights::default(),
            recipe: RecipeHistory::default(),
        }
    }

    /// Replaces the continuation history.
    pub(crate) fn share(&mut self, continuations: Continuations) {
        self.continuations = continuations;
    }

    /// Clears the thread's own histories in place, which is cheaper than fresh pages.
    pub(crate) fn clear(&mut self) {
        let zero = Cell::default();
        for table in self.quiets.as_flattened_mut().as_flattened_mut() {
            table.as_flattened_mut().fill(zero);
        }
        self.captures.as_flattened_mut().as_flattened_mut().fill(zero);
        self.recipe = RecipeHistory::default();
    }

    /// Sets the weights, which are zero at first.
    pub(crate) fn set_weights(&mut self, params: &Params) {
        self.weights = Weights {
            butterfly: params.history_butterfly,
            back: [params.history_one, params.history_two, params.history_four, params.history_six],
            noisy: params.history_noisy,
        };
    }

    /// The histories of a piece of the side to move on a square.
    #[inline(always)]
    pub(crate) fn of_piece(&self, board: &Board, piece: Piece, from: Square, context: &Context) -> PieceHistory<'_> {
        let threats = board.threats();
        let butterfly = &self.quiets[board.side_to_move().index()][usize::from(threats.has(from))];
        PieceHistory {
            butterfly: butterfly.each_ref().map(|table| &table[from.index()]),
            continuations: context.0.map(|row| &self.continuations.0[row.row()][piece.index()]),
            weights: &self.weights,
            threats,
        }
    }

    /// The history of a quiet move; see [`PieceHistory::get`].
    #[inline(always)]
    pub(crate) fn quiet(&self, board: &Board, mv: Move, context: &Context) -> i32 {
        let Some(piece) = board.piece_on(mv.from()) else { return 0 };
        self.of_piece(board, piece, mv.from(), context).get(mv.to())
    }

    /// The part of continuation history in [`quiet`](Self::quiet).
    pub(crate) fn continuation(&self, board: &Board, mv: Move, context: &Context) -> i32 {
        let Some(piece) = board.piece_on(mv.from()) else { return 0 };
        self.of_piece(board, piece, mv.from(), context).weighted_continuations(mv.to()) / 64
    }

    /// The history of a capture or promotion, within ±[`Cell::MAX`] before weighting.
    #[inline(always)]
    pub(crate) fn noisy(&self, board: &Board, mv: Move) -> i32 {
        let [piece, to, victim] = Self::noisy_index(board, mv);
        self.captures[piece][to][victim].get() * self.weights.noisy / 64
    }

    /// Index of a capture or promotion; promotions without capture use the king as victim.
    #[inline(always)]
    fn noisy_index(board: &Board, mv: Move) -> [usize; 3] {
        let piece = board.piece_on(mv.from()).map_or(0, Piece::index);
        let victim = board.captured(mv).map_or(PieceType::King, Piece::kind).index();
        [piece, mv.to().index(), victim]
    }

    pub(crate) fn learn_quiet(&mut self, board: &Board, mv: Move, context: &Context, bonus: i32) {
        self.learn_butterfly(board, mv, bonus);
        let Some(piece) = board.piece_on(mv.from()) else { return };
        self.learn_continuation(piece, mv.to(), context, bonus);
    }

    /// Updates butterfly and continuation history of the move that `side` made at a ply, if it is quiet.
    pub(crate) fn learn_played(&mut self, stack: &Stack, ply: usize, side: Color, bonus: i32) {
        let frame = stack.at(ply);
        let Some(played) = frame.played.filter(|played| played.mv.is_quiet()) else { return };
        self.learn_from_to(side, frame.threats, played.mv, bonus);
        self.learn_continuation(played.mover, played.mv.to(), &Context::at(stack, ply), bonus);
    }

    fn learn_continuation(&self, piece: Piece, to: Square, context: &Context, bonus: i32) {
        for row in context.0.into_iter().filter(|&row| row != Continuation::NONE) {
            self.continuations.0[row.row()][piece.index()][to.index()].update(bonus);
        }
    }

    pub(crate) fn learn_butterfly(&mut self, board: &Board, mv: Move, bonus: i32) {
        self.learn_from_to(board.side_to_move(), board.threats(), mv, bonus);
    }

    #[inline(always)]
    fn learn_from_to(&mut self, side: Color, threats: Bitboard, mv: Move, bonus: i32) {
        let (from, to) = (mv.from(), mv.to());
        let [from_attacked, to_attacked] = [from, to].map(|square| usize::from(threats.has(square)));
        self.quiets[side.index()][from_attacked][to_attacked][from.index()][to.index()].update(bonus);
    }

    pub(crate) fn learn_noisy(&mut self, board: &Board, mv: Move, bonus: i32) {
        let [piece, to, victim] = Self::noisy_index(board, mv);
        self.captures[piece][to][victim].update(bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuation_history_depends_on_context() {
        let continuations = Continuations::default();
        let mut histories = Histories::new(continuations.clone());
        histories.set_weights(&Params { history_butterfly: 64, history_one: 64, ..Params::default() });
        let board = Board::start();
        let (mv, other) = (board.parse_uci("e2e4", false).unwrap(), board.parse_uci("d2d4", false).unwrap());
        let mut stack = Stack::default();
        stack.at_mut(0).continuation = Continuation::of(&MoveDelta::of(&board, other));
        let context = Context::at(&stack, 1);
        histories.learn_quiet(&board, mv, &context, 1000);
        assert_eq!((histories.quiet(&board, mv, &context), histories.continuation(&board, mv, &context)), (2000, 1000));
        assert_eq!(histories.quiet(&board, mv, &Context::at(&Stack::default(), 1)), 1000);
        assert_eq!(histories.quiet(&board, other, &context), 0);
        continuations.clear();
        histories.clear();
        assert_eq!(histories.quiet(&board, mv, &context), 0);
    }

    #[test]
    fn capture_history_depends_on_victim() {
        let mut histories = Histories::new(Continuations::default());
        histories.set_weights(&Params { history_noisy: 64, ..Params::default() });
        let board = Board::from_fen("4k3/8/8/2n1p3/3P4/8/8/4K3 w - - 0 1").unwrap();
        let (knight, pawn) = (board.parse_uci("d4c5", false).unwrap(), board.parse_uci("d4e5", false).unwrap());
        histories.learn_noisy(&board, knight, -700);
        assert_eq!((histories.noisy(&board, knight), histories.noisy(&board, pawn)), (-700, 0));
    }
}
