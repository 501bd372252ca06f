//! The database of analyses, described in `docs/analyse.md`: an SQLite file, or a database on a PostgreSQL server.

mod analysis;
mod boards;
mod claim;
mod course;
mod engine;
mod key;
mod merge;
mod queue;
mod results;
mod run;

pub use crate::sql::Location;
pub use analysis::{Analysis, Conditions, Line, SearchLimits, Stored};
pub use boards::{BoardRow, Boards};
pub use claim::Claim;
pub use course::Point;
pub use engine::{EngineId, engine_id};
pub use key::Key;
pub use merge::{Merged, merge};
pub use queue::{Queue, QueueRow};
pub use results::{Known, line as read_line};
pub use run::{Run, remove_dead};

use crate::sql::{Connection, Result, Schema};
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::progress::Progress;
use rusqlite::OpenFlags;
use std::time::Duration;

/// The `application_id` is "Lent" in ASCII.
static SCHEMA: Schema = Schema {
    application: 0x4c65_6e74,
    name: "analyse",
    space: None,
    scripts: &[include_str!("schema.sql")],
    foreign: "another program's database; expected one made by lento analyse, or a new name",
};
/// Poll intervals for positions claimed by other processes, of a file and of a server.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// Maximum delay between attempts to reach a server.
const MAX_DELAY: Duration = Duration::from_secs(5);
/// Tables of `lento serve`, created when it first opens the database.
const SERVER_TABLES: &str = "\
CREATE TABLE IF NOT EXISTS board (
    board TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    document TEXT NOT NULL,
    removed BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS course (
    position BIGINT PRIMARY KEY,
    points TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS queue (
    entry BIGINT PRIMARY KEY,
    rank BIGINT NOT NULL,
    content TEXT NOT NULL,
    progress TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS queue_owner (
    one BIGINT PRIMARY KEY,
    run BIGINT NOT NULL,
    paused BIGINT NOT NULL
)";

pub struct Database {
    connection: Connection,
    /// Registration of this process, if visible to others.
    run: Option<Run>,
    immutable: bool,
}

impl Database {
    /// Opens a database for writing, creating it if missing. With a lease, registers this process.
    pub fn open(location: &Location, lease: Option<Duration>) -> Result<Self> {
        let mut database = Self::connect(location, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        let connection = &mut database.connection;
        connection.migrate()?;
        database.run = lease.map(|lease| Run::begin(connection, lease)).transpose()?;
        Ok(database)
    }

    /// Opens a database with the tables of `lento serve`, creating it if missing. With a lease, registers this process.
    pub fn open_for_server(location: &Location, lease: Option<Duration>) -> Result<Self> {
        let mut database = Self::open(location, lease)?;
        database.connection.transaction(|connection| {
            // Several servers may start at once.
            connection.lock()?;
            connection.batch(SERVER_TABLES)
        })?;
        Ok(database)
    }

    /// Opens an existing database read-only, leaving no journal files unless another process writes.
    pub fn open_to_read(location: &Location) -> Result<Self> {
        if location.file().is_some_and(|path| !path.exists()) {
            return Err(location.error("no such file; expected a database made by lento analyse"));
        }
        // SQLite needs the journal to read; only a read-write connection can remove its files afterwards.
        let mut database = Self::connect(location, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        database.immutable = database.connection.read_only()?;
        database.connection.check()?;
        Ok(database)
    }

    fn connect(location: &Location, flags: OpenFlags) -> Result<Self> {
        if location.file().and_then(|path| path.metadata().ok()).is_some_and(|there| !there.is_file()) {
            return Err(location.error("not a regular file; expected a database or a new name"));
        }
        let connection = Connection::open(location, &SCHEMA, flags)?;
        Ok(Self { connection, run: None, immutable: false })
    }

    pub fn reconnect(&mut self) -> Result<()> {
        self.connection.reconnect()
    }

    /// Runs `work`, and repeats it after reconnecting if the connection was lost.
    pub fn with_reconnect<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        match work(self) {
            Err(error) if error.is_disconnect() => self.reconnect().and_then(|()| work(self)),
            result => result,
        }
    }

    /// Waits until positions claimed by others may be finished, or a stop is requested.
    pub fn wait(&self, stop: &Stop) {
        let interval = POLL_INTERVALS[usize::from(self.connection.is_server())];
        // A timeout unless a stop is requested.
        let _ = stop.waiter().recv_timeout(interval);
    }

    pub fn location(&self) -> &Location {
        &self.connection.location
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            // On failure, other processes clean up.
            let _ = run.end(&mut self.connection);
        }
    }
}

/// Runs a query, again after reconnecting if the connection is lost. Returns `None` after Ctrl-C meanwhile.
pub fn retry<D, T>(
    database: &mut D,
    reconnect: impl Fn(&mut D) -> Result<()>,
    stop: &Stop,
    progress: &mut Progress,
    mut query: impl FnMut(&mut D) -> Result<T>,
) -> Result<Option<T>> {
    let mut report = |text: String| {
        progress.clear();
        notice(text);
    };
    let mut delay = Duration::from_millis(100);
    let mut lost = None;
    loop {
        let connected = if lost.is_some() { reconnect(database) } else { Ok(()) };
        match connected.and_then(|()| query(database)) {
            Err(error) if error.is_disconnect() => {
                if lost.is_none() {
                    report(format!("{error}; retrying until the server is back; nothing is lost"));
                    // If only the connection is lost, a new one works, even after Ctrl-C.
                    lost = Some(error.place);
                    continue;
                }
            }
            Err(error) => return Err(error),
            Ok(result) => {
                lost.iter().for_each(|place| report(format!("{place}: the server is back")));
                return Ok(Some(result));
            }
        }
        // A timeout unless a stop is requested.
        if stop.waiter().recv_timeout(delay).is_err_and(|error| error.is_disconnected()) {
            return Ok(None);
        }
        delay = (delay * 2).min(MAX_DELAY);
    }
}

#[cfg(test)]
mod tests;
