//! Stores the queue in the database, and reports of games as boards.

use super::entry::{Entry, Task};
use super::requests::unknown_entry;
use super::{MAX_LAG, Queue, State};
use crate::database::{self, Location, QueueRow};
use crate::serve::board::{Boards, Document, Fields, RequestError, now, report};
use crate::serve::pool::Pool;
use lento_console::notice::notice;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Attempts to store after which taking over the queue of another server is tried.
const ATTEMPTS: u32 = 4;
const TAKEN: &str = "another server owns the queue of the database";

#[derive(Default)]
pub struct Storage {
    location: Option<Location>,
    /// `None` without a database or while another server owns its queue.
    table: Option<database::Queue>,
    attempts: u32,
    /// The latest error.
    error: String,
}

impl Queue {
    /// The queue of a database, or a queue in memory.
    pub fn start(pool: &Arc<Pool>, boards: &Arc<Boards>, location: Option<&Location>) -> Result<Self, String> {
        let mut storage = Storage { location: location.cloned(), ..Storage::default() };
        let state = storage.take()?;
        if let Some(location) = location.filter(|_| state.is_taken) {
            notice(format_args!("{location}: {TAKEN}; this server has no queue until that one ends"));
        }
        let (pool, boards, events) = (Arc::clone(pool), Arc::clone(boards), broadcast::channel(MAX_LAG).0);
        let (reporting, state, storage) = (Mutex::default(), Mutex::new(state), Mutex::new(storage));
        Ok(Self { pool, boards, reporting, state, storage, events })
    }

    /// Takes the queue once the other server has ended.
    fn take_over(&self, storage: &mut Storage) {
        storage.attempts += 1;
        if !self.state.lock().is_taken || !storage.attempts.is_multiple_of(ATTEMPTS) {
            return;
        }
        if let Some(state) = storage.take().ok().filter(|state| !state.is_taken) {
            if let Err(error) = self.boards.store.reload() {
                notice(error);
            }
            // The current queue is empty.
            *self.state.lock() = state;
        }
    }

    /// Ends all searches, after another server has taken over the queue because the lease had expired.
    fn handle_takeover(&self) {
        notice(TAKEN);
        let mut state = self.state.lock();
        for (number, at) in take(&mut state.running) {
            if let Some(running) = &state.entries[&number].positions[at].running {
                self.pool.cancel(&running.ticket);
            }
        }
        *state = State { is_taken: true, unstored: TAKEN.into(), ..State::default() };
        drop(state);
        self.all().into_iter().for_each(|text| drop(self.events.send(text.into())));
    }

    /// Writes changes to the database, and reports of finished games to their boards.
    pub fn save(&self) {
        self.write_reports();
        let mut storage = self.storage.lock();
        if storage.table.is_none() {
            self.take_over(&mut storage);
        }
        let Storage { table: Some(table), error, .. } = &mut *storage else { return };
        let (unsaved, is_paused) = {
            let mut state = self.state.lock();
            let unsaved = take(&mut state.unsaved);
            if !take(&mut state.is_unsaved) && unsaved.is_empty() {
                return;
            }
            (unsaved, state.is_paused)
        };
        let (rows, deleted) = rows(&self.state, &unsaved);
        let written = table.put(is_paused, &rows, &deleted);
        if matches!(written, Ok(false)) {
            storage.table = None;
            return self.handle_takeover();
        }
        let problem = written.map_or_else(String::from, |_| String::new());
        let mut state = self.state.lock();
        let mut unstored = "";
        if !problem.is_empty() {
            // To be retried.
            state.unsaved.extend(unsaved);
            state.is_unsaved = true;
            // Hides the name of the database from pages.
            unstored = "the queue cannot be stored; see the messages of the server";
            if problem != *error {
                notice(&problem);
            }
        }
        *error = problem;
        state.is_changed |= state.unstored != unstored;
        state.unstored = unstored.into();
    }

    /// Writes reports of finished games to their boards, while the database is available.
    fn write_reports(&self) {
        loop {
            let mut state = self.state.lock();
            if !state.unstored.is_empty() {
                return;
            }
            let Some(number) = state.ended.pop_first() else { return };
            let board = state.entries.get(&number).and_then(|entry| entry.board.clone());
            drop(state);
            let has_board = board.is_some_and(|(board, _)| self.boards.store.has(&board));
            let Some(error) = has_board.then(|| self.report(number).err()).flatten() else { continue };
            if error.is_unsaved() {
                // Tried again once the queue is stored.
                let mut state = self.state.lock();
                state.ended.insert(number);
                state.is_unsaved = true;
                return;
            }
            notice(error.text());
        }
    }

    /// Stores changes and releases the queue for other servers.
    pub fn finish(&self) {
        self.save();
        self.storage.lock().table = None;
    }

    /// Saves the board of a game with its current report. Returns the board.
    pub fn report(&self, number: u64) -> Result<String, RequestError> {
        // A game gets one board, whose version is known.
        let _alone = self.reporting.lock();
        let state = self.state.lock();
        let entry = state.entries.get(&number).ok_or_else(|| unknown_entry("entry", number))?;
        let (content, earlier) = (Arc::clone(&entry.task.content), entry.board.clone());
        let analyses = entry.positions.iter().map(|position| position.found.clone()).collect();
        let name = entry.task.name.clone();
        drop(state);
        let content: Value = serde_json::from_str(&content).unwrap_or_default();
        let (document, mut data) = report(&Document::parse(&content["document"])?, analyses);
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

/// The rows of the entries that exist, and the others. Locks each entry for itself, since thousands take long.
fn rows(state: &Mutex<State>, entries: &BTreeSet<u64>) -> (Vec<QueueRow>, Vec<u64>) {
    let (mut rows, mut deleted) = (Vec::new(), Vec::new());
    for &entry in entries {
        match state.lock().entries.get(&entry) {
            Some(known) => {
                let content = Arc::clone(&known.task.content);
                rows.push(QueueRow { entry, rank: known.rank, content, progress: known.stored() });
            }
            None => deleted.push(entry),
        }
    }
    (rows, deleted)
}

impl Storage {
    /// Takes the queue of the database, unless another server owns it.
    fn take(&mut self) -> Result<State, String> {
        let mut state = State::default();
        if let Some(location) = &self.location {
            let mut table = database::Queue::open(location)?;
            match &mut table {
                // On failure the table is closed, so that it can be taken again.
                Some(table) => state.read(table)?,
                None => (state.is_taken, state.unstored) = (true, TAKEN.into()),
            }
            self.table = table;
        }
        Ok(state)
    }
}

impl State {
    fn read(&mut self, table: &mut database::Queue) -> Result<(), String> {
        let (is_paused, rows) = table.all()?;
        (self.is_paused, self.is_changed) = (is_paused, true);
        for QueueRow { entry: number, rank, content, progress } in rows {
            // Rows that cannot be read keep their numbers.
            self.last = self.last.max(number);
            let content: Value = serde_json::from_str(&content).unwrap_or_default();
            let Some(fields) = content.as_object() else { continue };
            let mut entry = match Task::parse(Fields::new(fields, ""), now()) {
                Ok(task) => Entry::new(task, rank),
                Err(error) => {
                    notice(format_args!("queue, entry {number}: {}", error.text()));
                    continue;
                }
            };
            entry.restore(serde_json::from_str(&progress).unwrap_or_default());
            if entry.removed.is_none() {
                self.order.insert((rank, number));
                self.changed.insert(number);
            }
            self.entries.insert(number, entry);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;
    use serde_json::json;
    use std::thread;

    #[test]
    fn others_do_not_wait_for_all_rows() {
        let mut nodes = vec![json!({})];
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(100).enumerate();
        nodes.extend(moves.map(|(at, uci)| json!({ "parent": at, "uci": uci })));
        let content = json!({ "document": { "nodes": nodes } });
        let entry = || Entry::new(Task::parse(Fields::new(content.as_object().unwrap(), ""), 0).unwrap(), 0);
        let state = Mutex::new(State { entries: (0..2000).map(|at| (at, entry())).collect(), ..State::default() });
        let wanted = (0..2001).collect();
        let (found, locked) = thread::scope(|scope| {
            let rows = scope.spawn(|| rows(&state, &wanted));
            let mut locked = 0;
            while !rows.is_finished() {
                drop(state.lock());
                locked += 1;
            }
            (rows.join().unwrap(), locked)
        });
        assert_eq!((found.0.len(), found.1), (2000, vec![2000]));
        assert!(locked > 4, "{locked}");
    }

    #[test]
    fn numbers_of_unreadable_rows_are_not_reused() {
        let folder = Folder::new("unreadable-rows");
        let mut table = database::Queue::open(&Location::File(folder.at("queue.db"))).unwrap().expect("an owner");
        let row = |entry, content: &str| QueueRow { entry, rank: 0, content: content.into(), progress: "{}".into() };
        table.put(false, &[row(1, "{}"), row(2, r#"{"lines":99}"#)], &[]).unwrap();
        let mut state = State::default();
        state.read(&mut table).unwrap();
        assert_eq!((state.entries.len(), state.last), (1, 2));
    }
}
