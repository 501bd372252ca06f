//! The thread that keeps results in the database, so that no search waits for a disk.

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

/// Maximum wait for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause after a result could not be stored.
const RETRY: Duration = Duration::from_secs(5);

/// Work for the thread.
type Order = Box<dyn FnOnce(&mut Desk) + Send>;

/// The way to the thread.
pub struct Keeper {
    orders: Sender<Order>,
    /// Why results cannot be stored at the moment.
    problem: Arc<Mutex<Option<String>>>,
}

impl Keeper {
    /// Opens the database. Its results are those of this engine.
    pub fn start(location: &Location, engine: EngineId) -> Result<Self, String> {
        let database = Database::open_for_server(location, None)?;
        let (orders, inbox) = channel();
        let problem = Arc::new(Mutex::new(None));
        let mut desk = Desk { database, engine, unsaved: HashMap::new(), problem: Arc::clone(&problem), retry: None };
        let spawned = thread::Builder::new().name("keeper".into()).spawn(move || desk.work(&inbox));
        spawned.map_err(|error| error.to_string())?;
        Ok(Self { orders, problem })
    }

    /// What clients are told while results cannot be stored.
    pub fn problem(&self) -> Option<&'static str> {
        self.problem.lock().as_ref().map(|_| super::UNAVAILABLE)
    }

    /// All results of a position; none if the database does not answer soon.
    pub fn look(&self, subject: &Subject) -> Vec<Finding> {
        let Subject { key, board, .. } = subject.clone();
        let found = self
            .ask(PATIENCE, move |desk| desk.database.with_reconnect(|database| database.findings(&key, &board)).ok());
        let (stored, mut course) = found.flatten().unwrap_or_default();
        // The course is that of the deepest, which is the first.
        stored.into_iter().map(|stored| Finding { stored, course: take(&mut course) }).collect()
    }

    /// The results of this engine with at least as many lines, deepest first.
    pub fn look_for_own(&self, subject: &Subject) -> Vec<Stored> {
        let Subject { key, board, conditions, .. } = subject.clone();
        let found = self.ask(PATIENCE, move |Desk { database, engine, .. }| {
            database.with_reconnect(|database| database.results(&key, &board, Some(engine), conditions.multipv)).ok()
        });
        found.flatten().unwrap_or_default()
    }

    pub fn keep(&self, subject: &Subject, finding: Arc<Finding>) {
        let (place, subject) = ((subject.key.clone(), subject.conditions.multipv), subject.clone());
        let _ = self.orders.send(Box::new(move |desk| drop(desk.unsaved.insert(place, (subject, finding)))));
    }

    /// Waits until all results are stored, or cannot be.
    pub fn finish(&self) {
        self.ask(Duration::from_secs(30), Desk::store);
    }

    fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce(&mut Desk) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = channel();
        self.orders.send(Box::new(move |desk| drop(reply.send(work(desk))))).ok()?;
        answer.recv_timeout(patience).ok()
    }
}

struct Desk {
    database: Database,
    engine: EngineId,
    /// The latest result of each position and number of lines.
    unsaved: HashMap<(Key, u16), (Subject, Arc<Finding>)>,
    problem: Arc<Mutex<Option<String>>>,
    /// When to try again.
    retry: Option<Instant>,
}

impl Desk {
    /// Answers before it stores.
    fn work(&mut self, inbox: &Receiver<Order>) {
        loop {
            let pause = match self.retry {
                _ if self.unsaved.is_empty() => Duration::MAX,
                None => Duration::ZERO,
                Some(retry) => retry.saturating_duration_since(Instant::now()),
            };
            match inbox.recv_timeout(pause) {
                Ok(order) => order(self),
                Err(RecvTimeoutError::Timeout) => self.store(),
                Err(RecvTimeoutError::Disconnected) => return self.store(),
            }
        }
    }

    /// Stores what is unsaved, unless the database refuses.
    fn store(&mut self) {
        let mut failed = None;
        for (place, (subject, finding)) in take(&mut self.unsaved) {
            failed = failed.or_else(|| self.keep(&subject, &finding).err());
            if failed.is_some() {
                self.unsaved.insert(place, (subject, finding));
            }
        }
        self.retry = failed.as_ref().map(|_| Instant::now() + RETRY);
        let mut problem = self.problem.lock();
        if *problem != failed {
            match &failed {
                Some(text) => notice(format_args!("{text}; results wait in memory")),
                None => notice(format_args!("{}: results are stored again", self.database.location())),
            }
            *problem = failed;
        }
    }

    fn keep(&mut self, subject: &Subject, finding: &Finding) -> Result<(), String> {
        let (engine, Finding { stored, course }) = (&self.engine, finding);
        let kept = self
            .database
            .with_reconnect(|database| database.keep(&subject.key, &subject.board, engine, stored, course));
        Ok(kept?)
    }
}
