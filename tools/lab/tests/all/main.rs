//! `lento-lab` from outside, in one program: each further one takes time to build.

#[cfg(unix)]
mod abuse;
mod damaged;
mod factors;
mod matches;
mod recipes;
mod scaling;

use lento::internals::version::{LONG, SHORT};
use lento_testing::driver::Tool;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-lab");
const TOOL: Tool = Tool(PROGRAM);

#[test]
fn the_version_names_the_commit_as_the_player_does() {
    TOOL.has_version(SHORT, &LONG);
}
