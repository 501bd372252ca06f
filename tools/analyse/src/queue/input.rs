//! Reads input files one position at a time.

use super::select::Selection;
use crate::database::Key;
use crate::lines::Lines;
use crate::pgn::{Reader, Reading};
use crate::report::san;
use lento::chess::Game;
use lento::internals::files::open_regular;
use lento_common::epd::{Epd, has_content};
use lento_common::inputs::in_file;
use lento_console::notice::{notice, printable};
use lento_console::units;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Item {
    /// The position with its history.
    pub game: Game,
    pub key: Key,
    pub chess960: bool,
    pub place: Place,
    /// The fraction of the input before it.
    pub done: f64,
    /// Whether a new game starts here, so that histories should be cleared.
    pub begins: bool,
}

#[derive(Clone, Debug)]
pub enum Place {
    Arguments,
    /// A line of a file, from 1, with its EPD operations.
    Line {
        file: Arc<str>,
        line: u64,
        operations: Vec<(String, String)>,
    },
    /// A game of a file and the next ply, both from 1, and the next move, such as `24.Nf3`, unless at the end.
    Ply {
        file: Arc<str>,
        game: u64,
        ply: u64,
        played: Option<String>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Arguments => f.write_str("command line"),
            Self::Line { file, line, .. } => {
                write!(f, "{}, line {line}", printable(file))?;
                self.epd_id().map_or(Ok(()), |id| write!(f, ", {}", printable(id)))
            }
            Self::Ply { file, game, played, .. } => {
                let next = played.as_ref().map_or_else(|| "the end".into(), |played| format!("before {played}"));
                write!(f, "{}, game {game}, {next}", printable(file))
            }
        }
    }
}

impl Place {
    pub fn operations(&self) -> &[(String, String)] {
        if let Self::Line { operations, .. } = self { operations } else { &[] }
    }

    fn epd_id(&self) -> Option<&str> {
        self.operations().iter().find(|(name, _)| name == "id").map(|(_, id)| id.trim_matches('"'))
    }

    pub fn json(&self) -> Value {
        match self {
            Self::Arguments => json!({}),
            Self::Line { file, line, .. } => json!({ "file": &**file, "line": line, "id": self.epd_id() }),
            Self::Ply { file, game, ply, played } => {
                json!({ "file": &**file, "game": game, "ply": ply, "played": played })
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    /// Whether it has games in PGN; otherwise EPD or FEN lines.
    pub is_pgn: bool,
}

impl Source {
    /// Determines the type by the file extension.
    pub fn by_name(path: &Path) -> Result<Self, String> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_pgn = match extension.as_str() {
            "pgn" => true,
            "epd" | "fen" => false,
            _ => {
                return Err(in_file(path, "expected a name ending in .pgn, .epd or .fen, or --pgn or --epd before it"));
            }
        };
        Ok(Self { path: path.to_owned(), is_pgn })
    }

    pub fn open(&self) -> Result<(File, u64), String> {
        let io = |error: io::Error| in_file(&self.path, error);
        let file = open_regular(&self.path, OpenOptions::new().read(true)).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        Ok((file, size))
    }
}

enum Text {
    Epd(Lines<BufReader<File>>),
    Pgn(Box<Reader<BufReader<File>>>),
}

struct Open {
    source: Source,
    name: Arc<str>,
    text: Text,
    /// Size in bytes when opened.
    size: u64,
}

/// All positions of several files, in order.
#[derive(Default)]
pub struct Input {
    sources: VecDeque<Source>,
    selection: Selection,
    chess960: bool,
    open: Option<Open>,
    /// Positions read ahead.
    ready: VecDeque<Item>,
    /// Bytes in finished files and in all files.
    before: u64,
    total: u64,
    /// Number of invalid lines and games.
    pub problems: u64,
    /// Problems to report.
    pub messages: Vec<String>,
    /// Number of reported problems, including suppressed ones.
    reported: u64,
    games: u64,
    /// Whether there is any position, including other shards.
    found: bool,
}

impl Input {
    /// Starts reading, after an optional position of the command line.
    pub fn new(sources: &[Source], first: Option<Game>, selection: Selection, chess960: bool) -> Result<Self, String> {
        let mut total = 0;
        for source in sources {
            total += source.open()?.1;
        }
        let mut input = Self { sources: sources.to_vec().into(), selection, chess960, total, ..Self::default() };
        if let Some(game) = first {
            input.push(game, chess960, Place::Arguments, 0.0, true);
        }
        Ok(input)
    }

    pub fn next_item(&mut self) -> Result<Option<Item>, String> {
        while self.ready.is_empty() && self.advance()? {}
        Ok(self.ready.pop_front())
    }

    /// Reads up to the first position, of any shard. Fails if there is none.
    pub fn expect_positions(&mut self) -> Result<(), String> {
        let files: Vec<String> = self.sources.iter().map(|source| source.path.display().to_string()).collect();
        while !self.found && self.advance()? {}
        if self.found {
            return Ok(());
        }
        self.messages.drain(..).for_each(notice);
        let (files, selection) = (files.join(", "), self.selection.to_string());
        if self.games == 0 || selection.is_empty() {
            return Err(format!("{files}: no position; expected games in PGN, or lines of EPD or FEN"));
        }
        let games = units::counted(self.games, "game");
        Err(format!("{selection}: no position of the {games} in {files}; expected another selection"))
    }

    /// Reads a line or a game, or opens the next file. Returns false at the end of all files.
    fn advance(&mut self) -> Result<bool, String> {
        let Some(mut open) = self.open.take() else {
            let Some(source) = self.sources.pop_front() else { return Ok(false) };
            let (file, size) = source.open()?;
            let reader = BufReader::with_capacity(1 << 16, file);
            let text =
                if source.is_pgn { Text::Pgn(Reader::new(reader).into()) } else { Text::Epd(Lines::new(reader)) };
            self.open = Some(Open { name: source.path.to_string_lossy().into(), source, text, size });
            return Ok(true);
        };
        if self.read(&mut open).map_err(|error| in_file(&open.source.path, error))? {
            self.open = Some(open);
        } else {
            self.before += open.size;
        }
        Ok(true)
    }

    /// Reads a line or a game. Returns false at the end of the file or of the selection.
    fn read(&mut self, open: &mut Open) -> io::Result<bool> {
        match &mut open.text {
            Text::Epd(lines) => {
                let at = self.before + lines.bytes;
                let Some(line) = lines.next_line()? else { return Ok(false) };
                if has_content(&line.text) {
                    self.line(&open.name, &line.text, line.number, at as f64);
                }
                Ok(true)
            }
            Text::Pgn(reader) => {
                let begin = self.before + reader.bytes();
                let Some(reading) = reader.next_game()? else { return Ok(false) };
                let (number, bytes) = (reading.number, [begin, self.before + reader.bytes()]);
                self.games += 1;
                if self.selection.has_game(number) {
                    self.game(reading, bytes, &open.name);
                }
                Ok(!self.selection.ends_with_game(number))
            }
        }
    }

    /// Adds the selected positions of a game.
    fn game(&mut self, reading: Reading, bytes: [u64; 2], name: &Arc<str>) {
        self.problems += u64::from(!reading.problems.is_empty());
        for problem in &reading.problems {
            self.report(format!("{name}: {problem}"));
        }
        let Some(read) = reading.game else { return };
        let (plies, chess960) = (read.moves.len() as u64, read.chess960 || self.chess960);
        let [begin, end] = bytes.map(|bytes| bytes as f64);
        let (mut game, mut begins) = (Game::from(read.start), true);
        for (ply, next) in (1..).zip(read.moves.iter().map(Some).chain([None])) {
            if self.selection.has_ply(ply, plies, game.board().side_to_move()) {
                let played = next.map(|next| san(game.board(), next.mv, true).replace(' ', ""));
                let place = Place::Ply { file: Arc::clone(name), game: reading.number, ply, played };
                let at = begin + (end - begin) * (ply - 1) as f64 / (plies + 1) as f64;
                begins &= !self.push(game.clone(), chess960, place, at, begins);
            }
            if let Some(next) = next {
                next.play(&mut game);
            }
        }
    }

    fn line(&mut self, name: &Arc<str>, text: &str, line: u64, at: f64) {
        match Epd::parse(text) {
            Ok(epd) => {
                let owned = |(name, operand): (&str, &str)| (name.to_owned(), operand.to_owned());
                let operations = epd.operations.into_iter().map(owned).collect();
                let place = Place::Line { file: Arc::clone(name), line, operations };
                self.push(Game::from(epd.board), self.chess960, place, at, true);
            }
            Err(error) => {
                self.problems += 1;
                self.report(format!("{name}: line {line}: {error}; line skipped"));
            }
        }
    }

    /// Reports a problem, up to a maximum.
    fn report(&mut self, problem: String) {
        const MAX: u64 = 100;
        self.reported += 1;
        match self.reported {
            ..=MAX => self.messages.push(problem),
            count if count == MAX + 1 => self.messages.push("further problems are only counted".into()),
            _ => {}
        }
    }

    /// Adds a position, if selected. Returns whether it is.
    fn push(&mut self, game: Game, chess960: bool, place: Place, at: f64, begins: bool) -> bool {
        let key = Key::new(&game);
        self.found = true;
        let selected = self.selection.has_position(&key);
        if selected {
            let done = if self.total == 0 { 0.0 } else { (at / self.total as f64).min(1.0) };
            self.ready.push_back(Item { game, key, chess960, place, done, begins });
        }
        selected
    }
}
