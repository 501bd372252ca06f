//! `lento-analyse` from outside.

mod admission;
mod analysing;
mod page;
mod reports;
#[cfg(all(feature = "postgres", unix))]
#[path = "../server/mod.rs"]
mod server;
#[cfg(all(feature = "postgres", unix))]
mod servers;
mod serving;
mod tree;
#[cfg(all(feature = "postgres", unix))]
mod tree_servers;
#[path = "../../../tests/version.rs"]
mod version;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");
