//! Reads positions with scores of other engines.

use crate::formats::game::MAX_SCORE;
use crate::formats::in_file;
use crate::gold::Origin;
use lento::chess::{Board, Color};
use lento_common::inputs;
use lento_common::number::within;
use lento_uci::words::quoted;
use std::path::{Path, PathBuf};

/// The format of a line.
const EXPECTED: &str = "six tab-separated columns: FEN, game or inside, score, two expected scores, value in pawns";
const MAX_PAWNS: f64 = 200.0;

/// A position with the scores of other engines, from the point of view of the side to move.
#[derive(Clone, Debug)]
pub struct NeutralPosition {
    /// Always with White to move.
    pub board: Board,
    pub origin: Origin,
    /// Score of the gold set in centipawns.
    pub label: i32,
    /// Expected scores from 0 to 1 by searches of Berserk and Stockfish.
    pub expected: [f64; 2],
    /// Static evaluation by Stockfish's network in pawns.
    pub reference: f64,
}

/// At least one position with scores of other engines.
#[derive(Clone, Debug)]
pub struct NeutralSet {
    pub path: PathBuf,
    /// CRC-32 of the file in eight hexadecimal digits.
    pub crc32: String,
    pub positions: Vec<NeutralPosition>,
}

impl NeutralSet {
    /// Reads a file. Skips empty lines and lines that start with `#`.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = inputs::read(path)?;
        let mut positions = Vec::new();
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let at = |error| format!("{}:{}: {error}", path.display(), number + 1);
            let Ok(text) = std::str::from_utf8(line) else {
                return Err(at(format!("{}: not UTF-8, expected text", quoted(&String::from_utf8_lossy(line)))));
            };
            let text = text.strip_suffix('\r').unwrap_or(text);
            if !text.trim().is_empty() && !text.starts_with('#') {
                positions.push(parse(text).map_err(at)?);
            }
        }
        if positions.is_empty() {
            return Err(in_file(path, format!("no positions; expected lines of {EXPECTED}")));
        }
        Ok(Self { path: path.to_owned(), crc32: format!("{:08x}", crc32fast::hash(&bytes)), positions })
    }
}

fn parse(line: &str) -> Result<NeutralPosition, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [fen, kind, label, berserk, stockfish, reference] = columns[..] else {
        return Err(format!("{}: {} columns, expected {EXPECTED}", quoted(line), columns.len()));
    };
    let board = Board::from_fen(fen).map_err(|error| error.to_string())?;
    if board.side_to_move() != Color::White {
        return Err(format!("{}: Black to move, expected White", quoted(fen)));
    }
    let origin = match kind {
        "game" => Origin::Game,
        "inside" => Origin::Search,
        _ => return Err(format!("kind {}: expected game or inside", quoted(kind))),
    };
    let number = |name: &str, text, range, expected: &str| {
        within(text, range, expected).map_err(|error| format!("{name} {}: {error}", quoted(text)))
    };
    let share = |name: &str, text| number(name, text, 0.0..=1.0, "a number from 0 to 1");
    let scores = format!("whole centipawns from -{MAX_SCORE} to {MAX_SCORE}");
    let label = within(label, -MAX_SCORE..=MAX_SCORE, &scores);
    let pawns = format!("pawns from -{MAX_PAWNS} to {MAX_PAWNS}");
    Ok(NeutralPosition {
        board,
        origin,
        label: label.map_err(|error| format!("score {}: {error}", quoted(columns[2])))?,
        expected: [share("expected score of Berserk", berserk)?, share("expected score of Stockfish", stockfish)?],
        reference: number("value of Stockfish's network", reference, -MAX_PAWNS..=MAX_PAWNS, &pawns)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    const VALID: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\tgame\t69\t0.6634\t0.6745\t+1.40";

    fn read(bytes: &[u8]) -> Result<NeutralSet, String> {
        NeutralSet::read(&Folder::new("gold-neutral").write("set.tsv", bytes))
    }

    #[test]
    fn reads_positions_and_skips_comments() {
        let inside = VALID.replace("game", "inside").replace("69", "-2000").replace("+1.40", "-12.85");
        let set = read(format!("# columns\n\n{VALID}\r\n{inside}").as_bytes()).unwrap();
        let [first, second] = &set.positions[..] else { panic!("expected two positions: {set:?}") };
        assert_eq!(
            (first.origin, first.label, first.expected, first.reference),
            (Origin::Game, 69, [0.6634, 0.6745], 1.4)
        );
        assert_eq!((second.origin, second.label, second.reference), (Origin::Search, -2000, -12.85));
        assert_eq!(first.board.fen(false), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    }

    #[test]
    fn errors_quote_invalid_lines_with_their_number() {
        let without_value = VALID.rsplit_once('\t').unwrap().0;
        for (line, parts) in [
            (without_value.to_owned(), ["\"4k3/8", "5 columns, expected six tab-separated columns: FEN, game"]),
            (format!("{VALID}\t"), ["\"4k3/8", "7 columns, expected six"]),
            (VALID.replace("4k3", "9"), ["invalid FEN \"9/8/8", "unexpected '9'"]),
            (VALID.replace(" w ", " b "), ["4P3/4K3 b -", "Black to move, expected White"]),
            (VALID.replace("game", "Game"), ["kind \"Game\"", "expected game or inside"]),
            (VALID.replace("69", "69.5"), ["score \"69.5\"", "expected whole centipawns from -32000 to 32000"]),
            (VALID.replace("69", "32001"), ["score \"32001\"", "expected whole centipawns"]),
            (VALID.replace("0.6634", "1.01"), ["expected score of Berserk \"1.01\"", "expected a number from 0 to 1"]),
            (VALID.replace("0.6745", "nan"), ["expected score of Stockfish \"nan\"", "expected a number from 0 to 1"]),
            (
                VALID.replace("+1.40", "inf"),
                ["value of Stockfish's network \"inf\"", "expected pawns from -200 to 200"],
            ),
            (VALID.replace("+1.40", ""), ["value of Stockfish's network \"\"", "expected pawns"]),
        ] {
            let error = read(format!("# columns\n{VALID}\n{line}\n").as_bytes()).unwrap_err();
            assert!(error.contains("set.tsv:3: "), "{error}");
            assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
        }
        let error = read(b"# M\xfcller\n").unwrap_err();
        assert!(error.contains("set.tsv:1: \"# M\u{fffd}ller\": not UTF-8, expected text"), "{error}");
        let error = read(format!("{VALID}\n{}", "x".repeat(5000)).as_bytes()).unwrap_err();
        assert!(error.len() < 500 && error.contains("...: 1 columns"), "{error}");
        for empty in ["", "\n\n", "# nothing\n"] {
            let error = read(empty.as_bytes()).unwrap_err();
            assert!(error.contains("set.tsv: no positions; expected lines of six tab-separated columns"), "{error}");
        }
        assert!(NeutralSet::read(Path::new("missing.tsv")).unwrap_err().starts_with("missing.tsv: "));
    }
}
