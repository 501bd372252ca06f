//! Claims, by which processes that share a database search different positions.

use super::Database;
use super::analysis::{SearchLimits, Stored};
use super::engine::{EngineId, engine_id, find_engine};
use super::key::Key;
use super::results::{insert_position, position, stored};
use super::run::{is_other_alive, release};
use crate::sql::{Connection, Result, values};
use lento::chess::Board;

/// How to proceed with a position.
#[derive(Debug)]
pub enum Claim {
    /// The result is stored.
    Known(Stored),
    /// To be searched by this process only.
    Claimed {
        /// Position id.
        position: i64,
        /// The partial result so far, with the same number of lines.
        partial: Option<Stored>,
    },
    /// Being searched by another process; retry later.
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
            let found = at.map(|at| stored.swap_remove(at));
            Result::Ok((found, stored.into_iter().find(|stored| stored.conditions.multipv == multipv)))
        };
        // Reading stored results needs no lock.
        if let Some(position) = position(connection, key, "")?
            && let Some(engine) = find_engine(connection, engine)?
            && let (Some(found), _) = known(connection, position, engine)?
        {
            return Ok(Claim::Known(found));
        }
        connection.transaction(|connection| {
            run.renew(connection)?;
            let engine = engine_id(connection, engine)?;
            insert_position(connection, key)?;
            // Does not wait for a process that is claiming or storing it.
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
        })
    }

    pub fn release(&mut self, position: i64) -> Result<()> {
        release(&mut self.connection, position, self.run.as_ref()).map(drop)
    }
}
