//! Searches for boards of the page, shared by all visitors of a position. They have priority over queries.

use super::admission::Role;
use super::board::{Fields, Place, RequestError};
use super::pool::Pool;
use super::query::{self, Query, URGENT};
use super::results::Update;
use super::scheduler::{Answer, Ticket};
use super::subject::Subject;
use lento::search::limits::Limits;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// Interval of updates.
const REPORT: Duration = Duration::from_millis(100);
const MAX_LINES: u64 = 10;
/// Maximum length of a key, in bytes.
const MAX_KEY: usize = 64;
const FIELDS: &str = "id, ask, key, start, chess960, moves, lines, search, avoid, threat, limit, watch";

pub(super) struct Searches {
    pool: Arc<Pool>,
    live: Mutex<HashMap<String, Weak<Live>>>,
}

/// A search, cancelled when its last visitor leaves.
struct Live {
    pool: Arc<Pool>,
    subject: Subject,
    updates: watch::Sender<Update>,
    running: Option<Ticket>,
}

impl Drop for Live {
    fn drop(&mut self) {
        // A search that waits for an engine sends no final answer to those who watch the position.
        if self.running.as_ref().is_some_and(|ticket| self.pool.cancel(ticket)) {
            let results = &self.pool.results;
            results.publish(&self.subject, || results.event(&self.subject, "stopped", None));
        }
    }
}

impl Searches {
    pub(super) fn new(pool: &Arc<Pool>) -> Self {
        Self { pool: Arc::clone(pool), live: Mutex::default() }
    }

    /// The running search of a query, or a new one, which takes the engine of the visitor's earlier one.
    fn join(&self, query: Query, subject: Subject, earlier: Option<Following>) -> Arc<Live> {
        let Query { multipv, chess960, ref limits, .. } = query;
        let name = format!("{} {multipv} {chess960} {limits:?}", subject.name);
        let mut live = self.live.lock();
        if let Some(running) = live.get(&name).and_then(Weak::upgrade) {
            return running;
        }
        // Frees its engine, so that no other search is preempted.
        drop(earlier);
        live.retain(|_, other| other.strong_count() > 0);
        let updates = watch::Sender::new(None);
        let (results, sender, has_moves) =
            (Arc::clone(&self.pool.results), updates.clone(), subject.board.has_legal_move());
        let shown = subject.clone();
        let publish = move |state: &str, answer: Option<&Answer>| {
            let update = results.event(&shown, state, answer);
            results.publish(&shown, || Arc::clone(&update));
            sender.send_replace(Some(update));
        };
        publish(if has_moves { "waiting" } else { "done" }, None);
        let on_answer = move |answer: Answer| match answer.status {
            "partial" => publish("searching", Some(&answer)),
            "done" => publish("done", Some(&answer)),
            _ => publish("stopped", Some(&answer)),
        };
        let running = has_moves.then(|| self.pool.push(query, Arc::new(on_answer)));
        let started = Arc::new(Live { pool: Arc::clone(&self.pool), subject, updates, running });
        live.insert(name, Arc::downgrade(&started));
        started
    }
}

/// The search followed by a visitor.
#[derive(Default)]
pub(super) struct Analysis {
    following: Option<Following>,
    /// An update to send before others.
    pending: Option<String>,
}

struct Following {
    key: String,
    fen: String,
    updates: watch::Receiver<Update>,
    /// Keeps the search running.
    _live: Option<Arc<Live>>,
}

impl Following {
    fn latest(&mut self) -> Option<String> {
        let update = self.updates.borrow_and_update().clone()?;
        Some(self.event(&update))
    }

    /// An update with the key and the position of the visitor.
    fn event(&self, update: &str) -> String {
        // Inserts fields into the object, which is serialised once for all visitors.
        format!("{{\"key\":{},\"fen\":{},{}", json!(self.key), json!(self.fen), &update[1..])
    }
}

impl Analysis {
    pub(super) async fn next(&mut self) -> String {
        if let Some(first) = self.pending.take() {
            return first;
        }
        let Some(following) = &mut self.following else { return pending().await };
        loop {
            if following.updates.changed().await.is_err() {
                return pending().await;
            }
            if let Some(event) = following.latest() {
                return event;
            }
        }
    }

    /// Follows the search of a request instead of the previous one. Read-only visitors, and requests to watch, start no search.
    ///
    /// # Errors
    /// If a field is invalid. Then the previous search ends as well, since no visitor sees its lines.
    pub(super) async fn begin(
        &mut self,
        searches: &Searches,
        request: &Map<String, Value>,
        role: Role,
    ) -> Result<(), RequestError> {
        let parsed = parse(request).and_then(|query| Ok((query, Fields::new(request, "").flag("watch")?)));
        let ((query, key), watches) = parsed.inspect_err(|_| self.following = None)?;
        let is_watching = role == Role::View || watches;
        let results = &searches.pool.results;
        let subject = searches.pool.subject(&query);
        let fen = subject.board.fen(query.chess960);
        results.load(&subject).await;
        let earlier = self.following.take();
        let (updates, live) = if is_watching {
            let updates = results.watch(&subject);
            drop(earlier);
            (updates, None)
        } else {
            let live = searches.join(query, subject.clone(), earlier);
            (live.updates.subscribe(), Some(live))
        };
        let mut following = Following { key, fen, updates, _live: live };
        let latest = following.latest();
        let event = latest.unwrap_or_else(|| following.event(&results.event(&subject, "watching", None)));
        self.pending = Some(event);
        self.following = Some(following);
        Ok(())
    }

    /// Stops following the search, which ends unless others follow it.
    pub(super) fn stop(&mut self) {
        let Some(mut following) = self.following.take() else { return };
        let last = following.latest();
        let last: Option<Value> = last.and_then(|event| serde_json::from_str(&event).ok());
        self.pending = last.map(|mut event| {
            event["state"] = "stopped".into();
            event.to_string()
        });
    }
}

/// The query of a request, and its key.
fn parse(request: &Map<String, Value>) -> Result<(Query, String), RequestError> {
    query::only(request, FIELDS)?;
    let fields = Fields::new(request, "");
    let expected = format!("a text of up to {MAX_KEY} bytes");
    let key = fields.read("key", &expected, |key| key.as_str().filter(|key| key.len() <= MAX_KEY))?;
    let key = fields.need("key", &expected, key)?;
    let lines = fields.number("lines", 1..=MAX_LINES)?;
    let limits = match fields.read("limit", "an object", Value::as_object)?.filter(|limit| !limit.is_empty()) {
        Some(limit) => query::limits(Fields::strict(limit))?,
        None => Limits { infinite: true, ..Limits::default() },
    };
    let Place { game, chess960, .. } = Place::parse(fields)?;
    let moves = query::root_moves(fields, ["search", "avoid"], game.board(), chess960)?;
    let mut query = Query {
        priority: URGENT,
        multipv: lines.unwrap_or(1),
        moves,
        report: Some(REPORT),
        ..Query::new(Value::Null, game, chess960, limits)
    };
    if fields.flag("threat")? {
        let refuse = |why| RequestError::new("no-threat", "threat", format!("no threat: {why}"));
        query.game = query.game.passed().map_err(refuse)?;
        query.moves.clear();
    }
    Ok((query, key.to_owned()))
}
