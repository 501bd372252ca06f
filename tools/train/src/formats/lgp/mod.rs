//! Packed games (`*.lgp`): the games of a shard in less than a third of the bytes of viriformat, scores rounded to multiples of
//! 2 centipawns.
//!
//! docs/training.md has the layout of a file. A game is a sequence of decisions ([`codec`]), written by a range coder ([`coder`]) with
//! probabilities of adaptive models ([`logistic`]): first positions ([`start`]), moves ([`moves`]), scores ([`scores`]), ends and results
//! ([`ending`]). The models start fresh in each file. They depend on the rules of chess only, not on evaluation or search. A change of
//! the models is a new version.

mod codec;
mod coder;
mod ending;
mod features;
mod logistic;
mod moves;
mod scores;
mod shard;
mod start;
#[cfg(test)]
mod tests;

pub use codec::Spent;
pub use shard::{Packed, Reader, Verified, pack};
