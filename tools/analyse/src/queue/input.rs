//! Reads input files one position at a time.

use super::item::{Item, Place};
use super::select::Selection;
use crate::database::Key;
use crate::lines::Lines;
use crate::pgn::{PgnGame, Reader, Reading};
use lento::chess::Game;
use lento::cli::table::numbered;
use lento::files::open_regular;
use lento::search::report::PvLine;
use lento_common::epd::{Epd, has_content};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An input file by type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// EPD or FEN lines.
    Epd(PathBuf),
    /// PGN games.
    Pgn(PathBuf),
}

impl Source {
    /// Determines the type by the file extension.
    ///
    /// # Errors
    /// The extension is unknown.
    pub fn by_name(path: &Path) -> Result<Self, String> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "pgn" => Ok(Self::Pgn(path.to_owned())),
            "epd" | "fen" => Ok(Self::Epd(path.to_owned())),
            _ => Err(format!(
                "{}: expected a name ending in .pgn, .epd or .fen, or --pgn or --epd before it",
                path.display()
            )),
        }
    }

    /// The file name.
    pub fn path(&self) -> &Path {
        match self {
            Self::Epd(path) | Self::Pgn(path) => path,
        }
    }
}

/// An open file.
struct Open {
    name: Arc<str>,
    text: Text,
    /// Size in bytes when opened.
    size: u64,
    /// Whether to skip the rest.
    done: bool,
}

enum Text {
    Epd(Lines<BufReader<File>>),
    Pgn(Reader<BufReader<File>>),
}

/// A partly read game.
struct Playing {
    number: u64,
    read: PgnGame,
    game: Game,
    /// Number of played plies.
    played: usize,
    /// Offsets of its start and end in the whole input, in bytes.
    bytes: (u64, u64),
    fresh: bool,
}

/// All positions of several files, in order.
pub struct Input {
    sources: VecDeque<Source>,
    selection: Selection,
    chess960: bool,
    /// The position of the command line, before all files.
    first: Option<Game>,
    open: Option<Open>,
    playing: Option<Playing>,
    /// Size of finished files and of all files, in bytes.
    before: u64,
    total: u64,
    /// Number of invalid lines and games.
    pub problems: u64,
    /// Number of reported problems, including suppressed ones.
    reported: u64,
}

impl Input {
    /// Starts reading, after an optional position of the command line.
    ///
    /// # Errors
    /// A file is unreadable.
    pub fn new(
        sources: Vec<Source>,
        first: Option<Game>,
        selection: Selection,
        chess960: bool,
    ) -> Result<Self, String> {
        let mut total = 0;
        for source in &sources {
            total += open(source.path())?.1;
        }
        let sources = sources.into();
        let (open, playing, before, problems, reported) = (None, None, 0, 0, 0);
        Ok(Self { sources, selection, chess960, first, open, playing, before, total, problems, reported })
    }

    /// The next selected position. Problems are passed to `report`.
    ///
    /// # Errors
    /// A file is unreadable.
    pub fn next_item(&mut self, report: &mut dyn FnMut(&str)) -> Result<Option<Item>, String> {
        if let Some(game) = self.first.take() {
            let item = self.item(game, self.chess960, Place::Arguments, 0.0, true);
            if self.selection.has_position(&item.key) {
                return Ok(Some(item));
            }
        }
        loop {
            if let Some(item) = self.next_ply() {
                return Ok(Some(item));
            }
            let Some(open) = &mut self.open else {
                let Some(source) = self.sources.pop_front() else { return Ok(None) };
                self.open = Some(Open::new(&source)?);
                continue;
            };
            let name = Arc::clone(&open.name);
            let refuse = |error: io::Error| format!("{name}: {error}");
            match &mut open.text {
                _ if open.done => self.close(),
                Text::Epd(lines) => {
                    let at = self.before + lines.bytes();
                    match lines.next_line().map_err(refuse)? {
                        None => self.close(),
                        Some(line) => {
                            if let Some(item) = self.line(name, &line.text, line.number, at, report) {
                                return Ok(Some(item));
                            }
                        }
                    }
                }
                Text::Pgn(reader) => {
                    let begin = self.before + reader.bytes();
                    match reader.next_game().map_err(refuse)? {
                        None => self.close(),
                        Some(reading) => {
                            let bytes = (begin, self.before + reader.bytes());
                            open.done = self.selection.ends_with_game(reading.number);
                            self.take_game(reading, bytes, &name, report);
                        }
                    }
                }
            }
        }
    }

    /// Opens a game, if selected.
    fn take_game(&mut self, reading: Reading, bytes: (u64, u64), name: &str, report: &mut dyn FnMut(&str)) {
        if !self.selection.has_game(reading.number) {
            return;
        }
        self.problems += u64::from(!reading.problems.is_empty());
        for problem in &reading.problems {
            self.report(report, || format!("{name}: {problem}"));
        }
        if let Some(read) = reading.game {
            let game = Game::from(read.start.clone());
            self.playing = Some(Playing { number: reading.number, read, game, played: 0, bytes, fresh: true });
        }
    }

    /// The next position of the open game.
    fn next_ply(&mut self) -> Option<Item> {
        let name = Arc::clone(&self.open.as_ref()?.name);
        while let Some(playing) = &mut self.playing {
            let (plies, at) = (playing.read.moves.len() as u64, playing.played);
            let (game, ply) = (playing.game.clone(), at as u64 + 1);
            let next = playing.read.moves.get(at).map(|played| played.mv);
            let (begin, end) = playing.bytes;
            let done = begin as f64 + (end - begin) as f64 * at as f64 / (plies + 1) as f64;
            let (number, chess960) = (playing.number, playing.read.chess960 || self.chess960);
            match next {
                Some(mv) => {
                    playing.game.play(mv);
                    playing.played += 1;
                }
                None => self.playing = None,
            }
            if !self.selection.has_ply(ply, plies, game.board().side_to_move()) {
                continue;
            }
            let played = next.map(|mv| numbered(game.board(), &PvLine::from_iter([mv])).concat());
            let place = Place::Ply { file: Arc::clone(&name), game: number, ply, played };
            let fresh = self.playing.as_mut().is_none_or(|playing| std::mem::take(&mut playing.fresh));
            let item = self.item(game, chess960, place, done, fresh);
            if self.selection.has_position(&item.key) {
                return Some(item);
            }
        }
        None
    }

    /// The position of a line, if any.
    fn line(&mut self, file: Arc<str>, text: &str, line: u64, at: u64, report: &mut dyn FnMut(&str)) -> Option<Item> {
        if !has_content(text) {
            return None;
        }
        match Epd::parse(text) {
            Ok(epd) => {
                let owned = |&(name, operand): &(&str, &str)| (name.to_owned(), operand.to_owned());
                let operations = epd.operations.iter().map(owned).collect();
                let place = Place::Line { file, line, operations };
                let item = self.item(Game::from(epd.board), self.chess960, place, at as f64, true);
                self.selection.has_position(&item.key).then_some(item)
            }
            Err(error) => {
                self.problems += 1;
                self.report(report, || format!("{file}: line {line}: {error}; line skipped"));
                None
            }
        }
    }

    /// Reports a problem, up to a maximum.
    fn report(&mut self, report: &mut dyn FnMut(&str), problem: impl FnOnce() -> String) {
        const MAX: u64 = 100;
        self.reported += 1;
        match self.reported {
            ..=MAX => report(&problem()),
            count if count == MAX + 1 => report("further problems are only counted"),
            _ => {}
        }
    }

    fn item(&self, game: Game, chess960: bool, place: Place, at: f64, begins: bool) -> Item {
        let done = if self.total == 0 { 0.0 } else { (at / self.total as f64).min(1.0) };
        Item { key: Key::new(&game), game, chess960, place, done, begins }
    }

    /// Closes the current file.
    fn close(&mut self) {
        self.before += self.open.take().map_or(0, |open| open.size);
    }
}

impl Open {
    fn new(source: &Source) -> Result<Self, String> {
        let (file, size) = open(source.path())?;
        let reader = BufReader::with_capacity(1 << 16, file);
        let text = match source {
            Source::Epd(_) => Text::Epd(Lines::new(reader)),
            Source::Pgn(_) => Text::Pgn(Reader::new(reader)),
        };
        Ok(Self { name: source.path().to_string_lossy().into(), text, size, done: false })
    }
}

/// Opens a file and returns its size.
fn open(path: &Path) -> Result<(File, u64), String> {
    let refuse = |error: io::Error| format!("{}: {error}", path.display());
    let file = open_regular(path, OpenOptions::new().read(true)).map_err(refuse)?;
    let size = file.metadata().map_err(refuse)?.len();
    Ok((file, size))
}
