//! Engines that search the queries of one queue.

use super::Args;
use super::hash;
use super::query::{Query, Session, URGENT};
use super::results::{Recorder, Results, infos, put_line};
use super::scheduler::{Answer, Assignment, OnAnswer, Scheduler, Ticket};
use super::subject::Subject;
use crate::database::Analysis;
use lento::engine::{Engine, Output};
use lento::search::limits::Limits;
use lento::search::report::{Info, Outcome, nps};
use lento_console::document::document;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::search::Found;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval at which running searches are published and checked for preemption.
const TICK: Duration = Duration::from_millis(100);
/// Time slice of urgent searches.
const SLICE: Duration = Duration::from_secs(1);

/// Several engines with one queue.
pub struct Pool {
    scheduler: Mutex<Scheduler>,
    ready: Condvar,
    /// Maximum unanswered queries of a client.
    pub limit: usize,
    pub engines: usize,
    /// Threads and hash table of each engine.
    pub threads: usize,
    pub hash_mib: usize,
    pub results: Arc<Results>,
    threads_of_engines: Mutex<Vec<JoinHandle<()>>>,
}

impl Pool {
    /// Starts a thread for each engine. Saves their hash tables to the file at the end.
    pub fn start(engines: Vec<Engine>, args: &Args, results: Arc<Results>) -> io::Result<Arc<Self>> {
        let pool = Arc::new(Self {
            scheduler: Mutex::new(Scheduler::new(engines.len())),
            ready: Condvar::new(),
            limit: args.queue as usize,
            engines: engines.len(),
            threads: engines[0].threads(),
            hash_mib: engines[0].hash_mib(),
            results,
            threads_of_engines: Mutex::default(),
        });
        for (number, mut engine) in engines.into_iter().enumerate() {
            let (shared, file) = (Arc::clone(&pool), args.hash_file.as_ref().map(|file| hash::path(file, number)));
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

    pub fn push(&self, query: Query, on_answer: OnAnswer) -> Ticket {
        let ticket = self.scheduler.lock().push(query, on_answer);
        self.ready.notify_all();
        ticket
    }

    pub fn is_waiting(&self, ticket: &Ticket) -> bool {
        self.scheduler.lock().is_waiting(ticket)
    }

    /// Cancels a query. Returns whether it was still waiting; otherwise its engine sends the final answer.
    pub fn cancel(&self, ticket: &Ticket) -> bool {
        ticket.stop.request();
        self.scheduler.lock().remove(ticket)
    }

    /// Ends all searches and waits for the engines.
    pub fn finish(&self) {
        self.scheduler.lock().end();
        self.ready.notify_all();
        for thread in self.threads_of_engines.lock().drain(..) {
            let _ = thread.join();
        }
    }

    pub fn status(&self) -> Value {
        let scheduler = self.scheduler.lock();
        json!({
            "status": "running",
            "version": env!("CARGO_PKG_VERSION"),
            "engines": self.engines,
            "threads": self.threads,
            "hash_mib": self.hash_mib,
            "waiting": scheduler.waiting(),
            "searching": scheduler.searching(),
            "finished": scheduler.finished,
            "nodes": scheduler.nodes,
            "problem": self.results.problem(),
        })
    }

    pub fn subject(&self, query: &Query) -> Subject {
        let (threads, hash_mib) = self.size(query.session.as_ref());
        Subject::new(query, threads, hash_mib)
    }

    /// Threads and hash table of an engine, for a session or the default.
    fn size(&self, session: Option<&Session>) -> (usize, usize) {
        session.map_or((self.threads, self.hash_mib), |session| (session.threads, session.hash_mib))
    }

    /// Sets threads and hash table of an engine. On failure, keeps the current ones.
    fn configure(&self, engine: &mut Engine, session: Option<&Session>) {
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

    /// Searches queries until the end.
    fn work(&self, number: usize, engine: &mut Engine) {
        let mut scheduler = self.scheduler.lock();
        let mut preempted = None;
        while !scheduler.is_over {
            let Some(Assignment { place, mut query, on_answer, preempt, is_new }) =
                scheduler.next(number, preempted.take())
            else {
                self.ready.wait(&mut scheduler);
                continue;
            };
            drop(scheduler);
            // Other engines may now take queries reserved for this one.
            self.ready.notify_all();
            if is_new {
                engine.new_game();
            }
            self.configure(engine, query.session.as_ref());
            let searched = self.search(engine, &query, &on_answer, &preempt);
            scheduler = self.scheduler.lock();
            scheduler.finish(number, searched.nodes);
            if searched.is_interrupted && preempt.is_requested() && !query.stop.is_requested() {
                query.spend(searched.elapsed, searched.nodes);
                query.found = searched.answer.outcome.lines;
                scheduler.enqueue(place, query, on_answer);
                // If the urgent query was cancelled meanwhile, the query may be for an idle engine.
                self.ready.notify_all();
                preempted = Some(place);
                continue;
            }
            scheduler.finished += 1;
            drop(scheduler);
            on_answer(searched.answer);
            scheduler = self.scheduler.lock();
        }
    }

    /// Searches to the end, or until cancelled or interrupted.
    fn search(&self, engine: &mut Engine, query: &Query, on_answer: &OnAnswer, preempt: &Stop) -> Searched {
        let is_urgent = query.priority == URGENT;
        let subject = self.subject(query);
        engine.game = query.game.clone();
        if query.may_be_known()
            && let Some(stored) = self.results.matching(&subject)
        {
            return Searched::known(engine, query, &stored.analysis);
        }
        let is_resumed = query.spent.1 > 0;
        // An earlier run of the server may have begun the search.
        if is_resumed && !is_urgent && !query.fresh {
            self.results.load_now(&subject);
        }
        let mut recorder = Recorder::new(&self.results, subject, is_urgent || is_resumed);
        if is_urgent {
            recorder.seed(engine);
        } else if query.fresh && !is_resumed {
            engine.new_game();
        }
        engine.settings.search.multi_pv = query.multipv;
        let start = Instant::now();
        let (mut lines, mut latest) = (Vec::new(), Vec::<Info>::new());
        // Urgent queries report immediately.
        let mut due = query.report.map(|interval| if is_urgent { start } else { start + interval });
        let mut tick = start + TICK;
        let mut is_interrupted = false;
        let mut follow = |engine: &Engine, output: Option<Output>| {
            match output {
                Some(Output::Info(info)) => {
                    if query.iterations {
                        lines.push(info.clone());
                    }
                    recorder.record(&info);
                    put_line(&mut latest, info);
                }
                Some(Output::Note(text)) => notice(text),
                _ => {}
            }
            let (now, elapsed) = (Instant::now(), start.elapsed());
            let is_due = due.is_some_and(|due| due <= now) && !latest.is_empty();
            if is_due || tick <= now {
                recorder.save(elapsed, false, false);
            }
            if is_due {
                due = query.report.map(|interval| now + interval);
                on_answer(partial(engine, query, &latest, elapsed));
            }
            if tick <= now {
                tick = now + TICK;
                if !is_urgent {
                    self.results.publish(&recorder.subject, || {
                        let answer = partial(engine, query, &latest, elapsed);
                        self.results.event(&recorder.subject, "searching", Some(&answer))
                    });
                } else if elapsed >= SLICE && self.scheduler.lock().has_urgent() {
                    preempt.request();
                }
            }
            is_interrupted |= query.stop.is_requested() || preempt.is_requested();
            if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut outcome = engine.search_until(&query.remaining(), &query.moves, &mut follow);
        if outcome.lines.first().is_some_and(|best| best.depth == 0 && !best.pv.is_empty()) {
            // The limits ended the first iteration.
            let first = Limits { depth: Some(1), ..Limits::default() };
            outcome = engine.search_until(&first, &query.moves, &mut follow);
        }
        let found = Found { outcome: deeper(&query.found, outcome), elapsed: start.elapsed() };
        recorder.save(found.elapsed, true, !is_interrupted);
        let status = if is_interrupted { "cancelled" } else { "done" };
        let (elapsed, nodes) = (found.elapsed, found.nodes());
        let answer = answer(engine, query, &lines, found, status);
        if !is_urgent {
            self.results.publish(&recorder.subject, || self.results.event(&recorder.subject, "stopped", Some(&answer)));
        }
        Searched { answer, elapsed, nodes, is_interrupted }
    }
}

struct Searched {
    answer: Answer,
    elapsed: Duration,
    nodes: u64,
    /// Whether it ended before its limits.
    is_interrupted: bool,
}

impl Searched {
    /// A stored result instead of a search.
    fn known(engine: &Engine, query: &Query, analysis: &Analysis) -> Self {
        let lines = infos(analysis).into_iter().take(query.multipv as usize);
        let found = Found { outcome: Outcome::new(lines.collect()), elapsed: analysis.time };
        // The totals are those of the stored result.
        let query = &Query { spent: (Duration::ZERO, 0), ..query.clone() };
        let mut answer = answer(engine, query, &[], found, "done");
        answer.fields["from"] = "database".into();
        Self { answer, elapsed: Duration::ZERO, nodes: 0, is_interrupted: false }
    }
}

/// The outcome of a resumed search, with the lines of its earlier part if those are deeper.
fn deeper(earlier: &[Info], outcome: Outcome) -> Outcome {
    let best = outcome.lines.first().filter(|best| earlier.first().is_some_and(|earlier| earlier.depth > best.depth));
    let Some(&Info { nodes, .. }) = best else { return outcome };
    Outcome::new(earlier.iter().map(|line| Info { nodes, ..line.clone() }).collect())
}

/// A partial answer with the latest lines.
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
    // Includes earlier searches of the query.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resumed_searches_keep_deeper_lines() {
        let outcome = |depth, nodes| Outcome::new(vec![Info { depth, nodes, ..Info::default() }]);
        for (earlier, later, depth) in [(9, 1, 9), (9, 9, 9), (3, 9, 9)] {
            let found = deeper(&outcome(earlier, 1000).lines, outcome(later, 5));
            assert_eq!((found.lines[0].depth, found.lines[0].nodes), (depth, 5));
        }
        assert_eq!(deeper(&[], outcome(2, 5)).lines[0].depth, 2);
    }
}
