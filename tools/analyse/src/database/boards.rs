//! The boards of the page.

use super::{Database, Location};
use crate::sql::{Result, values};

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
pub struct Boards(Database);

impl Boards {
    /// Opens the table, creating the database if missing.
    pub fn open(location: &Location) -> std::result::Result<Self, String> {
        Database::open_for_server(location, None).map(Self)
    }

    pub fn all(&mut self) -> std::result::Result<Vec<BoardRow>, String> {
        self.select("SELECT board, name, version, changed, document, removed FROM board", &[])
    }

    pub fn get(&mut self, board: &str) -> std::result::Result<Option<BoardRow>, String> {
        let sql = "SELECT board, name, version, changed, document, removed FROM board WHERE board = $1";
        self.select(sql, &values![board]).map(|mut rows| rows.pop())
    }

    fn select(&mut self, sql: &str, values: &[crate::sql::Value]) -> std::result::Result<Vec<BoardRow>, String> {
        self.0.statements(|connection| {
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
        self.0.statements(|connection| {
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
        self.0.statements(|connection| {
            connection.execute("DELETE FROM board WHERE board = $1", &values![board]).map(drop)
        })
    }
}
