//! Settings of property tests.

use proptest::test_runner::{Config, RngSeed};

/// A reproducible proptest configuration that writes no files.
pub fn cases(count: u32) -> Config {
    Config { cases: count, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}
