//! Reads games from text, and caches uploaded files.

use super::document::{Document, MAX_TAGS, RESULTS, Unfit};
use super::request::{Answer, Fields, RequestError};
use crate::lines::Lines;
use crate::pgn::{PgnGame, PgnMove, Problem, Reader, Reading, Variation, parse_move};
use lento::chess::{Board, Game};
use lento_common::epd::{Epd, has_content};
use lento_console::setup::words;
use lento_uci::words::quoted;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Maximum length of a text in a request, in bytes; larger ones are posted.
const MAX_TEXT: usize = 64 << 10;
/// Maximum size of a posted file in bytes.
pub const MAX_FILE: usize = 16 << 20;
/// Maximum total size in bytes and number of cached files.
const MAX_CACHED: usize = 64 << 20;
const MAX_FILES: usize = 256;
/// Minimum distance between marks in bytes.
const BETWEEN_MARKS: u64 = 1 << 16;
const MAX_GAMES: usize = 100_000;
const MAX_PROBLEMS: usize = 500;

/// The latest files, oldest first.
#[derive(Default)]
pub struct Files(Mutex<VecDeque<Arc<File>>>);

struct File {
    number: u64,
    bytes: Vec<u8>,
    marks: Vec<Mark>,
}

/// A position in a file at which reading can start.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The number of valid games before it.
    index: u64,
    offset: u64,
    /// Number of its first line, from 1.
    line: u64,
}

impl Files {
    pub fn read_text(&self, fields: Fields) -> Answer {
        let text = fields.need("text", "PGN, FEN, EPD or moves", fields.text("text")?)?;
        if text.len() > MAX_TEXT {
            let text = format!("{} bytes; expected up to {MAX_TEXT}, or POST /read", text.len());
            return Err(RequestError::new("too-large", "text", text));
        }
        self.read(text.as_bytes())
    }

    /// Lists the games of a file and caches it.
    pub fn read(&self, bytes: &[u8]) -> Answer {
        let (mut games, mut problems, mut further) = (Vec::new(), Vec::new(), 0);
        let ((mut kind, source), mut has_tags) = (source(bytes), false);
        let mut marks = vec![Mark { line: 1, ..Mark::default() }];
        let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        for Reading { game, start, problems: found, .. } in source {
            if let Some((offset, line)) = start.filter(|_| !is_utf16)
                && marks.last().is_none_or(|last| offset - last.offset > BETWEEN_MARKS)
            {
                marks.push(Mark { index: games.len() as u64, offset, line });
            }
            let left = MAX_PROBLEMS.saturating_sub(problems.len());
            further += found.len().saturating_sub(left);
            problems.extend(found.iter().take(left).map(|found| problem(Some(found.line), &found.text)));
            let Some(game) = game else { continue };
            if games.len() == MAX_GAMES {
                problems.push(problem(None, &format!("more than {MAX_GAMES} games; the rest is skipped")));
                break;
            }
            has_tags |= !game.tags.is_empty();
            games.push(summary(&game));
            // One line with operations makes it EPD.
            if kind == "fen" && game.comment.is_some() {
                kind = "epd";
            }
        }
        if kind == "pgn" && !has_tags {
            kind = "moves";
        }
        if further > 0 {
            problems.push(problem(None, &format!("{further} further problems")));
        }
        if games.is_empty() && problems.is_empty() {
            problems.push(problem(Some(1), "no game; expected PGN, FEN, EPD or moves"));
        }
        let file = self.cache(bytes, marks);
        Ok(json!({ "file": file, "kind": kind, "games": games, "problems": problems }))
    }

    /// Caches a file, evicting the oldest ones.
    fn cache(&self, bytes: &[u8], marks: Vec<Mark>) -> String {
        let mut files = self.0.lock();
        // Random, since pages may still have numbers of an earlier run.
        let number = RandomState::new().hash_one(());
        files.push_back(Arc::new(File { number, bytes: bytes.to_vec(), marks }));
        let size = |files: &VecDeque<Arc<File>>| files.iter().map(|file| file.bytes.len()).sum::<usize>();
        while files.len() > MAX_FILES || size(&files) > MAX_CACHED {
            files.pop_front();
        }
        number.to_string()
    }

    pub fn game(&self, fields: Fields) -> Answer {
        let file = fields.need("file", "the file of an answer to \"read\"", fields.text("file")?)?;
        let index = fields.need("index", "the number of a game, from 0", fields.number("index", 0..=u64::MAX)?)?;
        let cached = self.0.lock().iter().find(|cached| cached.number.to_string() == file).cloned();
        let Some(cached) = cached else {
            let text = format!("file {} is no longer cached; read it again", quoted(file));
            return Err(RequestError::new("unknown-file", "file", text));
        };
        let mark = cached.marks.iter().rev().find(|mark| mark.index <= index).copied().unwrap_or_default();
        let (source, mut at) = (source(&cached.bytes[mark.offset as usize..]).1, mark.index);
        for Reading { game, problems, .. } in source {
            let Some(game) = game else { continue };
            if at == index {
                let (document, more) = document(game);
                let shown = |found: &Problem| problem(Some(mark.line - 1 + found.line), &found.text);
                let problems: Vec<Value> = problems.iter().map(shown).chain(more).collect();
                return Ok(json!({ "document": document.to_value(), "problems": problems }));
            }
            at += 1;
        }
        Err(RequestError::new("unknown-game", "index", format!("no game {index}; expected a number below {at}")))
    }
}

fn problem(line: Option<u64>, text: &str) -> Value {
    json!({ "line": line, "text": text })
}

fn summary(game: &PgnGame) -> Value {
    json!({
        "white": game.tag("White"),
        "black": game.tag("Black"),
        "result": game.result,
        "date": game.tag("Date"),
        "event": game.tag("Event"),
        "plies": game.moves.len(),
    })
}

/// The kind and the games of a text: PGN, or lines of FEN or EPD, possibly with moves.
fn source(bytes: &[u8]) -> (&'static str, Box<dyn Iterator<Item = Reading> + '_>) {
    let lines = |mut lines: Lines<_>| {
        // Reading from memory cannot fail.
        std::iter::from_fn(move || lines.next_line().ok().flatten()).filter(|line| has_content(&line.text))
    };
    if lines(Lines::new(bytes)).next().is_none_or(|line| !is_position(&line.text)) {
        let mut reader = Reader::new(bytes);
        return ("pgn", Box::new(std::iter::from_fn(move || reader.next_game().ok().flatten())));
    }
    let games = (1..).zip(lines(Lines::new(bytes))).map(|(number, line)| {
        let (game, fault) = match position(&line.text) {
            Ok((game, fault)) => (Some(game), fault),
            Err(error) => (None, Some(error)),
        };
        let problem = |text| Problem { game: number, line: line.number, text };
        Reading { number, game, start: None, problems: fault.into_iter().map(problem).collect() }
    });
    ("fen", Box::new(games))
}

/// Removes the words before a position in UCI.
fn without_command(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    line.strip_prefix("fen ").unwrap_or(line).trim_start()
}

/// Whether a line looks like FEN, EPD or a UCI position.
fn is_position(line: &str) -> bool {
    let line = without_command(line);
    let board = line.split_whitespace().next().unwrap_or_default();
    let slashes = board.matches('/').count();
    let is_board = |c: char| "/pnbrqkPNBRQK12345678".contains(c);
    board == "startpos" || slashes >= 4 || (slashes >= 2 && board.chars().all(is_board))
}

/// The game of a line with FEN or EPD and possibly moves, and the problem with the moves, if any.
fn position(line: &str) -> Result<(PgnGame, Option<String>), String> {
    let line = without_command(line);
    // The word may also be in an operation.
    let split = line.split_once(" moves ").filter(|(place, _)| !place.contains(['"', ';']));
    let (place, played) = split.unwrap_or((line, ""));
    let (start, comment) = if place.trim() == "startpos" {
        (Board::start(), None)
    } else {
        let epd = Epd::parse(place)?;
        let operations: Vec<String> =
            epd.operations.iter().map(|(name, operand)| format!("{name} {operand}").trim().to_owned()).collect();
        (epd.board, (!operations.is_empty()).then(|| operations.join("; ")))
    };
    let chess960 = start.needs_chess960();
    let (mut game, mut moves, mut problem) = (Game::from(start.clone()), Vec::new(), None);
    for word in words(played) {
        let board = game.board();
        let mv = parse_move(board, word, chess960);
        if mv.is_none() && (word != "0000" || game.passed().is_err()) {
            let fen = board.fen(chess960);
            problem =
                Some(format!("illegal move {} in {fen}; using the {} moves before it", quoted(word), moves.len()));
            break;
        }
        let played = PgnMove::from(mv);
        played.play(&mut game);
        moves.push(played);
    }
    let result = RESULTS[0].to_owned();
    Ok((PgnGame { tags: Vec::new(), chess960, start, comment, moves, result }, problem))
}

/// The document of a game, and problems with omitted parts.
pub fn document(game: PgnGame) -> (Document, Vec<Value>) {
    let mut document = Document::new(game.start, game.chess960);
    let mut problems: Vec<String> = Vec::new();
    if game.tags.len() > MAX_TAGS {
        problems.push(format!("{} tags; using the first {MAX_TAGS}", game.tags.len()));
    }
    for (name, value) in game.tags.iter().take(MAX_TAGS) {
        if document.add_tag(name, value) {
            problems.push(format!("duplicate tag {name} {}; using the first one", quoted(value)));
        }
    }
    document.result = RESULTS.into_iter().find(|known| *known == game.result).unwrap_or(RESULTS[0]);
    if let Some(comment) = &game.comment {
        document.nodes[0].notes.add_comment(comment);
    }
    if let Err(problem) = add(&mut document, 0, game.moves) {
        problems.push(problem);
    }
    document.normalise_comments();
    (document, problems.iter().map(|text| problem(None, text)).collect())
}

/// Adds moves after a node, then their variations, so that one that repeats moves does not become the main line.
fn add(document: &mut Document, mut at: usize, moves: Vec<PgnMove>) -> Result<(), String> {
    let mut variations = Vec::new();
    for PgnMove { mv, remarks } in moves {
        let node = document.add(at, mv).map_err(|unfit| match unfit {
            Unfit::TooMany => format!("more than {} positions; the rest is skipped", document.nodes.len()),
            Unfit::TooDeep => "variations nested too deep; the rest is skipped".to_owned(),
            Unfit::Illegal => "a null move in check; the rest is skipped".to_owned(),
        })?;
        let notes = &mut document.nodes[node].notes;
        notes.add_nags(&remarks.nags);
        if let Some(comment) = &remarks.comment {
            notes.add_comment(comment);
        }
        variations.extend(remarks.variations.into_iter().map(|variation| (at, variation)));
        at = node;
    }
    for (at, Variation { comment, moves }) in variations {
        let first = moves.first().map(|first| first.mv);
        add(document, at, moves)?;
        let first = first.and_then(|first| document.add(at, first).ok());
        if let (Some(first), Some(comment)) = (first, comment) {
            document.nodes[first].notes.add_before(&comment);
        }
    }
    Ok(())
}
