//! Messages on standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

/// Prints a message after the name of the program. Unlike `eprintln`, it does not panic when standard error is closed.
pub fn notice(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}: {text}", program());
}

/// The name of the program, from its first argument.
pub fn program() -> String {
    let path = std::env::args_os().next();
    path.as_ref().and_then(|path| Path::new(path).file_stem()).unwrap_or_default().to_string_lossy().into_owned()
}
