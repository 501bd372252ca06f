//! Saved boards, shared by all pages.

use super::document::Document;
use super::request::{Answer, Fields, RequestError, at_most};
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
/// Number of the server when it saves reports; visitors have higher numbers.
const SERVER: u64 = 0;
/// Notifications that a slow page may lag behind before it gets all its boards again.
const MAX_LAG: usize = 256;

/// A change that pages are notified of.
#[derive(Clone, Debug)]
pub enum Change {
    /// A visitor has saved a board.
    Saved { board: Arc<str>, by: u64 },
    /// The list has changed.
    List,
}

/// A connected page.
pub struct Visitor {
    number: u64,
    /// The boards open on it.
    open: Mutex<HashSet<Arc<str>>>,
}

/// The boards, in memory and in the database, if any.
pub struct Store {
    state: Mutex<State>,
    table: Option<Mutex<database::Boards>>,
    changes: broadcast::Sender<Change>,
}

#[derive(Default)]
struct State {
    boards: HashMap<Arc<str>, Saved>,
    visitors: u64,
    /// Counter for ids and removals.
    counter: u64,
}

#[derive(Clone)]
struct Saved {
    name: String,
    version: u64,
    /// Milliseconds since 1970.
    changed: u64,
    plies: usize,
    /// JSON.
    document: Arc<str>,
    /// The number of the change that removed it.
    removed: Option<u64>,
}

impl From<BoardRow> for Saved {
    fn from(row: BoardRow) -> Self {
        let BoardRow { name, version, changed, document, is_removed, .. } = row;
        let value: Value = serde_json::from_str(&document).unwrap_or_default();
        let plies = Document::parse(&value).map_or(0, |document| document.main_line().len());
        Self { name, version, changed, plies, document: document.into(), removed: is_removed.then_some(0) }
    }
}

impl Store {
    /// Loads the boards of the database, if any.
    pub fn load(location: Option<&Location>) -> Result<Self, String> {
        let mut table = location.map(database::Boards::open).transpose()?;
        let rows = table.as_mut().map_or_else(|| Ok(Vec::new()), database::Boards::all)?;
        let boards = rows.into_iter().map(|row| (row.board.clone().into(), row.into())).collect();
        let state = Mutex::new(State { boards, ..State::default() });
        Ok(Self { state, table: table.map(Mutex::new), changes: broadcast::channel(MAX_LAG).0 })
    }

    /// Writes a board to the database, then to memory. `before` is the replaced version.
    fn write(&self, state: &mut State, board: &Arc<str>, saved: Saved, before: u64) -> Result<(), RequestError> {
        if let Some(table) = &self.table {
            let row = BoardRow {
                board: (**board).into(),
                name: saved.name.clone(),
                version: saved.version,
                changed: saved.changed,
                document: (*saved.document).into(),
                is_removed: saved.removed.is_some(),
            };
            let is_written = table.lock().put(&row, before).map_err(unsaved)?;
            if !is_written {
                self.refresh(state, board);
                let newer = state.boards.get(board).ok_or_else(|| unknown(board))?;
                return Err(newer.stale(before));
            }
        }
        state.boards.insert(Arc::clone(board), saved);
        Ok(())
    }

    /// Loads changes by other servers to a board in the database.
    fn refresh(&self, state: &mut State, board: &str) {
        let Some(Ok(stored)) = self.table.as_ref().map(|table| table.lock().get(board)) else { return };
        let known = state.boards.get(board).map(|saved| (saved.version, saved.removed.is_some(), saved.name.as_str()));
        if known == stored.as_ref().map(|row| (row.version, row.is_removed, row.name.as_str())) {
            return;
        }
        match stored {
            Some(row) => state.boards.insert(board.into(), row.into()),
            None => state.boards.remove(board),
        };
        self.notify(Change::List);
    }

    /// The board of a request.
    fn find(&self, state: &mut State, fields: Fields) -> Result<(Arc<str>, Saved), RequestError> {
        let board = fields.need("board", "a board", fields.text("board")?)?;
        self.refresh(state, board);
        let (key, saved) = state.boards.get_key_value(board).ok_or_else(|| unknown(board))?;
        if saved.removed.is_some() {
            let text = format!("board {} was removed; expected to restore it first", quoted(board));
            return Err(RequestError::new("removed", "board", text));
        }
        Ok((Arc::clone(key), saved.clone()))
    }

    pub fn visit(&self) -> Visitor {
        let mut state = self.state.lock();
        state.visitors += 1;
        Visitor { number: state.visitors, open: Mutex::default() }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    fn notify(&self, changes: Change) {
        // Fails if no pages are connected.
        let _ = self.changes.send(changes);
    }

    /// The event of a change for a visitor, if relevant.
    pub fn event(&self, visitor: &Visitor, changes: &Change) -> Option<Value> {
        match changes {
            Change::List => Some(json!({ "event": "boards" })),
            Change::Saved { board, by } => {
                let concerns = *by != visitor.number && visitor.open.lock().contains(board);
                concerns.then(|| self.board_event(board)).flatten()
            }
        }
    }

    /// All events for a visitor that has missed some.
    pub fn events(&self, visitor: &Visitor) -> Vec<Value> {
        let open: Vec<Arc<str>> = visitor.open.lock().iter().cloned().collect();
        let boards = open.iter().filter_map(|board| self.board_event(board));
        [json!({ "event": "boards" })].into_iter().chain(boards).collect()
    }

    fn board_event(&self, board: &str) -> Option<Value> {
        let mut event = self.state.lock().boards.get(board).cloned()?.to_value(board);
        event["event"] = "board".into();
        Some(event)
    }

    pub fn list(&self) -> Answer {
        let state = self.state.lock();
        let mut boards: Vec<_> = state.boards.iter().filter(|(_, saved)| saved.removed.is_none()).collect();
        boards.sort_by_key(|(board, saved)| (std::cmp::Reverse(saved.changed), *board));
        let boards = boards.into_iter().map(|(board, saved)| {
            json!({ "board": &**board, "name": saved.name, "changed": saved.changed, "plies": saved.plies })
        });
        Ok(json!({ "boards": boards.collect::<Vec<_>>() }))
    }

    pub fn open(&self, visitor: &Visitor, fields: Fields) -> Answer {
        let (board, saved) = self.find(&mut self.state.lock(), fields)?;
        visitor.open.lock().insert(Arc::clone(&board));
        Ok(saved.to_value(&board))
    }

    pub fn save(&self, visitor: &Visitor, fields: Fields) -> Answer {
        let document = fields.need("document", "a document", fields.get("document"))?;
        let document = Document::parse(document)?;
        let plies = document.main_line().len();
        let (mut value, name) = (document.to_value(), name(fields)?);
        let mut state = self.state.lock();
        let before = match fields.get("board") {
            None => None,
            Some(_) => {
                let version = fields.need("version", "the version last seen", fields.number("version", u64::MAX)?)?;
                let before = self.find(&mut state, fields)?;
                if before.1.version != version {
                    return Err(before.1.stale(version));
                }
                Some(before)
            }
        };
        let old_name = before.as_ref().map(|(_, saved)| saved.name.clone());
        let name = name.or(old_name).or_else(|| players(&document)).unwrap_or_else(|| "Analysis".into());
        // Keeps the report.
        if let Some((_, saved)) = before.as_ref().filter(|(_, saved)| saved.document.contains(REPORT)) {
            value["report"] = saved.document()["report"].take();
        }
        let (board, version) = self.put(&mut state, before, name, plies, &value)?;
        drop(state);
        visitor.open.lock().insert(Arc::clone(&board));
        let answer = json!({ "board": &*board, "version": version });
        self.notify(Change::Saved { board, by: visitor.number });
        self.notify(Change::List);
        Ok(answer)
    }

    /// Saves a document as a new version or a new board. Returns the board and its version.
    fn put(
        &self,
        state: &mut State,
        before: Option<(Arc<str>, Saved)>,
        name: String,
        plies: usize,
        document: &Value,
    ) -> Result<(Arc<str>, u64), RequestError> {
        let text = document.to_string();
        at_most("too-large", "document", text.len(), MAX_DOCUMENT, "bytes")?;
        let replaced = before.as_ref().map_or(0, |(_, saved)| saved.document.len());
        self.make_room(state, text.len(), replaced, before.is_none())?;
        let (board, version) = match before {
            Some((board, saved)) => (board, saved.version + 1),
            None => (state.new_board(), 1),
        };
        let saved = Saved { name, version, changed: now(), plies, document: text.into(), removed: None };
        self.write(state, &board, saved, version - 1)?;
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
        let mut state = self.state.lock();
        if let Some((board, _)) = earlier {
            self.refresh(&mut state, board);
        }
        let before = earlier.and_then(|(board, _)| Some((Arc::clone(board), state.boards.get(board)?.clone())));
        let before = before.filter(|(_, saved)| saved.removed.is_none());
        let own = earlier.map(|(_, version)| *version);
        let is_edited = before.as_ref().is_some_and(|(_, saved)| own != Some(saved.version));
        let mut value = document.to_value();
        if let Some((_, saved)) = before.as_ref().filter(|_| is_edited) {
            value = saved.document();
        }
        value["report"] = report.clone();
        if let Some((board, saved)) = before.as_ref().filter(|(_, saved)| saved.document() == value) {
            return Ok((Arc::clone(board), own.unwrap_or(saved.version)));
        }
        let plies = before.as_ref().filter(|_| is_edited).map_or(document.main_line().len(), |(_, saved)| saved.plies);
        let name = before.as_ref().map_or(name, |(_, saved)| saved.name.clone());
        let (board, version) = self.put(&mut state, before, name, plies, &value)?;
        drop(state);
        self.notify(Change::Saved { board: Arc::clone(&board), by: SERVER });
        self.notify(Change::List);
        Ok((board, if is_edited { own.unwrap_or(0) } else { version }))
    }

    pub fn rename(&self, fields: Fields) -> Answer {
        let name = fields.need("name", "a name", name(fields)?)?;
        let mut state = self.state.lock();
        let (board, saved) = self.find(&mut state, fields)?;
        self.update(state, &board, Saved { name, changed: now(), ..saved })
    }

    pub fn copy(&self, fields: Fields) -> Answer {
        let name = name(fields)?;
        let mut state = self.state.lock();
        let (_, saved) = self.find(&mut state, fields)?;
        self.make_room(&mut state, saved.document.len(), 0, true)?;
        let name = name.unwrap_or_else(|| format!("{} (copy)", saved.name).chars().take(MAX_NAME).collect());
        let board = state.new_board();
        self.write(&mut state, &board, Saved { name, version: 1, changed: now(), ..saved }, 0)?;
        drop(state);
        self.notify(Change::List);
        Ok(json!({ "board": &*board }))
    }

    pub fn remove(&self, fields: Fields) -> Answer {
        let mut state = self.state.lock();
        let (board, saved) = self.find(&mut state, fields)?;
        state.counter += 1;
        let removed = Some(state.counter);
        self.update(state, &board, Saved { removed, ..saved })
    }

    pub fn restore(&self, fields: Fields) -> Answer {
        let board = fields.need("board", "a board", fields.text("board")?)?;
        let state = self.state.lock();
        let (board, saved) = state.boards.get_key_value(board).ok_or_else(|| unknown(board))?;
        let (board, saved) = (Arc::clone(board), Saved { removed: None, ..saved.clone() });
        self.update(state, &board, saved)
    }

    /// Changes a board without its document and version.
    fn update(&self, mut state: MutexGuard<State>, board: &Arc<str>, saved: Saved) -> Answer {
        let version = saved.version;
        self.write(&mut state, board, saved, version)?;
        drop(state);
        self.notify(Change::List);
        Ok(json!({}))
    }

    /// Makes room for a document by dropping the oldest removed boards.
    fn make_room(&self, state: &mut State, bytes: usize, replaced: usize, is_new: bool) -> Result<(), RequestError> {
        loop {
            let used: usize = state.boards.values().map(|saved| saved.document.len()).sum();
            let fits = state.boards.len() + usize::from(is_new) <= MAX_BOARDS;
            if fits && used - replaced + bytes <= MAX_BYTES {
                return Ok(());
            }
            let removed = state.boards.iter().filter_map(|(board, saved)| Some((saved.removed?, Arc::clone(board))));
            let Some((_, oldest)) = removed.min() else {
                let text = format!("{} boards of {used} bytes; expected to remove some", state.boards.len());
                return Err(RequestError::new("full", "board", text));
            };
            if let Some(table) = &self.table {
                table.lock().delete(&oldest).map_err(unsaved)?;
            }
            state.boards.remove(&oldest);
        }
    }
}

/// Logs a database error.
fn unsaved(error: impl Display) -> RequestError {
    notice(error);
    RequestError::new("unsaved", "", UNAVAILABLE)
}

fn unknown(board: &str) -> RequestError {
    RequestError::new("unknown-board", "board", format!("no board {}; expected one of \"boards\"", quoted(board)))
}

impl State {
    /// A new random id, since pages may still have ids of an earlier run.
    fn new_board(&mut self) -> Arc<str> {
        self.counter += 1;
        format!("{:016x}", RandomState::new().hash_one(self.counter)).into()
    }
}

impl Saved {
    /// The error for a page with an older version.
    fn stale(&self, version: u64) -> RequestError {
        let text = format!("version {version}; expected {}, which another page has saved", self.version);
        let stale = RequestError::new("stale", "version", text).with("version", self.version.into());
        stale.with("name", self.name.as_str().into()).with("document", self.document())
    }

    /// JSON for pages.
    fn to_value(&self, board: &str) -> Value {
        json!({ "board": board, "name": self.name, "version": self.version, "document": self.document() })
    }

    fn document(&self) -> Value {
        serde_json::from_str(&self.document).unwrap_or_default()
    }
}

/// The name in a request, if any.
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
