//! The queue, and the engines that search what waits in it.

use super::hash;
use super::query::{Query, Session, URGENT};
use super::results::{Recorder, Results, infos, put};
use super::subject::Subject;
use super::turns::{Answer, Asker, Ticket, Turn, Turns};
use crate::database::Analysis;
use lento::engine::{Engine, Output};
use lento::search::report::{Info, Outcome, nps};
use lento_console::document::document;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::search::Found;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval at which running searches are shown, and give way to each other.
const TICK: Duration = Duration::from_millis(100);
/// Time of an urgent search before it gives way to another one.
const SLICE: Duration = Duration::from_secs(1);

/// Several engines with one queue.
pub struct Pool {
    turns: Mutex<Turns>,
    ready: Condvar,
    /// Most queries of a client.
    pub limit: usize,
    pub engines: usize,
    /// Threads and hash table of each engine.
    pub threads: usize,
    pub hash_mib: usize,
    pub results: Arc<Results>,
    threads_of_engines: Mutex<Vec<JoinHandle<()>>>,
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
            turns: Mutex::new(Turns::new(engines.len())),
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
                shared.work(number, &mut engine);
                if let Some(file) = file {
                    hash::save(&mut engine, &file);
                }
            };
            pool.threads_of_engines.lock().push(thread::Builder::new().name("engine".into()).spawn(work)?);
        }
        Ok(pool)
    }

    /// Queues a query.
    pub fn push(&self, query: Query, asker: Asker) -> Ticket {
        let ticket = self.turns.lock().push(query, asker);
        self.ready.notify_all();
        ticket
    }

    /// Ends a query. Returns whether it was still waiting; otherwise its engine sends the final answer.
    pub fn cancel(&self, ticket: &Ticket) -> bool {
        ticket.stop.ask();
        self.turns.lock().remove(ticket)
    }

    /// Ends all searches, and waits for the engines.
    pub fn finish(&self) {
        self.turns.lock().end();
        self.ready.notify_all();
        for thread in self.threads_of_engines.lock().drain(..) {
            let _ = thread.join();
        }
    }

    /// The state for clients.
    pub fn status(&self) -> Value {
        let turns = self.turns.lock();
        json!({
            "status": "running",
            "version": env!("CARGO_PKG_VERSION"),
            "engines": self.engines,
            "threads": self.threads,
            "hash_mib": self.hash_mib,
            "waiting": turns.waiting(),
            "searching": turns.searching(),
            "finished": turns.finished,
            "nodes": turns.nodes,
            "problem": self.results.problem(),
        })
    }

    /// What a query searches.
    pub fn subject(&self, query: &Query) -> Subject {
        let (threads, hash_mib) = self.size(query.session.as_ref());
        Subject::new(query, threads, hash_mib)
    }

    /// Threads and hash table of an engine for a session, or without one.
    fn size(&self, session: Option<&Session>) -> (usize, usize) {
        session.map_or((self.threads, self.hash_mib), |session| (session.threads, session.hash_mib))
    }

    /// Gives an engine its threads and hash table. It keeps what it has where there is no memory.
    fn set_up(&self, engine: &mut Engine, session: Option<&Session>) {
        let (threads, hash_mib) = self.size(session);
        let mut error = None;
        if engine.threads() != threads {
            error = engine.set_threads(threads).err().map(|error| error.to_string());
        }
        if engine.hash_mib() != hash_mib {
            error = engine.set_hash(hash_mib).err().map(|error| error.to_string()).or(error);
        }
        if let Some(error) = error {
            notice(format_args!("{threads} threads and a hash table of {hash_mib} MiB: {error}"));
        }
    }

    /// Searches one query after the other.
    fn work(&self, number: usize, engine: &mut Engine) {
        let mut turns = self.turns.lock();
        let mut yielded = None;
        while !turns.is_over {
            let Some(Turn { place, mut query, asker, yields, is_new }) = turns.next(number, yielded.take()) else {
                self.ready.wait(&mut turns);
                continue;
            };
            drop(turns);
            // What this engine had been preferred for is left to others.
            self.ready.notify_all();
            if is_new {
                engine.new_game();
            }
            self.set_up(engine, query.session.as_ref());
            let searched = self.search(engine, &query, &asker, &yields);
            turns = self.turns.lock();
            turns.finish(number, searched.nodes);
            if searched.is_interrupted && yields.asked() && !query.stop.asked() {
                query.spend(searched.elapsed, searched.nodes);
                turns.wait(place, query, asker);
                yielded = Some(place);
                continue;
            }
            turns.finished += 1;
            drop(turns);
            asker(searched.answer);
            turns = self.turns.lock();
        }
    }

    /// Searches to the end, or until cancelled or interrupted.
    fn search(&self, engine: &mut Engine, query: &Query, asker: &Asker, yields: &Stop) -> Searched {
        let is_urgent = query.priority == URGENT;
        let subject = self.subject(query);
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
                put(&mut latest, info);
            }
            let (now, elapsed) = (Instant::now(), start.elapsed());
            let is_due = due.is_some_and(|due| due <= now) && !latest.is_empty();
            if is_due || tick <= now {
                recorder.learn(elapsed, false, false);
            }
            if is_due {
                due = query.report.map(|interval| now + interval);
                asker(partial(engine, query, &latest, elapsed));
            }
            if tick <= now {
                tick = now + TICK;
                if !is_urgent {
                    self.results.show(&recorder.subject, || {
                        let answer = partial(engine, query, &latest, elapsed);
                        self.results.news(&recorder.subject, "searching", Some(&answer))
                    });
                } else if elapsed >= SLICE && self.turns.lock().has_urgent() {
                    yields.ask();
                }
            }
            is_interrupted |= query.stop.asked() || yields.asked();
            if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let found = Found { outcome, elapsed: start.elapsed() };
        recorder.learn(found.elapsed, true, !is_interrupted);
        let status = if query.stop.asked() { "cancelled" } else { "done" };
        let (elapsed, nodes) = (found.elapsed, found.nodes());
        let answer = answer(engine, query, &lines, found, status);
        if !is_urgent {
            self.results.show(&recorder.subject, || self.results.news(&recorder.subject, "stopped", Some(&answer)));
        }
        Searched { answer, elapsed, nodes, is_interrupted }
    }
}

/// What a search has found, and used.
struct Searched {
    answer: Answer,
    elapsed: Duration,
    nodes: u64,
    /// Whether it ended before its limits.
    is_interrupted: bool,
}

impl Searched {
    /// A stored result in place of a search.
    fn known(engine: &Engine, query: &Query, analysis: &Analysis) -> Self {
        let found = Found { outcome: Outcome::new(infos(analysis)), elapsed: analysis.time };
        let mut answer = answer(engine, query, &[], found, "done");
        answer.fields["from"] = "database".into();
        Self { answer, elapsed: Duration::ZERO, nodes: 0, is_interrupted: false }
    }
}

/// A report of the latest lines.
fn partial(engine: &Engine, query: &Query, latest: &[Info], elapsed: Duration) -> Answer {
    let counted = |line: &Info| engine.with_current_counters(line.clone()).unwrap_or_else(|| line.clone());
    let outcome = Outcome::new(latest.iter().map(counted).collect());
    answer(engine, query, &[], Found { outcome, elapsed }, "partial")
}

fn answer(engine: &Engine, query: &Query, infos: &[Info], found: Found, status: &'static str) -> Answer {
    let mut fields = document(engine, infos, &found, query.chess960);
    if let Some(fields) = fields.as_object_mut().filter(|_| infos.is_empty()) {
        fields.remove("iterations");
    }
    // Together with what it used before it was interrupted.
    let (time, nodes) = (found.elapsed + query.spent.0, found.nodes() + query.spent.1);
    fields["nodes"] = nodes.into();
    fields["time_ms"] = (time.as_millis() as u64).into();
    if let Some(ply) = query.ply {
        fields["ply"] = ply.into();
    }
    fields["id"] = query.id.clone();
    fields["status"] = status.into();
    let nps = nps(found.nodes(), found.elapsed);
    Answer { status, outcome: found.outcome, nodes, time, nps, fields }
}
