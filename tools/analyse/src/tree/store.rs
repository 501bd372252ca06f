//! The tables of a tree, with all SQL.

mod load;

use super::graph::{NEVER, Node};
use super::position::{Position, Value, value};
use crate::database::{EngineId, Location, Run, engine_id, remove_dead};
use crate::sql::{self, Cause, Connection, Result, Row, Schema, values};
use lento::chess::{Board, Move};
use lento::score::Score;
use lento_console::units::counted;
use rusqlite::OpenFlags;
use std::cell::{RefCell, RefMut};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// The `application_id` is "LenT" in ASCII. On a server, the tables have their own schema, and the number is the key of the lock.
static SCHEMA: Schema = Schema {
    application: 0x4c65_6e54,
    name: "tree",
    space: Some("lento_tree"),
    scripts: &[include_str!("schema.sql")],
    foreign: "not a tree; expected one made by `lento tree init`",
};
/// Maximum rows read or written at once.
pub const PAGE: usize = 1000;
/// The condition of a node whose first search has not ended.
const IS_BARE: &str = "ply IS NULL AND note = '' AND NOT EXISTS (SELECT 1 FROM search WHERE node = node.id)
    AND NOT EXISTS (SELECT 1 FROM edge WHERE node.id IN (parent, child))";

pub struct Store {
    location: Location,
    connection: RefCell<Connection>,
    run: RefCell<Option<Run>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Search {
    pub depth: i64,
    pub nodes: i64,
    pub time_ms: i64,
    pub value: Value,
    pub score: i32,
    pub asked_nodes: i64,
    pub asked_ms: i64,
    /// The moves that were not searched, sorted.
    pub avoided: Vec<u16>,
    /// The line, at least one move.
    pub pv: Vec<u16>,
}

impl Search {
    /// A search of all moves without a known limit.
    pub fn new(board: &Board, depth: i32, nodes: u64, time: Duration, score: Score, pv: &[Move]) -> Self {
        Self {
            depth: depth.into(),
            nodes: nodes as i64,
            time_ms: time.as_millis() as i64,
            value: value(board, score),
            score,
            pv: pv.iter().map(|mv| mv.word()).collect(),
            ..Self::default()
        }
    }

    pub fn line(&self) -> Vec<Move> {
        self.pv.iter().filter_map(|&word| Move::from_word(word)).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub mv: Move,
    pub child: i64,
    pub irreversible: bool,
    pub pinned: bool,
    pub excluded: bool,
}

/// A node without computed fields.
pub struct Entry {
    pub id: i64,
    pub key: String,
    pub note: String,
    pub white: bool,
    pub moves: i64,
    pub fixed: Option<Value>,
}

/// Distance from the root, id and component of a node, ordered deepest first.
pub type Place = (Reverse<Option<i64>>, i64, Option<i64>);

fn place(row: &Row) -> Result<Place, Cause> {
    Ok((Reverse(row.get(0)?), row.get(1)?, row.get(2)?))
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Store {
    /// Opens a tree, creating it if missing.
    pub fn create(location: &Location) -> Result<Self> {
        Self::connect(location, OpenFlags::SQLITE_OPEN_CREATE, Connection::migrate)
    }

    pub fn open(location: &Location) -> Result<Self> {
        Self::connect(location, OpenFlags::empty(), |connection| {
            connection.version()?.ok_or_else(|| connection.foreign())?;
            connection.migrate()
        })
    }

    /// Opens a tree read-only; the file and its folder may be read-only.
    pub fn open_to_read(location: &Location) -> Result<Self> {
        Self::connect(location, OpenFlags::empty(), |connection| {
            connection.read_only()?;
            connection.check()
        })
    }

    fn connect(
        location: &Location,
        flags: OpenFlags,
        prepare: impl FnOnce(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        let may_create = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
        if !may_create && location.file().is_some_and(|path| !path.is_file()) {
            return Err(location.error("no such file; expected a tree made by `lento tree init`"));
        }
        let mut connection = Connection::open(location, &SCHEMA, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        prepare(&mut connection)?;
        Ok(Self { location: location.clone(), connection: RefCell::new(connection), run: RefCell::default() })
    }

    pub fn reconnect(&self) -> Result<()> {
        self.db().reconnect()
    }

    #[cfg(test)]
    pub fn in_memory() -> Self {
        Self::create(&Location::File(":memory:".into())).unwrap()
    }

    /// Claims a node for another run.
    #[cfg(test)]
    pub fn execute_claim(&self, node: i64) {
        self.db().execute("UPDATE node SET claim = 1 WHERE id = $1", &values![node]).unwrap();
    }

    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Runs a write transaction. One process writes at a time.
    pub fn write<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let is_file = self.location.file().is_some();
        self.within(if is_file { "BEGIN IMMEDIATE" } else { sql::BEGIN }, |store| {
            store.db().lock()?;
            work(store)
        })
    }

    /// Reads a consistent snapshot of the tree.
    pub fn read<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let is_file = self.location.file().is_some();
        self.within(if is_file { "BEGIN" } else { "BEGIN ISOLATION LEVEL REPEATABLE READ" }, work)
    }

    fn within<T>(&self, begin: &str, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.db().batch(begin)?;
        let done = work(self).and_then(|done| self.db().batch("COMMIT").map(|()| done));
        if done.is_err() {
            let _ = self.db().batch("ROLLBACK");
        }
        done
    }

    fn db(&self) -> RefMut<'_, Connection> {
        self.connection.borrow_mut()
    }

    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        let settings = self.db().query("SELECT name, value FROM setting", &[], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(settings?.into_iter().collect())
    }

    pub fn set_setting(&self, name: &str, value: &str) -> Result<u64> {
        let sql =
            "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.db().execute(sql, &values![name, value])
    }

    pub fn remove_setting(&self, name: &str) -> Result<u64> {
        self.db().execute("DELETE FROM setting WHERE name = $1", &values![name])
    }

    pub fn find(&self, key: &str) -> Result<Option<i64>> {
        self.db().query_first("SELECT id FROM node WHERE position = $1", &values![key])
    }

    /// The nodes of those keys that are in the tree.
    pub fn find_all<'a>(&self, keys: impl Iterator<Item = &'a str>) -> Result<HashMap<String, i64>> {
        let keys: Vec<sql::Value> = keys.map(sql::Value::from).collect();
        let sql = "SELECT position, id FROM node WHERE position = ANY($1)";
        Ok(self.db().query(sql, &values![keys], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }

    /// Finds or adds a node. Returns its id and whether it is new.
    pub fn add_node(&self, position: &Position) -> Result<(i64, bool)> {
        if let Some(id) = self.find(&position.key)? {
            return Ok((id, false));
        }
        let moves = position.board.legal_moves().len();
        Ok((self.add_raw(&position.key, position.white(), moves as i64, position.fixed())?, true))
    }

    pub fn add_raw(&self, key: &str, white: bool, moves: i64, fixed: Option<Value>) -> Result<i64> {
        let sql = "INSERT INTO node (position, white, moves, fixed, value, cost) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        self.db().query_value(sql, &values![key, white, moves, fixed, fixed, NEVER])
    }

    /// Adds an edge. Returns whether it is new.
    pub fn add_edge(&self, parent: i64, mv: u16, child: i64, irreversible: bool) -> Result<bool> {
        let sql = "INSERT INTO edge (parent, mv, child, irreversible) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        Ok(self.db().execute(sql, &values![parent, mv, child, irreversible])? > 0)
    }

    pub fn mark(&self, parent: i64, mv: Move, pinned: bool, excluded: bool) -> Result<u64> {
        let sql = "UPDATE edge SET pinned = $1, excluded = $2 WHERE parent = $3 AND mv = $4";
        self.db().execute(sql, &values![pinned, excluded, parent, mv.word()])
    }

    pub fn note(&self, node: i64) -> Result<String> {
        Ok(self.db().query_first("SELECT note FROM node WHERE id = $1", &values![node])?.unwrap_or_default())
    }

    pub fn set_note(&self, node: i64, note: &str) -> Result<u64> {
        self.db().execute("UPDATE node SET note = $1 WHERE id = $2", &values![note, node])
    }

    /// Keys and notes of nodes.
    pub fn texts(&self, nodes: &[i64]) -> Result<HashMap<i64, (String, String)>> {
        let sql = "SELECT id, position, note FROM node WHERE id = ANY($1)";
        let texts = self.db().query(sql, &values![nodes], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))));
        Ok(texts?.into_iter().collect())
    }

    /// The moves of nodes, ordered by node and encoding.
    pub fn moves_of(&self, nodes: &[i64]) -> Result<Vec<(i64, Step)>> {
        let sql = "SELECT parent, mv, child, irreversible, pinned, excluded FROM edge WHERE parent = ANY($1) ORDER BY parent, mv";
        let moves = self.db().query(sql, &values![nodes], |row| {
            let (child, irreversible, pinned, excluded) = (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
            let (parent, mv) = (row.get(0)?, Move::from_word(row.get(1)?));
            Ok(mv.map(|mv| (parent, Step { mv, child, irreversible, pinned, excluded })))
        })?;
        Ok(moves.into_iter().flatten().collect())
    }

    pub fn moves(&self, node: i64) -> Result<Vec<Step>> {
        Ok(self.moves_of(&[node])?.into_iter().map(|(_, step)| step).collect())
    }

    pub fn parents(&self, nodes: &[i64]) -> Result<Vec<Place>> {
        let sql = "SELECT ply, id, component FROM edge JOIN node ON id = parent WHERE child = ANY($1)";
        self.db().query(sql, &values![nodes], place)
    }

    /// Neighbours by reversible moves: children or parents.
    pub fn reversible(&self, nodes: &[i64], parents: bool) -> Result<Vec<i64>> {
        let (from, to) = if parents { ("child", "parent") } else { ("parent", "child") };
        let sql = format!("SELECT {to} FROM edge WHERE {from} = ANY($1) AND irreversible = 0");
        self.db().query(&sql, &values![nodes], |row| row.get(0))
    }

    pub fn members(&self, component: i64) -> Result<Vec<i64>> {
        self.db().query("SELECT id FROM node WHERE component = $1 ORDER BY id", &values![component], |row| row.get(0))
    }

    pub fn set_component(&self, nodes: &[i64], component: i64) -> Result<u64> {
        self.db().execute("UPDATE node SET component = $2 WHERE id = ANY($1)", &values![nodes, component])
    }

    pub fn ply(&self, node: i64) -> Result<Option<i64>> {
        Ok(self.db().query_first("SELECT ply FROM node WHERE id = $1", &values![node])?.flatten())
    }

    pub fn places(&self, nodes: &[i64]) -> Result<Vec<Place>> {
        self.db().query("SELECT ply, id, component FROM node WHERE id = ANY($1)", &values![nodes], place)
    }

    pub fn set_ply(&self, node: i64, ply: Option<i64>) -> Result<u64> {
        self.db().execute("UPDATE node SET ply = $1 WHERE id = $2", &values![ply, node])
    }

    pub fn set_results(&self, nodes: &[&Node]) -> Result<()> {
        for page in nodes.chunks(PAGE) {
            let row = |node: &&Node| {
                let value = node.value.map_or("NULL".into(), |value| value.to_string());
                format!("({}, {value}, {})", node.id, node.cost)
            };
            let rows: Vec<String> = page.iter().map(row).collect();
            self.db().batch(&format!(
                "UPDATE node SET value = CAST(column2 AS BIGINT), cost = column3
                FROM (VALUES {}) AS new WHERE id = column1",
                rows.join(", ")
            ))?;
        }
        Ok(())
    }

    /// Searches of nodes with their engines, ordered by node, most reliable first.
    pub fn searches_of(&self, nodes: &[i64]) -> Result<Vec<(i64, i64, Search)>> {
        let sql =
            "SELECT node, engine, depth, nodes, time_ms, value, score, asked_nodes, asked_ms, avoided, pv FROM search
            WHERE node = ANY($1) ORDER BY node, nodes DESC, depth DESC, mv, value";
        self.db().query(sql, &values![nodes], |row| {
            let (depth, nodes, time_ms, value, score) =
                (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?);
            let (asked_nodes, asked_ms) = (row.get(7)?, row.get(8)?);
            let (avoided, pv) = (words(&row.get::<Vec<u8>>(9)?), words(&row.get::<Vec<u8>>(10)?));
            let search = Search { depth, nodes, time_ms, value, score, asked_nodes, asked_ms, avoided, pv };
            Ok((row.get(0)?, row.get(1)?, search))
        })
    }

    pub fn searches(&self, node: i64) -> Result<Vec<Search>> {
        Ok(self.searches_of(&[node])?.into_iter().map(|(.., search)| search).collect())
    }

    /// Stores a search, unless the same engine has a better one with the same excluded moves.
    pub fn add_search(&self, node: i64, engine: i64, search: &Search) -> Result<bool> {
        let known = self.searches_of(&[node])?.into_iter().filter(|(_, by, _)| *by == engine);
        if known.map(|(.., known)| known).any(|known| known.avoided == search.avoided && known >= *search) {
            return Ok(false);
        }
        let sql = "INSERT INTO search (node, engine, avoided, mv, value, score, depth, nodes, time_ms, asked_nodes, asked_ms, pv)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (node, engine, avoided) DO UPDATE SET mv = excluded.mv, value = excluded.value, score = excluded.score,
                depth = excluded.depth, nodes = excluded.nodes, time_ms = excluded.time_ms,
                asked_nodes = excluded.asked_nodes, asked_ms = excluded.asked_ms, pv = excluded.pv";
        let Search { depth, nodes, time_ms, value, score, asked_nodes, asked_ms, .. } = *search;
        let mv = search.pv.first().copied().unwrap_or(0);
        let (avoided, pv) = (bytes(&search.avoided), bytes(&search.pv));
        let values = values![node, engine, avoided, mv, value, score, depth, nodes, time_ms, asked_nodes, asked_ms, pv];
        self.db().execute(sql, &values).map(|_| true)
    }

    /// The id of an engine, inserted if missing.
    pub fn engine(&self, engine: &EngineId) -> Result<i64> {
        engine_id(&mut self.db(), engine)
    }

    pub fn engines(&self) -> Result<Vec<(i64, EngineId)>> {
        let sql = "SELECT id, version, commit_id, evaluation, meaning, recipe, tablebases FROM engine";
        self.db().query(sql, &[], |row| Ok((row.get(0)?, EngineId(row.0[1..].to_vec()))))
    }

    /// The next nodes after this one, without those that a process is about to add; none at the end.
    pub fn page(&self, after: i64) -> Result<Vec<Entry>> {
        let sql = format!(
            "SELECT id, position, note, white, moves, fixed FROM node
                WHERE id > $1 AND NOT (claim IS NOT NULL AND {IS_BARE}) ORDER BY id LIMIT $2"
        );
        self.db().query(&sql, &values![after, PAGE], |row| {
            let (id, key, note) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Entry { id, key, note, white: row.get(3)?, moves: row.get(4)?, fixed: row.get(5)? })
        })
    }

    /// The numbers of positions and searches.
    pub fn count(&self) -> Result<(u64, u64)> {
        let count = |table| self.db().query_value(&format!("SELECT count(*) FROM {table}"), &[]);
        Ok((count("node")?, count("search")?))
    }

    /// Both counts as text.
    pub fn size(&self) -> Result<String> {
        let (positions, searches) = self.count()?;
        Ok(format!("{}, {}", counted(positions, "position"), counted(searches, "search")))
    }

    /// The number of nodes below a node, including itself, up to a limit.
    pub fn below(&self, node: i64, limit: i64) -> Result<i64> {
        let sql = "WITH RECURSIVE below (id) AS (
                SELECT CAST($1 AS BIGINT) UNION SELECT child FROM below JOIN edge ON parent = below.id
            )
            SELECT count(*) FROM (SELECT 1 FROM below LIMIT $2) AS counted";
        self.db().query_value(sql, &values![node, limit])
    }

    pub fn begin_run(&self, lease: Duration) -> Result<()> {
        *self.run.borrow_mut() = Some(Run::begin(&mut self.db(), lease)?);
        Ok(())
    }

    /// Claims a node for this run. Returns false if it is already claimed.
    pub fn claim(&self, node: i64) -> Result<bool> {
        let mut run = self.run.borrow_mut();
        let run = run.as_mut().map(|run| run.renew(&mut self.db())).transpose()?;
        let sql = "UPDATE node SET claim = $1 WHERE id = $2 AND claim IS NULL";
        Ok(self.db().execute(sql, &values![run, node])? > 0)
    }

    /// Releases a node, unless another process has taken it over.
    pub fn release(&self, node: i64) -> Result<u64> {
        let run = self.run.borrow().as_ref().map(|run| run.id);
        let sql = "UPDATE node SET claim = NULL WHERE id = $1 AND claim = coalesce($2, claim)";
        self.db().execute(sql, &values![node, run])
    }

    /// Releases the nodes of dead runs and of this one, and removes those not yet part of the tree. Returns their ids.
    pub fn release_all(&self) -> Result<Vec<i64>> {
        let own = self.run.borrow().as_ref().map(|run| run.id);
        let is_file = self.location.file().is_some();
        if is_file {
            remove_dead(&mut self.db(), own)?;
        }
        let live = if is_file { "" } else { " AND expires > clock_timestamp()" };
        let sql = format!(
            "UPDATE node SET claim = NULL WHERE claim IS NOT NULL
                AND (claim = $1 OR NOT EXISTS (SELECT 1 FROM run WHERE run.id = node.claim{live})) RETURNING id"
        );
        let released = self.db().query(&sql, &values![own], |row| row.get(0))?;
        let sql = format!("DELETE FROM node WHERE id = ANY($1) AND {IS_BARE}");
        self.db().execute(&sql, &values![&released[..]])?;
        Ok(released)
    }

    /// Whether other processes are searching.
    pub fn has_claims(&self) -> Result<bool> {
        Ok(self.db().query_first::<i64>("SELECT 1 FROM node WHERE claim IS NOT NULL LIMIT 1", &[])?.is_some())
    }

    /// Ends this run. Returns the nodes that it had claimed.
    pub fn release_own(&self) -> Result<Vec<i64>> {
        if let Some(run) = &*self.run.borrow() {
            run.end(&mut self.db())?;
        }
        self.release_all()
    }
}
