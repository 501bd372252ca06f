//! The database of analyses, described in `docs/analyse.md`: an SQLite file, or a database on a PostgreSQL server.
//!
//! Methods return errors of [`sql`](crate::sql); [`explain`] adds the place and advice.

mod analysis;
mod boards;
mod claim;
mod engine;
mod findings;
mod key;
mod lease;
mod load;
mod location;
mod merge;
mod queue;
mod retry;
mod run;
mod run_lock;
mod store;
mod table;

pub use analysis::{Analysis, Conditions, Line, SearchLimits, Stored};
pub use boards::{BoardRow, Boards};
pub use claim::Claim;
pub use engine::{EngineId, engine_id};
pub use findings::Point;
pub use key::Key;
pub use location::Location;
pub use merge::{Merged, merge};
pub use queue::{Queue, QueueRow};
pub use retry::retry;
pub use run::{Run, remove_dead};

use crate::sql::{Connection, Error, Result, Schema};
use lento_console::interrupt::Stop;
use rusqlite::{ErrorCode, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// "Lent".
static SCHEMA: Schema =
    Schema { application: 0x4c65_6e74, name: "analyse", space: None, scripts: &[include_str!("schema.sql")] };
/// Poll interval for positions claimed by other processes.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Polls until such positions are asked for again although no server has said that one is done: leases may have expired.
const POLLS: u32 = 10;

#[derive(Debug)]
pub struct Database {
    location: Location,
    connection: Connection,
    /// `None` if read-only.
    run: Option<Run>,
    /// Whether it was opened with the promise that nothing writes.
    immutable: bool,
    /// Whether the server tells of positions that are done.
    listens: bool,
}

/// An error with its database and advice.
pub fn explain(location: &Location, error: Error) -> String {
    let advice = match &error {
        Error::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => "; the file is damaged: `sqlite3 FILE .recover` saves what it can",
            Some(ErrorCode::NotADatabase) => "; expected a database made by lento analyse, or a new name",
            Some(ErrorCode::DiskFull) => "; earlier results are safe; expected free space",
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                "; expected a writable folder (see --db)"
            }
            Some(ErrorCode::DatabaseBusy) => "; another process held the lock for a minute; try again",
            Some(ErrorCode::SystemIoFailure) => "; the disk may be full or removed; earlier results are safe",
            _ => "",
        },
        Error::Foreign => "; expected one made by lento analyse, or a new name",
        other => other.advice(),
    };
    format!("{location}: {error}{advice}")
}

impl Database {
    /// Opens a database for writing, creating it if missing.
    pub fn open(location: &Location, lease: Duration) -> std::result::Result<Self, String> {
        let mut database = Self::connect(location, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        let prepared = database.prepare().and_then(|()| database.connection.migrate(&SCHEMA));
        // On a server, others end when their position is taken over.
        let prepared = prepared.and_then(|()| remove_dead(&mut database.connection, location, None));
        prepared.map_err(|error| explain(location, error))?;
        database.run = Some(Run::begin(&mut database.connection, location, &SCHEMA, lease)?);
        Ok(database)
    }

    /// Opens an existing database read-only, leaving no journal files unless another process writes.
    pub fn open_to_read(location: &Location) -> std::result::Result<Self, String> {
        if location.file().is_some_and(|path| !path.exists()) {
            return Err(format!("{location}: no such file; expected a database made by lento analyse"));
        }
        // SQLite needs the journal to read; only a read-write connection can remove its files afterwards.
        let mut database = Self::connect(location, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let opened = database.read_only().and_then(|()| database.connection.check(&SCHEMA));
        opened.map(|()| database).map_err(|error| explain(location, error))
    }

    fn read_only(&mut self) -> Result<()> {
        let (Some(path), Some(connection)) = (self.location.file(), self.connection.sqlite()) else {
            return self.connection.batch("SET default_transaction_read_only = on");
        };
        connection.pragma_update(None, "query_only", true)?;
        self.immutable = connection.is_readonly("main")? && !has_journal(path);
        // In a read-only folder SQLite requires the promise that nothing writes.
        let found = connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0));
        self.immutable |= found.is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::CannotOpen));
        if self.immutable {
            self.connection = Connection::open(Path::new(&immutable_uri(path)), OpenFlags::default())?;
        }
        Ok(())
    }

    fn connect(location: &Location, flags: OpenFlags) -> std::result::Result<Self, String> {
        if location.file().and_then(|path| path.metadata().ok()).is_some_and(|there| !there.is_file()) {
            return Err(format!("{location}: not a regular file; expected a database or a new name"));
        }
        let connection = match location {
            Location::File(path) => Connection::open(path, flags),
            Location::Server(url) => Connection::connect(url, &SCHEMA),
        };
        let connection = connection.map_err(|error| explain(location, error))?;
        Ok(Self { location: location.clone(), connection, run: None, immutable: false, listens: false })
    }

    fn prepare(&mut self) -> Result<()> {
        if self.connection.is_server() {
            return Ok(());
        }
        // Commits survive power loss.
        self.connection.batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    }

    /// Connects to the server again.
    pub fn reconnect(&mut self) -> Result<()> {
        if let Location::Server(url) = &self.location {
            self.connection = Connection::connect(url, &SCHEMA)?;
            self.listens = false;
        }
        Ok(())
    }

    /// Works on the database, again after connecting anew if its server was restarted.
    pub fn insist<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        match work(self) {
            Err(error) if error.is_disconnect() => self.reconnect().and_then(|()| work(self)),
            result => result,
        }
    }

    /// Waits until positions that others search may be done, or a stop is requested.
    pub fn wait(&mut self, stop: &Stop) -> Result<()> {
        if !self.connection.is_server() {
            // A timeout unless a stop is requested.
            let _ = stop.waiter().recv_timeout(POLL_INTERVAL);
            return Ok(());
        }
        if !self.listens {
            // What was done before is found by asking once more.
            self.listens = true;
            return self.connection.batch("LISTEN lento_analyse");
        }
        for _ in 0..POLLS {
            if stop.asked() || self.connection.wait(POLL_INTERVAL)? {
                break;
            }
        }
        Ok(())
    }

    pub fn location(&self) -> &Location {
        &self.location
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.end_run();
    }
}

/// Whether a journal exists: another process writes, or was killed.
fn has_journal(database: &Path) -> bool {
    let mut name = database.canonicalize().unwrap_or_else(|_| database.to_owned()).into_os_string();
    name.push("-wal");
    Path::new(&name).exists()
}

/// The URI of a database that nothing writes.
fn immutable_uri(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?mode=ro&immutable=1")
}

#[cfg(test)]
mod tests;
