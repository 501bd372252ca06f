//! Requests as JSON.

use super::board::Refusal;
use lento::chess::{Board, Game, Move};
use lento::search::MAX_DEPTH;
use lento::search::limits::Limits;
use lento_console::interrupt::Stop;
use lento_console::setup::Setup;
use lento_uci::words::quoted;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// Longest id, in bytes of JSON.
const MAX_ID: usize = 256;
/// The priority of a person who waits; clients have lower ones.
pub const URGENT: i64 = i64::MAX;
/// Most plies of a game.
const MAX_PLIES: usize = 2048;

/// The fields of a query.
const FIELDS: [&str; 17] = [
    "id",
    "fen",
    "moves",
    "plies",
    "chess960",
    "depth",
    "nodes",
    "time_ms",
    "infinite",
    "priority",
    "multipv",
    "searchmoves",
    "avoidmoves",
    "report_ms",
    "iterations",
    "fresh",
    "schema",
];

/// A request of a client.
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
    /// The ply of the position in its game, where several of them are asked for.
    pub ply: Option<usize>,
    pub game: Game,
    pub chess960: bool,
    pub limits: Limits,
    /// Higher ones come first.
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
    /// Asked when the query is cancelled.
    pub stop: Stop,
    /// Time and nodes used before an urgent query took the engine.
    pub spent: (Duration, u64),
    /// The session that asks.
    pub session: Option<Session>,
}

/// Searches of a person that share an engine, its threads and the size of its hash table.
#[derive(Clone)]
pub struct Session {
    pub id: Arc<str>,
    pub threads: usize,
    pub hash_mib: usize,
}

impl Query {
    /// Takes time and nodes from what is left of the limits.
    pub fn spend(&mut self, time: Duration, nodes: u64) {
        let left = |limit: u64, used: u64| limit.saturating_sub(used).max(1);
        self.limits.movetime = self.limits.movetime.map(|limit| left(limit as u64, time.as_millis() as u64) as i64);
        self.limits.nodes = self.limits.nodes.map(|limit| left(limit, nodes));
        self.spent = (self.spent.0 + time, self.spent.1 + nodes);
        // What it has found lies in the hash table.
        self.fresh = false;
    }
}

impl Query {
    /// Whether a stored result may answer it.
    pub fn may_be_known(&self) -> bool {
        let is_limited = self.limits.depth.or(self.limits.nodes.map(|_| 0)).is_some() || self.limits.movetime.is_some();
        is_limited && !self.fresh && !self.iterations && self.priority != URGENT
    }
}

/// A refused request with its id, or null.
pub struct Refused {
    pub id: Value,
    pub error: Refusal,
}

/// The query of these fields, which are of one position.
pub fn one(fields: &Map<String, Value>) -> Result<Query, Refusal> {
    let mut queries = queries(fields, 0.into())?;
    let query = queries.pop().filter(|_| queries.is_empty());
    query.ok_or_else(|| Refusal::new("bad-field", "limit", "expected limits of one search"))
}

pub fn parse(line: &str) -> Result<Request, Refused> {
    let refuse = |error| Refused { id: Value::Null, error };
    let line = line.trim_start_matches('\u{FEFF}');
    let value: Value = serde_json::from_str(line)
        .map_err(|error| refuse(Refusal::new("bad-json", "", format!("{}: {error}", quoted(line)))))?;
    let Value::Object(object) = value else {
        let text = format!("{} is not a JSON object, such as {{\"id\":\"a\",\"depth\":12}}", quoted(line));
        return Err(refuse(Refusal::new("bad-json", "", text)));
    };
    if let Some(id) = object.get("cancel") {
        only(&object, &["cancel"]).map_err(refuse)?;
        return checked_id("cancel", id).map(Request::Cancel).map_err(refuse);
    }
    for (name, request) in [("cancel_all", Request::CancelAll), ("status", Request::Status)] {
        if object.contains_key(name) {
            only(&object, &[name]).map_err(refuse)?;
            return match flag(&object, name) {
                Ok(true) => Ok(request),
                _ => Err(refuse(Refusal::expected(name, &object[name], "true"))),
            };
        }
    }
    let missing = || refuse(Refusal::new("missing", "id", format!("no \"id\" in {}", quoted(line))));
    let id = checked_id("id", object.get("id").ok_or_else(missing)?).map_err(refuse)?;
    match queries(&object, id.clone()) {
        Ok(queries) => Ok(Request::Query(queries)),
        Err(error) => Err(Refused { id, error }),
    }
}

fn checked_id(field: &str, id: &Value) -> Result<Value, Refusal> {
    let fits = (id.is_string() || id.is_u64() || id.is_i64()) && id.to_string().len() <= MAX_ID;
    let expected = || format!("a string of up to {MAX_ID} bytes or a whole number");
    fits.then(|| id.clone()).ok_or_else(|| Refusal::expected(field, id, &expected()))
}

/// Refuses unknown fields.
fn only(object: &Map<String, Value>, known: &[&str]) -> Result<(), Refusal> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let text = format!("unknown field {}; expected {}", quoted(key), known.join(", "));
            Err(Refusal::new("unknown-field", key, text))
        }
        None => Ok(()),
    }
}

/// The query of an object, once for each of its plies.
fn queries(object: &Map<String, Value>, id: Value) -> Result<Vec<Query>, Refusal> {
    only(object, &FIELDS)?;
    if let Some(schema) = object.get("schema").filter(|schema| *schema != super::SCHEMA) {
        return Err(Refusal::expected("schema", schema, super::SCHEMA));
    }
    let chess960 = flag(object, "chess960")?;
    let fen = match object.get("fen") {
        None => None,
        Some(Value::String(fen)) => Some(fen.clone()),
        Some(other) => return Err(Refusal::expected("fen", other, "a FEN")),
    };
    let setup = Setup { fen, chess960 };
    let text = words(object, "moves")?;
    let count = text.split([' ', ',']).count();
    if count > MAX_PLIES {
        return Err(Refusal::new("too-many", "moves", format!("{count} moves; expected up to {MAX_PLIES}")));
    }
    let mut game = setup.game("").map_err(|error| Refusal::new("bad-fen", "fen", error))?;
    let moves = setup.moves(game.board(), &text).map_err(|error| Refusal::new("bad-move", "moves", error))?;
    let wanted = object.get("plies").map(|given| plies(given, moves.len() + 1)).transpose()?;
    let mut positions = Vec::new();
    for ply in 0..=moves.len() {
        if wanted.as_ref().map_or(ply == moves.len(), |wanted| wanted.binary_search(&ply).is_ok()) {
            positions.push((wanted.is_some().then_some(ply), game.clone()));
        }
        moves.get(ply).into_iter().for_each(|&mv| game.play(mv));
    }
    let limits = limits(object)?;
    let priority = match object.get("priority") {
        None => 0,
        Some(value) => whole(value)
            .filter(|&value| i32::try_from(value).is_ok())
            .ok_or_else(|| Refusal::expected("priority", value, "a whole number from -2147483648 to 2147483647"))?,
    };
    let [searched, avoided] = [words(object, "searchmoves")?, words(object, "avoidmoves")?];
    let query = |(ply, game): (Option<usize>, Game)| -> Result<Query, Refusal> {
        let moves = root_moves(&setup, game.board(), &searched, &avoided)?;
        Ok(Query {
            id: id.clone(),
            ply,
            chess960,
            limits,
            priority,
            moves,
            multipv: number(object, "multipv", 1..=256)?.unwrap_or(1),
            report: number(object, "report_ms", 10..=3_600_000)?.map(Duration::from_millis),
            iterations: flag(object, "iterations")?,
            fresh: flag(object, "fresh")?,
            stop: Stop::default(),
            spent: (Duration::ZERO, 0),
            session: None,
            game,
        })
    };
    positions.into_iter().map(query).collect()
}

/// The plies to search of a game with this number of positions, in order.
fn plies(given: &Value, positions: usize) -> Result<Vec<usize>, Refusal> {
    if given == "all" {
        return Ok((0..positions).collect());
    }
    let expected =
        || Refusal::expected("plies", given, &format!("\"all\" or a list of numbers from 0 to {}", positions - 1));
    let list = given.as_array().filter(|list| !list.is_empty()).ok_or_else(expected)?;
    let ply = |value: &Value| whole(value).and_then(|ply| usize::try_from(ply).ok()).filter(|&ply| ply < positions);
    let mut wanted: Vec<usize> = list.iter().map(ply).collect::<Option<_>>().ok_or_else(expected)?;
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

fn limits(object: &Map<String, Value>) -> Result<Limits, Refusal> {
    let depth = number(object, "depth", 1..=MAX_DEPTH as u64)?;
    let nodes = number(object, "nodes", 1..=1 << 50)?;
    let time = number(object, "time_ms", 1..=86_400_000)?;
    let infinite = flag(object, "infinite")?;
    if depth.is_none() && nodes.is_none() && time.is_none() && !infinite {
        return Err(Refusal::new("missing", "depth", "no limit; expected depth, nodes, time_ms or infinite"));
    }
    let (depth, movetime) = (depth.map(|depth| depth as i32), time.map(|time| time as i64));
    Ok(Limits { depth, nodes, movetime, infinite, ..Limits::default() })
}

/// The root moves to search; none for all.
fn root_moves(setup: &Setup, board: &Board, searched: &str, avoided: &str) -> Result<Vec<Move>, Refusal> {
    let wrong = |field: &'static str| move |error: String| Refusal::new("bad-move", field, error);
    let left = setup.moves_without(board, "avoidmoves", avoided).map_err(wrong("avoidmoves"))?;
    let searched: Vec<Move> = searched
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .map(|word| board.read_move(word, setup.chess960))
        .collect::<Result<_, _>>()
        .map_err(wrong("searchmoves"))?;
    if searched.is_empty() || left.is_empty() {
        return Ok(if searched.is_empty() { left } else { searched });
    }
    let both: Vec<Move> = searched.into_iter().filter(|mv| left.contains(mv)).collect();
    let none = || wrong("avoidmoves")(format!("avoidmoves {} leaves none of searchmoves", quoted(avoided)));
    if both.is_empty() { Err(none()) } else { Ok(both) }
}

fn flag(object: &Map<String, Value>, field: &str) -> Result<bool, Refusal> {
    match object.get(field) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| Refusal::expected(field, value, "true or false")),
    }
}

fn number(object: &Map<String, Value>, field: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Refusal> {
    let Some(value) = object.get(field) else { return Ok(None) };
    let (least, most) = (range.start(), range.end());
    let number = whole(value).and_then(|number| number.try_into().ok()).filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| Refusal::expected(field, value, &format!("a whole number from {least} to {most}")))
}

/// A whole number, also written as `5.0` or `1e3`.
fn whole(value: &Value) -> Option<i64> {
    // Larger floats do not name one number.
    let exact = |float: &f64| float.fract() == 0.0 && float.abs() <= (1_u64 << 53) as f64;
    value.as_i64().or_else(|| value.as_f64().filter(exact).map(|float| float as i64))
}

/// Moves as one text or a list.
fn words(object: &Map<String, Value>, field: &str) -> Result<String, Refusal> {
    let expected = "moves such as \"e4 e5\" or [\"e2e4\",\"e7e5\"]";
    match object.get(field) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => {
            let list = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
            list.map(|list| list.join(" ")).ok_or_else(|| Refusal::expected(field, value, expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        parse(line).err().map_or_else(String::new, |refused| refused.error.text().to_owned())
    }

    #[test]
    fn requests() {
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
    fn errors_quote_the_input_and_say_what_is_expected() {
        for (line, expected) in [
            ("go depth 3", "\"go depth 3\": expected value"),
            ("[]", "is not a JSON object"),
            ("{}", "no \"id\""),
            (r#"{"id":[1]}"#, "\"id\" expects a string"),
            (r#"{"id":1.5}"#, "not \"1.5\""),
            (r#"{"id":1}"#, "expected depth, nodes, time_ms or infinite"),
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
