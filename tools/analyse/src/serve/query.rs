//! Requests as JSON.

use super::board::{Fields, RequestError, at_most, whole};
use lento::chess::{Board, Game, Move};
use lento::search::MAX_DEPTH;
use lento::search::limits::Limits;
use lento::search::report::Info;
use lento_console::interrupt::Stop;
use lento_console::setup::Setup;
use lento_uci::words::quoted;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Maximum length of an id in bytes of JSON.
const MAX_ID: usize = 256;
/// The priority of interactive searches, above all queries of clients.
pub const URGENT: i64 = i64::MAX;
/// Maximum plies of a game.
const MAX_PLIES: usize = 2048;

const FIELDS: &str = "id, fen, moves, plies, chess960, depth, nodes, time_ms, infinite, priority, multipv, \
    searchmoves, avoidmoves, report_ms, iterations, fresh, schema";

pub enum Request {
    /// One position, or several of a game with the same id.
    Query(Vec<Query>),
    /// The id of a query to cancel.
    Cancel(Value),
    CancelAll,
    Status,
}

/// A position to search.
#[derive(Clone)]
pub struct Query {
    /// A string or whole number.
    pub id: Value,
    /// The ply of the position, for queries with `plies`.
    pub ply: Option<usize>,
    pub game: Game,
    pub chess960: bool,
    /// The limits of the whole search, of which `spent` is used.
    pub limits: Limits,
    /// Higher ones are searched first.
    pub priority: i64,
    pub multipv: u64,
    /// The root moves; all if empty.
    pub moves: Vec<Move>,
    /// Interval of partial reports.
    pub report: Option<Duration>,
    /// Whether the answer has all iterations.
    pub iterations: bool,
    /// Whether to clear the hash table and histories first.
    pub fresh: bool,
    /// Set when the query is cancelled.
    pub stop: Stop,
    /// Time and nodes of its earlier searches.
    pub spent: (Duration, u64),
    /// The deepest lines of its earlier searches.
    pub found: Vec<Info>,
    pub session: Option<Session>,
}

/// A series of searches that share an engine with its threads and hash table.
#[derive(Clone)]
pub struct Session {
    pub id: Arc<str>,
    pub threads: usize,
    pub hash_mib: usize,
}

impl Query {
    /// A query for one line of all root moves.
    pub fn new(id: Value, game: Game, chess960: bool, limits: Limits) -> Self {
        Self {
            id,
            ply: None,
            game,
            chess960,
            limits,
            priority: 0,
            multipv: 1,
            moves: Vec::new(),
            report: None,
            iterations: false,
            fresh: false,
            stop: Stop::default(),
            spent: (Duration::ZERO, 0),
            found: Vec::new(),
            session: None,
        }
    }

    /// Adds time and nodes of an interrupted search.
    pub fn spend(&mut self, time: Duration, nodes: u64) {
        self.spent = (self.spent.0 + time, self.spent.1 + nodes);
    }

    /// The limits without what is spent.
    pub fn remaining(&self) -> Limits {
        let left = |limit: u64, used: u64| limit.saturating_sub(used).max(1);
        let (time, nodes) = (self.spent.0.as_millis() as u64, self.spent.1);
        Limits {
            movetime: self.limits.movetime.map(|limit| left(limit as u64, time) as i64),
            nodes: self.limits.nodes.map(|limit| left(limit, nodes)),
            ..self.limits
        }
    }

    /// Whether a stored result may be the answer.
    pub fn may_be_known(&self) -> bool {
        !self.limits.infinite && !self.fresh && !self.iterations && self.priority != URGENT
    }
}

/// Parses a request. Errors come with its id, or null.
pub fn parse(line: &str) -> Result<Request, (Value, RequestError)> {
    let line = line.trim_start_matches('\u{FEFF}');
    let refuse = |error| (Value::Null, error);
    let bad_json = |text: String| Err(refuse(RequestError::new("bad-json", "", format!("{}{text}", quoted(line)))));
    let object = match serde_json::from_str(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return bad_json(" is not a JSON object, such as {\"id\":\"a\",\"depth\":12}".into()),
        Err(error) => return bad_json(format!(": {error}")),
    };
    if let Some(request) = control(&object).map_err(refuse)? {
        return Ok(request);
    }
    let missing = || refuse(RequestError::new("missing", "id", format!("no \"id\" in {}", quoted(line))));
    let id = id(Fields::strict(&object), "id").map_err(refuse)?.ok_or_else(missing)?;
    queries(&object, &id).map(Request::Query).map_err(|error| (id, error))
}

/// A request other than a query.
fn control(object: &Map<String, Value>) -> Result<Option<Request>, RequestError> {
    let Some(name) = ["cancel", "cancel_all", "status"].into_iter().find(|name| object.contains_key(*name)) else {
        return Ok(None);
    };
    only(object, name)?;
    let fields = Fields::strict(object);
    if name == "cancel" {
        return Ok(id(fields, name)?.map(Request::Cancel));
    }
    fields.read(name, "true", |value| (value == true).then_some(()))?;
    Ok(Some(if name == "status" { Request::Status } else { Request::CancelAll }))
}

fn id(fields: Fields, field: &str) -> Result<Option<Value>, RequestError> {
    let fits = |id: &Value| (id.is_string() || id.is_u64() || id.is_i64()) && id.to_string().len() <= MAX_ID;
    let expected = format!("a string of up to {MAX_ID} bytes or a whole number");
    fields.read(field, &expected, |id| fits(id).then(|| id.clone()))
}

/// Fails for unknown fields.
pub fn only(object: &Map<String, Value>, known: &str) -> Result<(), RequestError> {
    let is_known = |key: &str| known.split(", ").any(|known| known == key);
    let Some(key) = object.keys().find(|key| !is_known(key)) else { return Ok(()) };
    Err(RequestError::new("unknown-field", key, format!("unknown field {}; expected {known}", quoted(key))))
}

/// The query of an object, repeated for each of its plies.
fn queries(object: &Map<String, Value>, id: &Value) -> Result<Vec<Query>, RequestError> {
    only(object, FIELDS)?;
    let fields = Fields::strict(object);
    fields.read("schema", super::SCHEMA, |schema| (schema == super::SCHEMA).then_some(()))?;
    let chess960 = fields.flag("chess960")?;
    let setup = Setup { fen: fields.read("fen", "a FEN", Value::as_str)?.map(str::to_owned), chess960 };
    let text = words(fields, "moves")?;
    let count = text.split([' ', ',']).count();
    at_most("too-many", "moves", count, MAX_PLIES, "moves")?;
    let mut game = setup.game("").map_err(|error| RequestError::new("bad-fen", "fen", error))?;
    let moves = setup.moves(game.board(), &text).map_err(|error| RequestError::new("bad-move", "moves", error))?;
    let expected = format!("\"all\" or a list of numbers from 0 to {}", moves.len());
    let wanted = fields.read("plies", &expected, |given| plies(given, moves.len() + 1))?;
    let mut positions = Vec::new();
    for ply in 0..=moves.len() {
        if wanted.as_ref().map_or(ply == moves.len(), |wanted| wanted.contains(&ply)) {
            positions.push((wanted.is_some().then_some(ply), game.clone()));
        }
        moves.get(ply).into_iter().for_each(|&mv| game.play(mv));
    }
    let limits = limits(fields)?;
    let priority = |value: &Value| whole(value).filter(|&value| i32::try_from(value).is_ok());
    let priority = fields.read("priority", "a whole number from -2147483648 to 2147483647", priority)?.unwrap_or(0);
    let query = |(ply, game): (Option<usize>, Game)| -> Result<Query, RequestError> {
        let moves = root_moves(fields, ["searchmoves", "avoidmoves"], game.board(), chess960)?;
        Ok(Query {
            ply,
            priority,
            moves,
            multipv: fields.number("multipv", 1..=256)?.unwrap_or(1),
            report: fields.number("report_ms", 10..=3_600_000)?.map(Duration::from_millis),
            iterations: fields.flag("iterations")?,
            fresh: fields.flag("fresh")?,
            ..Query::new(id.clone(), game, chess960, limits)
        })
    };
    positions.into_iter().map(query).collect()
}

/// The plies to search of a game with this number of positions.
fn plies(given: &Value, positions: usize) -> Option<BTreeSet<usize>> {
    if given == "all" {
        return Some((0..positions).collect());
    }
    let list = given.as_array().filter(|list| !list.is_empty())?;
    let ply = |value: &Value| whole(value).and_then(|ply| usize::try_from(ply).ok()).filter(|&ply| ply < positions);
    list.iter().map(ply).collect()
}

pub fn limits(fields: Fields) -> Result<Limits, RequestError> {
    let depth = fields.number("depth", 1..=MAX_DEPTH as u64)?;
    let nodes = fields.number("nodes", 1..=1 << 50)?;
    let time = fields.number("time_ms", 1..=86_400_000)?;
    let infinite = fields.flag("infinite")?;
    if depth.is_none() && nodes.is_none() && time.is_none() && !infinite {
        return Err(RequestError::new("missing", "depth", "no limit; expected depth, nodes, time_ms or infinite"));
    }
    if infinite && (depth.is_some() || nodes.is_some() || time.is_some()) {
        let text = "infinite with another limit; expected infinite alone, or depth, nodes or time_ms";
        return Err(RequestError::new("bad-field", "infinite", text));
    }
    let (depth, movetime) = (depth.map(|depth| depth as i32), time.map(|time| time as i64));
    Ok(Limits { depth, nodes, movetime, infinite, ..Limits::default() })
}

/// The root moves to search, by the names of the fields with the moves to search and to avoid; empty for all.
pub fn root_moves(
    fields: Fields,
    [search, avoid]: [&'static str; 2],
    board: &Board,
    chess960: bool,
) -> Result<Vec<Move>, RequestError> {
    let [searched, avoided] = [words(fields, search)?, words(fields, avoid)?];
    let wrong = |field: &'static str| move |error: String| RequestError::new("bad-move", field, error);
    let setup = Setup { chess960, ..Setup::default() };
    let left = setup.moves_without(board, avoid, &avoided).map_err(wrong(avoid))?;
    let searched = searched.split([' ', ',']).filter(|word| !word.is_empty());
    let searched: Result<Vec<Move>, _> = searched.map(|word| board.read_move(word, chess960)).collect();
    let searched = searched.map_err(wrong(search))?;
    if searched.is_empty() || left.is_empty() {
        return Ok(if searched.is_empty() { left } else { searched });
    }
    let both: Vec<Move> = searched.into_iter().filter(|mv| left.contains(mv)).collect();
    let none = || wrong(avoid)(format!("{avoid} {} leaves none of {search}", quoted(&avoided)));
    if both.is_empty() { Err(none()) } else { Ok(both) }
}

/// Moves as one text or a list.
fn words(fields: Fields, field: &str) -> Result<String, RequestError> {
    let words = fields.read(field, "moves such as \"e4 e5\" or [\"e2e4\",\"e7e5\"]", |value| match value {
        Value::String(text) => Some(text.clone()),
        value => Some(value.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?.join(" ")),
    });
    Ok(words?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        parse(line).err().map_or_else(String::new, |(_, error)| error.text().to_owned())
    }

    #[test]
    fn requests_are_parsed() {
        let Ok(Request::Query(queries)) = parse(
            r#"{"id":7,"moves":"1. e4 e5","nodes":9,"searchmoves":["g1f3","Nc3"],"avoidmoves":"Nc3","report_ms":50}"#,
        ) else {
            panic!("refused")
        };
        let query = &queries[0];
        assert_eq!(query.game.board().fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(query.moves.len(), 1);
        assert_eq!(query.limits, Limits { nodes: Some(9), ..Limits::default() });
        assert!(matches!(parse(r#"{"cancel":"x"}"#), Ok(Request::Cancel(id)) if id == "x"));
        assert!(matches!(parse("\u{FEFF}{\"status\":true}"), Ok(Request::Status)));
        let position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4";
        let line = format!(r#"{{"id":1,"fen":"{position}","moves":"e5","depth":5.0,"nodes":1e3,"priority":-2.0}}"#);
        let Ok(Request::Query(queries)) = parse(&line) else { panic!("refused") };
        let query = &queries[0];
        assert_eq!((query.limits.depth, query.limits.nodes, query.priority), (Some(5), Some(1000), -2));
        assert_eq!(query.game.board().fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    }

    #[test]
    fn interrupted_queries_keep_their_limits() {
        let line = r#"{"id":1,"depth":9,"nodes":1000,"time_ms":60000,"fresh":true}"#;
        let Ok(Request::Query(mut queries)) = parse(line) else { panic!("refused") };
        let query = &mut queries[0];
        let limits = query.limits;
        assert_eq!(query.remaining(), limits);
        query.spend(Duration::from_secs(15), 500);
        query.spend(Duration::from_secs(25), 600);
        assert_eq!(query.remaining(), Limits { nodes: Some(1), movetime: Some(20_000), ..limits });
        assert!(query.limits == limits && !query.may_be_known());
    }

    #[test]
    fn errors_quote_the_input_and_name_the_expectation() {
        for (line, expected) in [
            ("go depth 3", "\"go depth 3\": expected value"),
            ("[]", "is not a JSON object"),
            ("{}", "no \"id\""),
            (r#"{"id":[1]}"#, "\"id\" expects a string"),
            (r#"{"id":1.5}"#, "not \"1.5\""),
            (r#"{"id":1}"#, "expected depth, nodes, time_ms or infinite"),
            (r#"{"id":1,"depth":3,"infinite":true}"#, "expected infinite alone"),
            (r#"{"id":1,"dept":3}"#, "unknown field \"dept\"; expected id, fen"),
            (r#"{"id":1,"depth":"9"}"#, "\"depth\" expects a whole number from 1 to"),
            (r#"{"id":1,"depth":0}"#, "not \"0\""),
            (r#"{"id":1,"nodes":1e300}"#, "\"nodes\" expects"),
            (r#"{"id":1,"nodes":1.5}"#, "\"nodes\" expects a whole number"),
            (r#"{"id":1,"depth":3,"fen":"8/8/8/8/8/8/8/Kk6 w - - 0 1 x"}"#, "'x' after the move number"),
            (r#"{"status":1}"#, "\"status\" expects true, not \"1\""),
            (r#"{"id":1,"depth":3,"moves":"e4 e4"}"#, "\"e4\" is not a legal move in rnbqkbnr"),
            (r#"{"id":1,"depth":3,"moves":[1]}"#, "\"moves\" expects moves such as"),
            (r#"{"id":1,"depth":3,"fen":"8/8"}"#, "8/8"),
            (r#"{"id":1,"depth":3,"searchmoves":"e4","avoidmoves":"e4"}"#, "leaves none of searchmoves"),
            (r#"{"id":1,"depth":3,"schema":"lento-serve/9"}"#, "expects lento-serve/1"),
            (r#"{"cancel":"a","id":"a"}"#, "unknown field \"id\""),
        ] {
            assert!(error(line).contains(expected), "{line}: {}", error(line));
        }
        assert!(error(&"[".repeat(60_000)).contains("recursion limit"));
        assert!(error(&format!(r#"{{"id":1,"depth":1,"fen":"{}"}}"#, "x".repeat(60_000))).len() < 1000);
    }
}
