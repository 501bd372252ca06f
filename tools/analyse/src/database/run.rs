//! Runs: the processes that work on a database, each with a row in the table `run`.
//!
//! The run of a file is alive as long as it has the lock of a hidden file beside the database, which ends with its process.
//! Without file locks all other runs count as dead: positions may be searched twice, but nothing is lost. On a server, a run is
//! alive as long as it renews its lease in time.

use crate::sql::{Connection, Result, Value, values};
use lento::internals::files::{create_locked, remove_abandoned};
use rusqlite::OpenFlags;
use std::fs::{File, TryLockError, remove_file};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

const SUFFIX: &str = ".run";
const RENEW: &str = "UPDATE run SET expires = clock_timestamp() + make_interval(secs => $2) WHERE token = $1";

/// This process, as others see it.
#[derive(Debug)]
pub struct Run {
    pub id: i64,
    alive: Alive,
}

/// How others see that it is alive.
#[derive(Debug)]
enum Alive {
    Lock {
        path: PathBuf,
        _locked: File,
    },
    Lease {
        token: String,
        length: Duration,
        /// Closed on drop, which ends the thread that renews it.
        _ends: Sender<()>,
    },
}

impl Run {
    /// Registers this process. On a server, others take over its claims when it has been silent for as long as its lease.
    pub fn begin(connection: &mut Connection, lease: Duration) -> Result<Self> {
        let Some(path) = connection.location.file() else {
            let alive = start_lease(connection, lease)?;
            let mut run = Self { id: 0, alive };
            run.renew(connection)?;
            return Ok(run);
        };
        let path = real(path);
        remove_abandoned(&path, SUFFIX);
        let refuse = |error| connection.error(format!("{error}; expected a writable folder"));
        let (path, _locked) = create_locked(&path, SUFFIX).map_err(refuse)?;
        let token = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut run = Self { id: 0, alive: Alive::Lock { path, _locked } };
        let insert = "INSERT INTO run (token, process) VALUES ($1, $2) RETURNING id";
        run.id = connection.query_value(insert, &values![token, process::id()])?;
        Ok(run)
    }

    /// Renews the lease, if it has one. Returns the id, a new one if others have removed this run.
    pub fn renew(&mut self, connection: &mut Connection) -> Result<i64> {
        if let Alive::Lease { token, length, .. } = &self.alive {
            let sql = "INSERT INTO run (token, process, expires)
                VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
                ON CONFLICT (token) DO UPDATE SET expires = excluded.expires RETURNING id";
            self.id = connection.query_value(sql, &values![token, process::id(), length.as_secs_f64()])?;
        }
        Ok(self.id)
    }

    pub fn end(&self, connection: &mut Connection) -> Result<()> {
        remove(connection, self.id)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Alive::Lock { path, .. } = &self.alive {
            let _ = remove_file(path);
        }
    }
}

/// Starts a thread that renews a lease, with a connection of its own, since the other one may be busy.
fn start_lease(connection: &mut Connection, length: Duration) -> Result<Alive> {
    let token: String = connection.query_value("SELECT gen_random_uuid()::text", &[])?;
    let (_ends, ended) = channel();
    let (location, schema, values) =
        (connection.location.clone(), connection.schema, values![&token, length.as_secs_f64()]);
    let renew = move || {
        let mut connection = None;
        while ended.recv_timeout(length / 4) == Err(RecvTimeoutError::Timeout) {
            // A server that is gone for a while is connected to again.
            let there = connection.take().or_else(|| Connection::open(&location, schema, OpenFlags::default()).ok());
            connection = there.and_then(|mut there| there.execute(RENEW, &values).is_ok().then_some(there));
        }
    };
    let spawned = thread::Builder::new().name("lease".into()).spawn(renew);
    spawned.map_err(|error| connection.error(error.to_string()))?;
    Ok(Alive::Lease { token, length, _ends })
}

/// Removes other runs that are dead beyond doubt.
pub fn remove_dead(connection: &mut Connection, own: Option<i64>) -> Result<()> {
    let Some(path) = connection.location.file().map(real) else {
        return connection.execute("DELETE FROM run WHERE expires < now() - interval '1 day'", &[]).map(drop);
    };
    let runs = connection.query("SELECT id, token FROM run", &[], |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
    for (id, token) in runs {
        if Some(id) != own && !has_lock(&path, &token) {
            remove(connection, id)?;
        }
    }
    Ok(())
}

fn remove(connection: &mut Connection, run: i64) -> Result<()> {
    connection.execute("DELETE FROM run WHERE id = $1", &values![run]).map(drop)
}

/// Whether the run of which a query finds id and token is alive. A dead one of a file is removed.
pub fn is_other_alive(connection: &mut Connection, sql: &str, values: &[Value]) -> Result<bool> {
    let live = if connection.is_server() { " AND run.expires > clock_timestamp()" } else { "" };
    let found = connection.query(&format!("{sql}{live}"), values, |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
    let (Some((id, token)), Some(path)) = (found.first(), connection.location.file()) else {
        return Ok(!found.is_empty());
    };
    let is_alive = has_lock(&real(path), token);
    if !is_alive {
        remove(connection, *id)?;
    }
    Ok(is_alive)
}

/// Whether the run of a file is alive. Removes the file of a dead one.
fn has_lock(database: &Path, token: &str) -> bool {
    let path = database.with_file_name(token);
    let Ok(left) = File::open(&path) else { return false };
    let is_alive = matches!(left.try_lock(), Err(TryLockError::WouldBlock));
    if !is_alive {
        let _ = remove_file(path);
    }
    is_alive
}

/// The database beside which the lock files are.
fn real(database: &Path) -> PathBuf {
    database.canonicalize().unwrap_or_else(|_| database.to_owned())
}

/// Ends the claim of this run on a position. Returns whether it had one.
pub(super) fn release(connection: &mut Connection, position: i64, run: Option<&Run>) -> Result<bool> {
    let run = run.map(|run| run.id);
    let claims = connection.execute("DELETE FROM claim WHERE position = $1 AND run = $2", &values![position, run])?;
    Ok(claims > 0)
}

/// Notifies processes that wait for positions.
pub(super) fn notify(connection: &mut Connection) -> Result<()> {
    if connection.is_server() { connection.batch("NOTIFY lento_analyse") } else { Ok(()) }
}
