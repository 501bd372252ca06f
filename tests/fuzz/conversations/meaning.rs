//! Predicts the effect of a line. The only module that uses the engine's parser.

use lento::chess::Board;
use lento_uci::command::{self, Command};
use lento_uci::go;
use lento_uci::options::same_name;

/// Effect of a line.
pub enum Meaning {
    Go(Go),
    Threat(Go),
    /// Perft or bench; whether it is short.
    Work(bool),
    /// A new position, if valid.
    Position(Option<Box<Board>>),
    Chess960(bool),
    Uci,
    IsReady,
    Display,
    Flip,
    Stop,
    PonderHit,
    Wait,
    Quit,
    /// Saving or loading a hash table, perhaps with this file.
    HashFile(Option<String>),
    /// An option, by name and value.
    Option(String, String),
    Other,
}

/// Predictable part of a `go`.
#[derive(Clone)]
pub struct Go {
    /// Arguments of `searchmoves`.
    pub wanted: Vec<String>,
    /// Arguments of `avoidmoves`.
    pub avoided: Vec<String>,
    /// Whether it ends soon, once it no longer ponders.
    pub brief: bool,
    /// Whether its depth limit ends it soon, unless a few plies take long.
    pub shallow: bool,
    /// Node limit.
    pub nodes: Option<u64>,
    pub ponder: bool,
    pub infinite: bool,
}

/// Effect of a line, given position and notation.
pub fn of(line: &str, chess960: bool) -> Meaning {
    let Some(command) = command::parse(line).command else { return Meaning::Other };
    match command {
        Command::Go(go) => Meaning::Go(predict(go)),
        Command::Threat(go) => Meaning::Threat(predict(go)),
        Command::Perft(depth) => Meaning::Work(depth <= 3),
        Command::Bench(depth) => Meaning::Work(depth <= 2),
        Command::LmrStats(true) => Meaning::Work(false),
        Command::Position(position) => {
            let game = position.set_up(chess960).ok();
            Meaning::Position(game.map(|game| Box::new(game.board().clone())))
        }
        Command::SetOption(name, value) => {
            let value = value.unwrap_or_default();
            match value.to_ascii_lowercase().parse() {
                Ok(on) if same_name(&name, "UCI_Chess960") => Meaning::Chess960(on),
                _ => Meaning::Option(name, value),
            }
        }
        Command::SaveHash(file, _) | Command::LoadHash(file) => Meaning::HashFile(file),
        Command::Uci => Meaning::Uci,
        Command::IsReady => Meaning::IsReady,
        Command::Display => Meaning::Display,
        Command::Flip => Meaning::Flip,
        Command::Stop => Meaning::Stop,
        Command::PonderHit => Meaning::PonderHit,
        Command::Wait => Meaning::Wait,
        Command::Quit => Meaning::Quit,
        _ => Meaning::Other,
    }
}

/// Extracts the predictable part of the limits.
fn predict(go: go::Go) -> Go {
    let args = go.limits;
    let ms = |time: Option<i64>| time.is_some_and(|ms| ms <= 300);
    let brief = args.nodes.is_some_and(|nodes| nodes <= 20_000)
        || ms(args.movetime)
        || (args.clock.iter().any(Option::is_some)
            && args.clock.into_iter().all(|clock| clock.is_none() || ms(clock))
            && args.increment.into_iter().all(|ms| ms.is_none_or(|ms| ms <= 100)));
    let shallow = args.depth.is_some_and(|depth| depth <= 4);
    let (ponder, infinite, nodes) = (args.ponder, args.infinite, args.nodes);
    Go { wanted: go.search_moves, avoided: go.avoid_moves, brief, shallow, nodes, ponder, infinite }
}

/// Whether a line starts a long perft or bench; both finish even when the input ends.
pub fn takes_long(line: &str) -> bool {
    match command::parse(line).command {
        Some(Command::Perft(depth)) => depth > 4,
        Some(Command::Bench(depth)) => depth > 4,
        _ => false,
    }
}
