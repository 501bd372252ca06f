//! Seeds for the items of a run.

pub use lento::internals::split_mix;

/// The increment of [`split_mix`]: the odd number next to 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The seed of an item.
pub fn seed(seed: u64, number: u64) -> u64 {
    split_mix(&mut seed.wrapping_mul(GOLDEN).wrapping_add(number))
}
