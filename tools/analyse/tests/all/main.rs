//! Tests of the program `lento-analyse`.

mod accessible;
mod admission;
mod analysing;
mod board;
mod browser;
mod busy;
mod conflicts;
mod connect;
#[cfg(feature = "lichess")]
mod lichess;
mod page;
mod parallel;
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
fn version_has_the_commit_like_the_player() {
    Tool(PROGRAM).has_version(SHORT, &LONG);
}
