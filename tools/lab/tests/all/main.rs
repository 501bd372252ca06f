//! Runs `lento-lab`; one test program, to save build time.

#[cfg(unix)]
mod abuse;
mod damaged;
mod factors;
mod matches;
mod recipes;
mod scaling;
mod suites;

use lento::internals::version::{LONG, SHORT};
use lento_testing::driver::Tool;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-lab");
const TOOL: Tool = Tool(PROGRAM);

#[test]
fn version_includes_the_commit() {
    TOOL.has_version(SHORT, &LONG);
}
