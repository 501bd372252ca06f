//! The boards of the page. Their table is made when a server first uses the database; other programs do without it.

use super::{Database, Location, SCHEMA, explain};
use crate::sql::{Connection, Result, values};
use rusqlite::OpenFlags;
use std::time::Duration;

const TABLE: &str = "\
CREATE TABLE IF NOT EXISTS board (
    board TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    document TEXT NOT NULL,
    removed BIGINT NOT NULL
)";

/// A stored board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardRow {
    pub board: String,
    pub name: String,
    /// Counts changes, from 1.
    pub version: u64,
    /// Milliseconds since 1970.
    pub changed: u64,
    /// JSON.
    pub document: String,
    pub is_removed: bool,
}

/// The table of boards.
pub struct Boards {
    location: Location,
    connection: Connection,
}

impl Boards {
    /// Opens the table, creating the database if missing.
    pub fn open(location: &Location) -> std::result::Result<Self, String> {
        // Checks and creates it.
        drop(Database::open(location, Duration::from_secs(60))?);
        Self::connect(location).map_err(|error| explain(location, error))
    }

    fn connect(location: &Location) -> Result<Self> {
        let mut connection = match location {
            Location::File(path) => Connection::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            Location::Server(url) => Connection::connect(url, &SCHEMA)?,
        };
        if !connection.is_server() {
            connection.batch("PRAGMA synchronous = FULL")?;
        }
        connection.transaction(|connection| {
            if connection.is_server() {
                connection.query("SELECT pg_advisory_xact_lock($1)::text", &values![SCHEMA.application])?;
            }
            connection.batch(TABLE)
        })?;
        Ok(Self { location: location.clone(), connection })
    }

    /// All boards.
    pub fn all(&mut self) -> std::result::Result<Vec<BoardRow>, String> {
        self.select("SELECT board, name, version, changed, document, removed FROM board", &[])
    }

    /// A board, if it is there.
    pub fn get(&mut self, board: &str) -> std::result::Result<Option<BoardRow>, String> {
        let sql = "SELECT board, name, version, changed, document, removed FROM board WHERE board = $1";
        self.select(sql, &values![board]).map(|mut rows| rows.pop())
    }

    fn select(&mut self, sql: &str, values: &[crate::sql::Value]) -> std::result::Result<Vec<BoardRow>, String> {
        self.run(|connection| {
            let rows = connection.query(sql, values)?;
            let read = |row: &crate::sql::Row| -> Result<BoardRow> {
                Ok(BoardRow {
                    board: row.get(0)?,
                    name: row.get(1)?,
                    version: row.get(2)?,
                    changed: row.get(3)?,
                    document: row.get(4)?,
                    is_removed: row.get::<i64>(5)? != 0,
                })
            };
            rows.iter().map(read).collect()
        })
    }

    /// Writes a board. Returns false, and writes nothing, if its stored version is not the expected one.
    pub fn put(&mut self, row: &BoardRow, expected: u64) -> std::result::Result<bool, String> {
        self.run(|connection| {
            let changed = connection.execute(
                "INSERT INTO board (board, name, version, changed, document, removed) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (board) DO UPDATE SET name = $2, version = $3, changed = $4, document = $5, removed = $6
                 WHERE board.version = $7",
                &values![
                    &row.board,
                    &row.name,
                    row.version,
                    row.changed,
                    &row.document,
                    i64::from(row.is_removed),
                    expected
                ],
            )?;
            Ok(changed == 1)
        })
    }

    /// Deletes a board for good.
    pub fn delete(&mut self, board: &str) -> std::result::Result<(), String> {
        self.run(|connection| connection.execute("DELETE FROM board WHERE board = $1", &values![board]).map(drop))
    }

    /// Runs statements, again after connecting anew if the server was restarted.
    fn run<T>(&mut self, mut work: impl FnMut(&mut Connection) -> Result<T>) -> std::result::Result<T, String> {
        let mut result = work(&mut self.connection);
        if result.as_ref().is_err_and(crate::sql::Error::is_disconnect) {
            result = Self::connect(&self.location).and_then(|again| {
                *self = again;
                work(&mut self.connection)
            });
        }
        result.map_err(|error| explain(&self.location, error))
    }
}
