//! What a move does to the evaluation, as far as a recipe asks.

/// A number, in centipawns where it is not a count, from the view of the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Static evaluation of the node above alpha.
    AboveAlpha,
    /// Static evaluation of the node above its material: the positional surplus.
    Surplus,
    /// Pieces of the opponent newly attacked, by a move that is not bad (SEE at least 0).
    Threats,
    /// Own pieces no longer attacked, by a move that is not bad.
    Escapes,
    /// What the move adds to the value of passed pawns.
    PassedGain,
    /// What the move adds to the safety of the own king.
    SafetyGain,
    /// What the move adds to the evaluation.
    Gain,
    /// What the move takes from the evaluation.
    Loss,
    /// What the move adds to the piece-square value of the piece that moves.
    SquareGain,
}

/// A change of the reduction by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The signal.
    pub signal: Signal,
    /// The least value at which the change applies.
    pub from: i32,
    /// The change, in the recipe's unit.
    pub change: i32,
}
