//! What a line means, as far as the answers to it can be foretold. The only place that asks the engine's own parser.

use lento::chess::Board;
use lento_uci::command::{self, Command};
use lento_uci::go;
use lento_uci::options::same_name;

/// What a line means.
pub enum Meaning {
    Go(Go),
    Threat(Go),
    /// Perft and bench; whether it takes little time.
    Work(bool),
    /// A new position, if it is one.
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
    /// A hash table is saved or loaded, perhaps with this file.
    HashFile(Option<String>),
    /// An option with this name and value.
    Option(String, String),
    Other,
}

/// A `go` as far as it can be foretold.
#[derive(Clone)]
pub struct Go {
    /// The words after `searchmoves`.
    pub wanted: Vec<String>,
    /// The words after `avoidmoves`.
    pub avoided: Vec<String>,
    /// Whether it ends soon, once it does not ponder any more.
    pub brief: bool,
    /// The same, but where a few plies take long.
    pub shallow: bool,
    /// The nodes that it may take.
    pub nodes: Option<u64>,
    pub ponder: bool,
    pub infinite: bool,
}

/// What a line means in this position and notation.
pub fn of(line: &str, chess960: bool) -> Meaning {
    let Some(command) = command::parse(line).command else { return Meaning::Other };
    match command {
        Command::Go(go) => Meaning::Go(foretell(go)),
        Command::Threat(go) => Meaning::Threat(foretell(go)),
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

/// What can be foretold of these limits.
fn foretell(go: go::Go) -> Go {
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

/// Whether a line asks for a count or a bench that is only a nuisance: both go on to their sums even when the input ends.
pub fn takes_long(line: &str) -> bool {
    match command::parse(line).command {
        Some(Command::Perft(depth)) => depth > 4,
        Some(Command::Bench(depth)) => depth > 4,
        _ => false,
    }
}
