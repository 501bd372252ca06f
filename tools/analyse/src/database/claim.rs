//! Claims: several processes may share a database, each searching its own positions.

use super::Database;
use super::analysis::{SearchLimits, Stored};
use super::engine::{EngineId, engine_id, find_engine};
use super::key::Key;
use super::results::{enter, position, stored};
use super::run::{is_other_alive, notify, release};
use crate::sql::{Connection, Result, values};
use lento::chess::Board;

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
    /// Claims a position, unless it is stored or claimed by a live process.
    pub fn claim(
        &mut self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        multipv: u16,
        requested: &SearchLimits,
    ) -> Result<Claim> {
        let Self { connection, run, .. } = self;
        let Some(run) = run else { return Ok(Claim::Busy) };
        let known = |connection: &mut Connection, position, engine| {
            let mut stored = stored(connection, position, Some(engine), multipv, board)?;
            let at = stored.iter().position(|stored| requested.is_met_by(stored));
            Result::Ok((at.map(|at| stored.swap_remove(at)), stored.into_iter().next()))
        };
        // What is stored needs no lock.
        if let Some(position) = position(connection, key, "")?
            && let Some(engine) = find_engine(connection, engine)?
            && let (Some(found), _) = known(connection, position, engine)?
        {
            return Ok(Claim::Known(found));
        }
        let claim = connection.transaction(|connection| {
            run.renew(connection)?;
            let engine = engine_id(connection, engine)?;
            enter(connection, key)?;
            // Another process that claims or stores it at this moment is not waited for.
            let lock = if connection.is_server() { "FOR UPDATE SKIP LOCKED" } else { "" };
            let Some(position) = position(connection, key, lock)? else { return Ok(Claim::Busy) };
            let (found, partial) = known(connection, position, engine)?;
            if let Some(found) = found {
                return Ok(Claim::Known(found));
            }
            let owner = "SELECT run.id, run.token FROM claim JOIN run ON run.id = claim.run
                WHERE claim.position = $1 AND run.id <> $2";
            if is_other_alive(connection, owner, &values![position, run.id])? {
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
