//! Words on standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Tells the user something. `eprintln` would end the program where nobody listens any more.
pub fn notice(text: impl Display) {
    let _ = writeln!(io::stderr(), "lento-tools: {text}");
}
