//! Version and build information, shown by `--version`, the UCI command `compiler` and the option `UCI_EngineAbout`.

use crate::eval::Evaluation;
use crate::eval::nnue::simd::Simd;
use std::sync::LazyLock;

/// Git commit, or why it is unknown.
pub const COMMIT: &str = env!("LENTO_COMMIT");

/// The target the program was built for, such as `x86_64-unknown-linux-gnu`.
pub const TARGET: &str = env!("LENTO_TARGET");

/// The compiler, such as `rustc 1.95.0`.
pub const COMPILER: &str = env!("LENTO_RUSTC");

/// Version and commit.
pub const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("LENTO_COMMIT"), ")");

/// Name, version, authors and licence.
pub const ABOUT: &str =
    concat!("Lento ", env!("CARGO_PKG_VERSION"), " by the Lento authors, licence ", env!("CARGO_PKG_LICENSE"));

/// Version, commit, build target, compiler, profile, CPU features and evaluation.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    let (version, profile) = (env!("CARGO_PKG_VERSION"), env!("LENTO_PROFILE"));
    let features = format!("built for {}; runs {}", built_for(), runs());
    format!("{version} ({COMMIT}; {TARGET}, {COMPILER}, {profile}; {features})\nevaluation {}", Evaluation::default())
});

/// Instruction sets the program was compiled for and requires.
pub fn built_for() -> String {
    let vectors = if cfg!(target_feature = "avx512bw") {
        "AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "AVX2"
    } else if cfg!(target_feature = "neon") {
        "NEON"
    } else if cfg!(target_feature = "sse4.2") {
        "SSE4.2"
    } else {
        "any processor of the target"
    };
    let bits = if cfg!(target_feature = "bmi2") {
        " BMI2"
    } else if cfg!(target_feature = "popcnt") {
        " POPCNT"
    } else {
        ""
    };
    format!("{vectors}{bits}")
}

/// Instruction sets of the network's kernels, detected at run time.
pub fn runs() -> &'static str {
    match Simd::best().name() {
        "avx512" => "AVX-512",
        "avx2" => "AVX2",
        "neon" => "NEON",
        _ => "without explicit vector instructions",
    }
}
