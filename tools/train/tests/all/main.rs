//! `lento-train` from outside, in one program: each further one takes time to build.

#[cfg(unix)]
mod abuse;
mod damaged;
mod data;
mod datagen;
mod gold;
mod neutral;
mod nnue;

use lento::internals::version::{LONG, SHORT};
use lento_testing::driver::Tool;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-train");
const TOOL: Tool = Tool(PROGRAM);

#[test]
fn the_version_names_the_commit_as_the_player_does() {
    TOOL.has_version(SHORT, &LONG);
}
