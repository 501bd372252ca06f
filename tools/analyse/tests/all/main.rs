//! `lento-analyse` from outside.

mod analysing;
mod reports;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");
