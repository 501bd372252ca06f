//! Hashing of numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).

/// The odd number next to 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser, a bijection.
pub fn mix(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// A seed for each item of a run.
pub fn seed(seed: u64, number: u64) -> u64 {
    mix(seed.wrapping_mul(GOLDEN).wrapping_add(number).wrapping_add(GOLDEN))
}
