//! A table of `lento serve`, made when a server first uses the database; other programs do without it.

use super::{Database, Location, SCHEMA, explain};
use crate::sql::{Connection, Error, Result, values};
use rusqlite::OpenFlags;
use std::time::Duration;

/// How long a server on PostgreSQL may be silent before others count it as dead.
const LEASE: Duration = Duration::from_secs(60);

/// A connection to a database that has the table.
pub struct Table {
    location: Location,
    connection: Connection,
    /// Makes the table.
    script: &'static str,
}

impl Table {
    /// Opens the table, creating the database if missing. Returns it with this process as others see it.
    pub fn open(location: &Location, script: &'static str) -> std::result::Result<(Self, Database), String> {
        // Checks and creates it.
        let database = Database::open(location, LEASE)?;
        let table = Self::connect(location, script).map_err(|error| explain(location, error))?;
        Ok((table, database))
    }

    fn connect(location: &Location, script: &'static str) -> Result<Self> {
        let mut connection = match location {
            Location::File(path) => Connection::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            Location::Server(url) => Connection::connect(url, &SCHEMA)?,
        };
        if !connection.is_server() {
            connection.batch("PRAGMA synchronous = FULL")?;
        }
        connection.transaction(|connection| {
            if connection.is_server() {
                connection.query("SELECT pg_advisory_xact_lock($1)::text", &values![SCHEMA.application])?;
            }
            connection.batch(script)
        })?;
        Ok(Self { location: location.clone(), connection, script })
    }

    /// Runs statements, again after connecting anew if the server was restarted.
    pub fn run<T>(&mut self, mut work: impl FnMut(&mut Connection) -> Result<T>) -> std::result::Result<T, String> {
        let mut result = work(&mut self.connection);
        if result.as_ref().is_err_and(Error::is_disconnect) {
            result = Self::connect(&self.location, self.script).and_then(|again| {
                *self = again;
                work(&mut self.connection)
            });
        }
        result.map_err(|error| explain(&self.location, error))
    }
}
