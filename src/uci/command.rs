//! Parses a line into a command, without side effects.

use super::go::{self, Go};
use super::listing;
use super::options;
use super::problem::{Problem, Quoted};
use super::words::Words;
use crate::chess::Game;
use crate::search::MAX_DEPTH;

/// A parsed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Identify and list the options.
    Uci,
    /// Answer `readyok`.
    IsReady,
    /// Start a new game.
    NewGame,
    /// Set an option.
    SetOption {
        /// The name as given.
        name: String,
        /// The value as given, if any.
        value: Option<String>,
    },
    /// Set up a position.
    Position {
        /// The base position.
        base: Base,
        /// The moves played from it, as given.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Perft to this depth, in plies.
    Perft(u32),
    /// Search the bench positions to this depth, or the default one.
    Bench(Option<i32>),
    /// Stop the search.
    Stop,
    /// The opponent played the pondered move.
    PonderHit,
    /// Exit.
    Quit,
    /// Switch debug messages on or off.
    Debug(bool),
    /// Ignored.
    Register,
    /// Show the board.
    Display,
    /// Exchange the colors and mirror the ranks.
    Flip,
    /// Show version and build information.
    Compiler,
    /// Show the static evaluation.
    Eval,
    /// List the legal moves in search order, with reductions at this depth.
    ListMoves(i32),
    /// Show LMR statistics of the last search.
    LmrStats {
        /// Whether to also search without reductions, for comparison.
        off: bool,
    },
    /// Save the hash table.
    SaveHash {
        /// The file; `HashFile` if absent.
        file: Option<String>,
        /// Whether to compress regardless of the extension.
        zstd: bool,
    },
    /// Load a hash table.
    LoadHash {
        /// The file; `HashFile` if absent.
        file: Option<String>,
    },
    /// List the commands.
    Help,
    /// Let pending searches finish before `quit` takes effect.
    Wait,
}

/// The base position of `position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The start position of chess.
    Start,
    /// A FEN, as given.
    Fen(String),
}

impl Base {
    /// Sets up the position and plays the moves. On an error the old position is kept.
    ///
    /// # Errors
    /// The FEN is invalid, or a move is illegal.
    pub fn set_up(&self, moves: &[String], chess960: bool) -> Result<Game, Problem> {
        let mut game = match self {
            Self::Start => Game::start(),
            Self::Fen(fen) => Game::from_fen(fen).map_err(|error| Problem::Fen(error.to_string()))?,
        };
        for (index, text) in moves.iter().enumerate() {
            let board = game.board();
            let mv = board.parse_uci(text, chess960).ok_or_else(|| Problem::IllegalMove {
                number: index + 1,
                text: Quoted::new(text),
                fen: board.fen(chess960),
                example: match board.legal_moves().first() {
                    Some(&mv) => format!("a legal move such as {}", board.uci(mv, chess960)),
                    None => "none, the game is over".into(),
                },
            })?;
            game.play(mv);
        }
        Ok(game)
    }
}

/// The result of parsing a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The command, if there is a valid one.
    pub command: Option<Command>,
    /// Everything that was invalid or skipped.
    pub problems: Vec<Problem>,
}

/// Usage lines of the protocol's commands, each starting with its keyword. Only these are recognised after unknown
/// words.
const STANDARD: [&str; 11] = [
    "uci: name, author and options, then uciok",
    "isready: readyok, at once, also while searching",
    "ucinewgame: start a new game and clear the hash table",
    "setoption name <option> [value <value>]",
    "position startpos | fen <FEN> [moves <move> ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [mate N] \
     [infinite] [ponder] [searchmoves <move> ...] | go perft N",
    "stop: stop the search and all queued ones",
    "ponderhit: the opponent played the pondered move",
    "quit: stop all searches and exit",
    "debug on | off: more messages",
    "register: accepted and ignored",
];

/// Usage lines of Lento's own commands.
const EXTRA: [&str; 12] = [
    "d: the board, its FEN, its key and the checking pieces",
    "flip: exchange the colors and mirror the ranks of the position, without its game history",
    "eval: the static evaluation, term by term",
    "listmoves [depth N]: the legal moves in search order, with the data that orders them",
    "lmrstats [off]: LMR statistics of the last search; with off, also the nodes saved",
    "savehash [file [zstd]]: save the hash table to a file or to HashFile, also while searching; with zstd, compressed",
    "loadhash [file]: load a file or HashFile into the hash table of any size",
    "bench [depth]: search fixed positions on one thread; prints nodes and speed",
    "perft N: count the leaves of the tree of legal moves",
    "wait: let pending searches finish before quit or the end of input",
    "compiler: version, target and compiler",
    "help: this list",
];

/// One usage line per command.
pub fn usage() -> impl Iterator<Item = &'static str> {
    STANDARD.into_iter().chain(EXTRA)
}

/// Parses a line. Keywords are case-insensitive and may follow unknown words. Empty lines and comments (`#`) are
/// ignored.
pub fn parse(line: &str) -> ParsedLine {
    let mut read = ParsedLine::default();
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return read;
    }
    let mut words = Words::new(line);
    let Some(keyword) = keyword(&mut words) else {
        read.problems.push(Problem::UnknownCommand(Quoted::new(line)));
        return read;
    };
    let skipped = line[..line.len() - words.rest().len()].trim_end();
    let skipped = skipped[..skipped.len() - keyword.len()].trim_end();
    if !skipped.is_empty() {
        read.problems.push(Problem::Skipped(Quoted::new(skipped), keyword));
    }
    read.command = arguments(keyword, words, &mut read.problems);
    read
}

/// Consumes words up to and including the keyword.
fn keyword(words: &mut Words) -> Option<&'static str> {
    let find = |word: &str, among: &[&'static str]| {
        let known = among.iter().filter_map(|usage| usage.split([' ', ':']).next());
        known.into_iter().find(|known| word.eq_ignore_ascii_case(known))
    };
    let first = words.next()?;
    find(first, &STANDARD).or_else(|| find(first, &EXTRA)).or_else(|| words.find_map(|word| find(word, &STANDARD)))
}

/// Parses the arguments of a command.
fn arguments(keyword: &'static str, mut words: Words, problems: &mut Vec<Problem>) -> Option<Command> {
    let command = match keyword {
        "setoption" => return keep(set_option(words), problems),
        "position" => return keep(position(words), problems),
        "go" => return go::parse(words, problems),
        "register" => return Some(Command::Register),
        "savehash" => return Some(save_hash(words.rest())),
        "loadhash" => return Some(Command::LoadHash { file: named(words.rest()) }),
        "debug" => match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            other => {
                problems.push(Problem::Debug(Quoted::new(other.unwrap_or(""))));
                return None;
            }
        },
        "listmoves" if words.rest().is_empty() => Command::ListMoves(listing::DEFAULT_DEPTH),
        "listmoves" if words.take_if(|word| word.eq_ignore_ascii_case("depth")).is_some() => {
            Command::ListMoves(go::number("depth", (1, MAX_DEPTH.into()), &mut words, problems)? as i32)
        }
        "listmoves" => {
            problems.push(Problem::ListMoves(Quoted::new(words.rest())));
            return None;
        }
        "lmrstats" => Command::LmrStats { off: words.take_if(|word| word.eq_ignore_ascii_case("off")).is_some() },
        "perft" => Command::Perft(go::number("perft", go::PERFT, &mut words, problems)? as u32),
        "bench" if words.rest().is_empty() => Command::Bench(None),
        "bench" => Command::Bench(Some(go::number("bench", (1, i32::MAX as i64), &mut words, problems)? as i32)),
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
        _ => Command::Help,
    };
    if !words.rest().is_empty() {
        problems.push(Problem::Trailing(keyword, Quoted::new(words.rest())));
    }
    Some(command)
}

/// Moves an error to the problems.
fn keep(read: Result<Command, Problem>, problems: &mut Vec<Problem>) -> Option<Command> {
    read.map_err(|problem| problems.push(problem)).ok()
}

/// `name <words> [value <words>]`.
fn set_option(mut words: Words) -> Result<Command, Problem> {
    let all = words.rest();
    if words.take_if(|word| word.eq_ignore_ascii_case("name")).is_none() {
        return Err(Problem::NoOptionName(Quoted::new(all)));
    }
    let (name, valued) = words.until("value");
    if name.is_empty() {
        return Err(Problem::NoOptionName(Quoted::new(all)));
    }
    if let Some(command) = options::shortcut(name) {
        return Ok(command);
    }
    Ok(Command::SetOption { name: name.into(), value: valued.then(|| words.rest().into()) })
}

/// `[file [zstd]]`; a file name may contain spaces.
fn save_hash(arguments: &str) -> Command {
    match arguments.rsplit_once(char::is_whitespace) {
        Some((file, last)) if last.eq_ignore_ascii_case("zstd") => {
            Command::SaveHash { file: named(file.trim_end()), zstd: true }
        }
        _ => Command::SaveHash { file: named(arguments), zstd: false },
    }
}

fn named(file: &str) -> Option<String> {
    // As with options, `<empty>` means none.
    (!matches!(file, "" | "<empty>")).then(|| file.to_owned())
}

/// `startpos | fen <words>`, then `[moves <words>]`.
fn position(mut words: Words) -> Result<Command, Problem> {
    let all = words.rest();
    let base = match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("startpos") => {
            let (before, _) = words.until("moves");
            if !before.is_empty() {
                return Err(Problem::NoMoves(Quoted::new(before)));
            }
            Base::Start
        }
        Some("fen") => Base::Fen(words.until("moves").0.into()),
        _ => return Err(Problem::NoPosition(Quoted::new(all))),
    };
    Ok(Command::Position { base, moves: words.map(String::from).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(line: &str) -> Command {
        let read = parse(line);
        assert_eq!(read.problems, [], "{line}");
        read.command.unwrap_or_else(|| panic!("{line}: no command"))
    }

    fn problem(line: &str) -> Problem {
        let mut read = parse(line);
        assert_eq!((read.command, read.problems.len()), (None, 1), "{line}");
        read.problems.remove(0)
    }

    #[test]
    fn plain_commands_in_any_case_and_spacing() {
        for (line, command) in [
            ("uci", Command::Uci),
            ("UCI", Command::Uci),
            ("\t isready \r\n", Command::IsReady),
            ("ucinewgame", Command::NewGame),
            ("stop", Command::Stop),
            ("PonderHit", Command::PonderHit),
            ("quit", Command::Quit),
            ("\u{feff}uci", Command::Uci),
            ("debug  ON", Command::Debug(true)),
            ("debug off", Command::Debug(false)),
            ("register name X code Y", Command::Register),
            ("d", Command::Display),
            ("Flip", Command::Flip),
            ("compiler", Command::Compiler),
            ("eval", Command::Eval),
            ("listmoves", Command::ListMoves(10)),
            ("ListMoves DEPTH 7", Command::ListMoves(7)),
            ("listmoves depth 99999999999999999999", Command::ListMoves(MAX_DEPTH)),
            ("lmrstats", Command::LmrStats { off: false }),
            ("lmrstats OFF", Command::LmrStats { off: true }),
            ("savehash", Command::SaveHash { file: None, zstd: false }),
            ("savehash <empty> zstd", Command::SaveHash { file: None, zstd: true }),
            ("SaveHash zstd", Command::SaveHash { file: Some("zstd".into()), zstd: false }),
            ("savehash my  file ZSTD", Command::SaveHash { file: Some("my  file".into()), zstd: true }),
            ("loadhash", Command::LoadHash { file: None }),
            ("loadhash /tmp/a b.zst", Command::LoadHash { file: Some("/tmp/a b.zst".into()) }),
            ("setoption name SaveHash", Command::SaveHash { file: None, zstd: false }),
            ("setoption name load hash value x", Command::LoadHash { file: None }),
            ("help", Command::Help),
            ("wait", Command::Wait),
            ("bench", Command::Bench(None)),
            ("bench 5", Command::Bench(Some(5))),
            ("perft 4", Command::Perft(4)),
            ("go perft 4", Command::Perft(4)),
        ] {
            assert_eq!(clean(line), command);
        }
    }

    #[test]
    fn every_usage_line_starts_with_its_keyword() {
        for usage in usage() {
            let word = usage.split([' ', ':']).next().expect("a word");
            let ParsedLine { command, problems } = parse(word);
            assert!(command.is_some() || !matches!(problems[0], Problem::UnknownCommand(_)), "{word}");
        }
    }

    #[test]
    fn empty_lines_and_comments_are_ignored() {
        for line in ["", "  \t ", "\r\n", "# go infinite"] {
            assert_eq!(parse(line), ParsedLine::default());
        }
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped_and_reported() {
        let read = parse("joho  foo debug on");
        assert_eq!(read.command, Some(Command::Debug(true)));
        assert_eq!(read.problems, [Problem::Skipped(Quoted::new("joho  foo"), "debug")]);
        // Lento's own keywords are recognised only as the first word.
        assert_eq!(problem("a b c d eval"), Problem::UnknownCommand(Quoted::new("a b c d eval")));
    }

    #[test]
    fn trailing_words_are_reported_and_skipped() {
        let read = parse("ucinewgame ucinewgame");
        assert_eq!(read.command, Some(Command::NewGame));
        assert_eq!(read.problems, [Problem::Trailing("ucinewgame", Quoted::new("ucinewgame"))]);
    }

    #[test]
    fn option_names_and_values_may_contain_spaces() {
        let set =
            |name: &str, value: Option<&str>| Command::SetOption { name: name.into(), value: value.map(String::from) };
        assert_eq!(clean("setoption name Hash value 64"), set("Hash", Some("64")));
        assert_eq!(clean("SetOption NAME Move  Overhead VALUE 10"), set("Move  Overhead", Some("10")));
        assert_eq!(clean("setoption name Clear Hash"), set("Clear Hash", None));
        assert_eq!(
            clean("setoption name Debug Log File value /tmp/a  b.log "),
            set("Debug Log File", Some("/tmp/a  b.log"))
        );
        assert_eq!(clean("setoption name Hash value"), set("Hash", Some("")));
        for line in ["setoption", "setoption Hash 5", "setoption name", "setoption value 16", "setoption name value 16"]
        {
            assert!(matches!(problem(line), Problem::NoOptionName(_)), "{line}");
        }
    }

    #[test]
    fn positions() {
        let at = |base, moves: &[&str]| Command::Position { base, moves: moves.iter().map(|&mv| mv.into()).collect() };
        assert_eq!(clean("position startpos"), at(Base::Start, &[]));
        assert_eq!(clean("position STARTPOS Moves e2e4 e7e5"), at(Base::Start, &["e2e4", "e7e5"]));
        assert_eq!(clean("position fen a  b w moves"), at(Base::Fen("a  b w".into()), &[]));
        assert_eq!(clean("position fen x moves a1a2"), at(Base::Fen("x".into()), &["a1a2"]));
        assert_eq!(clean("position fen"), at(Base::Fen(String::new()), &[]));
        assert_eq!(problem("position"), Problem::NoPosition(Quoted::new("")));
        assert_eq!(problem("position moves e2e4"), Problem::NoPosition(Quoted::new("moves e2e4")));
        assert_eq!(problem("position startpos e2e4 e7e5"), Problem::NoMoves(Quoted::new("e2e4 e7e5")));
        assert_eq!(problem("position startpos startpos moves e2e4"), Problem::NoMoves(Quoted::new("startpos")));
    }

    #[test]
    fn bad_arguments_are_quoted() {
        assert_eq!(problem("debug maybe"), Problem::Debug(Quoted::new("maybe")));
        assert_eq!(problem("foo"), Problem::UnknownCommand(Quoted::new("foo")));
        assert!(matches!(problem("perft x"), Problem::Number { word: "perft", .. }));
        assert!(matches!(problem("bench 0"), Problem::Number { word: "bench", .. }));
        assert_eq!(problem("listmoves deep 3"), Problem::ListMoves(Quoted::new("deep 3")));
        for (line, found) in [("listmoves depth", ""), ("listmoves depth x", "x"), ("listmoves depth 0", "0")] {
            assert_eq!(problem(line), Problem::Number { word: "depth", found: Quoted::new(found), min: 1 });
        }
        let read = parse("listmoves depth 5 please");
        assert_eq!(read.command, Some(Command::ListMoves(5)));
        assert_eq!(read.problems, [Problem::Trailing("listmoves", Quoted::new("please"))]);
    }

    /// Random bytes mixed with random words of the protocol.
    #[test]
    fn random_bytes_do_not_panic() {
        let mut random = fastrand::Rng::with_seed(1);
        let vocabulary = "position startpos fen moves go depth searchmoves e2e4 name value setoption bench perft -1 \
                          99999999999999999999 \u{feff} \u{85} ゴ é";
        let vocabulary: Vec<&str> = vocabulary.split(' ').collect();
        let mut commands = 0;
        for _ in 0..20_000 {
            let mut line = Vec::new();
            for _ in 0..random.u8(..12) {
                if random.bool() {
                    line.extend((0..random.u8(..9)).map(|_| random.u8(..)));
                } else {
                    line.extend_from_slice(vocabulary[random.usize(..vocabulary.len())].as_bytes());
                }
                if random.u8(..4) != 0 {
                    line.push(b" \t\r\0"[random.usize(..4)]);
                }
            }
            let text = String::from_utf8_lossy(&line);
            let read = parse(&text);
            commands += usize::from(read.command.is_some());
            for problem in read.problems {
                assert!(!problem.to_string().contains(['\n', '\r', '\0']), "{text:?}");
            }
        }
        assert!(commands > 1000, "too few lines had a command: {commands}");
    }

    #[test]
    fn a_bad_position_is_rejected_as_a_whole() {
        let moves = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        let game = Base::Start.set_up(&moves("e2e4 e7e5 g1f3"), false).expect("legal moves");
        assert_eq!(game.board().fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        match Base::Start.set_up(&moves("e2e4 e2e4"), false).map(|game| game.board().fen(false)) {
            Err(Problem::IllegalMove { number: 2, text, fen, example }) => {
                assert_eq!(text, Quoted::new("e2e4"));
                assert!(fen.contains(" b ") && example.starts_with("a legal move such as "), "{fen} {example}");
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(Base::Fen("x".into()).set_up(&[], false), Err(Problem::Fen(text)) if text.contains("x")));
    }
}
