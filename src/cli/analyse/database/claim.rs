//! Who searches what: several processes may work with one database, each on a position of its own.

use super::presence::is_alive;
use super::{Asked, Database, DatabaseError, EngineId, Key, Stored};
use crate::chess::Board;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// What is to be done with a position.
#[derive(Debug)]
pub enum Claim {
    /// Nothing: it is known.
    Known(Stored),
    /// To search it; nobody else will.
    Ours {
        /// Its number in the database.
        position: i64,
        /// What is known so far.
        partial: Option<Stored>,
    },
    /// To come back later: another process searches it.
    Others,
}

impl Database {
    /// Enters this run, and removes those that are dead.
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

    /// Leaves nothing of this run.
    pub(super) fn end_run(&mut self) {
        if let Some((run, _presence)) = self.presence.take() {
            // What fails here is cleared away by the next run.
            let _ = self.connection.execute("DELETE FROM claim WHERE run = ?1", [run]);
            let _ = self.connection.execute("DELETE FROM run WHERE id = ?1", [run]);
        }
    }

    /// What is known of a position, if that is as much as is asked for.
    ///
    /// # Errors
    /// The database cannot be read, or makes no sense.
    pub fn known(
        &self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        asked: &Asked,
    ) -> Result<Option<Stored>, DatabaseError> {
        let find = || -> rusqlite::Result<Option<(i64, i64)>> {
            let position = position(&self.connection, key)?;
            Ok(position.zip(engine.find(&self.connection)?))
        };
        let Some((position, engine)) = find().map_err(|error| self.explain(error))? else { return Ok(None) };
        let stored = self.stored(position, engine, multipv, board)?;
        Ok(stored.into_iter().find(|stored| asked.is_met_by(stored)))
    }

    /// Takes a position, unless it is known or another process that lives has it.
    ///
    /// # Errors
    /// The database cannot be read or written, or makes no sense.
    pub fn claim(
        &mut self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        asked: &Asked,
    ) -> Result<Claim, DatabaseError> {
        if let Some(known) = self.known(key, board, engine, multipv, asked)? {
            return Ok(Claim::Known(known));
        }
        let Some((run, _)) = self.presence else { return Ok(Claim::Others) };
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
        let Some((position, engine)) = take().map_err(explain)? else { return Ok(Claim::Others) };
        // It may have become known since.
        let mut stored = self.stored(position, engine, multipv, board)?;
        if let Some(at) = stored.iter().position(|stored| asked.is_met_by(stored)) {
            return Ok(Claim::Known(stored.swap_remove(at)));
        }
        transaction.commit().map_err(explain)?;
        Ok(Claim::Ours { position, partial: stored.into_iter().next() })
    }

    /// Lets go of a position.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn let_go(&mut self, position: i64) -> Result<(), DatabaseError> {
        let done = self.connection.execute("DELETE FROM claim WHERE position = ?1", [position]);
        done.map(|_| ()).map_err(|error| self.explain(error))
    }
}

/// The number of a position.
pub(super) fn position(connection: &Connection, key: &Key) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare("SELECT id FROM position WHERE fen = ?1 AND past = ?2")?
        .query_row(params![key.fen, key.past], |row| row.get(0))
        .optional()
}
