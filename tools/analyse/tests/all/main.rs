//! `lento-analyse` from outside.

mod accessible;
mod admission;
mod analysing;
mod at_once;
mod board;
mod browser;
mod busy;
mod connect;
#[cfg(feature = "lichess")]
mod lichess;
mod page;
mod playing;
mod reports;
mod results;
#[cfg(all(feature = "postgres", unix))]
#[path = "../server/mod.rs"]
mod server;
#[cfg(all(feature = "postgres", unix))]
mod servers;
mod serving;
mod thinking;
mod tree;
#[cfg(all(feature = "postgres", unix))]
mod tree_servers;

use lento::internals::version::{LONG, SHORT};
use lento_testing::driver::Tool;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-analyse");

#[test]
fn the_version_names_the_commit_as_the_player_does() {
    Tool(PROGRAM).has_version(SHORT, &LONG);
}
