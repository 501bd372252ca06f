//! The manual page and shell completions, generated from the command line.

use super::Done;
use clap::Command;
use clap_complete::Shell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `lento man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write a page per task into this folder, such as lento-analyse.1; without it the page of lento goes to standard
    /// output
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Writes completions to standard output.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lento", &mut text);
    io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual pages.
pub fn man(args: &ManArgs, command: Command) -> Done {
    // Use the name as typed, not the display name.
    let command = command.display_name("lento").name("lento");
    match &args.folder {
        Some(folder) => {
            clap_mangen::generate_to(command, folder)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
        }
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text)?;
            io::stdout().write_all(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
