//! A work item: a search whose output is streamed.

use super::super::Server;
use super::super::board::{Fields, Place};
use super::super::pool::Pool;
use super::super::query::{Query, Session, URGENT};
use super::super::results::Results;
use super::super::scheduler::Answer;
use super::super::subject::Subject;
use super::api::{Api, Failure, Work};
use super::lines;
use bytes::Bytes;
use http_body_util::channel::Channel;
use lento::score::Score;
use lento::search::MAX_DEPTH;
use lento::search::limits::Limits;
use lento::search::report::PvLine;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_uci::words::quoted;
use parking_lot::Mutex;
use reqwest::Body;
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Interval of search updates; unchanged lines are repeated after [`REPEAT`].
const REPORT: Duration = Duration::from_millis(100);
const REPEAT: Duration = Duration::from_secs(1);
/// Idle time after which a stream is kept alive.
const IDLE: Duration = Duration::from_secs(10);
const KEEP_ALIVE: &str = "{\"keepalive\":true}\n";
const MAX_LINES: u64 = 5;
/// Maximum time of a search in milliseconds.
const MAX_TIME: u64 = 86_400_000;

pub struct Job {
    pub started: Instant,
    stop: Stop,
    task: JoinHandle<()>,
}

impl Job {
    /// Starts a search. With shared engines, it does not resize the hash table.
    pub fn start(server: &Arc<Server>, api: &Api, work: Work, is_shared: bool) -> Self {
        let (server, api, stop) = (Arc::clone(server), api.clone(), Stop::default());
        let asked = stop.clone();
        let task = tokio::spawn(async move { run(&server, &api, &work, is_shared, asked).await });
        Self { started: Instant::now(), stop, task }
    }

    /// Waits for the end of a job, or forever without one.
    pub async fn over(job: Option<&mut Self>) {
        match job {
            Some(job) => _ = (&mut job.task).await,
            None => std::future::pending().await,
        }
    }

    /// Stops the search and waits until its last line is sent, up to a timeout.
    pub async fn end(mut self, limit: Duration) {
        self.stop.request();
        if timeout(limit, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

/// Searches and streams the output until the search or the stream ends.
async fn run(server: &Server, api: &Api, work: &Work, is_shared: bool, stop: Stop) {
    let (output, mut received) = unbounded_channel();
    let (mut stream, body) = Channel::<Bytes, Infallible>::new(16);
    let session = session(&work.fields, &server.pool, is_shared);
    let ticket = match query(&work.fields, session) {
        Ok(query) => {
            let (pool, results) = (&server.pool, Arc::clone(&server.pool.results));
            let subject = pool.subject(&query);
            results.load(&subject).await;
            let forwarder = Forwarder { output, shown: Mutex::new((Vec::new(), Instant::now())), results, subject };
            // Sends stored results first.
            forwarder.forward(None);
            let on_answer = move |answer: Answer| forwarder.forward(Some(&answer));
            Some(pool.push(Query { stop: stop.clone(), ..query }, Arc::new(on_answer)))
        }
        Err(error) => {
            notice(format_args!("lichess: work {} is refused: {error}", quoted(&work.id)));
            let _ = output.send("bestmove (none)\n".into());
            None
        }
    };
    // Ends the stream after the last line, or when the upload has failed.
    let send = async move {
        loop {
            let line = timeout(IDLE, received.recv()).await.unwrap_or_else(|_| Some(KEEP_ALIVE.into()));
            let Some(line) = line else { return };
            if stream.send_data(line.into()).await.is_err() {
                return;
            }
        }
    };
    let mut upload = pin!(api.submit(&work.id, Body::wrap(body)));
    let ended = tokio::select! {
        // The broker answers early if its client has disconnected.
        ended = &mut upload => ended,
        () = send => upload.await,
    };
    ticket.map(|ticket| server.pool.cancel(&ticket));
    // Cancellation by the client is not an error.
    if let Err(Failure::Final(text) | Failure::Passing(text, _)) = ended {
        notice(format_args!("lichess: work {}: {text}", quoted(&work.id)));
    }
}

/// The session of a work item, limited to the resources of the server.
fn session(work: &Value, pool: &Pool, is_shared: bool) -> Session {
    let max = |field: &str, max: usize| clamped(work, field, max as u64).map_or(max, |number| number as usize);
    let (threads, hash_mib) = (max("threads", pool.threads), max("hash", pool.hash_mib));
    let hash_mib = if is_shared { pool.hash_mib } else { hash_mib };
    Session { id: work["sessionId"].as_str().unwrap_or_default().into(), threads, hash_mib }
}

/// The query of a work item. Clamps values to their ranges.
fn query(work: &Value, session: Session) -> Result<Query, String> {
    let variant = work["variant"].as_str().unwrap_or("chess");
    if !["chess", "standard", "chess960", "fromPosition"].contains(&variant) {
        return Err(format!("variant {}; expected chess", quoted(variant)));
    }
    let place = Map::from_iter([
        ("start".into(), work["initialFen"].clone()),
        ("chess960".into(), true.into()),
        ("moves".into(), work["moves"].clone()),
    ]);
    let Place { game, .. } = Place::parse(Fields::new(&place, "")).map_err(|error| error.text().to_owned())?;
    let limit = |field, max| clamped(work, field, max);
    let (depth, nodes, time) = (limit("depth", MAX_DEPTH as u64), limit("nodes", 1 << 50), limit("movetime", MAX_TIME));
    let time = time.or((depth.is_none() && nodes.is_none()).then_some(MAX_TIME));
    let limits = Limits {
        depth: depth.map(|depth| depth as i32),
        nodes,
        movetime: time.map(|time| time as i64),
        ..Limits::default()
    };
    Ok(Query {
        priority: URGENT,
        multipv: limit("multiPv", MAX_LINES).unwrap_or(1),
        report: Some(REPORT),
        session: Some(session),
        ..Query::new(Value::Null, game, true, limits)
    })
}

/// A number of a work item, clamped to 1 and a maximum.
fn clamped(work: &Value, field: &str, max: u64) -> Option<u64> {
    let value = work.get(field).filter(|value| !value.is_null())?;
    let number = value.as_u64().or_else(|| value.as_f64().map(|number| number.max(0.0) as u64)).unwrap_or(1);
    let within = number.clamp(1, max);
    if within != number {
        notice(format_args!("lichess: {field} {number} becomes {within}"));
    }
    Some(within)
}

/// Depth, score and moves of a line.
type Shown = (i32, Score, PvLine);

/// Converts search results to output lines.
struct Forwarder {
    output: UnboundedSender<String>,
    /// The last lines, and when they were sent.
    shown: Mutex<(Vec<Shown>, Instant)>,
    results: Arc<Results>,
    subject: Subject,
}

impl Forwarder {
    /// Forwards an answer, or stored results before the first one.
    fn forward(&self, answer: Option<&Answer>) {
        let (board, live) = (&self.subject.board, answer.map_or(&[][..], |answer| &answer.outcome.lines));
        // Shows lines of an earlier search as long as they are deeper.
        let known = self.results.best(&self.subject);
        let deeper = known.and_then(|known| known.deeper_lines(&self.subject, live.first()));
        let lines = deeper.as_deref().unwrap_or(live);
        let (nodes, time) = match (answer, lines.first()) {
            (Some(answer), _) => (answer.nodes, answer.time),
            (None, Some(first)) => (first.nodes, first.elapsed),
            (None, None) => return,
        };
        let text = lines::infos(board, lines, nodes, time);
        if let Some(answer) = answer.filter(|answer| answer.status != "partial") {
            let _ = self.output.send(text.unwrap_or_default() + &lines::best_move(board, &answer.outcome));
            return;
        }
        let Some(text) = text else { return };
        let found: Vec<_> = lines.iter().map(|line| (line.depth, line.score, line.pv.clone())).collect();
        let mut shown = self.shown.lock();
        if shown.0 != found || shown.1.elapsed() >= REPEAT {
            *shown = (found, Instant::now());
            let _ = self.output.send(text);
        }
    }
}
