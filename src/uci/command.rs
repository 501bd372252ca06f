//! Parses a line into a command, without side effects.

use super::genfens::GenFens;
use super::go::{self, Go};
use super::listing;
use super::options;
use super::words::{Words, quoted};
use lento::chess::Game;
use lento::internals::bench::BENCH_DEPTH;
use lento::search::MAX_DEPTH;
use std::fmt;

/// A parsed command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "usage() describes the commands")]
pub enum Command {
    Uci,
    IsReady,
    NewGame,
    /// Name and value as given.
    SetOption(String, Option<String>),
    Position(Position),
    Go(Go),
    /// The limits, without pondering.
    Threat(Go),
    /// Depth in plies.
    Perft(u32),
    /// Depth of each search.
    Bench(i32),
    Stop,
    PonderHit,
    Quit,
    Debug(bool),
    Register,
    Display,
    Flip,
    Compiler,
    Eval,
    GenFens(GenFens),
    /// Depth of the reductions.
    ListMoves(i32),
    /// Whether to search again without reductions.
    LmrStats(bool),
    /// The file, or `HashFile`, and whether to compress it regardless of its extension.
    SaveHash(Option<String>, bool),
    /// The file, or `HashFile`.
    LoadHash(Option<String>),
    /// The option to describe; the list of commands if absent.
    Help(Option<String>),
    Wait,
}

/// The arguments of `position`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The FEN as given; the start position if absent.
    pub fen: Option<String>,
    /// The moves played from it, as given.
    pub moves: Vec<String>,
}

impl Position {
    /// Sets up the position and plays the moves, if all are legal.
    pub fn set_up(&self, chess960: bool) -> Result<Game, String> {
        let mut game = match &self.fen {
            None => Game::start(),
            Some(fen) => Game::from_fen(fen).map_err(|error| format!("{error}; position unchanged"))?,
        };
        for (number, text) in (1..).zip(&self.moves) {
            let error = |problem| format!("move {number} of `position` {problem}; position unchanged");
            game.play_text(text, chess960).map_err(error)?;
        }
        Ok(game)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.fen {
            None => f.write_str("startpos")?,
            Some(fen) => write!(f, "fen {fen}")?,
        }
        if self.moves.is_empty() { Ok(()) } else { write!(f, " moves {}", self.moves.join(" ")) }
    }
}

/// The result of parsing a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The command, if there is a valid one.
    pub command: Option<Command>,
    /// Messages about everything that was invalid or skipped; each quotes the input and says what is expected.
    pub problems: Vec<String>,
}

/// Usage lines of the protocol's commands, each starting with its keyword. Only these are recognised after unknown
/// words.
const STANDARD: [&str; 11] = [
    "uci: name, author and options, then uciok",
    "isready: readyok, even while searching; waits for options and loadhash",
    "ucinewgame: start a new game; clears the hash table unless UCI_AnalyseMode",
    "setoption name <option> [value <value>]",
    "position startpos | fen <FEN> [moves <move> ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [mate N] \
     [infinite] [ponder] [searchmoves <move> ...] [avoidmoves <move> ...] | go perft N",
    "stop: stop the search and all queued ones",
    "ponderhit: the opponent played the pondered move",
    "quit: stop all searches and exit; perft and bench finish, unless it is sent twice",
    "debug on | off: more messages",
    "register: accepted and ignored",
];

/// Usage lines of Lento's own commands.
const EXTRA: [&str; 14] = [
    "d: the board, its FEN, its key and the checking pieces",
    "flip: swap the colors and mirror the ranks of the position; clears its game history",
    "eval: the static evaluation, term by term",
    "threat [limits of go]: find the opponent's threat, with the opponent to move; ends with threat <move>, or 0000",
    "listmoves [depth N]: the legal moves in search order, with their ordering data",
    "lmrstats [off]: LMR statistics of the last search; with off, also the nodes saved",
    "savehash [file [zstd]]: save the hash table to a file or to HashFile, also while searching; with zstd, compressed",
    "loadhash [file]: load a file or HashFile into the hash table of any size",
    "bench [depth]: search fixed positions; of the options only those of the evaluation apply; prints nodes and speed",
    "genfens N seed S [book <file>] [plies P]: N random openings, from the start or from positions of a file",
    "perft N: count the leaves of the tree of legal moves",
    "wait: let pending searches finish before quit or the end of input",
    "compiler: version, target and compiler",
    "help [option]: this list, or what an option does",
];

/// One usage line per command.
pub fn usage() -> impl Iterator<Item = &'static str> {
    STANDARD.into_iter().chain(EXTRA)
}

/// Parses a line. Keywords are case-insensitive and may follow unknown words. Empty lines and comments (`#`) are
/// ignored.
pub fn parse(line: &str) -> ParsedLine {
    let mut parsed = ParsedLine::default();
    let line = line.trim_start_matches('\u{feff}').trim();
    // Arena sends `xboard` before `uci`.
    if line.is_empty() || line.starts_with('#') || line.eq_ignore_ascii_case("xboard") {
        return parsed;
    }
    let mut words = Words::new(line);
    let Some(keyword) = keyword(&mut words) else {
        parsed.problems.push(format!("unknown command {}; `help` lists the commands", quoted(line)));
        return parsed;
    };
    let skipped = line[..line.len() - words.rest().len()].trim_end();
    let skipped = skipped[..skipped.len() - keyword.len()].trim_end();
    if !skipped.is_empty() {
        let skipped = quoted(skipped);
        parsed.problems.push(format!("skipped {skipped} before `{keyword}`: not a command; `help` lists the commands"));
    }
    parsed.command = match arguments(keyword, &mut words, &mut parsed.problems) {
        Ok(command) => {
            if !words.rest().is_empty() {
                let rest = quoted(words.rest());
                parsed.problems.push(format!("skipped {rest} after `{keyword}`: expected the end of the line"));
            }
            Some(command)
        }
        Err(problem) => {
            parsed.problems.push(problem);
            None
        }
    };
    parsed
}

/// Consumes words up to and including the keyword.
fn keyword(words: &mut Words) -> Option<&'static str> {
    let find = |word: &str, among: &[&'static str]| {
        let mut known = among.iter().filter_map(|usage| usage.split([' ', ':']).next());
        known.find(|known| word.eq_ignore_ascii_case(known))
    };
    let first = words.next()?;
    find(first, &STANDARD).or_else(|| find(first, &EXTRA)).or_else(|| words.find_map(|word| find(word, &STANDARD)))
}

/// Parses the arguments of a command. `problems` receives what is skipped.
fn arguments(keyword: &'static str, words: &mut Words, problems: &mut Vec<String>) -> Result<Command, String> {
    Ok(match keyword {
        "setoption" => return set_option(words),
        "position" => return position(words),
        "go" => match go::parse(words, problems)? {
            (go, Some(depth)) => {
                if go != Go::default() {
                    problems.push("`go perft` counts all moves to its depth; other limits ignored".into());
                }
                Command::Perft(depth)
            }
            (go, None) => Command::Go(go),
        },
        "threat" => {
            let all = quoted(words.rest());
            match go::parse(words, problems)? {
                (go, None) if !go.limits.ponder => Command::Threat(go),
                _ => return Err(format!("`threat` expects limits of `go` except ponder and perft, not {all}")),
            }
        }
        "register" => {
            words.take_rest();
            Command::Register
        }
        "savehash" => save_hash(words.take_rest()),
        "loadhash" => Command::LoadHash(named(words.take_rest())),
        "debug" => match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            other => return Err(format!("`debug` expects on or off, not {}", quoted(other.unwrap_or("")))),
        },
        "listmoves" if words.rest().is_empty() => Command::ListMoves(listing::DEFAULT_DEPTH),
        "listmoves" if words.take_if(|word| word.eq_ignore_ascii_case("depth")).is_some() => {
            Command::ListMoves(go::number("depth", (1, MAX_DEPTH.into()), words)? as i32)
        }
        "listmoves" => {
            let rest = quoted(words.rest());
            return Err(format!("`listmoves` expects depth N or the end of the line, not {rest}"));
        }
        "genfens" => Command::GenFens(GenFens::parse(words)?),
        "lmrstats" => Command::LmrStats(words.take_if(|word| word.eq_ignore_ascii_case("off")).is_some()),
        "perft" => Command::Perft(go::number("perft", go::PERFT, words)? as u32),
        "bench" if words.rest().is_empty() => Command::Bench(BENCH_DEPTH),
        "bench" => Command::Bench(go::number("bench", (1, i32::MAX as i64), words)? as i32),
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "d" => Command::Display,
        "flip" => Command::Flip,
        "compiler" => Command::Compiler,
        "eval" => Command::Eval,
        "wait" => Command::Wait,
        _ => Command::Help(named(words.take_rest())),
    })
}

/// `name <words> [value <words>]`.
fn set_option(words: &mut Words) -> Result<Command, String> {
    let all = words.rest();
    let named = words.take_if(|word| word.eq_ignore_ascii_case("name")).is_some();
    let (name, valued) = words.until("value");
    if !named || name.is_empty() {
        return Err(format!("`setoption` expects name <option> value <value>, not {}", quoted(all)));
    }
    let value = words.take_rest();
    // Buttons that are commands.
    Ok(match name {
        _ if options::same_name(name, "SaveHash") => Command::SaveHash(None, false),
        _ if options::same_name(name, "LoadHash") => Command::LoadHash(None),
        _ => Command::SetOption(name.into(), valued.then(|| value.into())),
    })
}

/// `[file [zstd]]`; a file name may contain spaces.
fn save_hash(arguments: &str) -> Command {
    match arguments.rsplit_once(char::is_whitespace) {
        Some((file, last)) if last.eq_ignore_ascii_case("zstd") => Command::SaveHash(named(file.trim_end()), true),
        _ => Command::SaveHash(named(arguments), false),
    }
}

/// The rest of the line as a name, which may contain spaces. As with options, `<empty>` means none.
fn named(name: &str) -> Option<String> {
    (!matches!(name, "" | "<empty>")).then(|| name.to_owned())
}

/// `startpos | fen <words>`, then `[moves <words>]`.
fn position(words: &mut Words) -> Result<Command, String> {
    let all = words.rest();
    let fen = match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("startpos") => match words.until("moves").0 {
            "" => None,
            other => {
                let (expected, other) = ("the word moves or the end of the line", quoted(other));
                return Err(format!("`position startpos` expects {expected}, not {other}; position unchanged"));
            }
        },
        Some("fen") => Some(words.until("moves").0.into()),
        _ => return Err(format!("`position` expects startpos or fen, not {}; position unchanged", quoted(all))),
    };
    Ok(Command::Position(Position { fen, moves: words.map(String::from).collect() }))
}

#[cfg(test)]
mod tests;
