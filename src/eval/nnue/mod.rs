//! Efficiently updatable neural network (NNUE, Yu Nasu, 2018).
//!
//! Each side accumulates the weights of its piece-square inputs ([`features`]), and of threat inputs ([`threats`]) if the network has
//! them. The output layer is a dot product with the SCReLU activations, i.e. squared after clamping to 0..1.

mod accumulators;
mod architecture;
mod attacks;
mod change;
pub mod features;
pub mod network;
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
