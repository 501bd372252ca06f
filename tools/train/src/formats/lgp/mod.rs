//! Packed games (`*.lgp`): the games of a shard in less than a third of the size of viriformat, with scores rounded to multiples of
//! 2 centipawns.
//!
//! File format, version 1, little-endian: `LGP`; version (1 byte); games, total plies, bytes of the coded games (4 bytes each); the coded
//! games; CRC-32 of all previous bytes (4 bytes).
//!
//! A game is a sequence of decisions ([`codec`]), written by a range coder ([`coder`]) with probabilities from adaptive models
//! ([`logistic`]): start positions ([`start`]), moves ([`moves`]), scores ([`scores`]), ends and results ([`ending`]). The models are
//! reset for each file. They depend only on the rules of chess, not on evaluation or search. Changing them requires a new version.

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

pub use shard::{Reader, pack};
