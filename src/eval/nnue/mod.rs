//! Efficiently updatable neural network (NNUE, Yu Nasu, 2018).
//!
//! Each side accumulates the weights of its piece-square inputs ([`features`]), and of threat inputs ([`threats`]) if the network has
//! them. The output layer is a dot product with the SCReLU activations, i.e. squared after clamping to 0..1.
//!
//! From the bottom up: units and registers, inputs, layers, the network and its file, accumulators.

mod accumulators;
mod architecture;
mod change;
mod format;
mod inputs;
mod layers;
pub mod network;
pub mod simd;
#[cfg(test)]
mod tests;
mod trace;
mod units;

pub use accumulators::Accumulators;
pub use architecture::{Architecture, Layer, NetworkError, Numbers};
pub use format::{Parts, Sum, checksum};
pub use inputs::{InputSet, features, threats};
pub use network::{Network, embedded, load};
pub use trace::Trace;
