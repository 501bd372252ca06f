//! `lento-manual`: manual pages and shell completions of `lento` with the tasks of all programs.

mod pages;

use clap::{Command, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use lento_console::Done;
use lento_console::notice::exit_code;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
lento_console::instructions::check_at_start!();

/// Write manual pages and shell completions of the Lento chess engine and its tools.
#[derive(Parser)]
#[command(version = lento::version::SHORT, long_version = lento::version::LONG.as_str(), subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write shell completions to standard output
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages
    Man {
        /// Write a page per task into this folder, such as lento-match.1; without it the page of lento goes to standard
        /// output
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

/// `lento` with the tasks of all programs.
fn lento() -> Command {
    // The player analyses a position. The program of this name does more, and its other tasks are also those of `lento`.
    let analyse = lento_analyse::command();
    let other = |name: &str| name != "merge";
    let own: Vec<String> =
        analyse.get_subcommands().map(|task| task.get_name().to_owned()).filter(|name| other(name)).collect();
    let tasks: Vec<Command> = [&analyse, &lento_lab::command(), &lento_train::command(), &Cli::command()]
        .iter()
        .flat_map(|program| program.get_subcommands().filter(|task| other(task.get_name())).cloned())
        .collect();
    let analyse = own.iter().fold(analyse, |command, name| command.mut_subcommand(name, |task| task.hide(true)));
    // The same text from every build.
    let version = env!("CARGO_PKG_VERSION");
    let command = lento_player::command().display_name("lento").name("lento").version(version).long_version(version);
    command
        .mut_subcommand("analyse", |_| analyse.name("analyse").visible_alias("analyze").version(None::<&str>))
        .subcommands(tasks)
}

fn main() -> ExitCode {
    exit_code(match Cli::parse().task {
        Task::Completions { shell } => completions(shell),
        Task::Man { folder: Some(folder) } => pages::write(lento(), &folder),
        Task::Man { folder: None } => print(&pages::page(lento())),
    })
}

fn completions(shell: Shell) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut lento(), "lento", &mut text);
    print(&text)
}

fn print(text: &[u8]) -> Done {
    io::stdout().write_all(text)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_are_consistent() {
        Cli::command().debug_assert();
        lento().debug_assert();
        let player = lento_player::command();
        for name in lento().get_subcommands().map(|task| task.get_name().to_owned()).collect::<Vec<_>>() {
            let handed_over = lento_player::programs::find(name.as_ref()).is_some();
            assert!(handed_over || player.find_subcommand(&name).is_some(), "`lento {name}` runs nothing");
        }
    }
}
