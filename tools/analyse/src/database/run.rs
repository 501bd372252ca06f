//! Runs: the processes that work on a database, each with a row in the table `run`.

use super::lease::Lease;
use super::run_lock::{RunLock, is_alive};
use super::{Location, explain};
use crate::sql::{Connection, Result, Schema, values};
use std::time::Duration;

/// This process, as others see it.
#[derive(Debug)]
pub struct Run {
    pub id: i64,
    alive: Alive,
}

/// How others see that it is alive.
#[derive(Debug)]
enum Alive {
    Lock { _lock: RunLock },
    Lease(Lease),
}

impl Run {
    /// Registers this process. On a server, others take over its claims when it has been silent for as long as its lease.
    pub fn begin(
        connection: &mut Connection,
        location: &Location,
        schema: &'static Schema,
        lease: Duration,
    ) -> std::result::Result<Self, String> {
        let explain = |error| explain(location, error);
        let (id, alive) = match location {
            Location::File(path) => {
                let lock = RunLock::create(path)
                    .map_err(|error| format!("{location}: {error}; expected a writable folder (see --db)"))?;
                let insert = "INSERT INTO run (token, process) VALUES ($1, $2) RETURNING id";
                let id = connection.query_value(insert, &values![lock.token(), std::process::id()]);
                (id, Alive::Lock { _lock: lock })
            }
            Location::Server(url) => {
                let token = connection.query_value("SELECT gen_random_uuid()::text", &[]).map_err(explain)?;
                let lease = Lease::start(url, schema, token, lease).map_err(|error| format!("{location}: {error}"))?;
                (lease.renew(connection), Alive::Lease(lease))
            }
        };
        Ok(Self { id: id.map_err(explain)?, alive })
    }

    /// Renews the lease, if it has one. Returns the id, a new one if others have removed this run.
    pub fn renew(&mut self, connection: &mut Connection) -> Result<i64> {
        if let Alive::Lease(lease) = &self.alive {
            self.id = lease.renew(connection)?;
        }
        Ok(self.id)
    }

    /// Removes it.
    pub fn end(&self, connection: &mut Connection) -> Result<()> {
        connection.execute("DELETE FROM run WHERE id = $1", &values![self.id]).map(drop)
    }
}

/// Removes other runs that are dead beyond doubt.
pub fn remove_dead(connection: &mut Connection, location: &Location, own: Option<i64>) -> Result<()> {
    let Some(path) = location.file() else {
        return connection.execute("DELETE FROM run WHERE expires < now() - interval '1 day'", &[]).map(drop);
    };
    for row in connection.query("SELECT id, token FROM run", &[])? {
        let id: i64 = row.get(0)?;
        if Some(id) != own && !is_alive(path, &row.get::<String>(1)?) {
            connection.execute("DELETE FROM run WHERE id = $1", &values![id])?;
        }
    }
    Ok(())
}
