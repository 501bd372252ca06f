//! SQL for both SQLite and PostgreSQL: parameters `$1`, `$2`, numbered migrations, transactions.

mod location;
#[cfg(feature = "postgres")]
mod server;
mod value;

pub use location::Location;
pub(crate) use value::values;
pub use value::{Row, Value};

use rusqlite::types::FromSql;
use rusqlite::{ErrorCode, OpenFlags};
use std::fmt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// SQLite's busy timeout.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum attempts at a transaction that conflicts with others.
const ATTEMPTS: u32 = 20;

/// Begins a write transaction on a server. A process suspended within it loses the transaction with its locks.
pub const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5min'";

/// An error with its database and advice.
#[derive(Debug)]
pub struct Error {
    pub place: String,
    cause: Cause,
}

/// An error without its database.
#[derive(Debug, Default)]
pub struct Cause {
    /// The message with advice.
    text: String,
    /// Whether the connection to the server is lost.
    is_disconnect: bool,
    /// Whether the transaction may succeed when retried.
    is_conflict: bool,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.cause.text)
    }
}

fn advice(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => "; the file is damaged: `sqlite3 FILE .recover` saves what it can",
        Some(ErrorCode::NotADatabase) => "; expected a database made by lento analyse, or a new name",
        Some(ErrorCode::DiskFull) => "; earlier results are safe; free some space",
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "; expected a writable folder"
        }
        Some(ErrorCode::DatabaseBusy) => "; another process held the lock for a minute; try again",
        Some(ErrorCode::SystemIoFailure) => "; the disk may be full or removed; earlier results are safe",
        _ => "",
    }
}

impl std::error::Error for Error {}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}

impl From<rusqlite::Error> for Cause {
    fn from(error: rusqlite::Error) -> Self {
        format!("{error}{}", advice(&error)).into()
    }
}

impl From<&str> for Cause {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Cause {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Error {
    /// Replaces the name of the database.
    pub fn at(self, place: String) -> Self {
        Self { place, ..self }
    }

    pub fn is_disconnect(&self) -> bool {
        self.cause.is_disconnect
    }
}

/// The tables of a program, as scripts in the SQLite dialect, one per version. Lines that end with `-- SQLite` or
/// `-- PostgreSQL` are for that database only.
pub struct Schema {
    /// The `application_id` of SQLite files.
    pub application: i64,
    /// Its name in PostgreSQL's table `lento_schema`.
    pub name: &'static str,
    /// The PostgreSQL schema of its tables, if not the default one.
    pub space: Option<&'static str>,
    pub scripts: &'static [&'static str],
    /// The error for databases of other programs.
    pub foreign: &'static str,
}

/// A connection to an SQLite file or a PostgreSQL server.
pub struct Connection {
    pub location: Location,
    pub schema: &'static Schema,
    backend: Backend,
}

enum Backend {
    Sqlite(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Server(Box<server::Server>),
}

impl Backend {
    /// Opens a file or SQLite URI.
    fn file(path: &Path, flags: OpenFlags) -> Result<Self, Cause> {
        let connection = rusqlite::Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(TIMEOUT)?;
        Ok(Self::Sqlite(connection))
    }

    /// Connects to `postgresql://user@host/database`. `PGPASSWORD` is the password unless the URL has one.
    #[cfg(feature = "postgres")]
    fn server(url: &str) -> Result<Self, Cause> {
        Ok(Self::Server(Box::new(server::Server::connect(url)?)))
    }

    #[cfg(not(feature = "postgres"))]
    fn server(_: &str) -> Result<Self, Cause> {
        let build = "`cargo build --release -p lento-analyse --features postgres`";
        Err(format!("PostgreSQL is not in this build; expected a build by {build}").into())
    }
}

impl Connection {
    pub fn open(location: &Location, schema: &'static Schema, flags: OpenFlags) -> Result<Self> {
        let backend = match location {
            Location::File(path) => Backend::file(path, flags),
            Location::Server(url) => Backend::server(url),
        };
        let backend = backend.map_err(|cause| location.error(cause))?;
        let mut connection = Self { location: location.clone(), schema, backend };
        if let (Some(space), true) = (schema.space, connection.is_server()) {
            connection.batch(&format!("SET search_path TO {space}"))?;
        }
        Ok(connection)
    }

    pub fn reconnect(&mut self) -> Result<()> {
        *self = Self::open(&self.location, self.schema, OpenFlags::default())?;
        Ok(())
    }

    fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match &self.backend {
            Backend::Sqlite(connection) => Some(connection),
            #[cfg(feature = "postgres")]
            Backend::Server(_) => None,
        }
    }

    pub fn is_server(&self) -> bool {
        self.sqlite().is_none()
    }

    pub fn error(&self, cause: impl Into<Cause>) -> Error {
        self.location.error(cause)
    }

    /// Makes the connection read-only. Returns whether the file was opened as immutable.
    pub fn read_only(&mut self) -> Result<bool> {
        let (Some(path), Some(connection)) = (self.location.file(), self.sqlite()) else {
            return self.batch("SET default_transaction_read_only = on").map(|()| false);
        };
        let is_readonly =
            connection.pragma_update(None, "query_only", true).and_then(|()| connection.is_readonly("main"));
        let is_unused = is_readonly.map_err(|error| self.error(error))? && !has_journal(path);
        // In a read-only folder, SQLite opens only immutable files.
        let found = connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0));
        let is_refused = found.is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::CannotOpen));
        if is_unused || is_refused {
            let opened = Backend::file(Path::new(&immutable_uri(path)), OpenFlags::default());
            self.backend = opened.map_err(|cause| self.error(cause))?;
        }
        Ok(is_unused || is_refused)
    }

    /// Runs a query and converts its rows by `read`.
    pub fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        read: impl FnMut(&Row) -> Result<T, Cause>,
    ) -> Result<Vec<T>> {
        let rows = match &mut self.backend {
            Backend::Sqlite(connection) => value::query(connection, sql, values),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.query(sql, values),
        };
        rows.and_then(|rows| rows.iter().map(read).collect()).map_err(|cause| self.error(cause))
    }

    /// The first value of the first row, if any.
    pub fn query_first<T: FromSql>(&mut self, sql: &str, values: &[Value]) -> Result<Option<T>> {
        Ok(self.query(sql, values, |row| row.get(0))?.into_iter().next())
    }

    /// The first value of a query that returns one, such as the id of `INSERT ... RETURNING id`.
    pub fn query_value<T: FromSql>(&mut self, sql: &str, values: &[Value]) -> Result<T> {
        self.query_first(sql, values)?.ok_or_else(|| self.error(format!("no row: {sql}")))
    }

    /// Runs a statement. Returns the number of changed rows.
    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let changed = match &mut self.backend {
            Backend::Sqlite(connection) => prepare(connection, sql, values)
                .and_then(|(mut statement, values)| Ok(statement.execute(rusqlite::params_from_iter(values))? as u64)),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.execute(sql, values),
        };
        changed.map_err(|cause| self.error(cause))
    }

    /// Runs statements without parameters.
    pub fn batch(&mut self, sql: &str) -> Result<()> {
        let done = match &mut self.backend {
            Backend::Sqlite(connection) => connection.execute_batch(sql).map_err(Cause::from),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.batch(sql),
        };
        done.map_err(|cause| self.error(cause))
    }

    /// Runs statements in a transaction, retried on conflicts with others. Errors roll it back.
    pub fn transaction<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        let mut attempt = 1;
        loop {
            self.batch(if self.is_server() { BEGIN } else { "BEGIN IMMEDIATE" })?;
            let result = work(self).and_then(|value| self.batch("COMMIT").map(|()| value));
            let Err(error) = &result else { return result };
            let _ = self.batch("ROLLBACK");
            if !error.cause.is_conflict || attempt == ATTEMPTS {
                return result;
            }
            thread::sleep(Duration::from_millis(10) * attempt);
            attempt += 1;
        }
    }

    /// The version of the tables; `None` in an empty database.
    pub fn version(&mut self) -> Result<Option<i64>> {
        let Schema { application, name, .. } = *self.schema;
        if self.is_server() {
            if self.query_value::<bool>("SELECT to_regclass('lento_schema') IS NULL", &[])? {
                return Ok(None);
            }
            return self.query_first("SELECT version FROM lento_schema WHERE name = $1", &values![name]);
        }
        let found: i64 = self.query_value("PRAGMA application_id", &[])?;
        if found == application {
            return self.query_value("PRAGMA user_version", &[]).map(Some);
        }
        let tables: i64 = self.query_value("SELECT count(*) FROM sqlite_schema", &[])?;
        if tables == 0 && found == 0 { Ok(None) } else { Err(self.foreign()) }
    }

    pub fn foreign(&self) -> Error {
        self.error(self.schema.foreign)
    }

    fn other_version(&self, found: i64) -> Error {
        let expected = self.schema.scripts.len();
        self.error(format!("schema version {found}, expected {expected}; made by another version of Lento"))
    }

    /// Checks that the tables have the newest version.
    pub fn check(&mut self) -> Result<()> {
        match self.version()? {
            None => Err(self.foreign()),
            Some(found) if found == self.schema.scripts.len() as i64 => Ok(()),
            Some(found) => Err(self.other_version(found)),
        }
    }

    /// Migrates the tables to the newest version, for writing. Several processes may do so at once.
    pub fn migrate(&mut self) -> Result<()> {
        if !self.is_server() {
            // Commits survive power loss.
            self.batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")?;
        }
        let Schema { application, name, space, scripts, .. } = *self.schema;
        let newest = scripts.len();
        let found = self.version()?;
        if found == Some(newest as i64) {
            return Ok(());
        }
        if let (None, Some(file)) = (found, self.sqlite()) {
            use_wal(file).map_err(|error| self.error(error))?;
        }
        self.transaction(|connection| {
            if connection.is_server() {
                connection.lock()?;
                if let Some(space) = space {
                    connection.batch(&format!("CREATE SCHEMA IF NOT EXISTS {space}"))?;
                }
                let table = "CREATE TABLE IF NOT EXISTS lento_schema (name TEXT PRIMARY KEY, version BIGINT NOT NULL)";
                connection.batch(table)?;
            }
            // Another process may have been faster.
            let found = connection.version()?.unwrap_or(0);
            let missing = usize::try_from(found).ok().and_then(|found| scripts.get(found..));
            for script in missing.ok_or_else(|| connection.other_version(found))? {
                connection.batch(&dialect(script, connection.is_server()))?;
            }
            if connection.is_server() {
                let set = "INSERT INTO lento_schema VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = $2";
                return connection.execute(set, &values![name, newest as i64]).map(drop);
            }
            connection.batch(&format!("PRAGMA application_id = {application}; PRAGMA user_version = {newest}"))
        })
    }

    /// On a server, takes the lock of the tables until the end of the transaction.
    pub fn lock(&mut self) -> Result<()> {
        if !self.is_server() {
            return Ok(());
        }
        self.batch(&format!("SELECT pg_advisory_xact_lock({})", self.schema.application))
    }
}

/// Switches to WAL; file systems without it keep a slower journal. The busy timeout does not cover other processes that do so.
fn use_wal(file: &rusqlite::Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let result = file.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        let code = result.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
        if code != Some(ErrorCode::DatabaseBusy) || start.elapsed() >= TIMEOUT {
            return result;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a journal exists, since another process is writing or was killed.
fn has_journal(database: &Path) -> bool {
    let mut name = database.canonicalize().unwrap_or_else(|_| database.to_owned()).into_os_string();
    name.push("-wal");
    Path::new(&name).exists()
}

pub fn immutable_uri(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?mode=ro&immutable=1")
}

/// Prepares an SQLite statement. Returns it with its parameters.
fn prepare<'c, 'v>(
    connection: &'c rusqlite::Connection,
    sql: &str,
    values: &'v [Value],
) -> Result<(rusqlite::Statement<'c>, &'v [Value]), Cause> {
    // SQLite numbers `$1` by first occurrence, `?1` by its digits.
    let mut sql = sql.replace('$', "?");
    if let [list @ Value::List(_), ..] = values {
        sql = sql.replace("= ANY(?1)", &value::among(list));
    }
    let statement = connection.prepare(&sql)?;
    let values = if statement.parameter_count() == 0 { &[] } else { values };
    Ok((statement, values))
}

/// A script in the dialect of SQLite or PostgreSQL.
fn dialect(script: &str, is_server: bool) -> String {
    let other = if is_server { "-- SQLite" } else { "-- PostgreSQL" };
    let lines: Vec<&str> = script.lines().filter(|line| !line.trim_end().ends_with(other)).collect();
    let mut text = lines.join("\n");
    if is_server {
        for (sqlite, postgres) in [
            (" STRICT, WITHOUT ROWID", ""),
            (" STRICT", ""),
            ("id INTEGER PRIMARY KEY", "id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
            ("INTEGER", "BIGINT"),
            ("REAL", "DOUBLE PRECISION"),
            ("BLOB", "BYTEA"),
            ("instr(", "strpos("),
            (
                "(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
            ),
        ] {
            text = text.replace(sqlite, postgres);
        }
    }
    text
}

#[cfg(test)]
pub mod tests;
