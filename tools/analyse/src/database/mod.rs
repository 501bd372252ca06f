//! The SQLite database of analyses, described in `docs/analyse.md`.

mod claim;
mod engine_id;
mod error;
mod key;
mod limits;
mod lines;
mod merge;
mod run_lock;
mod stored;

pub use claim::Claim;
pub use engine_id::EngineId;
pub use error::DatabaseError;
pub use key::Key;
pub use limits::SearchLimits;
pub use merge::{Merged, merge};
pub use stored::{Conditions, Stored};

use run_lock::RunLock;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: &str = include_str!("schema.sql");
/// The schema version, in `user_version`.
pub const VERSION: i64 = 1;
/// The `application_id`: "Lent".
const APPLICATION: i64 = 0x4c65_6e74;
/// SQLite's busy timeout.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An open database.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
    /// The run and its lock; `None` if read-only.
    run_lock: Option<(i64, RunLock)>,
}

impl Database {
    /// Opens a database for writing, creating it if missing.
    ///
    /// # Errors
    /// It cannot be written, is of another program, or has a newer schema.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let mut database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        database.prepare().map_err(|error| database.explain(error))?;
        database.check()?;
        let run_lock = RunLock::create(path).map_err(|error| DatabaseError::Lock(path.to_owned(), error))?;
        let run = database.begin_run(run_lock.token()).map_err(|error| database.explain(error))?;
        database.run_lock = Some((run, run_lock));
        Ok(database)
    }

    /// Opens an existing database read-only, leaving no journal files unless another process writes.
    ///
    /// # Errors
    /// It is unreadable, of another program, or has another schema.
    pub fn open_to_read(path: &Path) -> Result<Self, DatabaseError> {
        if !path.exists() {
            return Err(DatabaseError::Missing(path.to_owned()));
        }
        // SQLite needs the journal to read; only a read-write connection can remove its files afterwards.
        let database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let explain = |error| database.explain(error);
        database.connection.pragma_update(None, "query_only", true).map_err(explain)?;
        if database.connection.is_readonly("main").map_err(explain)? && !has_journal(path) {
            return Self::open_unchanging(path);
        }
        match database.check() {
            // In a read-only folder SQLite requires the promise that nothing writes.
            Err(DatabaseError::Sqlite(_, error))
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) =>
            {
                Self::open_unchanging(path)
            }
            checked => checked.map(|()| database),
        }
    }

    /// Opens a database as immutable.
    fn open_unchanging(path: &Path) -> Result<Self, DatabaseError> {
        let uri = format!("file:{}?immutable=1", escape(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri, flags);
        let connection = connection.map_err(|error| DatabaseError::new(path, error))?;
        let database = Self { path: path.to_owned(), connection, run_lock: None };
        database.check()?;
        Ok(database)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, DatabaseError> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(DatabaseError::NotAFile(path.to_owned()));
        }
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let connection = connection.map_err(|error| DatabaseError::new(path, error))?;
        connection.busy_timeout(TIMEOUT).map_err(|error| DatabaseError::new(path, error))?;
        Ok(Self { path: path.to_owned(), connection, run_lock: None })
    }

    /// Creates the tables if missing.
    fn prepare(&mut self) -> rusqlite::Result<()> {
        // Commits survive power loss.
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        if self.number("schema_version")? == 0 {
            // File systems without WAL fall back to a slower journal.
            self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have created them.
            let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables == 0 {
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            transaction.commit()?;
        }
        Ok(())
    }

    fn number(&self, pragma: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, pragma, |row| row.get(0))
    }

    /// Checks application id and schema version.
    fn check(&self) -> Result<(), DatabaseError> {
        let explain = |error| self.explain(error);
        if self.number("application_id").map_err(explain)? != APPLICATION {
            return Err(DatabaseError::Foreign(self.path.clone()));
        }
        match self.number("user_version").map_err(explain)? {
            VERSION => Ok(()),
            found => Err(DatabaseError::Version { path: self.path.clone(), found }),
        }
    }

    /// Adds the file to an error.
    fn explain(&self, error: rusqlite::Error) -> DatabaseError {
        DatabaseError::new(&self.path, error)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
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

/// Escapes a path for a URI.
fn escape(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[cfg(test)]
mod tests;
