//! Packed games (`*.lgp`): the games of a shard in less than a third of the bytes of viriformat, scores rounded to multiples of
//! 2 centipawns.
//!
//! A file, version 1, little-endian: `LGP`; version (1 byte); games, plies of all games, bytes of the coded games (4 bytes each); the coded
//! games; CRC-32 of all bytes before (4 bytes).
//!
//! A game is a sequence of decisions ([`codec`]), written by a range coder ([`coder`]) with
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
pub use shard::{Packed, Reader, pack};
