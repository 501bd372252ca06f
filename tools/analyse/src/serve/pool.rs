//! The queue, and the engines that search what waits in it.

use super::hash;
use super::query::{Query, URGENT};
use super::results::{Recorder, Results, Subject, infos};
use crate::database::Analysis;
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
use std::ops::Bound::{Excluded, Unbounded};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval at which running searches are shown, and give way to each other.
const TICK: Duration = Duration::from_millis(100);
/// Time of an urgent search before it gives way to another one.
const SLICE: Duration = Duration::from_secs(1);

/// The place of a query in the queue: higher priorities first, then in order of arrival.
pub type Ticket = (Reverse<i64>, u64);

/// A query and who asked it.
type Waiting = (Query, Arc<dyn Asker>);

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
    results: Arc<Results>,
    threads_of_engines: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<Ticket, Waiting>,
    arrived: u64,
    searching: Vec<Searching>,
    is_over: bool,
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
    /// Their hash tables are saved to the file at the end.
    pub fn start(
        engines: Vec<Engine>,
        limit: usize,
        results: Arc<Results>,
        hash_file: Option<PathBuf>,
    ) -> io::Result<Arc<Self>> {
        let pool = Arc::new(Self {
            queue: Mutex::default(),
            ready: Condvar::new(),
            limit,
            engines: engines.len(),
            threads: engines.first().map_or(0, Engine::threads),
            hash_mib: engines.first().map_or(0, Engine::hash_mib),
            results,
            threads_of_engines: Mutex::default(),
        });
        for (number, mut engine) in engines.into_iter().enumerate() {
            let (shared, file) = (Arc::clone(&pool), hash_file.as_ref().map(|file| hash::path(file, number)));
            let work = move || {
                shared.work(&mut engine);
                if let Some(file) = file {
                    hash::save(&mut engine, &file);
                }
            };
            pool.threads_of_engines.lock().push(thread::Builder::new().name("engine".into()).spawn(work)?);
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

    /// Ends all searches, and waits for the engines.
    pub fn finish(&self) {
        let mut queue = self.queue.lock();
        queue.is_over = true;
        queue.searching.iter().for_each(|search| search.stop.ask());
        self.ready.notify_all();
        drop(queue);
        for thread in self.threads_of_engines.lock().drain(..) {
            let _ = thread.join();
        }
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
            "problem": self.results.problem(),
        })
    }

    /// Searches one query after the other.
    fn work(&self, engine: &mut Engine) {
        let mut queue = self.queue.lock();
        let mut yielded = None;
        while !queue.is_over {
            let Some((ticket, (mut query, asker))) = queue.next(yielded.take()) else {
                self.ready.wait(&mut queue);
                continue;
            };
            let yields = Stop::default();
            queue.searching.push(Searching { ticket, stop: query.stop.clone(), yields: yields.clone() });
            drop(queue);
            let searched = self.search(engine, &query, &*asker, &yields);
            queue = self.queue.lock();
            queue.searching.retain(|other| other.ticket != ticket);
            queue.nodes += searched.nodes;
            if searched.is_interrupted && yields.asked() && !query.stop.asked() {
                query.spend(searched.elapsed, searched.nodes);
                queue.waiting.insert(ticket, (query, asker));
                yielded = Some(ticket);
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

impl Pool {
    /// Searches to the end, or until cancelled or interrupted.
    fn search(&self, engine: &mut Engine, query: &Query, asker: &dyn Asker, yields: &Stop) -> Searched {
        let is_urgent = query.priority == URGENT;
        let subject = Subject::new(query, self.threads, self.hash_mib);
        engine.game = query.game.clone();
        if query.may_be_known()
            && let Some(stored) = self.results.met(&subject)
        {
            return Searched::known(engine, query, &stored.analysis);
        }
        let mut recorder = Recorder::new(&self.results, subject);
        if query.fresh {
            engine.new_game();
        } else if is_urgent {
            recorder.seed(engine);
        }
        engine.settings.search.multi_pv = query.multipv;
        let start = Instant::now();
        let (mut lines, mut latest) = (Vec::new(), Vec::<Info>::new());
        // The first report of an urgent query does not wait.
        let mut due = query.report.map(|interval| if is_urgent { start } else { start + interval });
        let mut tick = start + TICK;
        let mut is_interrupted = false;
        let outcome = engine.search_until(&query.limits, &query.moves, |engine, output| {
            if let Some(Output::Info(info)) = output {
                if query.iterations {
                    lines.push(info.clone());
                }
                recorder.record(&info);
                latest.retain(|line| line.multipv != info.multipv);
                latest.push(info);
            }
            let (now, elapsed) = (Instant::now(), start.elapsed());
            let is_due = due.is_some_and(|due| due <= now) && !latest.is_empty();
            if is_due || tick <= now {
                recorder.learn(elapsed, false, false);
            }
            if is_due {
                due = query.report.map(|interval| now + interval);
                asker.report(partial(engine, query, &latest, elapsed));
            }
            if tick <= now {
                tick = now + TICK;
                if !is_urgent {
                    self.results.show(&recorder.subject, || {
                        let answer = partial(engine, query, &latest, elapsed);
                        self.results.news(&recorder.subject, "searching", &answer)
                    });
                } else if elapsed >= SLICE && self.has_urgent() {
                    yields.ask();
                }
            }
            is_interrupted |= query.stop.asked() || yields.asked();
            if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let found = Found { outcome, elapsed: start.elapsed() };
        recorder.learn(found.elapsed, true, !is_interrupted);
        let status = if query.stop.asked() { "cancelled" } else { "done" };
        let answer = answer(engine, query, &lines, &found, status);
        if !is_urgent {
            self.results.show(&recorder.subject, || self.results.news(&recorder.subject, "stopped", &answer));
        }
        Searched { answer, elapsed: found.elapsed, nodes: found.nodes(), is_interrupted }
    }

    /// Whether an urgent query waits.
    fn has_urgent(&self) -> bool {
        self.queue.lock().waiting.first_key_value().is_some_and(|(ticket, _)| ticket.0.0 == URGENT)
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

impl Queue {
    /// The first query; after one that gave way to an urgent one, the next of these in turn.
    fn next(&mut self, yielded: Option<Ticket>) -> Option<(Ticket, Waiting)> {
        let after = yielded.filter(|ticket| ticket.0.0 == URGENT);
        let next = after.and_then(|ticket| self.waiting.range((Excluded(ticket), Unbounded)).next());
        match next.map(|(ticket, _)| *ticket).filter(|ticket| ticket.0.0 == URGENT) {
            Some(ticket) => self.waiting.remove_entry(&ticket),
            None => self.waiting.pop_first(),
        }
    }
}

impl Searched {
    /// A stored result in place of a search.
    fn known(engine: &Engine, query: &Query, analysis: &Analysis) -> Self {
        let found = Found { outcome: Outcome::new(infos(analysis)), elapsed: analysis.time };
        let mut answer = answer(engine, query, &[], &found, "done");
        answer["from"] = "database".into();
        Self { answer, elapsed: Duration::ZERO, nodes: 0, is_interrupted: false }
    }
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
