//! The searches beside the boards of visitors, who share that of a position. They come before all queries.

use super::board::{Fields, Refusal};
use super::gate::Role;
use super::pool::Pool;
use super::query::{self, Query, URGENT};
use super::results::News;
use super::subject::Subject;
use super::turns::{Answer, Ticket};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Weak};
use tokio::sync::watch;

/// Interval of news in milliseconds.
const REPORT_MS: u64 = 100;
/// Maximum number of lines.
const MAX_LINES: u64 = 10;
/// Maximum length of a key, in bytes.
const MAX_KEY: usize = 64;
/// The fields of a request.
const FIELDS: &str = "key, start, chess960, moves, lines, search, avoid, threat, limit";

/// The searches that run beside boards.
pub(super) struct Searches {
    pool: Arc<Pool>,
    live: Mutex<HashMap<String, Weak<Live>>>,
}

/// A search, which ends when its last visitor leaves.
struct Live {
    pool: Arc<Pool>,
    news: watch::Sender<News>,
    running: Option<Ticket>,
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(ticket) = &self.running {
            self.pool.cancel(ticket);
        }
    }
}

impl Searches {
    pub(super) fn new(pool: &Arc<Pool>) -> Self {
        Self { pool: Arc::clone(pool), live: Mutex::default() }
    }

    /// The running search of a query, or a new one.
    fn join(&self, query: Query, subject: Subject) -> Arc<Live> {
        let Query { multipv, chess960, ref limits, .. } = query;
        let name = format!("{} {multipv} {chess960} {limits:?}", subject.name);
        let mut live = self.live.lock();
        if let Some(running) = live.get(&name).and_then(Weak::upgrade) {
            return running;
        }
        live.retain(|_, other| other.strong_count() > 0);
        let news = watch::Sender::new(None);
        let (results, sender, has_moves) =
            (Arc::clone(&self.pool.results), news.clone(), subject.board.has_legal_move());
        let tell = move |state: &str, answer: Option<&Answer>| {
            let news = results.news(&subject, state, answer);
            results.show(&subject, || Arc::clone(&news));
            sender.send_replace(Some(news));
        };
        tell(if has_moves { "waiting" } else { "done" }, None);
        let asker = move |answer: Answer| match answer.status {
            "partial" => tell("searching", Some(&answer)),
            "done" => tell("done", Some(&answer)),
            _ => tell("stopped", Some(&answer)),
        };
        let running = has_moves.then(|| self.pool.push(query, Arc::new(asker)));
        let started = Arc::new(Live { pool: Arc::clone(&self.pool), news, running });
        live.insert(name, Arc::downgrade(&started));
        started
    }
}

/// What one visitor follows.
#[derive(Default)]
pub(super) struct Analysis {
    following: Option<Following>,
    /// News that are sent before others.
    first: Option<String>,
}

struct Following {
    key: String,
    fen: String,
    news: watch::Receiver<News>,
    /// Keeps the search running.
    _live: Option<Arc<Live>>,
}

impl Following {
    /// The latest news.
    fn latest(&mut self) -> Option<String> {
        let news = self.news.borrow_and_update().clone()?;
        Some(self.event(&news))
    }

    /// News with the key and the position of the visitor.
    fn event(&self, news: &str) -> String {
        // An object is prolonged in front, so that it is written once for all its visitors.
        format!("{{\"key\":{},\"fen\":{},{}", json!(self.key), json!(self.fen), &news[1..])
    }
}

impl Analysis {
    /// The next news.
    pub(super) async fn next(&mut self) -> String {
        if let Some(first) = self.first.take() {
            return first;
        }
        let Some(following) = &mut self.following else { return pending().await };
        loop {
            if following.news.changed().await.is_err() {
                return pending().await;
            }
            if let Some(event) = following.latest() {
                return event;
            }
        }
    }

    /// Follows the search of a request in place of the one before. Read-only visitors start none.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(super) async fn begin(
        &mut self,
        searches: &Searches,
        request: &Map<String, Value>,
        role: Role,
    ) -> Result<(), Refusal> {
        let (mut query, key) = parse(request)?;
        if request.get("threat") == Some(&true.into()) {
            query.game =
                query.game.passed().map_err(|why| Refusal::new("no-threat", "threat", format!("no threat: {why}")))?;
            query.moves.clear();
        }
        let results = &searches.pool.results;
        let subject = searches.pool.subject(&query);
        let fen = subject.board.fen(query.chess960);
        results.load(&subject).await;
        // The earlier search ends before the new one begins, unless they are the same.
        let earlier = self.following.take();
        let (news, live) = match role {
            Role::View => (results.watch(&subject), None),
            Role::Edit => {
                let live = searches.join(query, subject.clone());
                (live.news.subscribe(), Some(live))
            }
        };
        drop(earlier);
        let mut following = Following { key, fen, news, _live: live };
        let latest = following.latest();
        let event = latest.unwrap_or_else(|| following.event(&results.news(&subject, "watching", None)));
        self.first = Some(event);
        self.following = Some(following);
        Ok(())
    }

    /// Leaves the search, which ends unless others follow it.
    pub(super) fn stop(&mut self) {
        let Some(mut following) = self.following.take() else { return };
        let last = following.latest();
        let last: Option<Value> = last.and_then(|event| serde_json::from_str(&event).ok());
        self.first = last.map(|mut event| {
            event["state"] = "stopped".into();
            event.to_string()
        });
    }
}

/// The query of a request, and its key.
fn parse(request: &Map<String, Value>) -> Result<(Query, String), Refusal> {
    query::only(request, &["id", "ask"], FIELDS)?;
    let key = request.get("key").and_then(Value::as_str).filter(|key| key.len() <= MAX_KEY);
    let key = key
        .ok_or_else(|| Refusal::new("missing", "key", format!("expected \"key\", a text of up to {MAX_KEY} bytes")))?;
    let lines = |value: &Value| value.as_u64().filter(|lines| (1..=MAX_LINES).contains(lines));
    let lines = Fields::strict(request).read("lines", &format!("a number from 1 to {MAX_LINES}"), lines)?;
    let mut fields = Map::from_iter([("multipv".into(), lines.unwrap_or(1).into())]);
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
    Ok((Query { priority: URGENT, ..query::one(&fields)? }, key.to_owned()))
}
