//! The command `genfens`: random openings for training data, in the format of OpenBench.

use super::go::number;
use super::task::Console;
use super::words::{Words, quoted};
use lento::chess::{Board, Game, fen};
use lento::engine::Engine;
use lento::eval::{Evaluation, wdl};
use lento::internals::files;
use lento::internals::split_mix;
use lento::search::limits::Limits;
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Maximum advantage of either side, in displayed centipawns.
const MAX_IMBALANCE: i32 = 150;
/// Node limit of the search that checks the balance.
const NODES: u64 = 1000;
/// Maximum number of failed attempts in a row.
const MAX_TRIES: u32 = 1000;
/// Maximum size of a book in bytes.
const MAX_BOOK: u64 = 4 << 30;

/// The arguments of `genfens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenFens {
    count: u32,
    seed: u64,
    /// File of opening positions, one FEN or EPD per line; the start position if absent.
    book: Option<String>,
    /// Random plies; half of the openings get one more.
    plies: u32,
}

impl GenFens {
    /// `N seed S [book B] [plies P]`; the book `None` means the start position.
    pub fn parse(words: &mut Words) -> Result<Self, String> {
        let count = number("genfens", (1, u32::MAX.into()), words)? as u32;
        let (mut seed, mut book, mut plies) = (None, None, 8);
        while let Some(word) = words.next() {
            match word.to_ascii_lowercase().as_str() {
                "seed" => {
                    let text = words.next().unwrap_or("");
                    let expected = || format!("`seed` expects a number from 0 to {}, not {}", u64::MAX, quoted(text));
                    seed = Some(text.parse().map_err(|_| expected())?);
                }
                "book" => book = Some(words.next().ok_or("`book` expects a file or None")?),
                "plies" => plies = number("plies", (0, 100), words)? as u32,
                _ => return Err(format!("`genfens N` expects seed S, book B or plies P, not {}", quoted(word))),
            }
        }
        let book = book.filter(|book| !book.eq_ignore_ascii_case("none")).map(str::to_owned);
        Ok(Self { count, seed: seed.ok_or("`genfens N` expects seed S")?, book, plies })
    }

    /// Prints distinct openings that are balanced according to `evaluation`.
    pub(super) fn run(&self, console: &Console, evaluation: Evaluation) -> Result<(), String> {
        let mut engine = Engine::new();
        engine.ensure_thread().map_err(|error| error.to_string())?;
        engine.set_evaluation(evaluation);
        let name = self.book.as_deref().unwrap_or_default();
        let text = match &self.book {
            None => fen::START.into(),
            Some(book) if book.to_ascii_lowercase().ends_with(".bin") => {
                return Err(format!("{name:?}: a Polyglot book; expected one FEN or EPD per line"));
            }
            Some(book) => files::open_regular(Path::new(book), OpenOptions::new().read(true))
                .and_then(|file| files::read(file, MAX_BOOK))
                .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
                .map_err(|error| format!("{name:?}: {error}"))?,
        };
        let lines = (1..)
            .zip(text.trim_start_matches('\u{feff}').lines())
            .filter(|(_, line)| !(line.trim().is_empty() || line.starts_with('#')));
        let starts: Vec<(usize, &str)> = lines.collect();
        let mut state = self.seed;
        let mut below = |n: usize| (split_mix(&mut state) % n.max(1) as u64) as usize;
        let (mut found, mut tries) = (HashSet::new(), 0);
        while found.len() < self.count as usize {
            let &(number, line) = starts.get(below(starts.len())).filter(|_| tries < MAX_TRIES).ok_or_else(|| {
                format!("found {} of {} openings; expected a larger book or more plies", found.len(), self.count)
            })?;
            tries += 1;
            let start =
                Board::from_fen(&position(line)).map_err(|error| format!("{name:?}, line {number}: {error}"))?;
            let plies = self.plies as usize + if self.plies > 0 { below(2) } else { 0 };
            let Some(game) = random_walk(start, plies, &mut below) else { continue };
            if is_balanced(&game, &mut engine) && found.insert(game.board().key()) {
                tries = 0;
                if console.message(format!("genfens {}", game.board().fen(false))).is_break() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The FEN in a line of a book: four fields, then the counters unless EPD operations follow.
fn position(line: &str) -> String {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let counters = fields.iter().skip(4).take(2).take_while(|field| field.parse::<u32>().is_ok()).count();
    fields[..fields.len().min(4 + counters)].join(" ")
}

/// The position after random moves; `None` if the game is over.
pub fn random_walk(board: Board, plies: usize, below: &mut impl FnMut(usize) -> usize) -> Option<Game> {
    let mut game = Game::from(board);
    for _ in 0..plies {
        let moves = game.board().legal_moves();
        game.play(*moves.get(below(moves.len()))?);
    }
    // Openings are given without their history.
    Some(Game::from(game.board().clone())).filter(|game| game.verdict().is_none())
}

/// Whether neither side is much better, by a search that depends only on the position.
fn is_balanced(game: &Game, engine: &mut Engine) -> bool {
    engine.new_game();
    engine.game = game.clone();
    let outcome = engine.search_blocking(&Limits { nodes: Some(NODES), ..Limits::default() }, |_| ());
    let shown = |score| wdl::normalise(score, wdl::material(game.board()));
    outcome.lines.first().is_some_and(|line| shown(line.score).abs() <= MAX_IMBALANCE)
}
