//! Lines of a suite that cannot be used.

use super::parse::{self, Problem};
use lento::uci::words::quoted;
use lento_common::inputs;
use lento_common::notice::program;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// So many lines of a file are told one by one.
const TOLD: usize = 10;

/// So many characters of a line are kept.
const LONGEST: usize = 1000;

/// A line that is no position, or whose operations make no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its number, from 1.
    line: usize,
    text: String,
    reason: String,
}

impl Skipped {
    /// The line of this file as JSON.
    pub fn to_json(&self, file: &Path) -> Value {
        json!({ "file": file.display().to_string(), "line": self.line, "text": self.text, "reason": self.reason })
    }
}

/// The positions of a file, and the lines that are none.
///
/// # Errors
/// The file cannot be read, or has lines of which none can be used.
pub fn read(file: &Path) -> Result<(Vec<Problem>, Vec<Skipped>), String> {
    let text = inputs::read_text(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (problems, skipped) = split(&text);
    match skipped.first() {
        Some(first) if problems.is_empty() => {
            let (file, Skipped { line, text, reason }) = (file.display(), first);
            Err(format!("{file}: no position in EPD or FEN in this file; {file}:{line}: {}: {reason}", quoted(text)))
        }
        _ => Ok((problems, skipped)),
    }
}

fn split(text: &str) -> (Vec<Problem>, Vec<Skipped>) {
    let (mut problems, mut skipped) = (Vec::new(), Vec::new());
    for (line, text, read) in parse::lines(text) {
        match read {
            Ok(problem) => problems.push(problem),
            Err(error) => {
                // Where the file is something else, a line may be the whole of it.
                let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
                skipped.push(Skipped { line, text: text[..end].to_owned(), reason: error.to_string() });
            }
        }
    }
    (problems, skipped)
}

/// Tells the first lines of each file. Whether anybody listens does not matter.
pub fn tell<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [Skipped])>, out: &mut impl Write) {
    let program = program();
    for (file, skipped) in files {
        let file = file.display();
        for Skipped { line, text, reason } in skipped.iter().take(TOLD) {
            let _ = writeln!(out, "{program}: {file}:{line}: skipped {}: {reason}", quoted(text));
        }
        if skipped.len() > TOLD {
            let _ = writeln!(out, "{program}: {file}: {} more lines skipped", skipped.len() - TOLD);
        }
    }
}

/// What is added to a sum.
pub fn count(skipped: usize) -> String {
    match skipped {
        0 => String::new(),
        1 => ", 1 line skipped".to_owned(),
        many => format!(", {many} lines skipped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_lines_are_kept_and_bad_ones_told() {
        let text = "4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\n\nrubbish\n4k3/8/8/8/8/8/8/R3K3 w Q - bm Nf3;\n4k3/8/8/8/8/8/8/R3K3 w Q -\n";
        let (problems, skipped) = split(text);
        assert_eq!(problems.iter().map(Problem::has_task).collect::<Vec<_>>(), [true, false]);
        let mut told = Vec::new();
        tell([(Path::new("suite.epd"), skipped.as_slice())], &mut told);
        let told = String::from_utf8(told).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].contains(": suite.epd:3: skipped \"rubbish\": "), "{told}");
        assert!(lines[1].contains("suite.epd:4: ") && lines[1].contains("bm \"Nf3\""), "{told}");
        assert_eq!((lines.len(), skipped[0].to_json(Path::new("suite.epd"))["line"].as_u64()), (2, Some(3)));
        let many = vec![skipped[0].clone(); 14];
        let mut told = Vec::new();
        tell([(Path::new("suite.epd"), many.as_slice())], &mut told);
        assert!(String::from_utf8(told).unwrap().ends_with("suite.epd: 4 more lines skipped\n"));
    }
}
