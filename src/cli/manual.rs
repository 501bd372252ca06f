//! The manual page and completions for shells, made of the declarations of the command line.

use super::Done;
use clap::Command;
use clap_complete::Shell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// For which shell.
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Where the pages go.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write the page of each task into this folder, too, as lento-analyse.1 and so on; without it the page of lento itself goes to
    /// standard output
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Writes the completions to standard output, in one piece.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lento", &mut text);
    io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual.
pub fn man(args: &ManArgs, command: Command) -> Done {
    // The name that is typed, not the one that is shown.
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
