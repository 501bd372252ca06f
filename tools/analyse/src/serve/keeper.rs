//! The thread that keeps results in the database, so that no search waits for a disk.

use super::subject::{Finding, Subject};
use crate::database::{Database, EngineId, Key, Location, Stored};
use lento::chess::Board;
use lento_console::notice::notice;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum wait for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause after a result could not be stored.
const RETRY: Duration = Duration::from_secs(5);

enum Order {
    /// All results of a position.
    Look(Key, Board, Sender<Vec<Finding>>),
    /// Those of this engine with a number of lines.
    LookForOwn(Key, Board, u16, Sender<Vec<Stored>>),
    Keep(Box<Subject>, Arc<Finding>),
    Finish(Sender<()>),
}

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
    pub fn look(&self, key: &Key, board: &Board) -> Vec<Finding> {
        self.ask(|reply| Order::Look(key.clone(), board.clone(), reply), PATIENCE).unwrap_or_default()
    }

    /// The results of this engine with at least this many lines, deepest first.
    pub fn look_for_own(&self, key: &Key, board: &Board, multipv: u16) -> Vec<Stored> {
        self.ask(|reply| Order::LookForOwn(key.clone(), board.clone(), multipv, reply), PATIENCE).unwrap_or_default()
    }

    pub fn keep(&self, subject: &Subject, finding: Arc<Finding>) {
        let _ = self.orders.send(Order::Keep(Box::new(subject.clone()), finding));
    }

    /// Waits until all results are stored, or cannot be.
    pub fn finish(&self) {
        self.ask(Order::Finish, Duration::from_secs(30));
    }

    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order, patience: Duration) -> Option<T> {
        let (reply, answer) = channel();
        self.orders.send(order(reply)).ok()?;
        answer.recv_timeout(patience).ok()
    }
}

struct Desk {
    database: Database,
    engine: EngineId,
    /// The latest result of each position and number of lines.
    unsaved: HashMap<(Key, u16), (Box<Subject>, Arc<Finding>)>,
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
                Ok(order) => self.obey(order),
                Err(RecvTimeoutError::Timeout) => self.store(),
                Err(RecvTimeoutError::Disconnected) => return self.store(),
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Look(key, board, reply) => {
                let found = self.database.insist(|database| database.findings(&key, &board));
                let (stored, course) = found.unwrap_or_default();
                let mut findings: Vec<Finding> =
                    stored.into_iter().map(|stored| Finding { stored, course: Vec::new() }).collect();
                if let Some(deepest) = findings.first_mut() {
                    deepest.course = course;
                }
                let _ = reply.send(findings);
            }
            Order::LookForOwn(key, board, multipv, reply) => {
                let engine = Some(&self.engine);
                let found = self.database.insist(|database| database.results(&key, &board, engine, multipv));
                let _ = reply.send(found.unwrap_or_default());
            }
            Order::Keep(subject, finding) => {
                self.unsaved.insert((subject.key.clone(), subject.conditions.multipv), (subject, finding));
            }
            Order::Finish(reply) => {
                self.store();
                let _ = reply.send(());
            }
        }
    }

    /// Stores what is unsaved, unless the database refuses.
    fn store(&mut self) {
        let unsaved = std::mem::take(&mut self.unsaved);
        let mut failed = None;
        for (place, (subject, finding)) in unsaved {
            let stored = match &failed {
                None => self.keep(&subject, &finding),
                Some(_) => Ok(()),
            };
            failed = failed.or(stored.err());
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
        let kept = self.database.insist(|database| database.keep(&subject.key, &subject.board, engine, stored, course));
        Ok(kept?)
    }
}
