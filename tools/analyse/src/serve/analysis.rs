//! The search beside a visitor's board. It comes before all queries, and a new one takes its place.

use super::board::Refusal;
use super::pool::{Asker, Pool, Ticket};
use super::query::{self, Query, Request, URGENT};
use lento::chess::Color;
use lento_console::interrupt::Stop;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// Interval of news in milliseconds.
const REPORT_MS: u64 = 100;
/// Maximum number of lines.
const MAX_LINES: u64 = 10;
/// Maximum number of positions whose results are kept.
const MAX_KNOWN: usize = 10_000;
/// Maximum length of a key, in bytes.
const MAX_KEY: usize = 64;
/// The fields of a request.
const FIELDS: [&str; 11] =
    ["id", "ask", "key", "start", "chess960", "moves", "lines", "search", "avoid", "threat", "limit"];

/// Results of earlier searches, the deepest of each position and number of lines.
#[derive(Default)]
pub(super) struct Known {
    results: HashMap<String, Value>,
    /// From the oldest.
    order: VecDeque<String>,
}

impl Known {
    /// Keeps a result unless there is a deeper one.
    fn learn(&mut self, name: &str, event: &Value) {
        let depth = |event: &Value| event["depth"].as_u64();
        match self.results.get_mut(name) {
            Some(known) if depth(known) > depth(event) => {}
            Some(known) => *known = event.clone(),
            None => {
                self.results.insert(name.into(), event.clone());
                self.order.push_back(name.into());
                if self.order.len() > MAX_KNOWN
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.results.remove(&oldest);
                }
            }
        }
    }
}

/// The search of one visitor.
pub(super) struct Analysis {
    pool: Arc<Pool>,
    known: Arc<Mutex<Known>>,
    /// The latest news, for the visitor's connection.
    news: watch::Sender<Option<Arc<str>>>,
    running: Option<Running>,
}

struct Running {
    ticket: Ticket,
    stop: Stop,
    watcher: Arc<Watcher>,
}

impl Analysis {
    pub(super) fn new(pool: &Arc<Pool>, known: &Arc<Mutex<Known>>) -> Self {
        let (pool, known) = (Arc::clone(pool), Arc::clone(known));
        Self { pool, known, news: watch::Sender::new(None), running: None }
    }

    /// The latest news as they change.
    pub(super) fn news(&self) -> watch::Receiver<Option<Arc<str>>> {
        self.news.subscribe()
    }

    /// Begins the search of a request in place of the one before.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(super) fn begin(&mut self, request: &Map<String, Value>) -> Result<(), Refusal> {
        let (mut query, key) = parse(request)?;
        let mut board = query.game.board().clone();
        if request.get("threat") == Some(&true.into()) {
            query.game =
                query.game.passed().map_err(|why| Refusal::new("no-threat", "threat", format!("no threat: {why}")))?;
            query.moves.clear();
            board = query.game.board().clone();
        }
        if let Some(running) = &self.running {
            running.watcher.replaced.store(true, Ordering::Relaxed);
        }
        self.stop();
        let lines = query.multipv;
        let any = if query.moves.is_empty() { String::new() } else { format!(" {}", request_moves(request)) };
        let name = format!("{} {lines}{any}", board.fen(query.chess960));
        let turn = board.side_to_move();
        let stored = self.known.lock().results.get(&name).cloned();
        let watcher = Arc::new(Watcher {
            key,
            fen: board.fen(query.chess960),
            turn,
            name,
            stored,
            known: Arc::clone(&self.known),
            news: self.news.clone(),
            replaced: AtomicBool::new(false),
        });
        if !board.has_legal_move() {
            watcher.tell("done", &json!({}));
            return Ok(());
        }
        watcher.tell("waiting", &json!({}));
        let stop = query.stop.clone();
        let ticket = self.pool.push(query, Arc::clone(&watcher) as Arc<dyn Asker>);
        self.running = Some(Running { ticket, stop, watcher });
        Ok(())
    }

    /// Ends the search.
    pub(super) fn stop(&mut self) {
        if let Some(Running { ticket, stop, watcher }) = self.running.take() {
            stop.ask();
            // One that is being searched is answered by its engine.
            if self.pool.remove(ticket) {
                watcher.tell("stopped", &json!({}));
            }
        }
    }
}

/// A visitor who leaves.
impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The query of a request, and its key.
fn parse(request: &Map<String, Value>) -> Result<(Query, String), Refusal> {
    if let Some(unknown) = request.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        return Err(Refusal::new(
            "unknown-field",
            unknown,
            format!("unknown field {unknown:?}; expected {}", FIELDS[2..].join(", ")),
        ));
    }
    let key = request.get("key").and_then(Value::as_str).filter(|key| key.len() <= MAX_KEY);
    let key = key
        .ok_or_else(|| Refusal::new("missing", "key", format!("expected \"key\", a text of up to {MAX_KEY} bytes")))?;
    let lines = request.get("lines").map_or(Some(1), Value::as_u64).filter(|lines| (1..=MAX_LINES).contains(lines));
    let lines = lines
        .ok_or_else(|| Refusal::expected("lines", &request["lines"], &format!("a number from 1 to {MAX_LINES}")))?;
    let mut fields = Map::from_iter([("id".into(), 0.into()), ("multipv".into(), lines.into())]);
    for (field, name) in [
        ("start", "fen"),
        ("chess960", "chess960"),
        ("moves", "moves"),
        ("search", "searchmoves"),
        ("avoid", "avoidmoves"),
    ] {
        if let Some(value) = request.get(field).filter(|value| !value.is_null()) {
            fields.insert(name.into(), value.clone());
        }
    }
    let limit = request.get("limit").and_then(Value::as_object).filter(|limit| !limit.is_empty());
    match limit {
        Some(limit) => fields.extend(limit.clone()),
        None => drop(fields.insert("infinite".into(), true.into())),
    }
    fields.insert("report_ms".into(), REPORT_MS.into());
    match query::parse(&Value::Object(fields).to_string()) {
        Ok(Request::Query(mut queries)) if queries.len() == 1 => {
            let query = queries.remove(0);
            Ok((Query { priority: URGENT, ..query }, key.to_owned()))
        }
        Ok(_) => Err(Refusal::new("bad-field", "limit", "expected limits of one search")),
        Err(refused) => Err(refused.error),
    }
}

/// The restriction of the root moves, as given.
fn request_moves(request: &Map<String, Value>) -> String {
    json!([request.get("search"), request.get("avoid")]).to_string()
}

/// Passes the answers of a search to its visitor.
struct Watcher {
    key: String,
    fen: String,
    turn: Color,
    /// The position and its conditions.
    name: String,
    /// What an earlier search found.
    stored: Option<Value>,
    known: Arc<Mutex<Known>>,
    news: watch::Sender<Option<Arc<str>>>,
    /// Whether another search has taken its place, whose news come from here on.
    replaced: AtomicBool,
}

impl Watcher {
    /// Sends an answer, with the lines of an earlier search while those are deeper.
    fn tell(&self, state: &str, answer: &Value) {
        let best = &answer["lines"][0];
        let mut event = json!({
            "event": "lines",
            "key": self.key,
            "state": state,
            "fen": self.fen,
            "depth": best["depth"],
            "seldepth": best["seldepth"],
            "nodes": answer["nodes"],
            "nps": answer["nps"],
            "time_ms": answer["time_ms"],
            "hashfull": best["hashfull"],
            "tb_hits": best["tb_hits"],
            "lines": answer["lines"].as_array().map_or_else(Vec::new, |lines| {
                lines.iter().map(|line| of_white(line, self.turn)).collect()
            }),
        });
        if best.is_object() {
            self.known.lock().learn(&self.name, &event);
        }
        if let Some(stored) = self.stored.as_ref().filter(|stored| stored["depth"].as_u64() > event["depth"].as_u64()) {
            for field in ["depth", "seldepth", "lines"] {
                event[field] = stored[field].clone();
            }
        }
        if !self.replaced.load(Ordering::Relaxed) {
            self.news.send_replace(Some(event.to_string().into()));
        }
    }
}

impl Asker for Watcher {
    fn finish(&self, _: &Value, answer: Value) {
        self.tell(if answer["status"] == "done" { "done" } else { "stopped" }, &answer);
    }

    fn report(&self, report: Value) {
        self.tell("searching", &report);
    }
}

/// A line with White's score, and the share of points that White expects.
fn of_white(line: &Value, turn: Color) -> Value {
    let mut line = line.clone();
    let sign = if turn == Color::White { 1 } else { -1 };
    if let Some(score) = line["score"].as_object_mut() {
        score.values_mut().for_each(|value| *value = (sign * value.as_i64().unwrap_or(0)).into());
    }
    if let Some(wdl) = line["wdl"].as_array_mut().filter(|_| turn == Color::Black) {
        wdl.reverse();
    }
    if turn == Color::Black {
        line["bound"] = match line["bound"].as_str() {
            Some("lower") => "upper".into(),
            Some("upper") => "lower".into(),
            _ => "exact".into(),
        };
    }
    let share = |at: usize| line["wdl"][at].as_f64().unwrap_or(0.0);
    line["expected"] = ((share(0) + share(1) / 2.0) / 1000.0).into();
    for field in ["seldepth", "nodes", "nps", "hashfull", "tb_hits", "time_ms"] {
        if let Some(line) = line.as_object_mut() {
            line.remove(field);
        }
    }
    line
}
