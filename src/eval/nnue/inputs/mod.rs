//! Inputs of the network.
//!
//! Pieces on squares ([`features`]) are updated move by move, for each side with its own view. The inputs of [`InputSet`] are few and
//! recomputed for each evaluation.

mod attacks;
pub mod features;
mod pieces;
pub mod threats;

/// The inputs besides pieces on squares, for engine and trainer. An alternative type must provide `COUNT`, `MAX_ACTIVE`, `new`, `find`,
/// `inputs` and `flip`.
pub type InputSet = threats::Threats;
