//! Boards of `lento serve`.

use super::{Database, Location};
use crate::sql::{Result, Value, values};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardRow {
    pub board: Arc<str>,
    pub name: String,
    /// Number of changes, from 1.
    pub version: u64,
    /// Milliseconds since 1970.
    pub changed: u64,
    /// JSON.
    pub document: Arc<str>,
    pub is_removed: bool,
}

pub struct Boards(Database);

impl Boards {
    /// Opens the table, creating the database if missing.
    pub fn open(location: &Location) -> Result<Self> {
        Database::open_for_server(location, None).map(Self)
    }

    pub fn all(&mut self) -> Result<Vec<BoardRow>> {
        self.select("true", &[])
    }

    pub fn get(&mut self, board: &str) -> Result<Option<BoardRow>> {
        self.select("board = $1", &values![board]).map(|mut rows| rows.pop())
    }

    fn select(&mut self, condition: &str, values: &[Value]) -> Result<Vec<BoardRow>> {
        let sql = format!("SELECT board, name, version, changed, document, removed FROM board WHERE {condition}");
        self.0.with_reconnect(|database| {
            database.connection.query(&sql, values, |row| {
                let (board, name, version) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (changed, document, is_removed) = (row.get(3)?, row.get(4)?, row.get(5)?);
                Ok(BoardRow { board, name, version, changed, document, is_removed })
            })
        })
    }

    /// Writes a board. Returns false, and writes nothing, if its stored version is not the expected one.
    pub fn put(&mut self, row: &BoardRow, expected: u64) -> Result<bool> {
        let values =
            values![&*row.board, &row.name, row.version, row.changed, &*row.document, row.is_removed, expected];
        let sql = "INSERT INTO board (board, name, version, changed, document, removed) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (board) DO UPDATE SET name = $2, version = $3, changed = $4, document = $5, removed = $6
            WHERE board.version = $7";
        Ok(self.0.with_reconnect(|database| database.connection.execute(sql, &values))? == 1)
    }

    /// Deletes a removed board, unless another server has restored it.
    pub fn delete(&mut self, board: &str) -> Result<()> {
        let sql = "DELETE FROM board WHERE board = $1 AND removed = 1";
        self.0.with_reconnect(|database| database.connection.execute(sql, &values![board])).map(drop)
    }
}
