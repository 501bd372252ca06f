//! What the program is: its version, what it was compiled for and with, what it runs. `--version`, the UCI command `compiler`
//! and the option `UCI_EngineAbout` say it.

use crate::eval::Evaluation;
use crate::eval::nnue::simd::Simd;
use std::sync::LazyLock;

/// The commit, or why there is none.
pub const COMMIT: &str = env!("LENTO_COMMIT");

/// The version and its commit: one line.
pub const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("LENTO_COMMIT"), ")");

/// Name, version, authors and licence: one line.
pub const ABOUT: &str =
    concat!("Lento ", env!("CARGO_PKG_VERSION"), " by the Lento authors, licence ", env!("CARGO_PKG_LICENSE"));

/// The version with what it was compiled for and with, what this processor runs, and what evaluates.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} ({}; {}, {}; built for {}; runs {})\nevaluation {}",
        env!("CARGO_PKG_VERSION"),
        env!("LENTO_COMMIT"),
        env!("LENTO_TARGET"),
        env!("LENTO_RUSTC"),
        built_for(),
        runs(),
        Evaluation::default()
    )
});

/// The instruction sets that every part of the program may use: it starts on no processor without them.
pub fn built_for() -> String {
    let vectors = if cfg!(target_feature = "avx512bw") {
        "AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "AVX2"
    } else if cfg!(target_feature = "neon") {
        "NEON"
    } else {
        "any processor of its kind"
    };
    let pext = if cfg!(target_feature = "bmi2") { " BMI2" } else { "" };
    format!("{vectors}{pext}")
}

/// What the network's arithmetic uses: it is chosen when the program runs.
pub fn runs() -> &'static str {
    match Simd::best().name() {
        "avx512" => "AVX-512",
        "avx2" => "AVX2",
        "neon" => "NEON",
        _ => "no vector instructions of its own",
    }
}
