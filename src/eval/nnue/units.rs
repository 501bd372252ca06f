//! Units of weights, neurons and outputs, and sizes known to the kernels.

/// Quantisation of activations: 255 is 1.0.
pub const QA: i32 = 255;
/// Quantisation of output weights: 128 is 1.0.
pub const QB: i32 = 128;
/// Centipawns per unit of output.
pub const SCALE: i32 = 400;
/// Quantisation of the weights of pairs: 64 is 1.0.
pub(super) const PAIR_UNIT: i32 = 64;
/// Quantisation of the product of a pair, `QA` * `QA` >> 9: 127 is 1.0.
pub(super) const PRODUCT_UNIT: i32 = 127;
/// Quantisation of the neurons of the deep layers: 8128 is 1.0.
pub(super) const FIRST_UNIT: i32 = PRODUCT_UNIT * PAIR_UNIT;
/// Quantisation of the weights of the second and third layer: 1024 is 1.0.
pub(super) const DEEP_UNIT: i32 = 1024;

/// Neurons of the first deep layer; each is used plain and squared.
pub const FIRST: usize = 16;
/// Neurons of the second deep layer.
pub const SECOND: usize = 32;
