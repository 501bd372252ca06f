//! Messages on standard error, and how programs end.

use super::Done;
use clap::Parser;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// The name of the program, from its first argument.
pub fn program() -> String {
    let path = std::env::args_os().next();
    path.as_ref().and_then(|path| Path::new(path).file_stem()).unwrap_or_default().to_string_lossy().into_owned()
}

/// Prints a message after the name of the program. Unlike `eprintln!`, it does not panic when standard error is closed.
pub fn notice(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}: {}", program(), printable(&text.to_string()));
}

/// Escapes control characters except line feeds and tabs, since terminals obey them: `\u{1b}`.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
    }
    printable
}

/// Parses the arguments, runs a program with them and returns its exit code.
pub fn run<C: Parser>(program: impl FnOnce(C) -> Done) -> ExitCode {
    exit_code(C::try_parse().map_or_else(|error| explain(&error), program))
}

/// Prints what clap says in place of arguments. Help and version are the output, so that they must be written; a refusal is one
/// even if it cannot be.
pub fn explain(error: &clap::Error) -> Done {
    let printed = error.print().and_then(|()| io::stdout().flush());
    if !error.use_stderr() {
        printed?;
    }
    Ok(ExitCode::from(error.exit_code() as u8))
}

/// Reports an error, except a closed standard output. Errors of files name the file, so a system error without a name is one of
/// standard output.
pub fn exit_code(done: Done) -> ExitCode {
    done.unwrap_or_else(|error| {
        match error.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Some(error) if error.raw_os_error().is_some() => notice(format_args!("standard output: {error}")),
            _ => notice(error),
        }
        ExitCode::FAILURE
    })
}
