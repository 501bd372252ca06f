//! Output and exit codes of the tools.

use lento_console::interrupt::INTERRUPTED;
use serde_json::Value;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// The exit code of a finished or interrupted run.
pub fn exit(finished: bool) -> ExitCode {
    if finished { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) }
}

/// Prints the JSON document or the text.
pub fn show(json: bool, document: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json { writeln!(out, "{:#}", document()) } else { write!(out, "{}", text()) }
}

/// The command line of this run, quoted for a shell.
pub fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&shown(&word.to_string_lossy())));
    ["lento".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// An argument for a report: an absolute path, also after `=`, is specific to the machine and reduced to the file name.
pub fn shown(word: &str) -> String {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) if !Path::new(word).is_absolute() => (&word[..=name.len()], value),
        _ => ("", word),
    };
    let path = Path::new(value);
    match path.file_name() {
        Some(file) if path.is_absolute() => format!("{name}{}", file.to_string_lossy()),
        _ => word.to_owned(),
    }
}

/// Quotes a word for a shell if necessary.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-=,.+/:".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// A line of a table: name, number and an optional note.
pub fn row(name: &str, number: impl Display, note: &str) -> String {
    format!("{name:<34}{:>14}  {note}", number.to_string()).trim_end().to_owned() + "\n"
}

/// A part of a whole, 0 to 1; 0 if the whole is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A part of a whole in percent, with two decimals.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", 100.0 * share(part, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn reports_have_no_absolute_paths() {
        for (word, expected) in [
            ("/home/one/page.md", "page.md"),
            ("--markdown=/home/one/page.md", "--markdown=page.md"),
            ("EvalFile=/home/one/net.lnn,Hash=9", "EvalFile=net.lnn,Hash=9"),
            ("/home/a=/b.md", "b.md"),
            ("--markdown=docs/page.md", "--markdown=docs/page.md"),
            ("docs/page.md", "docs/page.md"),
        ] {
            assert_eq!(shown(word), expected);
        }
    }

    #[test]
    fn rows_are_aligned_without_trailing_spaces() {
        let (one, other) = (row("games", 12, ""), row("  won", "1,234", &percent(1, 8)));
        assert_eq!(one, "games                                         12\n");
        assert_eq!(other, "  won                                      1,234  12.50 %\n");
        assert_eq!(share(1, 0), 0.0);
    }
}
