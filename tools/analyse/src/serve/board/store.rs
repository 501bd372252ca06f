//! Saved boards, shared by all pages.

use super::document::Document;
use super::request::{Answer, Fields, RequestError, UNSAVED, at_most};
use crate::database::{self, BoardRow, Location};
use crate::serve::UNAVAILABLE;
use lento_console::notice::notice;
use lento_uci::words::quoted;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::broadcast;

/// Maximum number of boards, including removed ones.
const MAX_BOARDS: usize = 1000;
/// Maximum size of a document and of all documents, in bytes of JSON.
const MAX_DOCUMENT: usize = 4 << 20;
const MAX_BYTES: usize = 256 << 20;
/// Maximum length of a name in characters.
const MAX_NAME: usize = 200;
/// Identifies a document with a report.
const REPORT: &str = "\"report\":{";
/// Number of the server when it saves reports or copies; visitors have higher numbers.
const SERVER: u64 = 0;
/// Notifications that a slow page may lag behind before it gets all its boards again.
const MAX_LAG: usize = 256;

/// A change that pages are notified of.
#[derive(Clone, Debug)]
pub enum Change {
    /// The list has changed.
    List,
    /// A visitor has saved a board, which also changes the list.
    Saved { board: Arc<str>, by: u64 },
}

/// A connected page.
pub struct Visitor {
    number: u64,
    /// The boards open on it.
    open: Mutex<HashSet<Arc<str>>>,
}

/// The boards in the database, if any.
type Table = Option<database::Boards>;

pub struct Store {
    /// Those in memory. Locked only for moments, as the thread that serves all visitors reads them.
    boards: Mutex<HashMap<Arc<str>, Saved>>,
    /// Locked during changes, which may wait for other writers of the database.
    table: Mutex<Table>,
    /// Numbers visitors and removals.
    counter: AtomicU64,
    changes: broadcast::Sender<Change>,
}

#[derive(Clone)]
struct Saved {
    row: BoardRow,
    plies: usize,
    /// The number of the change that removed it, if it is removed.
    removed: u64,
}

impl From<BoardRow> for Saved {
    fn from(row: BoardRow) -> Self {
        let mut saved = Self { row, plies: 0, removed: 0 };
        saved.plies = Document::parse(&saved.document()).map_or(0, |document| document.main_line().len());
        saved
    }
}

impl Store {
    pub fn load(location: Option<&Location>) -> Result<Self, String> {
        let mut table = location.map(database::Boards::open).transpose()?;
        let rows = table.as_mut().map_or_else(|| Ok(Vec::new()), database::Boards::all)?;
        let boards: HashMap<_, _> = rows.into_iter().map(|row| (Arc::clone(&row.board), row.into())).collect();
        let (counter, changes) = (AtomicU64::new(SERVER), broadcast::channel(MAX_LAG).0);
        Ok(Self { boards: Mutex::new(boards), table: Mutex::new(table), counter, changes })
    }

    /// Writes a board to the database, then to memory. `before` is the replaced version.
    fn write(&self, table: &mut Table, saved: Saved, before: u64) -> Result<(), RequestError> {
        let board = Arc::clone(&saved.row.board);
        if let Some(stored) = table
            && !stored.put(&saved.row, before).map_err(unsaved)?
        {
            self.refresh(table, &board);
            let newer = self.boards.lock().get(&board).cloned().ok_or_else(|| unknown(&board))?;
            return Err(newer.stale(before));
        }
        self.boards.lock().insert(board, saved);
        Ok(())
    }

    /// Loads changes by other servers to a board in the database.
    fn refresh(&self, table: &mut Table, board: &str) {
        let Some(Ok(stored)) = table.as_mut().map(|table| table.get(board)) else { return };
        let mut boards = self.boards.lock();
        if boards.get(board).map(|saved| &saved.row) == stored.as_ref() {
            return;
        }
        match stored {
            Some(row) => boards.insert(board.into(), row.into()),
            None => boards.remove(board),
        };
        drop(boards);
        self.notify(Change::List);
    }

    /// The board of a request.
    fn find(&self, table: &mut Table, fields: Fields) -> Result<Saved, RequestError> {
        let board = fields.need("board", "a board", fields.text("board")?)?;
        self.refresh(table, board);
        let boards = self.boards.lock();
        let saved = boards.get(board).ok_or_else(|| unknown(board))?;
        if saved.row.is_removed {
            let text = format!("board {} was removed; restore it first", quoted(board));
            return Err(RequestError::new("removed", "board", text));
        }
        Ok(saved.clone())
    }

    pub fn visit(&self) -> Visitor {
        Visitor { number: self.count(), open: Mutex::default() }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    fn notify(&self, change: Change) {
        // Fails if no pages are connected.
        let _ = self.changes.send(change);
    }

    /// The events of a change for a visitor; without one, all events for a visitor that has missed some.
    pub fn events(&self, visitor: &Visitor, change: Option<&Change>) -> Vec<Value> {
        let mut boards: Vec<Arc<str>> = visitor.open.lock().iter().cloned().collect();
        boards.retain(|open| match change {
            None => true,
            Some(Change::List) => false,
            Some(Change::Saved { board, by }) => *by != visitor.number && open == board,
        });
        let event = |board: &Arc<str>| {
            let saved = self.boards.lock().get(board).cloned()?;
            let mut event = saved.to_value();
            event["event"] = "board".into();
            Some(event)
        };
        boards.iter().filter_map(event).chain([json!({ "event": "boards" })]).collect()
    }

    /// Loads all boards again, since another server may have changed them.
    pub fn reload(&self) -> Result<(), String> {
        let mut table = self.table.lock();
        let Some(stored) = table.as_mut() else { return Ok(()) };
        let rows = stored.all()?;
        *self.boards.lock() = rows.into_iter().map(|row| (Arc::clone(&row.board), row.into())).collect();
        drop(table);
        self.notify(Change::List);
        Ok(())
    }

    pub fn list(&self) -> Answer {
        let boards = self.boards.lock();
        let mut boards: Vec<&Saved> = boards.values().filter(|saved| !saved.row.is_removed).collect();
        boards.sort_by_key(|saved| (std::cmp::Reverse(saved.row.changed), &saved.row.board));
        let boards = boards.into_iter().map(|Saved { row, plies, .. }| {
            json!({ "board": &*row.board, "name": row.name, "changed": row.changed, "plies": plies })
        });
        Ok(json!({ "boards": boards.collect::<Vec<_>>() }))
    }

    /// Whether there is a board that is not removed.
    pub fn has(&self, board: &str) -> bool {
        self.boards.lock().get(board).is_some_and(|saved| !saved.row.is_removed)
    }

    pub fn open(&self, visitor: &Visitor, fields: Fields) -> Answer {
        let saved = self.find(&mut self.table.lock(), fields)?;
        visitor.open.lock().insert(Arc::clone(&saved.row.board));
        Ok(saved.to_value())
    }

    pub fn save(&self, visitor: &Visitor, fields: Fields) -> Answer {
        let document = fields.need("document", "a document", fields.get("document"))?;
        let document = Document::parse(document)?;
        let plies = document.main_line().len();
        let (mut value, name) = (document.to_value(), name(fields)?);
        let mut table = self.table.lock();
        let before = match fields.get("board") {
            None => None,
            Some(_) => {
                let version =
                    fields.need("version", "the version last seen", fields.number("version", 0..=u64::MAX)?)?;
                let before = self.find(&mut table, fields)?;
                if before.row.version != version {
                    return Err(before.stale(version));
                }
                Some(before)
            }
        };
        let old_name = before.as_ref().map(|saved| saved.row.name.clone());
        let name = name.or(old_name).or_else(|| players(&document)).unwrap_or_else(|| "Analysis".into());
        // Keeps the report.
        if let Some(saved) = before.as_ref().filter(|saved| saved.row.document.contains(REPORT)) {
            value["report"] = saved.document()["report"].take();
        }
        let (board, version) = self.put(table, before, name, plies, value.to_string().into(), visitor.number)?;
        let answer = json!({ "board": &*board, "version": version });
        visitor.open.lock().insert(board);
        Ok(answer)
    }

    /// Saves a document as a new version or a new board, and notifies pages. Returns the board and its version.
    fn put(
        &self,
        mut table: MutexGuard<Table>,
        before: Option<Saved>,
        name: String,
        plies: usize,
        document: Arc<str>,
        by: u64,
    ) -> Result<(Arc<str>, u64), RequestError> {
        at_most("too-large", "document", document.len(), MAX_DOCUMENT, "bytes")?;
        let replaced = before.as_ref().map_or(0, |saved| saved.row.document.len());
        self.make_room(&mut table, document.len(), replaced, before.is_none())?;
        let (board, version) = match before {
            Some(Saved { row, .. }) => (row.board, row.version + 1),
            // Random, since pages may still have ids of an earlier run.
            None => (format!("{:016x}", RandomState::new().hash_one(())).into(), 1),
        };
        let row = BoardRow { board: Arc::clone(&board), name, version, changed: now(), document, is_removed: false };
        self.write(&mut table, Saved { row, plies, removed: 0 }, version - 1)?;
        drop(table);
        self.notify(Change::Saved { board: Arc::clone(&board), by });
        Ok((board, version))
    }

    /// Saves a document with a report, as a new version of an earlier one or as a new board. If a page has saved the board since, keeps
    /// its document. Returns the board and the last version without edits.
    pub fn report(
        &self,
        earlier: Option<&(Arc<str>, u64)>,
        name: String,
        document: &Document,
        report: &Value,
    ) -> Result<(Arc<str>, u64), RequestError> {
        let mut table = self.table.lock();
        if let Some((board, _)) = earlier {
            self.refresh(&mut table, board);
        }
        let before = earlier.and_then(|(board, _)| self.boards.lock().get(board).cloned());
        let before = before.filter(|saved| !saved.row.is_removed);
        let own = earlier.map(|(_, version)| *version);
        let edited = before.as_ref().filter(|saved| own != Some(saved.row.version));
        let mut value = edited.map_or_else(|| document.to_value(), Saved::document);
        value["report"] = report.clone();
        if let Some(saved) = before.as_ref().filter(|saved| saved.document() == value) {
            return Ok((Arc::clone(&saved.row.board), own.unwrap_or(saved.row.version)));
        }
        let plies = edited.map_or_else(|| document.main_line().len(), |saved| saved.plies);
        let kept = own.filter(|_| edited.is_some());
        let name = before.as_ref().map_or(name, |saved| saved.row.name.clone());
        let (board, version) = self.put(table, before, name, plies, value.to_string().into(), SERVER)?;
        Ok((board, kept.unwrap_or(version)))
    }

    pub fn rename(&self, fields: Fields) -> Answer {
        let name = fields.need("name", "a name", name(fields)?)?;
        let mut table = self.table.lock();
        let mut saved = self.find(&mut table, fields)?;
        (saved.row.name, saved.row.changed) = (name, now());
        self.update(table, saved)
    }

    pub fn copy(&self, fields: Fields) -> Answer {
        let name = name(fields)?;
        let mut table = self.table.lock();
        let saved = self.find(&mut table, fields)?;
        let name = name.unwrap_or_else(|| format!("{} (copy)", saved.row.name).chars().take(MAX_NAME).collect());
        let (board, _) = self.put(table, None, name, saved.plies, saved.row.document, SERVER)?;
        Ok(json!({ "board": &*board }))
    }

    pub fn remove(&self, fields: Fields) -> Answer {
        let mut table = self.table.lock();
        let mut saved = self.find(&mut table, fields)?;
        (saved.row.is_removed, saved.removed) = (true, self.count());
        self.update(table, saved)
    }

    pub fn restore(&self, fields: Fields) -> Answer {
        let board = fields.need("board", "a board", fields.text("board")?)?;
        let table = self.table.lock();
        let mut saved = self.boards.lock().get(board).cloned().ok_or_else(|| unknown(board))?;
        saved.row.is_removed = false;
        self.update(table, saved)
    }

    /// Changes a board without its document and version.
    fn update(&self, mut table: MutexGuard<Table>, saved: Saved) -> Answer {
        let version = saved.row.version;
        self.write(&mut table, saved, version)?;
        drop(table);
        self.notify(Change::List);
        Ok(json!({}))
    }

    /// Makes room for a document by dropping the oldest removed boards.
    fn make_room(&self, table: &mut Table, bytes: usize, replaced: usize, is_new: bool) -> Result<(), RequestError> {
        loop {
            let boards = self.boards.lock();
            let used: usize = boards.values().map(|saved| saved.row.document.len()).sum();
            let fits = boards.len() + usize::from(is_new) <= MAX_BOARDS;
            if fits && used - replaced + bytes <= MAX_BYTES {
                return Ok(());
            }
            let removed = boards.values().filter(|saved| saved.row.is_removed);
            let oldest = removed.min_by_key(|saved| (saved.removed, &saved.row.board));
            let Some(oldest) = oldest.map(|saved| Arc::clone(&saved.row.board)) else {
                let count = boards.len();
                let text = format!(
                    "{count} boards of {used} bytes; expected up to {MAX_BOARDS} of {MAX_BYTES} in all; remove some"
                );
                return Err(RequestError::new("full", "board", text));
            };
            drop(boards);
            if let Some(table) = table {
                table.delete(&oldest).map_err(unsaved)?;
            }
            self.boards.lock().remove(&oldest);
        }
    }

    fn count(&self) -> u64 {
        self.counter.fetch_add(1, Relaxed) + 1
    }
}

/// Logs a database error.
fn unsaved(error: impl Display) -> RequestError {
    notice(error);
    RequestError::new(UNSAVED, "", UNAVAILABLE)
}

fn unknown(board: &str) -> RequestError {
    RequestError::new("unknown-board", "board", format!("no board {}; expected one of \"boards\"", quoted(board)))
}

impl Saved {
    /// The error for a page with an older version.
    fn stale(&self, version: u64) -> RequestError {
        let text = format!("version {version}; expected {}, which another page has saved", self.row.version);
        let stale = RequestError::new("stale", "version", text).with("version", self.row.version.into());
        stale.with("name", self.row.name.as_str().into()).with("document", self.document())
    }

    /// JSON for pages.
    fn to_value(&self) -> Value {
        let BoardRow { board, name, version, .. } = &self.row;
        json!({ "board": &**board, "name": name, "version": version, "document": self.document() })
    }

    fn document(&self) -> Value {
        serde_json::from_str(&self.row.document).unwrap_or_default()
    }
}

fn name(fields: Fields) -> Result<Option<String>, RequestError> {
    let Some(text) = fields.text("name")? else { return Ok(None) };
    let name = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let name = name.collect::<Vec<_>>().join(" ");
    if name.is_empty() || name.chars().count() > MAX_NAME {
        let expected = format!("a name of 1 to {MAX_NAME} characters");
        return Err(RequestError::expected("name", &text.into(), &expected));
    }
    Ok(Some(name))
}

/// The name of a new board, from players or event.
pub fn players(document: &Document) -> Option<String> {
    let known = |name: &str| document.tag(name).filter(|value| !value.trim_matches(['?', ' ']).is_empty());
    match (known("White"), known("Black"), known("Event")) {
        (Some(white), Some(black), _) => Some(format!("{white} – {black}").chars().take(MAX_NAME).collect()),
        (_, _, event) => event.map(|event| event.chars().take(MAX_NAME).collect()),
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn visitors_do_not_wait_for_the_database() {
        let store = Arc::new(Store::load(None).unwrap());
        let (shared, (sender, receiver)) = (Arc::clone(&store), channel());
        // Held by a change that waits for the database.
        let writing = store.table.lock();
        let visiting = thread::spawn(move || {
            let (one, two) = (shared.visit(), shared.visit());
            sender.send((one.number, two.number, shared.events(&two, None), shared.list().ok())).unwrap();
        });
        let visited = receiver.recv_timeout(Duration::from_secs(20));
        drop(writing);
        visiting.join().unwrap();
        let expected = (1, 2, vec![json!({ "event": "boards" })], Some(json!({ "boards": [] })));
        assert_eq!(visited, Ok(expected));
    }
}
