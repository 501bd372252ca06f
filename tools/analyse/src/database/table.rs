//! The tables of servers, made when one first uses the database; other programs do without them.

use super::{Database, Location, SCHEMA, explain};
use crate::sql::{Connection, Result, values};
use rusqlite::OpenFlags;
use std::time::Duration;

const TABLES: &str = "\
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

impl Database {
    /// Opens a database with the tables of servers, creating it if missing. With a lease, others see this process.
    pub fn open_for_server(location: &Location, lease: Option<Duration>) -> std::result::Result<Self, String> {
        let mut database = match lease {
            Some(lease) => Self::open(location, lease)?,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
                let mut database = Self::connect(location, flags)?;
                let prepared = database.prepare().and_then(|()| database.connection.migrate(&SCHEMA));
                prepared.map(|()| database).map_err(|error| explain(location, error))?
            }
        };
        let made = database.connection.transaction(|connection| {
            // Several servers may start at once.
            if connection.is_server() {
                connection.query("SELECT pg_advisory_xact_lock($1)::text", &values![SCHEMA.application])?;
            }
            connection.batch(TABLES)
        });
        made.map(|()| database).map_err(|error| explain(location, error))
    }

    /// Runs statements, again after connecting anew if the server was restarted.
    pub(super) fn statements<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> Result<T>,
    ) -> std::result::Result<T, String> {
        self.insist(|database| work(&mut database.connection)).map_err(|error| explain(&self.location, error))
    }
}
