//! Claims: several processes may share a database, each searching its own positions.

use super::run_lock::is_alive;
use super::stored::stored;
use super::{Database, Key, Location, Run, SearchLimits, Stored};
use crate::sql::{Connection, Error, Result, Value, values};
use lento::chess::Board;
use lento::engine::Engine;
use lento::named::Named;
use lento::version;

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
            recipe: engine.settings.lmr.main.name(),
            tablebases: engine.tables().map_or_else(String::new, |tables| tables.stock().to_string()),
        }
    }

    /// Its fields in the order of the table `engine`.
    pub fn values(&self) -> [Value; 6] {
        let Self { version, commit, evaluation, meaning, recipe, tablebases } = self;
        values![version, *commit, evaluation, format!("{meaning:016x}"), *recipe, tablebases]
    }
}

const COLUMNS: &str = "version, commit_id, evaluation, meaning, recipe, tablebases";
const VALUES: &str = "($1, $2, $3, $4, $5, $6)";

/// The id of an engine in a database, if it is there.
fn find_engine(connection: &mut Connection, engine: &[Value; 6]) -> Result<Option<i64>> {
    let row = connection.query_first(&format!("SELECT id FROM engine WHERE ({COLUMNS}) = {VALUES}"), engine)?;
    row.map(|row| row.get(0)).transpose()
}

/// The id of an engine in a database, inserted if missing.
pub fn engine_id(connection: &mut Connection, engine: &[Value; 6]) -> Result<i64> {
    if let Some(known) = find_engine(connection, engine)? {
        return Ok(known);
    }
    let insert = format!("INSERT INTO engine ({COLUMNS}) VALUES {VALUES} ON CONFLICT DO NOTHING");
    connection.execute(&insert, engine)?;
    find_engine(connection, engine)?.ok_or_else(|| Error::Data("the engine was not entered".into()))
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
    /// Removes this run with its claims.
    pub(super) fn end_run(&mut self) {
        if let Some(run) = self.run.take() {
            // On failure others clean up.
            let _ = run.end(&mut self.connection);
            let _ = notify(&mut self.connection);
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
    ) -> Result<Claim> {
        let Self { connection, run, location, .. } = self;
        let Some(run) = run else { return Ok(Claim::Busy) };
        let known = |connection: &mut Connection, position, engine| {
            let mut stored = stored(connection, position, Some(engine), multipv, board)?;
            let at = stored.iter().position(|stored| requested.is_met_by(stored));
            Result::Ok((at.map(|at| stored.swap_remove(at)), stored.into_iter().next()))
        };
        // What is stored needs no lock.
        if let Some(position) = position(connection, key, "")?
            && let Some(engine) = find_engine(connection, &engine.values())?
            && let (Some(found), _) = known(connection, position, engine)?
        {
            return Ok(Claim::Known(found));
        }
        let claim = connection.transaction(|connection| {
            run.renew(connection)?;
            let engine = engine_id(connection, &engine.values())?;
            if position(connection, key, "")?.is_none() {
                let insert = "INSERT INTO position (fen, past) VALUES ($1, $2) ON CONFLICT DO NOTHING";
                connection.execute(insert, &values![&key.fen, &key.past])?;
            }
            // Another process that claims or stores it at this moment is not waited for.
            let lock = if connection.is_server() { "FOR UPDATE SKIP LOCKED" } else { "" };
            let Some(position) = position(connection, key, lock)? else { return Ok(Claim::Busy) };
            let (found, partial) = known(connection, position, engine)?;
            if let Some(found) = found {
                return Ok(Claim::Known(found));
            }
            if is_claimed(connection, location, position, run.id)? {
                return Ok(Claim::Busy);
            }
            let insert = "INSERT INTO claim (position, run) VALUES ($1, $2)
                ON CONFLICT (position) DO UPDATE SET run = excluded.run";
            connection.execute(insert, &values![position, run.id])?;
            Ok(Claim::Claimed { position, partial })
        })?;
        if matches!(claim, Claim::Claimed { .. }) && std::mem::take(&mut self.listens) {
            // Notifications would pile up during the search.
            self.connection.batch("UNLISTEN *")?;
        }
        Ok(claim)
    }

    pub fn release(&mut self, position: i64) -> Result<()> {
        release(&mut self.connection, position, self.run.as_ref())?;
        notify(&mut self.connection)
    }
}

/// Whether another live run has claimed a position. A dead one is removed.
fn is_claimed(connection: &mut Connection, location: &Location, position: i64, run: i64) -> Result<bool> {
    let sql =
        "SELECT run.id, run.token FROM claim JOIN run ON run.id = claim.run WHERE claim.position = $1 AND run.id <> $2";
    let live = if connection.is_server() { " AND run.expires > clock_timestamp()" } else { "" };
    let Some(owner) = connection.query_first(&format!("{sql}{live}"), &values![position, run])? else {
        return Ok(false);
    };
    let Some(path) = location.file() else { return Ok(true) };
    let is_alive = is_alive(path, &owner.get::<String>(1)?);
    if !is_alive {
        connection.execute("DELETE FROM run WHERE id = $1", &values![owner.get::<i64>(0)?])?;
    }
    Ok(is_alive)
}

/// Ends the claim of this run on a position. Returns whether it had one.
pub(super) fn release(connection: &mut Connection, position: i64, run: Option<&Run>) -> Result<bool> {
    let run = run.map(|run| run.id);
    let claims = connection.execute("DELETE FROM claim WHERE position = $1 AND run = $2", &values![position, run])?;
    Ok(claims > 0)
}

/// Tells processes that wait for positions.
pub(super) fn notify(connection: &mut Connection) -> Result<()> {
    if connection.is_server() { connection.batch("NOTIFY lento_analyse") } else { Ok(()) }
}

/// The id of a position, if it is there.
pub(super) fn position(connection: &mut Connection, key: &Key, lock: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT id FROM position WHERE fen = $1 AND past = $2 {lock}");
    connection.query_first(&sql, &values![&key.fen, &key.past])?.map(|row| row.get(0)).transpose()
}
