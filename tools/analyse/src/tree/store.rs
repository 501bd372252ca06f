//! The tables of a tree: all SQL is here.

use super::graph::{Cost, Edge, Found, Graph, NEVER, Node};
use super::position::{Position, Value};
use crate::database::{EngineId, RunLock, explain, is_alive};
use lento::chess::Move;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub type Done<T> = rusqlite::Result<T>;

/// The `application_id`: "LenT".
const APPLICATION: i64 = 0x4c65_6e54;
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Store {
    path: PathBuf,
    connection: Connection,
    run: Option<(i64, RunLock)>,
}

/// A stored search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// A move of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move_ {
    pub mv: Move,
    pub child: i64,
    pub irreversible: bool,
    pub pinned: bool,
    pub excluded: bool,
}

const NODE: &str = "id, white, moves, fixed, ply, value, cost, claim IS NOT NULL";

fn node(row: &Row) -> Done<Node> {
    Ok(Node {
        id: row.get(0)?,
        white: row.get(1)?,
        moves: row.get::<_, i64>(2)?.max(0) as usize,
        fixed: row.get(3)?,
        ply: row.get(4)?,
        value: row.get(5)?,
        cost: row.get(6)?,
        claimed: row.get(7)?,
        inside: false,
    })
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Store {
    /// Creates a tree, or opens it.
    pub fn create(path: &Path) -> Result<Self, String> {
        if path.exists() {
            return Self::open(path);
        }
        let create = || -> Done<Self> {
            let store = Self { path: path.to_owned(), connection: Connection::open(path)?, run: None };
            store.connection.busy_timeout(TIMEOUT)?;
            store.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            store.write(|store| {
                store.connection.execute_batch(include_str!("schema.sql"))?;
                store.connection.pragma_update(None, "application_id", APPLICATION)
            })?;
            Ok(store)
        };
        create().map_err(|error| explain(path, error))
    }

    /// Opens an existing tree.
    pub fn open(path: &Path) -> Result<Self, String> {
        if !path.is_file() {
            return Err(format!("{}: no such file; `lento tree init` makes a tree", path.display()));
        }
        let open = || -> Done<(Self, i64)> {
            let store = Self { path: path.to_owned(), connection: Connection::open(path)?, run: None };
            store.connection.busy_timeout(TIMEOUT)?;
            store.connection.set_prepared_statement_cache_capacity(64);
            store.connection.pragma_update(None, "synchronous", "FULL")?;
            let id = store.connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
            Ok((store, id))
        };
        match open().map_err(|error| explain(path, error))? {
            (store, APPLICATION) => Ok(store),
            _ => Err(format!("{}: not a tree; expected a file made by `lento tree init`", path.display())),
        }
    }

    #[cfg(test)]
    pub fn in_memory() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("schema.sql")).unwrap();
        Self { path: PathBuf::new(), connection, run: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error with the file's name.
    pub fn explain(&self, error: rusqlite::Error) -> String {
        explain(&self.path, error)
    }

    /// Does something in one transaction, which other processes see as a whole.
    pub fn write<T>(&self, work: impl FnOnce(&Self) -> Done<T>) -> Done<T> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|done| self.connection.execute_batch("COMMIT").map(|()| done));
        if done.is_err() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        done
    }

    fn execute(&self, sql: &str, params: impl Params) -> Done<usize> {
        self.connection.prepare_cached(sql)?.execute(params)
    }

    fn one<T>(&self, sql: &str, params: impl Params, read: impl FnOnce(&Row) -> Done<T>) -> Done<Option<T>> {
        self.connection.prepare_cached(sql)?.query_row(params, read).optional()
    }

    fn all<T>(&self, sql: &str, params: impl Params, read: impl FnMut(&Row) -> Done<T>) -> Done<Vec<T>> {
        self.connection.prepare_cached(sql)?.query_map(params, read)?.collect()
    }

    pub fn setting(&self, name: &str) -> Done<Option<String>> {
        self.one("SELECT value FROM setting WHERE name = $1", [name], |row| row.get(0))
    }

    pub fn settings(&self) -> Done<Vec<(String, String)>> {
        self.all("SELECT name, value FROM setting ORDER BY name", [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub fn set_setting(&self, name: &str, value: &str) -> Done<usize> {
        let sql =
            "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.execute(sql, [name, value])
    }

    pub fn remove_setting(&self, name: &str) -> Done<usize> {
        self.execute("DELETE FROM setting WHERE name = $1", [name])
    }

    /// The node of a key.
    pub fn find(&self, key: &str) -> Done<Option<i64>> {
        self.one("SELECT id FROM node WHERE position = $1", [key], |row| row.get(0))
    }

    /// Adds a node, or finds it. Returns whether it is new.
    pub fn add_node(&self, position: &Position) -> Done<(i64, bool)> {
        if let Some(id) = self.find(&position.key)? {
            return Ok((id, false));
        }
        self.add_raw(&position.key, position.white(), position.board.legal_moves().len(), position.fixed())
            .map(|id| (id, true))
    }

    pub fn add_raw(&self, key: &str, white: bool, moves: usize, fixed: Option<Value>) -> Done<i64> {
        let sql = "INSERT INTO node (position, white, moves, fixed, value, cost) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        let values = params![key, i64::from(white), moves as i64, fixed, fixed, NEVER];
        self.connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))
    }

    /// Adds a copy of a node to another tree.
    pub fn copy_node(&self, node_id: i64, key: &str, to: &Self) -> Done<i64> {
        let found = self.one(&format!("SELECT {NODE} FROM node WHERE id = $1"), [node_id], node)?;
        let Node { white, moves, fixed, .. } = found.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        to.add_raw(key, white, moves, fixed)
    }

    /// Adds an edge. Returns whether it is new.
    pub fn add_edge(&self, parent: i64, mv: u16, child: i64, irreversible: bool) -> Done<bool> {
        let sql = "INSERT INTO edge (parent, mv, child, irreversible) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        Ok(self.execute(sql, params![parent, mv, child, i64::from(irreversible)])? > 0)
    }

    pub fn mark(&self, parent: i64, mv: Move, pinned: bool, excluded: bool) -> Done<usize> {
        let sql = "UPDATE edge SET pinned = $1, excluded = $2 WHERE parent = $3 AND mv = $4";
        self.execute(sql, params![i64::from(pinned), i64::from(excluded), parent, mv.word()])
    }

    pub fn note(&self, node: i64) -> Done<String> {
        Ok(self.one("SELECT note FROM node WHERE id = $1", [node], |row| row.get(0))?.unwrap_or_default())
    }

    pub fn set_note(&self, node: i64, note: &str) -> Done<usize> {
        self.execute("UPDATE node SET note = $1 WHERE id = $2", params![note, node])
    }

    pub fn position(&self, node: i64) -> Done<String> {
        Ok(self.one("SELECT position FROM node WHERE id = $1", [node], |row| row.get(0))?.unwrap_or_default())
    }

    /// The moves of a node, in the order of their encoding.
    pub fn moves(&self, node: i64) -> Done<Vec<Move_>> {
        let sql = "SELECT mv, child, irreversible, pinned, excluded FROM edge WHERE parent = $1 ORDER BY mv";
        let moves = self.all(sql, [node], |row| {
            let (child, irreversible, pinned, excluded) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            let mv = Move::from_word(row.get(0)?);
            Ok(mv.map(|mv| Move_ { mv, child, irreversible, pinned, excluded }))
        })?;
        Ok(moves.into_iter().flatten().collect())
    }

    pub fn parents(&self, node: i64) -> Done<Vec<i64>> {
        self.all("SELECT parent FROM edge WHERE child = $1", [node], |row| row.get(0))
    }

    /// Neighbours by moves that can be taken back: children, or parents.
    pub fn reversible(&self, node: i64, parents: bool) -> Done<Vec<i64>> {
        let sql = if parents {
            "SELECT parent FROM edge WHERE child = $1 AND irreversible = 0"
        } else {
            "SELECT child FROM edge WHERE parent = $1 AND irreversible = 0"
        };
        self.all(sql, [node], |row| row.get(0))
    }

    pub fn component(&self, node: i64) -> Done<Option<i64>> {
        Ok(self.one("SELECT component FROM node WHERE id = $1", [node], |row| row.get(0))?.flatten())
    }

    pub fn members(&self, component: i64) -> Done<Vec<i64>> {
        self.all("SELECT id FROM node WHERE component = $1 ORDER BY id", [component], |row| row.get(0))
    }

    pub fn set_component(&self, node: i64, component: i64) -> Done<usize> {
        self.execute("UPDATE node SET component = $1 WHERE id = $2", [component, node])
    }

    pub fn ply(&self, node: i64) -> Done<Option<i64>> {
        Ok(self.one("SELECT ply FROM node WHERE id = $1", [node], |row| row.get(0))?.flatten())
    }

    pub fn set_ply(&self, node: i64, ply: Option<i64>) -> Done<usize> {
        self.execute("UPDATE node SET ply = $1 WHERE id = $2", params![ply, node])
    }

    pub fn set_result(&self, node: i64, value: Option<Value>, cost: Cost) -> Done<usize> {
        self.execute("UPDATE node SET value = $1, cost = $2 WHERE id = $3", params![value, cost, node])
    }

    /// Searches of a node, the most trusted first.
    pub fn searches(&self, node: i64) -> Done<Vec<(i64, Search)>> {
        let sql = "SELECT engine, depth, nodes, time_ms, value, score, asked_nodes, asked_ms, avoided, pv FROM search
            WHERE node = $1 ORDER BY nodes DESC, depth DESC, mv, value";
        self.all(sql, [node], |row| {
            let search = Search {
                depth: row.get(1)?,
                nodes: row.get(2)?,
                time_ms: row.get(3)?,
                value: row.get(4)?,
                score: row.get(5)?,
                asked_nodes: row.get(6)?,
                asked_ms: row.get(7)?,
                avoided: words(row.get_ref(8)?.as_blob()?),
                pv: words(row.get_ref(9)?.as_blob()?),
            };
            Ok((row.get(0)?, search))
        })
    }

    /// Stores a search, unless there is a better one of the same engine without the same moves.
    pub fn add_search(&self, node: i64, engine: i64, search: &Search) -> Done<bool> {
        let known = self.searches(node)?.into_iter().filter(|(by, _)| *by == engine).map(|(_, known)| known);
        if known.filter(|known| known.avoided == search.avoided).any(|known| known >= *search) {
            return Ok(false);
        }
        self.execute(
            "DELETE FROM search WHERE node = $1 AND engine = $2 AND avoided = $3",
            params![node, engine, bytes(&search.avoided)],
        )?;
        let sql = "INSERT INTO search (node, engine, avoided, mv, value, score, depth, nodes, time_ms, asked_nodes, asked_ms, pv)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let Search { depth, nodes, time_ms, value, score, asked_nodes, asked_ms, avoided, pv } = search;
        let mv = pv.first().copied().unwrap_or(0);
        let (avoided, pv) = (bytes(avoided), bytes(pv));
        let values = params![node, engine, avoided, mv, value, score, depth, nodes, time_ms, asked_nodes, asked_ms, pv];
        self.execute(sql, values).map(|_| true)
    }

    /// The id of an engine.
    pub fn engine(&self, id: &EngineId) -> Done<i64> {
        let EngineId { version, commit, evaluation, meaning, recipe, tablebases } = id;
        let meaning = format!("{meaning:016x}");
        self.engine_of(&[version.as_str(), commit, evaluation, &meaning, recipe, tablebases].map(str::to_owned))
    }

    pub fn engine_of(&self, fields: &[String; 6]) -> Done<i64> {
        const COLUMNS: &str = "version, commit_id, evaluation, meaning, recipe, tablebases";
        let sql = format!("SELECT id FROM engine WHERE ({COLUMNS}) = ($1, $2, $3, $4, $5, $6)");
        if let Some(id) = self.one(&sql, fields.each_ref(), |row| row.get(0))? {
            return Ok(id);
        }
        let sql = format!("INSERT INTO engine ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id");
        self.connection.prepare_cached(&sql)?.query_row(fields.each_ref(), |row| row.get(0))
    }

    pub fn engines(&self) -> Done<Vec<(i64, [String; 6])>> {
        let sql = "SELECT id, version, commit_id, evaluation, meaning, recipe, tablebases FROM engine";
        self.all(sql, [], |row| {
            let text = |column| row.get::<_, String>(column);
            Ok((row.get(0)?, [text(1)?, text(2)?, text(3)?, text(4)?, text(5)?, text(6)?]))
        })
    }

    /// All nodes after this one, at most a batch: id, key, note.
    pub fn batch(&self, after: i64) -> Done<Vec<(i64, String, String)>> {
        let sql = "SELECT id, position, note FROM node WHERE id > $1 ORDER BY id LIMIT 1000";
        self.all(sql, [after], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    pub fn count(&self) -> Done<(i64, i64)> {
        let count = |table| self.one(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
        Ok((count("node")?.unwrap_or(0), count("search")?.unwrap_or(0)))
    }

    /// The number of nodes below a node, itself included, at most a limit.
    pub fn below(&self, node: i64, limit: i64) -> Done<i64> {
        let sql =
            "WITH RECURSIVE below (id) AS (SELECT $1 UNION SELECT child FROM below JOIN edge ON parent = below.id)
            SELECT count(*) FROM (SELECT 1 FROM below LIMIT $2) AS some";
        Ok(self.one(sql, [node, limit], |row| row.get(0))?.unwrap_or(0))
    }

    /// Loads these nodes, sorted, with their moves, searches and children.
    pub fn load(&self, ids: &[i64]) -> Done<Graph> {
        let mut graph = Graph { edge_start: vec![0], found_start: vec![0], ..Graph::default() };
        let mut index = HashMap::new();
        let mut read = |graph: &mut Graph, id: i64, inside: bool| -> Done<u32> {
            if let Some(&at) = index.get(&id) {
                return Ok(at);
            }
            let found = self.one(&format!("SELECT {NODE} FROM node WHERE id = $1"), [id], node)?;
            let found = found.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            graph.nodes.push(Node { inside, ..found });
            let at = graph.nodes.len() as u32 - 1;
            index.insert(id, at);
            Ok(at)
        };
        for &id in ids {
            read(&mut graph, id, true)?;
        }
        for &id in ids {
            for Move_ { mv, child, pinned, excluded, .. } in self.moves(id)? {
                let child = read(&mut graph, child, false)?;
                graph.edges.push(Edge { mv: mv.word(), child, pinned, excluded });
            }
            graph.edge_start.push(graph.edges.len() as u32);
            let sql = "SELECT mv, value FROM search WHERE node = $1 ORDER BY nodes DESC, depth DESC, mv, value";
            graph.found.extend(self.all(sql, [id], |row| Ok(Found { mv: row.get(0)?, value: row.get(1)? }))?);
            graph.found_start.push(graph.found.len() as u32);
        }
        graph.edge_start.resize(graph.nodes.len() + 1, graph.edges.len() as u32);
        graph.found_start.resize(graph.nodes.len() + 1, graph.found.len() as u32);
        Ok(graph)
    }

    /// Loads the whole tree.
    pub fn load_all(&self) -> Done<Graph> {
        let mut graph = Graph::default();
        graph.nodes = self.all(&format!("SELECT {NODE} FROM node ORDER BY id"), [], node)?;
        graph.nodes.iter_mut().for_each(|node| node.inside = true);
        let lost = || rusqlite::Error::QueryReturnedNoRows;
        let nodes = &graph.nodes;
        let at = |id: i64| nodes.binary_search_by_key(&id, |node| node.id).map(|at| at as u32).map_err(|_| lost());
        graph.edge_start = vec![0; nodes.len() + 1];
        graph.found_start = vec![0; nodes.len() + 1];
        let sql = "SELECT parent, mv, child, pinned, excluded FROM edge ORDER BY parent, mv";
        let edges = self.all(sql, [], |row| {
            graph.edge_start[at(row.get(0)?)? as usize + 1] += 1;
            Ok(Edge { mv: row.get(1)?, child: at(row.get(2)?)?, pinned: row.get(3)?, excluded: row.get(4)? })
        })?;
        let sql = "SELECT node, mv, value FROM search ORDER BY node, nodes DESC, depth DESC, mv, value";
        let found = self.all(sql, [], |row| {
            graph.found_start[at(row.get(0)?)? as usize + 1] += 1;
            Ok(Found { mv: row.get(1)?, value: row.get(2)? })
        })?;
        (graph.edges, graph.found) = (edges, found);
        for starts in [&mut graph.edge_start, &mut graph.found_start] {
            (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        }
        Ok(graph)
    }

    /// Marks this process as working on the tree.
    pub fn begin_run(&mut self) -> Result<(), String> {
        let lock = RunLock::create(&self.path).map_err(|error| format!("{}: {error}", self.path.display()))?;
        let sql = "INSERT INTO run (token) VALUES ($1) RETURNING id";
        let id = self.connection.query_row(sql, [lock.token()], |row| row.get(0));
        self.run = Some((id.map_err(|error| self.explain(error))?, lock));
        Ok(())
    }

    pub fn claim(&self, node: i64) -> Done<usize> {
        let run = self.run.as_ref().map(|(run, _)| *run);
        self.execute("UPDATE node SET claim = $1 WHERE id = $2", params![run, node])
    }

    pub fn release(&self, node: i64) -> Done<usize> {
        self.execute("UPDATE node SET claim = NULL WHERE id = $1", [node])
    }

    /// Releases the nodes of runs that are over. Returns them.
    pub fn release_dead(&self) -> Done<Vec<i64>> {
        let own = self.run.as_ref().map(|(run, _)| *run);
        let mut released = Vec::new();
        for (run, token) in
            self.all("SELECT id, token FROM run", [], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?
        {
            if Some(run) != own && !is_alive(&self.path, &token) {
                released.extend(self.release_run(run)?);
            }
        }
        Ok(released)
    }

    fn release_run(&self, run: i64) -> Done<Vec<i64>> {
        self.execute("DELETE FROM run WHERE id = $1", [run])?;
        self.all("UPDATE node SET claim = NULL WHERE claim = $1 RETURNING id", [run], |row| row.get(0))
    }

    /// Whether other processes are searching.
    pub fn has_claims(&self) -> Done<bool> {
        let claims = self.one("SELECT 1 FROM node WHERE claim IS NOT NULL LIMIT 1", [], |_| Ok(()))?;
        Ok(claims.is_some())
    }

    /// Ends this run. Returns the nodes that it had claimed.
    pub fn release_own(&self) -> Done<Vec<i64>> {
        self.run.as_ref().map_or(Ok(Vec::new()), |(run, _)| self.release_run(*run))
    }
}
