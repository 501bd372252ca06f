//! What tests of several modules share.

pub mod sample;

use super::*;
use clap::CommandFactory;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
    for task in Cli::command().get_subcommands() {
        let known = lento_player::programs::find(task.get_name().as_ref());
        assert!(known.is_some(), "`lento {}` is not handed to this program", task.get_name());
    }
}
