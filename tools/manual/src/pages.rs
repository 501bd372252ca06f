//! Manual pages: a page per task, and the page of `lento` with what it understands over UCI.

use clap::Command;
use clap_mangen::roff::{Roff, bold, roman};
use clap_mangen::{Man, generate_to};
use lento_console::Done;
use lento_uci::command::usage;
use lento_uci::options::{self, UciOption};
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Writes all pages into a folder.
pub fn write(lento: Command, folder: &Path) -> Done {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    generate_to(lento.clone(), folder).map_err(named)?;
    fs::write(folder.join("lento.1"), page(lento)).map_err(named)?;
    // The other programs have the names of tasks.
    fs::write(folder.join("lento-lab.1"), ".so man1/lento.1\n").map_err(named)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of `lento`.
pub fn page(lento: Command) -> Vec<u8> {
    let mut text = Vec::new();
    let rendered = Man::new(lento).render(&mut text).and_then(|()| uci().to_writer(&mut text));
    rendered.expect("memory takes everything");
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

/// Markdown without the marks of code.
fn plain(text: &str) -> String {
    text.replace('`', "")
}
