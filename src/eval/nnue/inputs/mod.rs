//! What the network sees of a position.
//!
//! Pieces on squares ([`features`]) are updated move by move, for each side with its own view. The inputs of [`InputSet`] are few and
//! found anew for each evaluation.

mod attacks;
pub mod features;
mod pieces;
pub mod threats;

/// The inputs beside pieces on squares, for engine and trainer. Another set is another type with the same functions: `COUNT`,
/// `MAX_ACTIVE`, `new`, `find`, `inputs` and `flip`.
pub type InputSet = threats::Threats;
