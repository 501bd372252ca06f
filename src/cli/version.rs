//! Version information in measurements.

use crate::eval::Evaluation;
use crate::version::{SHORT, built_for, runs};
use serde_json::{Value, json};

/// As JSON.
pub fn json() -> Value {
    json!({
        "number": env!("CARGO_PKG_VERSION"),
        "commit": env!("LENTO_COMMIT"),
        "target": env!("LENTO_TARGET"),
        "compiler": env!("LENTO_RUSTC"),
        "built_for": built_for(),
        "runs": runs(),
        "evaluation": Evaluation::default().to_string(),
    })
}

/// Names and values for a table.
pub fn rows() -> Vec<(&'static str, String)> {
    let compiled = [built_for().as_str(), env!("LENTO_TARGET"), env!("LENTO_RUSTC")].join(", ");
    vec![("version", format!("Lento {SHORT}")), ("compiled for", compiled), ("runs", runs().to_owned())]
}
