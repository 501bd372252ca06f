//! The queue, and the engines that search what waits in it.

use super::query::{Query, URGENT};
use lento::engine::{Engine, Output};
use lento::search::report::{Info, Outcome};
use lento_console::document::document;
use lento_console::interrupt::Stop;
use lento_console::search::Found;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The place of a query in the queue: higher priorities first, then in order of arrival.
pub type Ticket = (Reverse<i64>, u64);

/// Who asked a query.
pub trait Asker: Send + Sync {
    /// Sends the final answer of a query.
    fn finish(&self, id: &Value, answer: Value);
    /// Sends a partial report; it may be dropped.
    fn report(&self, report: Value);
}

/// Several engines with one queue.
pub struct Pool {
    queue: Mutex<Queue>,
    ready: Condvar,
    /// Most queries of a client.
    pub limit: usize,
    pub engines: usize,
    /// Threads and hash table of each engine.
    pub threads: usize,
    pub hash_mib: usize,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<Ticket, (Query, Arc<dyn Asker>)>,
    arrived: u64,
    searching: Vec<Searching>,
    /// Finished searches and their nodes.
    finished: u64,
    nodes: u64,
}

/// A running search.
struct Searching {
    ticket: Ticket,
    /// Ends it for good.
    stop: Stop,
    /// Ends it for an urgent one; then it waits again.
    yields: Stop,
}

impl Pool {
    /// Starts a thread for each engine.
    pub fn start(engines: Vec<Engine>, limit: usize) -> io::Result<Arc<Self>> {
        let pool = Arc::new(Self {
            queue: Mutex::default(),
            ready: Condvar::new(),
            limit,
            engines: engines.len(),
            threads: engines.first().map_or(0, Engine::threads),
            hash_mib: engines.first().map_or(0, Engine::hash_mib),
        });
        for engine in engines {
            let pool = Arc::clone(&pool);
            thread::Builder::new().name("engine".into()).spawn(move || pool.work(engine))?;
        }
        Ok(pool)
    }

    /// Queues a query. Without an idle engine, the last of the running queries gives way to an urgent one.
    pub fn push(&self, query: Query, asker: Arc<dyn Asker>) -> Ticket {
        let mut queue = self.queue.lock();
        queue.arrived += 1;
        let ticket = (Reverse(query.priority), queue.arrived);
        let stays = |other: &&Searching| !other.stop.asked() && !other.yields.asked();
        if query.priority == URGENT && queue.searching.iter().filter(stays).count() == self.engines {
            let last = queue.searching.iter().max_by_key(|other| other.ticket);
            if let Some(last) = last.filter(|last| last.ticket.0.0 < URGENT) {
                last.yields.ask();
            }
        }
        queue.waiting.insert(ticket, (query, asker));
        self.ready.notify_one();
        ticket
    }

    /// Removes a query, unless it is being searched.
    pub fn remove(&self, ticket: Ticket) -> bool {
        self.queue.lock().waiting.remove(&ticket).is_some()
    }

    /// The state for clients.
    pub fn status(&self) -> Value {
        let queue = self.queue.lock();
        json!({
            "status": "running",
            "version": env!("CARGO_PKG_VERSION"),
            "engines": self.engines,
            "threads": self.threads,
            "hash_mib": self.hash_mib,
            "waiting": queue.waiting.len(),
            "searching": queue.searching.len(),
            "finished": queue.finished,
            "nodes": queue.nodes,
        })
    }

    /// Searches one query after the other.
    fn work(&self, mut engine: Engine) {
        let mut queue = self.queue.lock();
        loop {
            let Some((ticket, (mut query, asker))) = queue.waiting.pop_first() else {
                self.ready.wait(&mut queue);
                continue;
            };
            let yields = Stop::default();
            queue.searching.push(Searching { ticket, stop: query.stop.clone(), yields: yields.clone() });
            drop(queue);
            let searched = search(&mut engine, &query, &*asker, &yields);
            queue = self.queue.lock();
            queue.searching.retain(|other| other.ticket != ticket);
            queue.nodes += searched.nodes;
            if searched.is_interrupted && yields.asked() && !query.stop.asked() {
                query.spend(searched.elapsed, searched.nodes);
                queue.waiting.insert(ticket, (query, asker));
                continue;
            }
            queue.finished += 1;
            drop(queue);
            let answer = searched.answer;
            asker.finish(&query.id, answer);
            queue = self.queue.lock();
        }
    }
}

/// What a search has found, and used.
struct Searched {
    answer: Value,
    elapsed: Duration,
    nodes: u64,
    /// Whether it ended before its limits.
    is_interrupted: bool,
}

/// Searches to the end, or until cancelled or interrupted.
fn search(engine: &mut Engine, query: &Query, asker: &dyn Asker, yields: &Stop) -> Searched {
    if query.fresh {
        engine.new_game();
    }
    engine.settings.search.multi_pv = query.multipv;
    engine.game = query.game.clone();
    let start = Instant::now();
    let (mut infos, mut latest) = (Vec::new(), Vec::<Info>::new());
    // The first report of an urgent query does not wait.
    let mut due = query.report.map(|interval| if query.priority == URGENT { start } else { start + interval });
    let mut is_interrupted = false;
    let outcome = engine.search_until(&query.limits, &query.moves, |engine, output| {
        if let Some(Output::Info(info)) = output {
            if query.iterations {
                infos.push(info.clone());
            }
            latest.retain(|line| line.multipv != info.multipv);
            latest.push(info);
        }
        if due.is_some_and(|due| due <= Instant::now()) && !latest.is_empty() {
            due = query.report.map(|interval| Instant::now() + interval);
            asker.report(partial(engine, query, &latest, start.elapsed()));
        }
        is_interrupted |= query.stop.asked() || yields.asked();
        if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let found = Found { outcome, elapsed: start.elapsed() };
    let status = if query.stop.asked() { "cancelled" } else { "done" };
    let answer = answer(engine, query, &infos, &found, status);
    Searched { answer, elapsed: found.elapsed, nodes: found.nodes(), is_interrupted }
}

/// A report of the latest lines.
fn partial(engine: &Engine, query: &Query, latest: &[Info], elapsed: Duration) -> Value {
    let mut lines: Vec<Info> =
        latest.iter().map(|line| engine.with_current_counters(line.clone()).unwrap_or_else(|| line.clone())).collect();
    lines.sort_by_key(|line| line.multipv);
    answer(engine, query, &[], &Found { outcome: Outcome::new(lines), elapsed }, "partial")
}

fn answer(engine: &Engine, query: &Query, infos: &[Info], found: &Found, status: &str) -> Value {
    let mut answer = document(engine, infos, found, query.chess960);
    if let Some(fields) = answer.as_object_mut().filter(|_| infos.is_empty()) {
        fields.remove("iterations");
    }
    // Together with what it used before it was interrupted.
    answer["nodes"] = (found.nodes() + query.spent.1).into();
    answer["time_ms"] = ((found.elapsed + query.spent.0).as_millis() as u64).into();
    if let Some(ply) = query.ply {
        answer["ply"] = ply.into();
    }
    answer["id"] = query.id.clone();
    answer["status"] = status.into();
    answer
}
