//! The queue in the database, and the reports of its games.

use super::entry::{Entry, Task};
use super::{BEHIND, Queue, State};
use crate::database::{self, Location, QueueRow};
use crate::serve::board::{Boards, Document, Fields, Refusal, now, report};
use crate::serve::pool::Pool;
use lento_console::notice::notice;
use parking_lot::Mutex;
use serde_json::Value;
use std::mem::take;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Attempts to store after which another server's queue is asked for again.
const ATTEMPTS: u32 = 4;
const TAKEN: &str = "another server has the queue of the database";

/// Where the queue is kept.
#[derive(Default)]
pub struct Stored {
    location: Option<Location>,
    /// `None` without a database, and while another server has its queue.
    table: Option<database::Queue>,
    attempts: u32,
    /// The latest error.
    error: String,
}

impl Queue {
    /// A queue that lives as long as the server, or that of a database.
    pub fn start(pool: &Arc<Pool>, boards: &Arc<Boards>, location: Option<&Location>) -> Result<Self, String> {
        let mut stored = Stored { location: location.cloned(), ..Stored::default() };
        let state = stored.take()?;
        if let Some(location) = location.filter(|_| state.is_taken) {
            notice(format_args!("{location}: {TAKEN}; until it ends, this one has none"));
        }
        let (pool, boards, news) = (Arc::clone(pool), Arc::clone(boards), broadcast::channel(BEHIND).0);
        Ok(Self { pool, boards, state: Mutex::new(state), stored: Mutex::new(stored), news })
    }

    /// Takes the queue once the other server has ended.
    fn take_over(&self, stored: &mut Stored) {
        stored.attempts += 1;
        if !self.state.lock().is_taken || !stored.attempts.is_multiple_of(ATTEMPTS) {
            return;
        }
        if let Some(state) = stored.take().ok().filter(|state| !state.is_taken) {
            // None was added before.
            *self.state.lock() = state;
        }
    }

    /// Ends its searches: another server has taken the queue over, since this one was silent for long.
    fn lose(&self) {
        notice(TAKEN);
        let mut state = self.state.lock();
        for (number, at) in take(&mut state.running) {
            if let Some(running) = &state.entries[&number].positions[at].running {
                self.pool.cancel(&running.ticket);
            }
        }
        *state = State { is_taken: true, unstored: TAKEN.into(), ..State::default() };
        drop(state);
        self.all().into_iter().for_each(|text| drop(self.news.send(text.into())));
    }

    /// Writes what has changed to the database, and reports of games that have ended to their boards.
    pub fn keep(&self) {
        let ended = take(&mut self.state.lock().ended);
        for number in ended {
            let has_board = self.state.lock().entries.get(&number).is_some_and(|entry| entry.board.is_some());
            if has_board && let Err(refusal) = self.report(number) {
                notice(refusal.text());
            }
        }
        let mut stored = self.stored.lock();
        if stored.table.is_none() {
            self.take_over(&mut stored);
        }
        let Stored { table: Some(table), error, .. } = &mut *stored else { return };
        let mut state = self.state.lock();
        let (unkept, deleted) = (take(&mut state.unkept), take(&mut state.deleted));
        if !take(&mut state.is_unkept) && unkept.is_empty() && deleted.is_empty() {
            return;
        }
        let row = |&entry: &u64| {
            let known = state.entries.get(&entry)?;
            Some(QueueRow {
                entry,
                rank: known.rank,
                content: Arc::clone(&known.task.content),
                progress: known.stored(),
            })
        };
        let (is_paused, rows): (_, Vec<QueueRow>) = (state.is_paused, unkept.iter().filter_map(row).collect());
        drop(state);
        let written = table.put(is_paused, &rows, &deleted);
        let mut state = self.state.lock();
        if matches!(written, Ok(false)) {
            drop(state);
            stored.table = None;
            return self.lose();
        }
        let unstored = written.map_or_else(String::from, |_| String::new());
        if !unstored.is_empty() {
            // To be tried again.
            state.unkept.extend(unkept);
            state.deleted.extend(deleted);
            state.is_unkept = true;
            if unstored != *error {
                notice(&unstored);
            }
        }
        error.clone_from(&unstored);
        // Pages do not see the name of the database.
        let unstored =
            if unstored.is_empty() { "" } else { "the queue cannot be stored; the messages of the server say why" };
        state.is_changed |= state.unstored != unstored;
        state.unstored = unstored.into();
    }

    /// Stores what has changed and leaves the queue to other servers.
    pub fn finish(&self) {
        self.keep();
        self.stored.lock().table = None;
    }

    /// Saves the board of a game with its report so far. Returns the board.
    pub fn report(&self, number: u64) -> Result<String, Refusal> {
        let state = self.state.lock();
        let gone = || Refusal::new("unknown-entry", "entry", format!("no entry {number} in the queue"));
        let entry = state.entries.get(&number).ok_or_else(gone)?;
        let (content, earlier) = (Arc::clone(&entry.task.content), entry.board.clone());
        let analyses = entry.positions.iter().map(|position| position.found.clone()).collect();
        let name = entry.task.name.clone();
        drop(state);
        let content: Value = serde_json::from_str(&content).unwrap_or_default();
        let (document, mut data) = report(&Document::parse(&content["document"])?, analyses)?;
        data["entry"] = number.into();
        let board = self.boards.store.report(earlier.as_ref(), name, &document, &data)?;
        let id = board.0.to_string();
        let mut state = self.state.lock();
        if let Some(entry) = state.entries.get_mut(&number) {
            entry.board = Some(board);
            state.change(number);
        }
        Ok(id)
    }
}

impl Stored {
    /// Takes the queue of the database, unless another server has it.
    fn take(&mut self) -> Result<State, String> {
        let mut state = State::default();
        if let Some(location) = &self.location {
            self.table = database::Queue::open(location)?;
            match &mut self.table {
                Some(table) => state.read(table)?,
                None => (state.is_taken, state.unstored) = (true, TAKEN.into()),
            }
        }
        Ok(state)
    }
}

impl State {
    /// Takes the entries of a database.
    fn read(&mut self, table: &mut database::Queue) -> Result<(), String> {
        let (is_paused, rows) = table.all()?;
        (self.is_paused, self.is_changed) = (is_paused, true);
        for QueueRow { entry: number, rank, content, progress } in rows {
            let content: Value = serde_json::from_str(&content).unwrap_or_default();
            let Some(fields) = content.as_object() else { continue };
            let mut entry = match Task::parse(Fields::new(fields, ""), now()) {
                Ok(task) => Entry::new(task, rank),
                Err(refusal) => {
                    notice(format_args!("queue, entry {number}: {}", refusal.text()));
                    continue;
                }
            };
            entry.restore(serde_json::from_str(&progress).unwrap_or_default());
            if entry.removed.is_none() {
                self.order.insert((rank, number));
                self.changed.insert(number);
            }
            self.last = self.last.max(number);
            self.entries.insert(number, entry);
        }
        Ok(())
    }
}
