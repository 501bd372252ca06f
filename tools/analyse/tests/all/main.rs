//! `lento-analyse` from outside.

mod analysing;
mod page;
mod reports;
mod serving;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");
