//! Runs: processes that use a database, each with a row in the table `run`.
//!
//! With SQLite, a run is alive while it locks a hidden file beside the database; the lock ends with the process. Without file
//! locks, all other runs count as dead: positions may be searched twice, but nothing is lost. On a server, a run is alive until
//! its lease expires.

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

/// Registration of this process.
pub struct Run {
    pub id: i64,
    liveness: Liveness,
}

enum Liveness {
    Lock {
        path: PathBuf,
        _locked: File,
    },
    Lease {
        token: String,
        length: Duration,
        /// Dropped to end the renewing thread.
        _stop: Sender<()>,
    },
}

impl Run {
    /// Registers this process, and removes dead ones. On a server, others take over its claims once its lease has expired.
    pub fn begin(connection: &mut Connection, lease: Duration) -> Result<Self> {
        remove_dead(connection, None)?;
        let Some(path) = connection.location.file() else {
            let mut run = Self { id: 0, liveness: start_lease(connection, lease)? };
            run.renew(connection)?;
            return Ok(run);
        };
        let path = resolved(path);
        remove_abandoned(&path, SUFFIX);
        let refuse = |error| connection.error(format!("{error}; expected a writable folder"));
        let (path, _locked) = create_locked(&path, SUFFIX).map_err(refuse)?;
        let token = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut run = Self { id: 0, liveness: Liveness::Lock { path, _locked } };
        // Random: SQLite gives ids of removed runs to new ones, and `queue_owner` still has that of the last server.
        let insert = "INSERT INTO run (id, token, process) VALUES (abs(random() >> 1), $1, $2) RETURNING id";
        run.id = connection.query_value(insert, &values![token, process::id()])?;
        Ok(run)
    }

    /// Renews the lease, if any. Returns the id, a new one if others have removed this run.
    pub fn renew(&mut self, connection: &mut Connection) -> Result<i64> {
        if let Liveness::Lease { token, length, .. } = &self.liveness {
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
        if let Liveness::Lock { path, .. } = &self.liveness {
            let _ = remove_file(path);
        }
    }
}

/// Starts a thread that renews a lease over a separate connection, since the other one may be busy.
fn start_lease(connection: &mut Connection, length: Duration) -> Result<Liveness> {
    let token: String = connection.query_value("SELECT gen_random_uuid()::text", &[])?;
    let (_stop, stopped) = channel();
    let (location, schema, values) =
        (connection.location.clone(), connection.schema, values![&token, length.as_secs_f64()]);
    // Without a second connection the lease would end unnoticed.
    let mut second = Some(Connection::open(&location, schema, OpenFlags::default())?);
    let renew = move || {
        while stopped.recv_timeout(length / 4) == Err(RecvTimeoutError::Timeout) {
            // Reconnects after a failure.
            let there = second.take().or_else(|| Connection::open(&location, schema, OpenFlags::default()).ok());
            second = there.and_then(|mut there| there.execute(RENEW, &values).is_ok().then_some(there));
        }
    };
    let spawned = thread::Builder::new().name("lease".into()).spawn(renew);
    spawned.map_err(|error| connection.error(error.to_string()))?;
    Ok(Liveness::Lease { token, length, _stop })
}

/// Removes other runs that are certainly dead.
pub fn remove_dead(connection: &mut Connection, own: Option<i64>) -> Result<()> {
    let Some(path) = connection.location.file().map(resolved) else {
        return connection.execute("DELETE FROM run WHERE expires < now() - interval '1 day'", &[]).map(drop);
    };
    let runs = connection.query("SELECT id, token FROM run", &[], |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
    for (id, token) in runs {
        if Some(id) != own && !is_locked(&path, &token) {
            remove(connection, id)?;
        }
    }
    Ok(())
}

fn remove(connection: &mut Connection, run: i64) -> Result<()> {
    connection.execute("DELETE FROM run WHERE id = $1", &values![run]).map(drop)
}

/// Whether the run whose id and token a query finds is alive. With SQLite, removes a dead one.
pub fn is_other_alive(connection: &mut Connection, sql: &str, values: &[Value]) -> Result<bool> {
    let live = if connection.is_server() { " AND run.expires > clock_timestamp()" } else { "" };
    let found = connection.query(&format!("{sql}{live}"), values, |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
    let (Some((id, token)), Some(path)) = (found.first(), connection.location.file()) else {
        return Ok(!found.is_empty());
    };
    let is_alive = is_locked(&resolved(path), token);
    if !is_alive {
        remove(connection, *id)?;
    }
    Ok(is_alive)
}

/// Whether the lock file of a run is locked. An unlocked one stays until [`remove_abandoned`], since the database, which may come from
/// elsewhere, could name any file.
fn is_locked(database: &Path, token: &str) -> bool {
    File::open(database.with_file_name(token))
        .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The database with symbolic links resolved; the lock files are beside it.
fn resolved(database: &Path) -> PathBuf {
    database.canonicalize().unwrap_or_else(|_| database.to_owned())
}

/// Releases the claim of this run on a position. Returns whether it had one.
pub(super) fn release(connection: &mut Connection, position: i64, run: Option<&Run>) -> Result<bool> {
    let run = run.map(|run| run.id);
    let claims = connection.execute("DELETE FROM claim WHERE position = $1 AND run = $2", &values![position, run])?;
    Ok(claims > 0)
}
