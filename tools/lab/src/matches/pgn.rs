//! Writes games as PGN.

use lento::chess::Color;
use lento::eval::wdl;
use lento::score::{Score, mate_distance};
use lento_common::columns::wrapped;
use lento_common::lock::Lock;
use lento_common::outputs::named;
use lento_common::play::{GamePair, Record};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const WIDTH: usize = 100;

pub struct PgnFile {
    file: std::fs::File,
    path: PathBuf,
    /// Names of the new and the old player.
    names: [String; 2],
    _lock: Lock,
}

impl PgnFile {
    pub fn create(path: &Path, names: [String; 2]) -> Result<Self, Box<dyn Error>> {
        let lock = Lock::take(path)?;
        let file = std::fs::File::create(path).map_err(|error| named(path, &error))?;
        Ok(Self { file, path: path.to_owned(), names, _lock: lock })
    }

    pub fn write(&mut self, pair: &GamePair) -> io::Result<()> {
        let [new, old] = self.names.each_ref().map(String::as_str);
        let [first, second] = &pair.games;
        let number = pair.number + 1;
        let text = pgn(first, &format!("{number}.1"), [new, old]) + &pgn(second, &format!("{number}.2"), [old, new]);
        self.file.write_all(text.as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

/// A game with score, depth and time of each move as comments, followed by an empty line.
fn pgn(record: &Record, round: &str, [white, black]: [&str; 2]) -> String {
    let mut text = String::new();
    let start = &record.start;
    let chess960 = start.needs_chess960();
    let (fen, plies) = (start.fen(chess960), record.plies.len().to_string());
    let tags = [
        ("Event", "Lento match"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", round),
        ("White", white),
        ("Black", black),
        ("Result", record.result.text()),
        ("Variant", if chess960 { "Chess960" } else { "" }),
        ("SetUp", "1"),
        ("FEN", &fen),
        ("PlyCount", &plies),
        ("Termination", record.ending.text()),
    ];
    for (name, value) in tags.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    text + "\n" + &wrapped(&words(record), WIDTH) + "\n\n"
}

fn words(record: &Record) -> Vec<String> {
    let mut board = record.start.clone();
    let mut words = Vec::new();
    for (index, ply) in record.plies.iter().enumerate() {
        let white = board.side_to_move() == Color::White;
        if white || index == 0 {
            words.push(format!("{}{}", board.fullmove_number(), if white { "." } else { "..." }));
        }
        words.push(board.san(ply.mv));
        let (score, seconds) = (score(ply.score, wdl::material(&board)), ply.time.as_secs_f64());
        words.push(format!("{{{score}/{} {seconds:.3}s}}", ply.depth));
        board = board.after(ply.mv);
    }
    words.push(record.result.text().to_owned());
    words
}

/// A score in pawns, normalised so that one pawn means 50 % wins, or the distance to mate in moves.
fn score(score: Score, material: i32) -> String {
    match mate_distance(score) {
        Some(moves) if moves < 0 => format!("-M{}", -moves),
        Some(moves) => format!("+M{moves}"),
        None => format!("{:+.2}", f64::from(wdl::normalise(score, material)) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::chess::Board;
    use lento::score::mate_in;
    use lento_common::play::{Ending, GameResult, Ply};
    use lento_console::setup::Setup;

    #[test]
    fn chess960_has_a_variant_tag() {
        let text = |fen: &str| {
            let start = Board::from_fen(fen).unwrap();
            let record = Record { start, plies: Vec::new(), result: GameResult::Draw, ending: Ending::Agreement };
            pgn(&record, "1.1", ["new", "old"])
        };
        let chess = text("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
        assert!(!chess.contains("Variant") && chess.contains(" b KQkq - "), "{chess}");
        for fen in ["r3k1r1/8/8/8/8/8/8/4K3 w gq - 0 1", "4k3/8/8/8/8/8/8/R4K1R w HA - 0 1"] {
            let shuffled = text(fen);
            assert!(shuffled.contains("[Variant \"Chess960\"]") && shuffled.contains(&fen[..20]), "{shuffled}");
        }
    }

    #[test]
    fn games_have_tags_move_numbers_and_comments() {
        let start = Board::from_fen("6k1/5ppp/8/8/8/8/r7/R5K1 b - - 0 30").unwrap();
        let moves = Setup::default().moves(&start, "a2c2 a1a8 c2c8 a8c8").unwrap();
        let plies = moves.into_iter().zip([-12, mate_in(3), -310, mate_in(1)]);
        let plies = plies.map(|(mv, score)| Ply { score, depth: 7, ..Ply::new(mv) }).collect();
        let (result, ending) = (GameResult::WhiteWins, Ending::Rules(lento::chess::Verdict::Checkmate));
        let record = Record { start, plies, result, ending };
        let text = pgn(&record, "1.1", ["a \"test\"", "old"]);
        assert!(text.contains("[White \"a \\\"test\\\"\"]\n") && text.contains("[Black \"old\"]\n"), "{text}");
        assert!(text.contains("[FEN \"6k1/5ppp/8/8/8/8/r7/R5K1 b - - 0 30\"]\n"), "{text}");
        let moves = text.split("\n\n").nth(1).unwrap().replace('\n', " ");
        let [first, third] = [-12, -310].map(|score| f64::from(wdl::normalise(score, 13)) / 100.0);
        let expected = format!(
            "30... Rc2 {{{first:+.2}/7 0.000s}} 31. Ra8+ {{+M2/7 0.000s}} Rc8 {{{third:+.2}/7 0.000s}} 32. Rxc8# \
             {{+M1/7 0.000s}} 1-0"
        );
        assert_eq!(moves, expected);
        assert!(text.ends_with("1-0\n\n"));
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
