//! `lento-analyse` from outside.

mod analysing;
mod reports;
mod tree;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");
