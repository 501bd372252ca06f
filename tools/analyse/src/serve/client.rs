//! The queries and answers of one client.

use super::board::RequestError;
use super::pool::Pool;
use super::query::{Query, Request, parse};
use super::scheduler::{Answer, Ticket};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// Unsent bytes above which partial reports are dropped and no requests are read.
const HIGH_WATER: usize = 1 << 20;
/// Approximate number of bytes sent at once.
const CHUNK: usize = 1 << 16;
/// Maximum unsent bytes of a connection.
const MAX_UNSENT: usize = 8 << 20;
/// Interval of checks for room in the queue.
const POLL: Duration = Duration::from_millis(10);

/// The id of a query, and its ply for queries of games.
type Key = (String, Option<usize>);

/// A client with its queue of answers.
pub struct Client {
    pool: Arc<Pool>,
    /// Whether it is standard input and output, whose queries wait for room in the queue, and which is not disconnected.
    is_stdio: bool,
    state: Mutex<State>,
    /// Notified when there is something to send, and at the end.
    pub ready: Notify,
    /// Notified when something was sent.
    pub sent: Notify,
}

#[derive(Default)]
struct State {
    /// Unanswered queries by id.
    active: BTreeMap<Key, Ticket>,
    /// Lines to send, and whether they are partial reports.
    answers: VecDeque<(String, bool)>,
    /// Bytes of `answers`.
    bytes: usize,
    ended: bool,
    closed: bool,
}

impl State {
    fn of(&self, id: &Value) -> impl Iterator<Item = &Key> {
        let id = id.to_string();
        let from = (id.clone(), None);
        self.active.range(from..).map(|(key, _)| key).take_while(move |key| key.0 == id)
    }
}

impl Client {
    pub fn new(pool: &Arc<Pool>, is_stdio: bool) -> Arc<Self> {
        let (state, ready, sent) = (Mutex::default(), Notify::new(), Notify::new());
        Arc::new(Self { pool: Arc::clone(pool), is_stdio, state, ready, sent })
    }

    pub async fn request(self: &Arc<Self>, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        match parse(line) {
            Ok(Request::Query(queries)) => {
                while self.is_stdio && self.must_wait(queries.len()) {
                    sleep(POLL).await;
                }
                self.submit(queries);
            }
            Ok(Request::Cancel(id)) => {
                let found = self.cancel(Some(&id)) > 0;
                self.push(json!({ "cancel": id, "found": found }), false);
            }
            Ok(Request::CancelAll) => {
                let found = self.cancel(None);
                self.push(json!({ "cancel_all": true, "found": found }), false);
            }
            Ok(Request::Status) => self.push(self.pool.status(), false),
            Err((id, error)) => self.refuse(&id, &error),
        }
    }

    pub fn refuse(&self, id: &Value, error: &RequestError) {
        let error = error.to_value();
        let answer = json!({
            "id": id,
            "status": "error",
            "error": error["text"],
            "code": error["code"],
            "field": error["field"],
        });
        self.push(answer, false);
    }

    fn submit(self: &Arc<Self>, queries: Vec<Query>) {
        let Some(id) = queries.first().map(|query| query.id.clone()) else { return };
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        let error = if state.of(&id).next().is_some() {
            RequestError::new("id-in-use", "id", "this id is in use; expected another one")
        } else if state.active.len() + queries.len() > self.pool.limit {
            let (active, new, max) = (state.active.len(), queries.len(), self.pool.limit);
            let text = format!("{active} unanswered queries and {new} new ones; expected up to {max} together");
            RequestError::new("queue-full", "", text)
        } else {
            for query in queries {
                let (client, key) = (Arc::clone(self), (id.to_string(), query.ply));
                let own = key.clone();
                let on_answer = move |answer: Answer| client.answer(&own, answer);
                state.active.insert(key, self.pool.push(query, Arc::new(on_answer)));
            }
            return;
        };
        drop(state);
        self.refuse(&id, &error);
    }

    /// Whether this many queries have room only after answers.
    fn must_wait(&self, queries: usize) -> bool {
        let active = self.state.lock().active.len();
        active > 0 && active + queries > self.pool.limit
    }

    /// Cancels the queries of an id, or all, which are then answered. Returns their number.
    pub fn cancel(&self, id: Option<&Value>) -> usize {
        let mut state = self.state.lock();
        let found: Vec<Key> = match id {
            Some(id) => state.of(id).cloned().collect(),
            None => state.active.keys().cloned().collect(),
        };
        for key in &found {
            // Running searches are answered by their engines.
            if !self.pool.cancel(&state.active[key]) {
                continue;
            }
            state.active.remove(key);
            let (id, ply) = key;
            let mut answer =
                json!({ "id": serde_json::from_str::<Value>(id).unwrap_or_default(), "status": "cancelled" });
            if let Some(ply) = *ply {
                answer["ply"] = ply.into();
            }
            self.push_locked(&mut state, answer, false);
        }
        found.len()
    }

    fn push(&self, answer: Value, partial: bool) {
        self.push_locked(&mut self.state.lock(), answer, partial);
    }

    fn push_locked(&self, state: &mut State, mut answer: Value, partial: bool) {
        if state.closed {
            return;
        }
        answer["schema"] = super::SCHEMA.into();
        let text = format!("{answer}\n");
        if state.bytes + text.len() > HIGH_WATER {
            state.answers.retain(|(_, partial)| !partial);
            state.bytes = state.answers.iter().map(|(text, _)| text.len()).sum();
        }
        if !partial || state.bytes + text.len() <= HIGH_WATER {
            state.bytes += text.len();
            state.answers.push_back((text, partial));
        }
        if state.bytes > MAX_UNSENT && !self.is_stdio {
            self.close_locked(state);
        }
        self.ready.notify_one();
    }

    /// Takes some of the unsent answers; `None` once closed, or after the last one.
    pub fn take(&self) -> Option<String> {
        let mut state = self.state.lock();
        if state.closed || (state.ended && state.active.is_empty() && state.answers.is_empty()) {
            return None;
        }
        let mut text = String::new();
        while text.len() < CHUNK
            && let Some((answer, _)) = state.answers.pop_front()
        {
            state.bytes -= answer.len();
            text += &answer;
        }
        self.sent.notify_one();
        Some(text)
    }

    /// Whether requests should wait until answers have been sent.
    pub fn is_above_high_water(&self) -> bool {
        let state = self.state.lock();
        !state.closed && state.bytes > HIGH_WATER
    }

    /// Ends the input: [`take`](Self::take) returns `None` after the last answer.
    pub fn end(&self) {
        self.state.lock().ended = true;
        self.ready.notify_one();
    }

    pub fn has_ended(&self) -> bool {
        self.state.lock().ended
    }

    /// Drops all answers and cancels all queries.
    pub fn close(&self) {
        self.close_locked(&mut self.state.lock());
    }

    fn close_locked(&self, state: &mut State) {
        state.closed = true;
        for ticket in take(&mut state.active).values() {
            self.pool.cancel(ticket);
        }
        state.answers.clear();
        state.bytes = 0;
        self.ready.notify_one();
        self.sent.notify_one();
    }

    /// Queues an answer to a query.
    fn answer(&self, key: &Key, answer: Answer) {
        let mut state = self.state.lock();
        let is_partial = answer.status == "partial";
        if is_partial || state.active.remove(key).is_some() {
            self.push_locked(&mut state, answer.fields, is_partial);
        }
    }
}
