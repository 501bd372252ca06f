//! The positions of the page, shared by its visitors.

use super::client::Client;
use super::pool::Pool;
use super::query::{self, Request};
use lento_uci::words::quoted;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Most positions.
const MAX_POSITIONS: usize = 200;
/// Most points of a graph; then every other one is dropped.
const MAX_POINTS: usize = 400;
/// Interval of reports in milliseconds.
const REPORT_MS: u64 = 250;
/// Messages that a slow visitor may be behind before the whole state is sent again.
const BEHIND: usize = 64;
/// The fields of a query that visitors may set.
const FIELDS: [&str; 8] = ["fen", "moves", "chess960", "depth", "nodes", "time_ms", "multipv", "priority"];

/// The positions and their searches, which are queries like those of other clients.
pub struct Desk {
    pool: Arc<Pool>,
    /// Whether the page has a tree.
    has_tree: bool,
    pub client: Arc<Client>,
    state: Mutex<State>,
    news: broadcast::Sender<Arc<str>>,
}

#[derive(Default)]
struct State {
    positions: BTreeMap<u64, Position>,
    added: u64,
    paused: bool,
}

struct Position {
    /// The fields of the query, without limits already used.
    query: Map<String, Value>,
    fen: String,
    state: &'static str,
    /// The latest report.
    report: Value,
    /// Time and nodes before the last pause.
    spent: [u64; 2],
    /// Milliseconds, depth and score of White: win probability per mille.
    graph: Vec<[u64; 3]>,
}

impl Desk {
    pub fn new(pool: &Arc<Pool>, has_tree: bool) -> Self {
        let client = Client::new(pool, usize::MAX);
        Self { pool: Arc::clone(pool), has_tree, client, state: Mutex::default(), news: broadcast::channel(BEHIND).0 }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Arc<str>> {
        self.news.subscribe()
    }

    /// Tells all visitors.
    pub fn tell(&self, news: &Value) {
        // Fails without visitors.
        let _ = self.news.send(news.to_string().into());
    }

    /// Everything, for a new visitor.
    pub fn all(&self) -> Vec<String> {
        let state = self.state.lock();
        let mut all = vec![
            json!({ "begin": true, "has_tree": self.has_tree, "paused": state.paused, "server": self.pool.status() }),
        ];
        all.extend(state.positions.iter().map(|(number, position)| {
            let mut news = position.news(*number);
            news["graph"] = json!(position.graph);
            news
        }));
        all.iter().map(Value::to_string).collect()
    }

    /// Tells the visitors the state of the pool.
    pub fn tell_status(&self) {
        if self.news.receiver_count() > 0 {
            self.tell(&json!({ "server": self.pool.status() }));
        }
    }

    /// Handles the message of a visitor. Returns an error for that visitor alone.
    pub fn handle(&self, message: &str) -> Result<(), String> {
        let expected = || format!("{}; expected add, remove or pause", quoted(message));
        let value: Value = serde_json::from_str(message).map_err(|_| expected())?;
        if let Some(fields) = value.get("add").and_then(Value::as_object) {
            self.add(fields)
        } else if let Some(number) = value.get("remove").and_then(Value::as_u64) {
            self.remove(number)
        } else if let Some(pause) = value.get("pause").and_then(Value::as_bool) {
            self.pause(pause);
            Ok(())
        } else {
            Err(expected())
        }
    }

    fn add(&self, fields: &Map<String, Value>) -> Result<(), String> {
        if let Some(unknown) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            return Err(format!("unknown field {}; expected {}", quoted(unknown), FIELDS.join(", ")));
        }
        let mut query = fields.clone();
        query.insert("id".into(), 0.into());
        query.insert("report_ms".into(), REPORT_MS.into());
        let fen = match query::parse(&Value::from(query.clone()).to_string()) {
            Ok(Request::Query(queries)) if queries.len() == 1 => queries[0].game.board().fen(queries[0].chess960),
            Ok(_) => return Err("expected a position".into()),
            Err(refused) => return Err(refused.error.text().to_owned()),
        };
        let mut state = self.state.lock();
        if state.positions.len() >= MAX_POSITIONS {
            return Err(format!("{MAX_POSITIONS} positions; expected to remove some"));
        }
        state.added += 1;
        let (number, paused) = (state.added, state.paused);
        let (graph, spent, report) = (Vec::new(), [0, 0], Value::Null);
        let position = Position { query, fen, state: "paused", report, spent, graph };
        let position = state.positions.entry(number).or_insert(position);
        if !paused {
            self.submit(number, position);
        }
        self.tell(&position.news(number));
        Ok(())
    }

    /// Queues what is left of a search.
    fn submit(&self, number: u64, position: &mut Position) {
        let mut query = position.query.clone();
        query.insert("id".into(), number.into());
        for (limit, spent) in ["time_ms", "nodes"].into_iter().zip(position.spent) {
            if let Some(value) = query.get_mut(limit) {
                *value = value.as_u64().unwrap_or(1).saturating_sub(spent).max(1).into();
            }
        }
        position.state = "waiting";
        self.client.request(&Value::from(query).to_string());
    }

    fn remove(&self, number: u64) -> Result<(), String> {
        let mut state = self.state.lock();
        state.positions.remove(&number).ok_or_else(|| format!("no position {number}"))?;
        self.client.cancel(&number.into());
        self.tell(&json!({ "removed": number }));
        Ok(())
    }

    fn pause(&self, pause: bool) {
        let mut state = self.state.lock();
        state.paused = pause;
        for (&number, position) in &mut state.positions {
            // One whose cancellation is not answered yet is resumed by the answer.
            if pause {
                self.client.cancel(&number.into());
            } else if position.state == "paused" {
                self.submit(number, position);
                self.tell(&position.news(number));
            }
        }
        self.tell(&json!({ "paused": pause }));
    }

    /// Takes the answers of the pool, until the client is closed.
    pub async fn run(&self) {
        while let Some(text) = self.client.take() {
            if text.is_empty() {
                self.client.news.notified().await;
            }
            for line in text.lines() {
                if let Ok(answer) = serde_json::from_str(line) {
                    self.update(answer);
                }
            }
        }
    }

    fn update(&self, answer: Value) {
        let mut state = self.state.lock();
        let paused = state.paused;
        let Some(number) = answer["id"].as_u64() else { return };
        let Some(position) = state.positions.get_mut(&number) else { return };
        let spent = position.spent;
        let cancelled = answer["status"] == "cancelled";
        position.state = match answer["status"].as_str() {
            Some("partial") => "searching",
            Some("done") => "done",
            Some("cancelled") => "paused",
            _ => "error",
        };
        if cancelled {
            position.spent = [0, 1].map(|at| spent[at] + answer[["time_ms", "nodes"][at]].as_u64().unwrap_or(0));
        }
        let mut point = None;
        // One that was cancelled early knows less than before.
        let depth = |report: &Value| report["lines"][0]["depth"].as_u64();
        if depth(&answer).is_some() && (!cancelled || depth(&answer) >= depth(&position.report)) {
            point = position.point(&answer, spent[0]);
            position.report = answer;
        }
        if cancelled && !paused {
            self.submit(number, position);
        }
        let mut news = position.news(number);
        news["point"] = json!(point);
        self.tell(&news);
    }
}

impl Position {
    /// What visitors see.
    fn news(&self, number: u64) -> Value {
        json!({
            "position": number,
            "fen": self.fen,
            "start": self.query.get("fen"),
            "moves": self.query.get("moves"),
            "state": self.state,
            "spent": self.spent[0],
            "report": self.report,
        })
    }

    /// Adds a point to the graph.
    fn point(&mut self, report: &Value, before: u64) -> Option<[u64; 3]> {
        let line = &report["lines"][0];
        let wdl = |at: usize| line["wdl"][at].as_u64();
        let own = (2 * wdl(0)? + wdl(1)?) / 2;
        let white = if self.fen.split(' ').nth(1) == Some("w") { own } else { 1000 - own.min(1000) };
        let point = [before + report["time_ms"].as_u64()?, line["depth"].as_u64()?, white];
        self.graph.push(point);
        if self.graph.len() > MAX_POINTS {
            let mut number = 0;
            self.graph.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        Some(point)
    }
}
