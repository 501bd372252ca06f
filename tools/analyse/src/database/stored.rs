//! Storing and loading analyses.

use super::{Database, DatabaseError, EngineId, Key, SearchLimits, claim, lines};
use crate::game::Analysis;
use lento::chess::Board;
use rusqlite::{TransactionBehavior, params};
use std::time::Duration;

/// An analysis with its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The result.
    pub analysis: Analysis,
    /// The conditions of the search.
    pub conditions: Conditions,
    /// Whether the search completed without interruption.
    pub finished: bool,
}

/// Conditions of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The limits.
    pub requested: SearchLimits,
    /// Requested number of lines.
    pub multipv: u16,
    /// Number of threads.
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// Whether moves are in Chess960 notation.
    pub chess960: bool,
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

impl Database {
    /// The results of an engine with at least this many lines, deepest first.
    pub(super) fn stored(
        &self,
        position: i64,
        engine: i64,
        multipv: u16,
        board: &Board,
    ) -> Result<Vec<Stored>, DatabaseError> {
        let mut found = Vec::new();
        for (id, chess960, mut stored) in self.rows(position, engine, multipv).map_err(|error| self.explain(error))? {
            let lines = lines::read(&self.connection, id, board, chess960).map_err(|error| self.explain(error))?;
            stored.analysis.lines =
                lines.map_err(|what| DatabaseError::Inconsistent { path: self.path.clone(), analysis: id, what })?;
            found.push(stored);
        }
        Ok(found)
    }

    /// Analyses without their lines.
    fn rows(&self, position: i64, engine: i64, multipv: u16) -> rusqlite::Result<Vec<(i64, bool, Stored)>> {
        let mut statement = self.connection.prepare(
            "SELECT id, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib, chess960,
                depth, seldepth, nodes, time_ms
            FROM analysis WHERE position = ?1 AND engine = ?2 AND multipv >= ?3
            ORDER BY depth DESC, nodes DESC, multipv",
        )?;
        let rows = statement.query_map(params![position, engine, multipv], |row| {
            let unsigned = |number: i64| number.max(0) as u64;
            let size = |number: i64| usize::try_from(number).unwrap_or(0);
            let time = |number: i64| Duration::from_millis(unsigned(number));
            let requested = SearchLimits {
                time: row.get::<_, Option<i64>>(2)?.map(time),
                depth: row.get(3)?,
                nodes: row.get::<_, Option<i64>>(4)?.map(unsigned),
            };
            let chess960 = row.get(8)?;
            let conditions = Conditions {
                requested,
                multipv: row.get(1)?,
                threads: size(row.get(6)?),
                hash_mib: size(row.get(7)?),
                chess960,
            };
            let (nodes, spent) = (unsigned(row.get(11)?), time(row.get(12)?));
            let analysis =
                Analysis { depth: row.get(9)?, seldepth: row.get(10)?, nodes, time: spent, lines: Vec::new() };
            Ok((row.get(0)?, chess960, Stored { analysis, conditions, finished: row.get(5)? }))
        })?;
        rows.collect()
    }

    /// Stores a result in place of earlier ones with this number of lines, and releases the claim, atomically.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn store(
        &mut self,
        position: i64,
        board: &Board,
        engine: &EngineId,
        stored: &Stored,
    ) -> Result<(), DatabaseError> {
        let mut store = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let engine = engine.enter(&transaction)?;
            let Stored { analysis, conditions, finished } = stored;
            let Conditions { requested, multipv, threads, hash_mib, chess960 } = conditions;
            transaction.execute(
                "DELETE FROM analysis WHERE position = ?1 AND engine = ?2 AND multipv = ?3",
                params![position, engine, multipv],
            )?;
            transaction.execute(
                "INSERT INTO analysis (position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads,
                    hash_mib, chess960, depth, seldepth, nodes, time_ms)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                params![
                    position,
                    engine,
                    multipv,
                    requested.time.map(milliseconds),
                    requested.depth,
                    requested.nodes.map(signed),
                    finished,
                    *threads as i64,
                    *hash_mib as i64,
                    chess960,
                    analysis.depth,
                    analysis.seldepth,
                    signed(analysis.nodes),
                    milliseconds(analysis.time),
                ],
            )?;
            let id = transaction.last_insert_rowid();
            lines::insert(&transaction, id, board, *chess960, &analysis.lines)?;
            transaction.execute("DELETE FROM claim WHERE position = ?1", [position])?;
            transaction.commit()
        };
        store().map_err(|error| self.explain(error))?;
        // Writes to a deleted file succeed but are lost.
        if self.path.exists() { Ok(()) } else { Err(DatabaseError::Removed(self.path.clone())) }
    }

    /// The best result of any engine: the deepest, then the one with most nodes.
    ///
    /// # Errors
    /// The database is unreadable or inconsistent.
    pub fn best(&self, key: &Key, board: &Board) -> Result<Option<Analysis>, DatabaseError> {
        let explain = |error| self.explain(error);
        let Some(position) = claim::position(&self.connection, key).map_err(explain)? else { return Ok(None) };
        let mut engines = Vec::new();
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare("SELECT DISTINCT engine FROM analysis WHERE position = ?1")?;
            engines = statement.query_map([position], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(())
        };
        read().map_err(explain)?;
        let mut found = Vec::new();
        for engine in engines {
            found.extend(self.stored(position, engine, 1, board)?);
        }
        let worth = |stored: &Stored| (stored.analysis.depth, stored.analysis.nodes, stored.analysis.lines.len());
        Ok(found.into_iter().max_by_key(worth).map(|stored| stored.analysis))
    }
}
