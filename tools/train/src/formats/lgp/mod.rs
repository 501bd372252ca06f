//! Packed games (`*.lgp`): the games of a shard in less than a third of the bytes of viriformat, scores rounded to multiples of
//! 2 centipawns.
//!
//! A file is one shard:
//!
//! | Bytes | Content |
//! |---|---|
//! | 0 to 2 | `LGP` |
//! | 3 | version: 1 |
//! | 4 to 7 | games |
//! | 8 to 11 | plies of all games |
//! | 12 to 15 | length of the coded games |
//! | 16 up to the last four | the coded games |
//! | the last four | CRC-32 of all bytes before |
//!
//! Numbers are little-endian. A game is a sequence of decisions ([`codec`]), written by a range coder ([`coder`]) with
//! probabilities of adaptive models ([`logistic`]): first positions ([`start`]), moves ([`moves`]), scores ([`scores`]), ends and results
//! ([`ending`]). The models start fresh in each file. They depend on the rules of chess only, not on evaluation or search. A change of
//! the models is a new version.

mod choices;
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
