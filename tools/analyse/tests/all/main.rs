//! `lento-analyse` from outside.

mod analysing;
mod reports;
#[cfg(all(feature = "postgres", unix))]
#[path = "../server/mod.rs"]
mod server;
#[cfg(all(feature = "postgres", unix))]
mod servers;
mod tree;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");
