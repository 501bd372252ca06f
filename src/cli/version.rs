//! What `--version` and `-V` say.

use crate::eval::Evaluation;
use crate::eval::nnue::simd::Simd;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The commit, or why there is none.
#[cfg(feature = "database")]
pub const COMMIT: &str = env!("LENTO_COMMIT");

/// The version and its commit: one line.
pub const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("LENTO_COMMIT"), ")");

/// The same with what it was compiled for and with, what this processor runs, and what evaluates.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} ({}; {}, {}; built for {}; runs {})\nevaluation {}",
        env!("CARGO_PKG_VERSION"),
        env!("LENTO_COMMIT"),
        env!("LENTO_TARGET"),
        env!("LENTO_RUSTC"),
        built_for(),
        runs(Simd::best().name()),
        Evaluation::default()
    )
});

/// The same for programs.
pub fn json() -> Value {
    json!({
        "number": env!("CARGO_PKG_VERSION"),
        "commit": env!("LENTO_COMMIT"),
        "target": env!("LENTO_TARGET"),
        "compiler": env!("LENTO_RUSTC"),
        "built_for": built_for(),
        "runs": runs(Simd::best().name()),
        "evaluation": Evaluation::default().to_string(),
    })
}

/// The same for tables: names and values.
pub fn rows() -> Vec<(&'static str, String)> {
    let compiled = [built_for().as_str(), env!("LENTO_TARGET"), env!("LENTO_RUSTC")].join(", ");
    let runs = runs(Simd::best().name());
    vec![("version", format!("Lento {SHORT}")), ("compiled for", compiled), ("runs", runs.to_owned())]
}

/// The instruction sets that every part of the program may use: it starts on no processor without them.
fn built_for() -> String {
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
fn runs(name: &str) -> &str {
    match name {
        "avx512" => "AVX-512",
        "avx2" => "AVX2",
        "neon" => "NEON",
        _ => "no vector instructions of its own",
    }
}
