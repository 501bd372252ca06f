//! Which engine has searched.

use crate::engine::Engine;
use crate::version;
use rusqlite::{Connection, OptionalExtension, params};

/// What decides, besides limits, threads and hash, what a search finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineId {
    /// Such as `Lento 0.1.0`.
    pub version: String,
    /// The commit that it was built from.
    pub commit: &'static str,
    /// The evaluation, with the name of the network.
    pub evaluation: String,
    /// A number that changes with the value of any position.
    pub meaning: u64,
    /// The recipe of late move reductions.
    pub recipe: &'static str,
    /// What there is of tablebases.
    pub tablebases: String,
}

impl EngineId {
    /// That of an engine with its options.
    pub fn new(engine: &mut Engine) -> Self {
        let identity = engine.identity();
        Self {
            version: identity.engine,
            commit: version::COMMIT,
            evaluation: identity.evaluation,
            meaning: identity.meaning,
            recipe: engine.settings().lmr.main,
            tablebases: engine.tables().map_or_else(String::new, |tables| tables.stock().to_string()),
        }
    }

    /// Its number in a database, where it is entered if need be.
    pub(super) fn enter(&self, connection: &Connection) -> rusqlite::Result<i64> {
        if let Some(known) = self.find(connection)? {
            return Ok(known);
        }
        let meaning = self.meaning();
        connection.execute(
            "INSERT INTO engine (version, commit_id, evaluation, meaning, recipe, tablebases) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![self.version, self.commit, self.evaluation, meaning, self.recipe, self.tablebases],
        )?;
        Ok(connection.last_insert_rowid())
    }

    /// Its number in a database, if it is there.
    pub(super) fn find(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let meaning = self.meaning();
        connection
            .prepare(
                "SELECT id FROM engine WHERE (version, commit_id, evaluation, meaning, recipe, tablebases)
                    = (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .query_row(
                params![self.version, self.commit, self.evaluation, meaning, self.recipe, self.tablebases],
                |row| row.get(0),
            )
            .optional()
    }

    fn meaning(&self) -> String {
        format!("{:016x}", self.meaning)
    }
}
