//! Shared by tests of several modules.

pub mod sample;

use super::*;
use clap::CommandFactory;

#[test]
fn command_line_is_consistent() {
    Cli::command().debug_assert();
    for task in Cli::command().get_subcommands() {
        let known = lento_player::programs::find(task.get_name().as_ref());
        assert!(known.is_some(), "`lento {}` does not run this program", task.get_name());
    }
}
