//! The network: a small neural network that is updated move by move.
//!
//! Each side sees the pieces on the board as inputs ([`features`]); the weights of those inputs are summed up in an accumulator of each
//! side. The squares of the accumulators' values, kept between 0 and 1 (SCReLU), are weighted and added up to the value of the position.
//! Efficiently updatable networks are an idea of Yu Nasu (2018).

mod accumulators;
mod architecture;
mod change;
pub mod features;
pub mod network;
mod reach;
mod refresh;
pub mod simd;
mod source;
pub mod sum;
#[cfg(test)]
mod tests;
pub mod threats;
mod trace;

pub use accumulators::Accumulators;
pub use architecture::Architecture;
pub use network::{Network, NetworkError, Parts};
pub use source::{LoadError, embedded, load};
pub use trace::Trace;
