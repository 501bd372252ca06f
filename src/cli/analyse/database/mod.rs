//! What was analysed, in an SQLite database: `docs/analyse.md` describes it.

mod asked;
mod claim;
mod engine_id;
mod error;
mod key;
mod lines;
mod merge;
mod presence;
mod stored;

pub use asked::Asked;
pub use claim::Claim;
pub use engine_id::EngineId;
pub use error::DatabaseError;
pub use key::Key;
pub use merge::{Merged, merge};
pub use stored::{Conditions, Stored};

use presence::Presence;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: &str = include_str!("schema.sql");
/// The version of the schema, in `user_version`.
pub const VERSION: i64 = 1;
/// What the file says it belongs to, in `application_id`: "Lent".
const APPLICATION: i64 = 0x4c65_6e74;
/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A database that is open.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
    /// By which others know that this run lives; `None` where nothing will be written.
    presence: Option<(i64, Presence)>,
}

impl Database {
    /// Opens a database to write to, and makes it if there is none.
    ///
    /// # Errors
    /// It cannot be written, is something else, or of a newer schema.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let mut database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        database.prepare().map_err(|error| database.explain(error))?;
        database.check()?;
        let presence = Presence::announce(path).map_err(|error| DatabaseError::Announce(path.to_owned(), error))?;
        let run = database.begin_run(presence.token()).map_err(|error| database.explain(error))?;
        database.presence = Some((run, presence));
        Ok(database)
    }

    /// Opens a database that is there, to read only. It leaves no files beside it, unless another process writes.
    ///
    /// # Errors
    /// It cannot be read, is something else, or of another schema.
    pub fn open_to_read(path: &Path) -> Result<Self, DatabaseError> {
        if !path.exists() {
            return Err(DatabaseError::Missing(path.to_owned()));
        }
        // Only who may write can remove the files of the journal at the end, which SQLite needs for reading, too.
        let database = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let explain = |error| database.explain(error);
        database.connection.pragma_update(None, "query_only", true).map_err(explain)?;
        if database.connection.is_readonly("main").map_err(explain)? && !has_journal(path) {
            return Self::open_unchanging(path);
        }
        match database.check() {
            // In a folder that cannot be written SQLite wants to know that nobody else writes either.
            Err(DatabaseError::Sqlite(_, error))
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) =>
            {
                Self::open_unchanging(path)
            }
            checked => checked.map(|()| database),
        }
    }

    /// Opens a database that nobody writes.
    fn open_unchanging(path: &Path) -> Result<Self, DatabaseError> {
        let uri = format!("file:{}?immutable=1", escape(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri, flags);
        let connection = connection.map_err(|error| DatabaseError::new(path, error))?;
        let database = Self { path: path.to_owned(), connection, presence: None };
        database.check()?;
        Ok(database)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, DatabaseError> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(DatabaseError::NoFile(path.to_owned()));
        }
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let connection = connection.map_err(|error| DatabaseError::new(path, error))?;
        connection.busy_timeout(PATIENCE).map_err(|error| DatabaseError::new(path, error))?;
        Ok(Self { path: path.to_owned(), connection, presence: None })
    }

    /// Makes the tables where there is nothing yet.
    fn prepare(&mut self) -> rusqlite::Result<()> {
        // A power cut takes nothing that was committed.
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        if self.number("schema_version")? == 0 {
            // Where the file system cannot do it another journal is as good, only slower.
            self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have been first.
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

    /// Whether it is such a database, and of this version.
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

    /// Says of a problem which file it is about.
    fn explain(&self, error: rusqlite::Error) -> DatabaseError {
        DatabaseError::new(&self.path, error)
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.end_run();
    }
}

/// Whether a journal lies beside a database: another process writes, or was killed.
fn has_journal(database: &Path) -> bool {
    let mut name = database.canonicalize().unwrap_or_else(|_| database.to_owned()).into_os_string();
    name.push("-wal");
    Path::new(&name).exists()
}

/// A path as a part of a URI.
fn escape(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[cfg(test)]
mod tests;
