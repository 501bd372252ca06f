//! Claims: several processes may share a database, each searching its own positions.

use super::run_lock::is_alive;
use super::{Database, DatabaseError, EngineId, Key, SearchLimits, Stored};
use lento::chess::Board;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// How to proceed with a position.
#[derive(Debug)]
pub enum Claim {
    /// Nothing to do: the result is stored.
    Known(Stored),
    /// Search it; no other process will.
    Claimed {
        /// Its id in the database.
        position: i64,
        /// The partial result so far.
        partial: Option<Stored>,
    },
    /// Retry later: another process is searching it.
    Busy,
}

impl Database {
    /// Registers this run, and removes dead ones.
    pub(super) fn begin_run(&mut self, token: &str) -> rusqlite::Result<i64> {
        let mut statement = self.connection.prepare("SELECT id, token FROM run")?;
        let runs: Vec<(i64, String)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        for (run, _) in runs.iter().filter(|(_, token)| !is_alive(&self.path, token)) {
            self.connection.execute("DELETE FROM run WHERE id = ?1", [run])?;
        }
        let process = i64::from(std::process::id());
        self.connection.execute("INSERT INTO run (token, process) VALUES (?1, ?2)", params![token, process])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Removes this run.
    pub(super) fn end_run(&mut self) {
        if let Some((run, _lock)) = self.run_lock.take() {
            // On failure the next run cleans up.
            let _ = self.connection.execute("DELETE FROM claim WHERE run = ?1", [run]);
            let _ = self.connection.execute("DELETE FROM run WHERE id = ?1", [run]);
        }
    }

    /// The stored result of a position, if it satisfies the limits.
    ///
    /// # Errors
    /// The database is unreadable or inconsistent.
    pub fn known(
        &self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        requested: &SearchLimits,
    ) -> Result<Option<Stored>, DatabaseError> {
        let find = || -> rusqlite::Result<Option<(i64, i64)>> {
            let position = position(&self.connection, key)?;
            Ok(position.zip(engine.find(&self.connection)?))
        };
        let Some((position, engine)) = find().map_err(|error| self.explain(error))? else { return Ok(None) };
        let stored = self.stored(position, engine, multipv, board)?;
        Ok(stored.into_iter().find(|stored| requested.is_met_by(stored)))
    }

    /// Claims a position, unless it is stored or claimed by a live process.
    ///
    /// # Errors
    /// The database is unreadable, read-only or inconsistent.
    pub fn claim(
        &mut self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        requested: &SearchLimits,
    ) -> Result<Claim, DatabaseError> {
        if let Some(known) = self.known(key, board, engine, multipv, requested)? {
            return Ok(Claim::Known(known));
        }
        let Some((run, _)) = self.run_lock else { return Ok(Claim::Busy) };
        let (path, explain) = (self.path.clone(), |error| DatabaseError::new(&self.path, error));
        let transaction =
            rusqlite::Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(explain)?;
        let take = || -> rusqlite::Result<Option<(i64, i64)>> {
            let engine = engine.enter(&transaction)?;
            transaction
                .execute("INSERT OR IGNORE INTO position (fen, past) VALUES (?1, ?2)", params![key.fen, key.past])?;
            let position = position(&transaction, key)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let owner: Option<(i64, String)> = transaction
                .query_row(
                    "SELECT run.id, run.token FROM claim JOIN run ON run.id = claim.run WHERE claim.position = ?1",
                    [position],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            if let Some((owner, token)) = owner.filter(|(owner, _)| *owner != run) {
                if is_alive(&path, &token) {
                    return Ok(None);
                }
                transaction.execute("DELETE FROM run WHERE id = ?1", [owner])?;
            }
            transaction
                .execute("INSERT OR REPLACE INTO claim (position, run) VALUES (?1, ?2)", params![position, run])?;
            Ok(Some((position, engine)))
        };
        let Some((position, engine)) = take().map_err(explain)? else { return Ok(Claim::Busy) };
        // Another process may have stored it meanwhile.
        let mut stored = self.stored(position, engine, multipv, board)?;
        if let Some(at) = stored.iter().position(|stored| requested.is_met_by(stored)) {
            return Ok(Claim::Known(stored.swap_remove(at)));
        }
        transaction.commit().map_err(explain)?;
        Ok(Claim::Claimed { position, partial: stored.into_iter().next() })
    }

    /// Releases a claim.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn release(&mut self, position: i64) -> Result<(), DatabaseError> {
        let done = self.connection.execute("DELETE FROM claim WHERE position = ?1", [position]);
        done.map(|_| ()).map_err(|error| self.explain(error))
    }
}

/// The id of a position.
pub(super) fn position(connection: &Connection, key: &Key) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare("SELECT id FROM position WHERE fen = ?1 AND past = ?2")?
        .query_row(params![key.fen, key.past], |row| row.get(0))
        .optional()
}
