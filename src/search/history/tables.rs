//! Move histories: which moves have failed high, by what is known about them.

use super::{Cell, PieceSquares};
use crate::chess::{Board, Move, Piece, PieceType};
use crate::search::params::Params;
use crate::search::stack::Stack;

/// A row of continuation history: the piece and target square of an earlier move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation(u16);

impl Continuation {
    const MOVES: usize = Piece::COUNT * 64;
    /// After a null move and before the first: a row that is never written to.
    pub const NONE: Self = Self(Self::MOVES as u16);
    /// How many plies back continuation history looks.
    pub const BACK: [usize; 4] = [1, 2, 4, 6];

    /// The row of a move.
    #[inline(always)]
    pub fn of(board: &Board, mv: Move) -> Self {
        Self(board.piece_on(mv.from()).map_or(Self::NONE.0, |piece| piece.index() as u16 * 64 + mv.to().index() as u16))
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
/// `[earlier piece and square][piece and square]`
type Continuations = [[Cell; Continuation::MOVES]; Continuation::MOVES + 1];

/// How much each part counts, in 1/64.
#[derive(Clone, Copy, Debug)]
struct Weights {
    butterfly: i32,
    back: [i32; Continuation::BACK.len()],
    noisy: i32,
}

impl From<&Params> for Weights {
    fn from(params: &Params) -> Self {
        let Params { history_butterfly, history_one, history_two, history_four, history_six, history_noisy, .. } =
            *params;
        Self {
            butterfly: history_butterfly,
            back: [history_one, history_two, history_four, history_six],
            noisy: history_noisy,
        }
    }
}

/// The move histories of one thread.
pub struct Histories {
    quiets: Box<Quiets>,
    captures: Box<Captures>,
    continuations: Box<Continuations>,
    weights: Weights,
    /// What the reduction recipe keeps for itself.
    pub own: PieceSquares,
}

/// A boxed array, made on the heap row by row: the largest would not fit on a thread's stack.
fn boxed<T: Clone, const N: usize>(row: T) -> Box<[T; N]> {
    match vec![row; N].into_boxed_slice().try_into() {
        Ok(table) => table,
        Err(_) => unreachable!("the vector has N rows"),
    }
}

/// The rows of continuation history that earlier moves of this line open, nearest first.
#[derive(Clone, Copy, Debug)]
pub struct Context([Continuation; Continuation::BACK.len()]);

impl Context {
    /// The context of a node at this ply.
    #[inline(always)]
    pub fn at(stack: &Stack, ply: usize) -> Self {
        Self(Continuation::BACK.map(|back| stack.before(ply, back).continuation))
    }
}

impl Histories {
    /// Histories that know nothing.
    pub fn new() -> Self {
        let cell = Cell::default();
        Self {
            quiets: boxed([[[[cell; 64]; 64]; 2]; 2]),
            captures: boxed([[cell; 6]; 64]),
            continuations: boxed([cell; Continuation::MOVES]),
            weights: Weights::from(&Params::default()),
            own: PieceSquares::default(),
        }
    }

    /// Forgets everything, in the memory that it has: fresh pages would cost more than clean ones.
    pub fn clear(&mut self) {
        let zero = Cell::default();
        for table in self.quiets.as_flattened_mut().as_flattened_mut() {
            table.as_flattened_mut().fill(zero);
        }
        self.captures.as_flattened_mut().as_flattened_mut().fill(zero);
        self.continuations.as_flattened_mut().fill(zero);
        self.own = PieceSquares::default();
    }

    /// Takes over all that others know, in the memory that it has.
    pub fn copy_from(&mut self, others: &Self) {
        // Every part by its name, so that none is forgotten.
        let Self { quiets, captures, continuations, weights, own } = others;
        self.quiets.copy_from_slice(quiets.as_slice());
        self.captures.copy_from_slice(captures.as_slice());
        self.continuations.copy_from_slice(continuations.as_slice());
        self.weights = *weights;
        self.own.clone_from(own);
    }

    /// Takes over the weights of the parts.
    pub fn set_weights(&mut self, params: &Params) {
        self.weights = Weights::from(params);
    }

    #[inline(always)]
    fn quiet_index(board: &Board, mv: Move) -> [usize; 3] {
        let threats = board.threats();
        [board.side_to_move().index(), usize::from(threats.has(mv.from())), usize::from(threats.has(mv.to()))]
    }

    /// What is known about a quiet move of the side to move: butterfly history, by whether its squares are attacked,
    /// and continuation history. Positive is good; each of the five parts lies inside ±[`Cell::MAX`] before it is
    /// weighed.
    #[inline(always)]
    pub fn quiet(&self, board: &Board, mv: Move, context: &Context) -> i32 {
        let [color, from_attacked, to_attacked] = Self::quiet_index(board, mv);
        let butterfly = &self.quiets[color][from_attacked][to_attacked][mv.from().index()][mv.to().index()];
        (butterfly.get() * self.weights.butterfly + self.weighed_continuations(board, mv, context)) / 64
    }

    /// The part of continuation history in [`quiet`](Self::quiet).
    pub fn continuation(&self, board: &Board, mv: Move, context: &Context) -> i32 {
        self.weighed_continuations(board, mv, context) / 64
    }

    /// The four parts of continuation history, in 1/64.
    #[inline(always)]
    fn weighed_continuations(&self, board: &Board, mv: Move, context: &Context) -> i32 {
        let column = Continuation::of(board, mv).row() % Continuation::MOVES;
        let mut sum = 0;
        for (row, weight) in context.0.into_iter().zip(self.weights.back) {
            sum += self.continuations[row.row()][column].get() * weight;
        }
        sum
    }

    /// What is known about a capture or promotion, inside ±[`Cell::MAX`] before it is weighed.
    #[inline(always)]
    pub fn noisy(&self, board: &Board, mv: Move) -> i32 {
        let [piece, to, victim] = Self::noisy_index(board, mv);
        self.captures[piece][to][victim].get() * self.weights.noisy / 64
    }

    /// A promotion without capture has the king's place among the victims.
    #[inline(always)]
    fn noisy_index(board: &Board, mv: Move) -> [usize; 3] {
        let piece = board.piece_on(mv.from()).map_or(0, Piece::index);
        let victim = board.captured(mv).map_or(PieceType::King, Piece::kind).index();
        [piece, mv.to().index(), victim]
    }

    /// Learns that a quiet move was good (bonus above zero) or bad.
    pub fn learn_quiet(&mut self, board: &Board, mv: Move, context: &Context, bonus: i32) {
        self.learn_butterfly(board, mv, bonus);
        let column = Continuation::of(board, mv).row() % Continuation::MOVES;
        for row in context.0.into_iter().filter(|&row| row != Continuation::NONE) {
            self.continuations[row.row()][column].update(bonus);
        }
    }

    /// Learns that a quiet move was good or bad by what it did to the evaluation: whatever the moves before it were.
    pub fn learn_butterfly(&mut self, board: &Board, mv: Move, bonus: i32) {
        let [color, from_attacked, to_attacked] = Self::quiet_index(board, mv);
        self.quiets[color][from_attacked][to_attacked][mv.from().index()][mv.to().index()].update(bonus);
    }

    /// Learns that a capture or promotion was good (bonus above zero) or bad.
    pub fn learn_noisy(&mut self, board: &Board, mv: Move, bonus: i32) {
        let [piece, to, victim] = Self::noisy_index(board, mv);
        self.captures[piece][to][victim].update(bonus);
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_in_its_context_only() {
        let mut histories = Histories::new();
        histories.set_weights(&Params { history_butterfly: 64, history_one: 64, ..Params::default() });
        let board = Board::start();
        let (mv, other) = (board.parse_uci("e2e4", false).unwrap(), board.parse_uci("d2d4", false).unwrap());
        let mut stack = Stack::new();
        stack.at_mut(0).continuation = Continuation::of(&board, other);
        let context = Context::at(&stack, 1);
        histories.learn_quiet(&board, mv, &context, 1000);
        assert_eq!((histories.quiet(&board, mv, &context), histories.continuation(&board, mv, &context)), (2000, 1000));
        assert_eq!(histories.quiet(&board, mv, &Context::at(&Stack::new(), 1)), 1000);
        assert_eq!(histories.quiet(&board, other, &context), 0);
        histories.clear();
        assert_eq!(histories.quiet(&board, mv, &context), 0);
    }

    #[test]
    fn captures_are_told_apart_by_victim() {
        let mut histories = Histories::new();
        histories.set_weights(&Params { history_noisy: 64, ..Params::default() });
        let board = Board::from_fen("4k3/8/8/2n1p3/3P4/8/8/4K3 w - - 0 1").unwrap();
        let (knight, pawn) = (board.parse_uci("d4c5", false).unwrap(), board.parse_uci("d4e5", false).unwrap());
        histories.learn_noisy(&board, knight, -700);
        assert_eq!((histories.noisy(&board, knight), histories.noisy(&board, pawn)), (-700, 0));
    }
}
