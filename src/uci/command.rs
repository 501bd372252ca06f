//! From a line of text to a command: pure, and an answer for every text.

use super::go::{self, Go};
use super::listing;
use super::options;
use super::problem::{Problem, Quoted};
use super::words::Words;
use crate::chess::Game;
use crate::search::MAX_DEPTH;

/// A command, as said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Introduce yourself and list the options.
    Uci,
    /// Answer `readyok`.
    IsReady,
    /// Forget the last game.
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
        /// Where to start.
        base: Base,
        /// The moves from there on, as given.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Count the leaves of the tree of legal moves to this depth.
    Perft(u32),
    /// Search the bench positions, to this depth or to the usual one.
    Bench(Option<i32>),
    /// End the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// End the program.
    Quit,
    /// More messages, or fewer.
    Debug(bool),
    /// Copy protection; nothing to do.
    Register,
    /// Show the board.
    Display,
    /// Turn the position round: colors exchanged, ranks mirrored.
    Flip,
    /// Show what the program was compiled for and with.
    Compiler,
    /// Show the static evaluation.
    Eval,
    /// List the legal moves in the order of the search, with reductions at this depth.
    ListMoves(i32),
    /// Show what reductions did in the last search; or also what a search without them to its depth costs.
    LmrStats {
        /// Whether to search without reductions.
        off: bool,
    },
    /// Save the hash table.
    SaveHash {
        /// The file, or that of the option.
        file: Option<String>,
        /// Whether to compress whatever the file is called.
        zstd: bool,
    },
    /// Load a hash table.
    LoadHash {
        /// The file, or that of the option.
        file: Option<String>,
    },
    /// List the commands.
    Help,
    /// Let the searches asked for so far end before `quit` is obeyed.
    Wait,
}

/// Where a `position` starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The start position of chess.
    Start,
    /// A FEN, as given.
    Fen(String),
}

impl Base {
    /// Sets up the position and plays moves from it. When anything is wrong there is no new position at all.
    ///
    /// # Errors
    /// The FEN is not good, or a move is not legal.
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

/// A line, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The command in it, if there is one that can be obeyed.
    pub command: Option<Command>,
    /// What could not be used.
    pub problems: Vec<Problem>,
}

/// What the commands of the protocol do, in one line each that begins with the word. Only these words are looked for behind
/// unknown words.
const STANDARD: [&str; 11] = [
    "uci: name, author and options, then uciok",
    "isready: readyok, at once, also while searching",
    "ucinewgame: forget the last game and empty the hash table",
    "setoption name <option> [value <value>]",
    "position startpos | fen <FEN> [moves <move> ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [mate N] \
     [infinite] [ponder] [searchmoves <move> ...] | go perft N",
    "stop: end every search asked for so far",
    "ponderhit: the move pondered on was played",
    "quit: end every search and the program",
    "debug on | off: more messages",
    "register: accepted and ignored",
];

/// The same of the other commands.
const EXTRA: [&str; 12] = [
    "d: the board, its FEN, its key and the checking pieces",
    "flip: exchange the colors and mirror the ranks of the position; the moves before it are forgotten",
    "eval: the static evaluation, term by term",
    "listmoves [depth N]: the legal moves in the order of the search, and what it knows of each",
    "lmrstats [off]: what reductions did in the last search; with off, how many nodes they saved",
    "savehash [file [zstd]]: save the hash table to a file or to HashFile, also while searching; with zstd, compressed",
    "loadhash [file]: load a file or HashFile into the hash table, whatever its size",
    "bench [depth]: search fixed positions on one thread; nodes and speed",
    "perft N: count the leaves of the tree of legal moves",
    "wait: let the searches asked for so far end before quit, or the end of input, is obeyed",
    "compiler: the version, and what it was compiled for and with",
    "help: this list",
];

/// The commands, one line each.
pub fn usage() -> impl Iterator<Item = &'static str> {
    STANDARD.into_iter().chain(EXTRA)
}

/// Reads a line. Never fails: what cannot be used is among the problems. Command words are recognised in any case,
/// behind unknown words, between any white space. Empty lines and lines that start with `#` say nothing.
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

/// Reads up to and with the first command word.
fn keyword(words: &mut Words) -> Option<&'static str> {
    let find = |word: &str, among: &[&'static str]| {
        let known = among.iter().filter_map(|usage| usage.split([' ', ':']).next());
        known.into_iter().find(|known| word.eq_ignore_ascii_case(known))
    };
    let first = words.next()?;
    find(first, &STANDARD).or_else(|| find(first, &EXTRA)).or_else(|| words.find_map(|word| find(word, &STANDARD)))
}

/// Reads what follows a command word.
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
        "listmoves" if words.rest().is_empty() => Command::ListMoves(listing::USUAL_DEPTH),
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

/// Keeps the command, or the problem.
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

/// `[file [zstd]]`: the name of a file may have several words.
fn save_hash(arguments: &str) -> Command {
    match arguments.rsplit_once(char::is_whitespace) {
        Some((file, last)) if last.eq_ignore_ascii_case("zstd") => {
            Command::SaveHash { file: named(file.trim_end()), zstd: true }
        }
        _ => Command::SaveHash { file: named(arguments), zstd: false },
    }
}

fn named(file: &str) -> Option<String> {
    // As for options, this word is no name.
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
    fn plain_commands_in_any_case_and_between_any_blanks() {
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
    fn every_keyword_is_read_and_starts_its_usage() {
        for usage in usage() {
            let word = usage.split([' ', ':']).next().expect("a word");
            let ParsedLine { command, problems } = parse(word);
            assert!(command.is_some() || !matches!(problems[0], Problem::UnknownCommand(_)), "{word}");
        }
    }

    #[test]
    fn empty_lines_and_comments_say_nothing() {
        for line in ["", "  \t ", "\r\n", "# go infinite"] {
            assert_eq!(parse(line), ParsedLine::default());
        }
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped_and_reported() {
        let read = parse("joho  foo debug on");
        assert_eq!(read.command, Some(Command::Debug(true)));
        assert_eq!(read.problems, [Problem::Skipped(Quoted::new("joho  foo"), "debug")]);
        // Words that are not of the protocol count only in the first place.
        assert_eq!(problem("a b c d eval"), Problem::UnknownCommand(Quoted::new("a b c d eval")));
    }

    #[test]
    fn trailing_words_are_reported_and_skipped() {
        let read = parse("ucinewgame ucinewgame");
        assert_eq!(read.command, Some(Command::NewGame));
        assert_eq!(read.problems, [Problem::Trailing("ucinewgame", Quoted::new("ucinewgame"))]);
    }

    #[test]
    fn options_have_names_and_values_of_several_words() {
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

    /// Lines of random bytes, and of random words of the protocol among random bytes.
    #[test]
    fn any_bytes_are_read_without_panic() {
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
        assert!(commands > 1000, "the words of the protocol are to be met often: {commands}");
    }

    #[test]
    fn positions_are_set_up_whole_or_not_at_all() {
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
