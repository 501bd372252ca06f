//! Messages on standard error, and exit codes.

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

/// Prints a message prefixed with the name of the program. Unlike `eprintln!`, does not panic if standard error is closed.
pub fn notice(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}: {}", program(), printable(&text.to_string()));
}

/// Escapes control characters except line feeds and tabs, as in `\u{1b}`, to protect terminals.
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

/// Prints clap's help, version or error. Help and version must be written, as they are the output.
pub fn explain(error: &clap::Error) -> Done {
    let printed = error.print().and_then(|()| io::stdout().flush());
    if !error.use_stderr() {
        printed?;
    }
    Ok(ExitCode::from(error.exit_code() as u8))
}

/// Reports an error, except a closed standard output. File errors name the file, so a bare system error concerns standard output.
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
