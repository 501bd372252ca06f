//! The queue of `lento serve`, owned by one server at a time.

use super::run::is_other_alive;
use super::{Database, Location};
use crate::sql::{Result, values};
use std::sync::Arc;
use std::time::Duration;

/// Lease of a server on PostgreSQL, after which others count it as dead.
const LEASE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRow {
    pub entry: u64,
    /// Sort key of the entries.
    pub rank: i64,
    /// JSON: what to search. Never changes.
    pub content: Arc<str>,
    /// JSON: what has been found.
    pub progress: String,
}

pub struct Queue(Database);

impl Queue {
    /// Opens the table, creating the database if missing; `None` while another server owns it.
    pub fn open(location: &Location) -> Result<Option<Self>> {
        let mut queue = Self(Database::open_for_server(location, Some(LEASE))?);
        Ok(queue.take()?.then_some(queue))
    }

    /// Takes the queue unless another live server owns it.
    fn take(&mut self) -> Result<bool> {
        self.0.with_reconnect(|database| {
            let run = database.run_id()?;
            database.connection.transaction(|connection| {
                let insert = "INSERT INTO queue_owner (one, run, paused) VALUES (1, $1, 0) ON CONFLICT DO NOTHING";
                connection.execute(insert, &values![run])?;
                let owner =
                    "SELECT run.id, run.token FROM queue_owner JOIN run ON run.id = queue_owner.run WHERE run.id <> $1";
                let has_owner = is_other_alive(connection, owner, &values![run])?;
                if !has_owner {
                    connection.execute("UPDATE queue_owner SET run = $1", &values![run])?;
                }
                Ok(!has_owner)
            })
        })
    }

    /// Whether the queue is paused, and its entries.
    pub fn all(&mut self) -> Result<(bool, Vec<QueueRow>)> {
        self.0.with_reconnect(|Database { connection, .. }| {
            let is_paused = connection.query_value("SELECT paused FROM queue_owner", &[])?;
            let rows = connection.query("SELECT entry, rank, content, progress FROM queue", &[], |row| {
                Ok(QueueRow { entry: row.get(0)?, rank: row.get(1)?, content: row.get(2)?, progress: row.get(3)? })
            })?;
            Ok((is_paused, rows))
        })
    }

    /// Writes entries and deletes others. Returns false, and writes nothing, if another server has taken over the queue.
    pub fn put(&mut self, is_paused: bool, rows: &[QueueRow], deleted: &[u64]) -> Result<bool> {
        // Others may have removed the run after its lease expired.
        Ok(self.write(is_paused, rows, deleted)? || (self.take()? && self.write(is_paused, rows, deleted)?))
    }

    fn write(&mut self, is_paused: bool, rows: &[QueueRow], deleted: &[u64]) -> Result<bool> {
        self.0.with_reconnect(|database| {
            let run = database.run_id()?;
            database.connection.transaction(|connection| {
                let own = "UPDATE queue_owner SET paused = $1 WHERE run = $2";
                if connection.execute(own, &values![is_paused, run])? == 0 {
                    return Ok(false);
                }
                for row in rows {
                    let upsert = "INSERT INTO queue (entry, rank, content, progress) VALUES ($1, $2, $3, $4)
                        ON CONFLICT (entry) DO UPDATE SET rank = $2, progress = $4";
                    connection.execute(upsert, &values![row.entry, row.rank, &*row.content, &row.progress])?;
                }
                for &entry in deleted {
                    connection.execute("DELETE FROM queue WHERE entry = $1", &values![entry])?;
                }
                Ok(true)
            })
        })
    }
}

impl Database {
    /// Renews the lease. Returns the id of the run, or 0 without one.
    fn run_id(&mut self) -> Result<i64> {
        self.run.as_mut().map_or(Ok(0), |run| run.renew(&mut self.connection))
    }
}
