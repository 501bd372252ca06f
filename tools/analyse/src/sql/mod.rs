//! SQL on SQLite and PostgreSQL: one text for both, with parameters `$1`, `$2`, numbered migrations, transactions.

#[cfg(feature = "postgres")]
mod server;
mod value;

pub(crate) use value::values;
pub use value::{FromValue, Row, Value};

use rusqlite::{ErrorCode, OpenFlags};
use std::fmt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// SQLite's busy timeout.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Attempts at a transaction that other ones make fail.
const ATTEMPTS: u32 = 20;

#[derive(Debug)]
pub enum Error {
    Sqlite(rusqlite::Error),
    #[cfg(feature = "postgres")]
    Server(postgres::Error),
    /// An unexpected value.
    Data(String),
    /// A schema version other than expected.
    Version {
        found: i64,
        expected: usize,
    },
    /// The database of another program.
    Foreign,
    /// The file is gone, and what is written to it is lost.
    Removed,
    /// A URL, which this build cannot open.
    #[cfg(not(feature = "postgres"))]
    NoServers,
}

pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Sqlite(error) => error.fmt(f),
            #[cfg(feature = "postgres")]
            Self::Server(error) => f.write_str(&server::describe(error)),
            Self::Data(text) => f.write_str(text),
            Self::Version { found, expected } => {
                write!(f, "schema version {found}, expected {expected}; made by another version of Lento")
            }
            Self::Foreign => f.write_str("another program's database"),
            Self::Removed => f.write_str("the database was removed or renamed; later results are lost"),
            #[cfg(not(feature = "postgres"))]
            Self::NoServers => f.write_str(
                "this lento-analyse has no PostgreSQL; `cargo build --release -p lento-analyse --features postgres` makes one that has",
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Error {
    /// Whether the server is gone, perhaps for a while.
    pub fn is_disconnect(&self) -> bool {
        #[cfg(feature = "postgres")]
        if let Self::Server(error) = self {
            return server::is_disconnect(error);
        }
        false
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        #[cfg(feature = "postgres")]
        if let Self::Server(error) = self {
            return server::advice(error);
        }
        ""
    }

    /// Whether the same transaction may succeed when it is tried again.
    fn is_conflict(&self) -> bool {
        #[cfg(feature = "postgres")]
        if let Self::Server(error) = self {
            return server::is_conflict(error);
        }
        false
    }
}

/// The tables of a program, as scripts in the dialect of SQLite. Each script brings the next version; lines that end with
/// `-- SQLite` or `-- PostgreSQL` are for that one alone.
#[derive(Debug)]
pub struct Schema {
    /// The `application_id` of SQLite files.
    pub application: i64,
    /// Its name in PostgreSQL's table `lento_schema`.
    pub name: &'static str,
    /// The PostgreSQL schema that has its tables, if not the user's own.
    pub space: Option<&'static str>,
    pub scripts: &'static [&'static str],
}

/// A connection to an SQLite file or a PostgreSQL server.
#[derive(Debug)]
pub struct Connection(Backend);

#[derive(Debug)]
enum Backend {
    Sqlite(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Server(Box<server::Server>),
}

impl Connection {
    /// Opens a file or SQLite URI.
    pub fn open(path: &Path, flags: OpenFlags) -> Result<Self> {
        let connection = rusqlite::Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(TIMEOUT)?;
        Ok(Self(Backend::Sqlite(connection)))
    }

    /// Connects to `postgresql://user@host/database`. `PGPASSWORD` is the password unless the URL has one.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "nothing can be connected to"))]
    pub fn connect(url: &str, schema: &Schema) -> Result<Self> {
        #[cfg(feature = "postgres")]
        return Ok(Self(Backend::Server(Box::new(server::Server::connect(url, schema.space)?))));
        #[cfg(not(feature = "postgres"))]
        Err(Error::NoServers)
    }

    /// SQLite's own connection.
    pub fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match &self.0 {
            Backend::Sqlite(connection) => Some(connection),
            #[cfg(feature = "postgres")]
            Backend::Server(_) => None,
        }
    }

    pub fn is_server(&self) -> bool {
        self.sqlite().is_none()
    }

    pub fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        match &mut self.0 {
            Backend::Sqlite(connection) => value::query(connection, sql, values),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.query(sql, values),
        }
    }

    /// The first row of a query, if any.
    pub fn query_first(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        self.query(sql, values).map(|rows| rows.into_iter().next())
    }

    /// The first value of a query that has one, such as the id of `INSERT ... RETURNING id`.
    pub fn query_value<T: FromValue>(&mut self, sql: &str, values: &[Value]) -> Result<T> {
        let row = self.query_first(sql, values)?;
        row.ok_or_else(|| Error::Data(format!("no row: {sql}")))?.get(0)
    }

    /// Runs a statement. Returns the number of rows that it changed.
    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        match &mut self.0 {
            Backend::Sqlite(connection) => {
                let (mut statement, values) = prepare(connection, sql, values)?;
                Ok(statement.execute(rusqlite::params_from_iter(values))? as u64)
            }
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.execute(sql, values),
        }
    }

    /// Runs statements without parameters.
    pub fn batch(&mut self, sql: &str) -> Result<()> {
        match &mut self.0 {
            Backend::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => server.batch(sql),
        }
    }

    /// Runs statements in a transaction, again if other transactions make it fail. An error leaves the database as it was.
    pub fn transaction<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        for attempt in 1.. {
            self.batch(if self.is_server() { "BEGIN" } else { "BEGIN IMMEDIATE" })?;
            let result = work(self).and_then(|value| self.batch("COMMIT").map(|()| value));
            match result {
                Err(error) => {
                    let _ = self.batch("ROLLBACK");
                    if !error.is_conflict() || attempt == ATTEMPTS {
                        return Err(error);
                    }
                    thread::sleep(Duration::from_millis(10) * attempt);
                }
                done => return done,
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Waits for a notification of the channels that this connection listens to. Without a server it only waits.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool> {
        match &mut self.0 {
            Backend::Sqlite(_) => thread::sleep(timeout),
            #[cfg(feature = "postgres")]
            Backend::Server(server) => return server.wait(timeout),
        }
        Ok(false)
    }

    /// The version of the tables; `None` in an empty database.
    pub fn version(&mut self, schema: &Schema) -> Result<Option<i64>> {
        if self.is_server() {
            if self.query_value::<bool>("SELECT to_regclass('lento_schema') IS NULL", &[])? {
                return Ok(None);
            }
            let row = self.query_first("SELECT version FROM lento_schema WHERE name = $1", &values![schema.name])?;
            return row.map(|row| row.get(0)).transpose();
        }
        let application: i64 = self.query_value("PRAGMA application_id", &[])?;
        if application == schema.application {
            return self.query_value("PRAGMA user_version", &[]).map(Some);
        }
        let tables: i64 = self.query_value("SELECT count(*) FROM sqlite_schema", &[])?;
        if tables == 0 && application == 0 { Ok(None) } else { Err(Error::Foreign) }
    }

    /// Checks that the tables have the newest version.
    pub fn check(&mut self, schema: &Schema) -> Result<()> {
        let expected = schema.scripts.len();
        match self.version(schema)? {
            Some(found) if found == expected as i64 => Ok(()),
            Some(found) => Err(Error::Version { found, expected }),
            None => Err(Error::Foreign),
        }
    }

    /// Brings the tables to the newest version. Several processes may do so at once.
    pub fn migrate(&mut self, schema: &Schema) -> Result<()> {
        let newest = schema.scripts.len();
        let found = self.version(schema)?;
        if found == Some(newest as i64) {
            return Ok(());
        }
        if found.is_none() && !self.is_server() {
            // File systems without WAL fall back to a slower journal.
            self.use_wal()?;
        }
        self.transaction(|connection| {
            if connection.is_server() {
                connection.query("SELECT pg_advisory_xact_lock($1)::text", &values![schema.application])?;
                if let Some(space) = schema.space {
                    connection.batch(&format!("CREATE SCHEMA IF NOT EXISTS {space}"))?;
                }
                connection.batch(
                    "CREATE TABLE IF NOT EXISTS lento_schema (name TEXT PRIMARY KEY, version BIGINT NOT NULL)",
                )?;
            }
            // Another process may have been faster.
            let found = connection.version(schema)?.unwrap_or(0);
            let missing = usize::try_from(found).ok().and_then(|found| schema.scripts.get(found..));
            for script in missing.ok_or(Error::Version { found, expected: newest })? {
                connection.batch(&dialect(script, connection.is_server()))?;
            }
            if connection.is_server() {
                let set = "INSERT INTO lento_schema VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = $2";
                return connection.execute(set, &values![schema.name, newest as i64]).map(drop);
            }
            let application = schema.application;
            connection.batch(&format!("PRAGMA application_id = {application}; PRAGMA user_version = {newest}"))
        })
    }

    /// Switches to WAL. SQLite does not wait here for another process that does the same.
    fn use_wal(&mut self) -> Result<()> {
        let start = Instant::now();
        loop {
            let result = self.query("PRAGMA journal_mode = WAL", &[]).map(drop);
            let is_busy = |error: &Error| matches!(error, Error::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
            if !result.as_ref().is_err_and(is_busy) || start.elapsed() >= TIMEOUT {
                return result;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Prepares a statement of SQLite. Returns it with its parameters.
fn prepare<'c, 'v>(
    connection: &'c rusqlite::Connection,
    sql: &str,
    values: &'v [Value],
) -> Result<(rusqlite::Statement<'c>, &'v [Value])> {
    // `$1` is a name there, numbered where it first occurs.
    let mut sql = sql.replace('$', "?");
    if let [list @ Value::List(_), ..] = values {
        sql = sql.replace("= ANY(?1)", &value::among(list));
    }
    let statement = connection.prepare(&sql)?;
    let values = if statement.parameter_count() == 0 { &[] } else { values };
    Ok((statement, values))
}

/// A script of one of the two.
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

/// Whether a database name is the URL of a server.
pub fn is_url(name: &str) -> bool {
    name.starts_with("postgresql://") || name.starts_with("postgres://")
}

pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    // A password may contain any character, also an `@` that should have been escaped.
    let (user, rest) = rest.rsplit_once('@').map_or((None, rest), |(login, rest)| (login.split(':').next(), rest));
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let kept: Vec<&str> =
        options.split('&').filter(|option| !option.is_empty() && !option.contains("password")).collect();
    let user = user.map_or_else(String::new, |user| format!("{user}@"));
    let options = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    format!("{scheme}://{user}{place}{options}")
}

#[cfg(test)]
pub mod tests;
