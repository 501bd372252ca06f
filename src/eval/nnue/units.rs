//! Units of weights, neurons and outputs.

/// Quantisation of activations: 255 is 1.0.
pub const QA: i32 = 255;
/// Quantisation of output weights: 128 is 1.0.
pub const QB: i32 = 128;
/// Centipawns per unit of output.
pub const SCALE: i32 = 400;
