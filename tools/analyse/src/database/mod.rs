//! The SQLite database of analyses, described in `docs/analyse.md`.
//!
//! Methods return SQLite's errors; [`explain`] adds the file and advice.

mod claim;
mod key;
mod merge;
mod run_lock;
mod stored;

pub use claim::{Claim, EngineId};
pub use key::Key;
pub use merge::{Merged, merge};
pub use run_lock::{RunLock, is_alive};
pub use stored::{Analysis, Conditions, Line, SearchLimits, Stored};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

const SCHEMA: &str = include_str!("schema.sql");
/// The schema version, in `user_version`.
const VERSION: i64 = 1;
/// The `application_id`: "Lent".
const APPLICATION: i64 = 0x4c65_6e74;
/// SQLite's busy timeout.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
    /// The run and its lock; `None` if read-only.
    run_lock: Option<(i64, RunLock)>,
    /// Whether it was opened with the promise that nothing writes.
    immutable: bool,
}

/// An SQLite error with its file and advice.
pub fn explain(path: &Path, error: rusqlite::Error) -> String {
    if let rusqlite::Error::InvalidPath(path) = error {
        return format!("{}: the database was removed or renamed; later results are lost", path.display());
    }
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => "; the file is damaged: `sqlite3 FILE .recover` saves what it can",
        Some(ErrorCode::NotADatabase) => "; expected a database made by lento analyse, or a new name",
        Some(ErrorCode::DiskFull) => "; earlier results are safe; run the same command to continue",
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "; expected a writable folder (see --db)"
        }
        Some(ErrorCode::DatabaseBusy) => "; another process held the lock for a minute; try again",
        Some(ErrorCode::SystemIoFailure) => "; the disk may be full or removed; earlier results are safe",
        _ => "",
    };
    format!("{}: {error}{advice}", path.display())
}

impl Database {
    /// Opens a database for writing, creating it if missing.
    pub fn open(path: &Path) -> Result<Self, String> {
        let mut database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        database.prepare().map_err(|error| explain(path, error))?;
        database.check()?;
        let refuse = |error| format!("{}: {error}; expected a writable folder (see --db)", path.display());
        let run_lock = RunLock::create(path).map_err(refuse)?;
        let run = database.begin_run(&run_lock.token()).map_err(|error| explain(path, error))?;
        database.run_lock = Some((run, run_lock));
        Ok(database)
    }

    /// Opens an existing database read-only, leaving no journal files unless another process writes.
    pub fn open_to_read(path: &Path) -> Result<Self, String> {
        if !path.exists() {
            return Err(format!("{}: no such file; expected a database made by lento analyse", path.display()));
        }
        // SQLite needs the journal to read; only a read-write connection can remove its files afterwards.
        let mut database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let setup = || -> rusqlite::Result<bool> {
            database.connection.pragma_update(None, "query_only", true)?;
            Ok(database.connection.is_readonly("main")? && !has_journal(path))
        };
        let immutable = setup().map_err(|error| explain(path, error))?
            // In a read-only folder SQLite requires the promise that nothing writes.
            || database.number("application_id").is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::CannotOpen));
        if immutable {
            database.connection = Connection::open(immutable_uri(path)).map_err(|error| explain(path, error))?;
            database.immutable = true;
        }
        database.check().map(|()| database)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, String> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(format!("{}: not a regular file; expected a database or a new name", path.display()));
        }
        let connect = || {
            let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            connection.busy_timeout(TIMEOUT).map(|()| connection)
        };
        let connection = connect().map_err(|error| explain(path, error))?;
        Ok(Self { path: path.to_owned(), connection, run_lock: None, immutable: false })
    }

    /// Creates the tables if missing.
    fn prepare(&mut self) -> rusqlite::Result<()> {
        // Commits survive power loss.
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        if self.number("schema_version")? == 0 {
            // File systems without WAL fall back to a slower journal.
            self.use_wal()?;
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

    /// Switches to WAL. SQLite does not wait here for another process that does the same.
    fn use_wal(&self) -> rusqlite::Result<()> {
        let start = Instant::now();
        loop {
            let result = self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
            let busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
            if !result.as_ref().is_err_and(busy) || start.elapsed() >= TIMEOUT {
                return result;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn number(&self, pragma: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, pragma, |row| row.get(0))
    }

    /// Checks application id and schema version.
    fn check(&self) -> Result<(), String> {
        let number = |pragma| self.number(pragma).map_err(|error| explain(&self.path, error));
        let path = self.path.display();
        if number("application_id")? != APPLICATION {
            return Err(format!(
                "{path}: another program's database; expected one made by lento analyse, or a new name"
            ));
        }
        match number("user_version")? {
            VERSION => Ok(()),
            found => {
                Err(format!("{path}: schema version {found}, expected {VERSION}; made by another version of Lento"))
            }
        }
    }

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

/// The URI of a database that nothing writes.
fn immutable_uri(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?mode=ro&immutable=1")
}

#[cfg(test)]
mod tests;
