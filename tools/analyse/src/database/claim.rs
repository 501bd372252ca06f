//! Claims: several processes may share a database, each searching its own positions.

use super::run_lock::is_alive;
use super::stored::stored;
use super::{Database, Key, SearchLimits, Stored};
use lento::chess::Board;
use lento::engine::Engine;
use lento::version;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// Everything besides limits, threads and hash that determines a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineId {
    /// For example `Lento 0.1.0`.
    pub version: String,
    pub commit: &'static str,
    /// The evaluation, including the network's name.
    pub evaluation: String,
    /// A hash of evaluation results.
    pub meaning: u64,
    pub recipe: &'static str,
    pub tablebases: String,
}

impl EngineId {
    /// The identity of an engine with its current options.
    pub fn new(engine: &mut Engine) -> Self {
        let identity = engine.identity();
        Self {
            version: identity.engine,
            commit: version::COMMIT,
            evaluation: identity.evaluation,
            meaning: identity.fingerprint,
            recipe: engine.settings.lmr.main,
            tablebases: engine.tables().map_or_else(String::new, |tables| tables.stock().to_string()),
        }
    }

    /// Its id in a database, inserted if missing.
    pub(super) fn enter(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let Self { version, commit, evaluation, meaning, recipe, tablebases } = self;
        let meaning = format!("{meaning:016x}");
        let values = params![version, commit, evaluation, meaning, recipe, tablebases];
        const COLUMNS: &str = "version, commit_id, evaluation, meaning, recipe, tablebases";
        const VALUES: &str = "(?1, ?2, ?3, ?4, ?5, ?6)";
        let find = format!("SELECT id FROM engine WHERE ({COLUMNS}) = {VALUES}");
        if let Some(known) = connection.query_row(&find, values, |row| row.get(0)).optional()? {
            return Ok(known);
        }
        connection.execute(&format!("INSERT INTO engine ({COLUMNS}) VALUES {VALUES}"), values)?;
        Ok(connection.last_insert_rowid())
    }
}

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
        let runs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (run, token) in runs.collect::<rusqlite::Result<Vec<(i64, String)>>>()? {
            if !is_alive(&self.path, &token) {
                self.connection.execute("DELETE FROM run WHERE id = ?1", [run])?;
            }
        }
        let process = i64::from(std::process::id());
        self.connection.execute("INSERT INTO run (token, process) VALUES (?1, ?2)", params![token, process])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Removes this run with its claims.
    pub(super) fn end_run(&mut self) {
        if let Some((run, _lock)) = self.run_lock.take() {
            // On failure the next run cleans up.
            let _ = self.connection.execute("DELETE FROM run WHERE id = ?1", [run]);
        }
    }

    /// Claims a position, unless it is stored or claimed by a live process.
    pub fn claim(
        &mut self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        requested: &SearchLimits,
    ) -> rusqlite::Result<Claim> {
        let Some((run, _)) = self.run_lock else { return Ok(Claim::Busy) };
        // Dropped, it leaves the database as it was.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let engine = engine.enter(&transaction)?;
        transaction
            .execute("INSERT OR IGNORE INTO position (fen, past) VALUES (?1, ?2)", params![key.fen, key.past])?;
        let position = position(&transaction, key)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let mut stored = stored(&transaction, position, Some(engine), multipv, board)?;
        if let Some(at) = stored.iter().position(|stored| requested.is_met_by(stored)) {
            return Ok(Claim::Known(stored.swap_remove(at)));
        }
        let owner: Option<(i64, String)> = transaction
            .query_row(
                "SELECT run.id, run.token FROM claim JOIN run ON run.id = claim.run WHERE claim.position = ?1",
                [position],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        if let Some((owner, token)) = owner.filter(|(owner, _)| *owner != run) {
            if is_alive(&self.path, &token) {
                return Ok(Claim::Busy);
            }
            transaction.execute("DELETE FROM run WHERE id = ?1", [owner])?;
        }
        transaction.execute("INSERT OR REPLACE INTO claim (position, run) VALUES (?1, ?2)", params![position, run])?;
        transaction.commit()?;
        Ok(Claim::Claimed { position, partial: stored.into_iter().next() })
    }

    pub fn release(&mut self, position: i64) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM claim WHERE position = ?1", [position]).map(drop)
    }
}

pub(super) fn position(connection: &Connection, key: &Key) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare("SELECT id FROM position WHERE fen = ?1 AND past = ?2")?;
    statement.query_row(params![key.fen, key.past], |row| row.get(0)).optional()
}
