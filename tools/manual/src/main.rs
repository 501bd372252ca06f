//! `lento-manual`: manual pages and shell completions of `lento` with all tasks.

use clap::{Command, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};
use clap_mangen::{Man, generate_to};
use lento_console::{Done, notice};
use lento_uci::command::usage;
use lento_uci::options::{self, UciOption};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
lento_console::instructions::check_at_start!();

/// Write manual pages and shell completions of the Lento chess engine and its tools.
#[derive(Parser)]
#[command(version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str(), subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
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

/// `lento` with all tasks.
fn lento() -> Command {
    // Replaces the task `analyse` of the player by the program of this name, whose tasks except `merge` are also tasks of `lento`.
    let analyse = lento_analyse::command();
    let is_shared = |task: &Command| task.get_name() != "merge";
    let tasks: Vec<Command> = [&analyse, &lento_lab::command(), &lento_train::command(), &Cli::command()]
        .iter()
        .flat_map(|program| program.get_subcommands().filter(|task| is_shared(task)).cloned())
        .collect();
    let analyse = analyse.mut_subcommands(|task| if is_shared(&task) { task.hide(true) } else { task });
    // Independent of the commit.
    let version = env!("CARGO_PKG_VERSION");
    let command = lento_player::command().display_name("lento").name("lento").version(version).long_version(version);
    command
        .mut_subcommand("analyse", |_| analyse.name("analyse").visible_alias("analyze").version(None::<&str>))
        .subcommands(tasks)
}

fn main() -> ExitCode {
    notice::run(|cli: Cli| match cli.task {
        Task::Completions { shell } => completions(shell),
        Task::Man { folder: Some(folder) } => write_pages(&folder),
        Task::Man { folder: None } => print(&page(lento().disable_help_subcommand(true))),
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

/// Writes all pages into a folder.
fn write_pages(folder: &Path) -> Done {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let lento = lento().disable_help_subcommand(true);
    fs::create_dir_all(folder).map_err(named)?;
    generate_to(lento.clone(), folder).map_err(named)?;
    fs::write(folder.join("lento.1"), page(lento)).map_err(named)?;
    // The other programs are named like tasks.
    fs::write(folder.join("lento-lab.1"), ".so man1/lento.1\n").map_err(named)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of `lento`.
fn page(lento: Command) -> Vec<u8> {
    let mut text = Vec::new();
    let rendered = Man::new(lento).render(&mut text).and_then(|()| uci().to_writer(&mut text));
    rendered.expect("writing to memory cannot fail");
    text
}

/// The commands and options of UCI.
fn uci() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["UCI COMMANDS"]);
    for line in usage() {
        let (command, meaning) = line.split_once(": ").unwrap_or((line, ""));
        roff.control("TP", []).text([bold(command)]).text([roman(meaning)]);
    }
    roff.control("SH", ["UCI OPTIONS"]);
    for UciOption { name, values, default, meaning, .. } in options::all() {
        let default = if default.is_empty() { String::new() } else { format!(" [default: {default}]") };
        roff.control("TP", [])
            .text([bold(name), roman(plain(&format!(": {values}{default}")))])
            .text([roman(plain(meaning))]);
    }
    roff
}

/// Markdown without backticks.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_consistent() {
        Cli::command().debug_assert();
        lento().debug_assert();
        let player = lento_player::command();
        for name in lento().get_subcommands().map(|task| task.get_name().to_owned()).collect::<Vec<_>>() {
            let is_program = lento_player::programs::find(name.as_ref()).is_some();
            assert!(is_program || player.find_subcommand(&name).is_some(), "`lento {name}` runs nothing");
        }
    }
}
