//! Efficiently updatable neural network (NNUE, Yu Nasu, 2018).
//!
//! Each side accumulates the weights of its piece-square inputs ([`features`]), and of threat inputs ([`threats`]) if the network has
//! them. The output layer is a dot product with the SCReLU activations, i.e. squared after clamping to 0..1.
//!
//! From the bottom up: units and registers, inputs, the output layer, the network and its file, accumulators.

pub(crate) mod accumulators;
pub(crate) mod architecture;
mod change;
pub(crate) mod format;
pub(crate) mod inputs;
mod network;
mod output;
pub(crate) mod simd;
#[cfg(test)]
mod tests;
pub(crate) mod trace;
pub(crate) mod units;

pub(crate) use accumulators::Accumulators;
pub use architecture::NetworkError;
pub(crate) use format::Sum;
pub use inputs::{features, threats};
pub use network::{Network, embedded, load};
