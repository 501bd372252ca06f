//! Results in the database, accessed by a separate thread so that searches never wait for the disk.

use super::subject::{Finding, Subject};
use crate::database::{Database, EngineId, Key, Location, Stored};
use lento_console::notice::notice;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout of queries.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Delay after a result could not be stored.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Maximum number of results that wait for the database; further positions are not stored.
const MAX_UNSAVED: usize = 50_000;

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// Handle of the thread.
pub struct ResultDb {
    jobs: Sender<Job>,
    /// Why results currently cannot be stored.
    problem: Arc<Mutex<Option<String>>>,
}

impl ResultDb {
    /// Opens the database, for results of this engine.
    pub fn start(location: &Location, engine: EngineId) -> Result<Self, String> {
        let database = Database::open_for_server(location, None)?;
        let (jobs, inbox) = channel();
        let problem = Arc::new(Mutex::new(None));
        let mut worker =
            Worker { database, engine, unsaved: HashMap::new(), problem: Arc::clone(&problem), retry: None };
        let spawned = thread::Builder::new().name("results".into()).spawn(move || worker.work(&inbox));
        spawned.map_err(|error| error.to_string())?;
        Ok(Self { jobs, problem })
    }

    /// The message for clients while results cannot be stored.
    pub fn problem(&self) -> Option<&'static str> {
        self.problem.lock().as_ref().map(|_| super::UNAVAILABLE)
    }

    /// All results of a position; none after a timeout.
    pub fn load(&self, subject: &Subject) -> Vec<Finding> {
        let Subject { key, board, .. } = subject.clone();
        let found = self.call(TIMEOUT, move |Worker { database, engine, .. }| {
            database.with_reconnect(|database| database.findings(&key, &board, engine)).ok()
        });
        let (found, mut course) = found.flatten().unwrap_or_default();
        // The course belongs to the deepest result of this engine, or if it is deeper, to the deepest of all.
        let depth = course.last().map(|point| point.depth);
        let is_of_course = |(stored, is_own): &(Stored, bool)| *is_own && Some(stored.analysis.depth) >= depth;
        let owner = found.iter().position(is_of_course).unwrap_or(0);
        let findings = found.into_iter().enumerate().map(|(at, (stored, is_own))| {
            let course = if at == owner { take(&mut course) } else { Vec::new() };
            Finding { stored, course, is_own }
        });
        findings.collect()
    }

    /// The deepest result of this engine that meets the conditions; none after a timeout.
    pub fn matching(&self, subject: &Subject) -> Option<Stored> {
        let Subject { key, board, conditions, .. } = subject.clone();
        let found = self.call(TIMEOUT, move |Worker { database, engine, .. }| {
            database.with_reconnect(|database| database.results(&key, &board, engine, conditions.multipv)).ok()
        });
        found.flatten()?.into_iter().find(|stored| conditions.requested.is_met_by(stored))
    }

    pub fn store(&self, subject: &Subject, finding: Arc<Finding>) {
        let (place, subject) = ((subject.key.clone(), subject.conditions.multipv), subject.clone());
        let _ = self.jobs.send(Box::new(move |Worker { unsaved, .. }| {
            if unsaved.len() < MAX_UNSAVED || unsaved.contains_key(&place) {
                unsaved.insert(place, (subject, finding));
            }
        }));
    }

    /// Waits until all results are stored, up to a timeout.
    pub fn finish(&self) {
        self.call(Duration::from_secs(30), Worker::flush);
    }

    fn call<T: Send + 'static>(
        &self,
        timeout: Duration,
        work: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = channel();
        self.jobs.send(Box::new(move |worker| drop(reply.send(work(worker))))).ok()?;
        answer.recv_timeout(timeout).ok()
    }
}

struct Worker {
    database: Database,
    engine: EngineId,
    /// The latest result of each position and number of lines.
    unsaved: HashMap<(Key, u16), (Subject, Arc<Finding>)>,
    problem: Arc<Mutex<Option<String>>>,
    retry: Option<Instant>,
}

impl Worker {
    /// Runs jobs, and stores results when idle.
    fn work(&mut self, inbox: &Receiver<Job>) {
        loop {
            let delay = match self.retry {
                _ if self.unsaved.is_empty() => Duration::MAX,
                None => Duration::ZERO,
                Some(retry) => retry.saturating_duration_since(Instant::now()),
            };
            match inbox.recv_timeout(delay) {
                Ok(job) => job(self),
                Err(RecvTimeoutError::Timeout) => self.flush(),
                Err(RecvTimeoutError::Disconnected) => return self.flush(),
            }
        }
    }

    /// Stores unsaved results. Stops at the first failure.
    fn flush(&mut self) {
        let mut failed = None;
        for (place, (subject, finding)) in take(&mut self.unsaved) {
            failed = failed.or_else(|| self.store(&subject, &finding).err());
            if failed.is_some() {
                self.unsaved.insert(place, (subject, finding));
            }
        }
        self.retry = failed.as_ref().map(|_| Instant::now() + RETRY_DELAY);
        let mut problem = self.problem.lock();
        if *problem != failed {
            match &failed {
                Some(text) => notice(format_args!("{text}; results are kept in memory")),
                None => notice(format_args!("{}: results are stored again", self.database.location())),
            }
            *problem = failed;
        }
    }

    fn store(&mut self, subject: &Subject, finding: &Finding) -> Result<(), String> {
        let (engine, Finding { stored, course, .. }) = (&self.engine, finding);
        let result = self.database.with_reconnect(|database| {
            database.store_with_course(&subject.key, &subject.board, engine, stored, course)
        });
        Ok(result?)
    }
}
