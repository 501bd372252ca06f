//! Positions to search.

use lento::chess::Game;
use lento::cli::speedtest::games;
use lento::files;
use std::path::Path;

/// Maximum file size in bytes.
const MAX_FILE: u64 = 16 << 20;

/// Reads a file of FEN or EPD lines, skipping empty lines and comments (`#`), or returns the positions of speedtest.
///
/// # Errors
/// The file is unreadable, or a line is invalid or has no legal moves; the message names file and line.
pub fn positions(file: Option<&Path>) -> Result<Vec<Game>, String> {
    let Some(path) = file else { return Ok(games::games().concat()) };
    let name = path.display();
    let text = files::read_text(path, MAX_FILE).map_err(|error| format!("{name}: {error}"))?;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let game = Game::from_fen(fen(line)).map_err(|error| format!("{name}, line {}: {error}", index + 1))?;
        if game.board().legal_moves().is_empty() {
            return Err(format!(
                "{name}, line {}: {line:?} has no legal move; expected a position to search",
                index + 1
            ));
        }
        found.push(game);
    }
    if found.is_empty() {
        return Err(format!("{name}: no positions; expected one per line, as FEN or EPD"));
    }
    Ok(found)
}

/// The position part of an EPD line, which lacks move counters.
fn fen(line: &str) -> &str {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_fen = fields.get(4).is_none_or(|clock| *clock == "-" || clock.bytes().all(|byte| byte.is_ascii_digit()));
    if is_fen {
        return line;
    }
    let end = fields[4].as_ptr() as usize - line.as_ptr() as usize;
    line[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_fen_or_epd() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert_eq!(fen(&format!("{start} bm e4; id \"one\";")), start);
        let whole = format!("{start} 0 1");
        assert_eq!((fen(&whole), fen(start)), (whole.as_str(), start));
    }

    #[test]
    fn invalid_lines_are_reported() {
        let path = std::env::temp_dir().join(format!("lento-positions-{}", std::process::id()));
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            positions(Some(&path)).map(|found| found.len()).unwrap_err()
        };
        let good = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        assert!(refused(&format!("# one\n\n{good}\nnonsense\n")).contains(", line 4: "));
        assert!(refused("\n# nothing\n").contains("no positions; expected"));
        assert!(refused("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").contains("no legal move"));
        std::fs::write(&path, format!("{good} id \"x\";\n{good} 3 9\n")).unwrap();
        assert_eq!(positions(Some(&path)).unwrap().len(), 2);
        std::fs::remove_file(&path).unwrap();
        assert!(positions(Some(&path)).unwrap_err().contains("lento-positions-"));
        assert_eq!(positions(None).unwrap().len(), 40);
    }
}
