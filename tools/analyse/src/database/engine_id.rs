//! Identity of the searching engine.

use lento::engine::Engine;
use lento::version;
use rusqlite::{Connection, OptionalExtension, params};

/// Everything besides limits, threads and hash that determines a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineId {
    /// For example `Lento 0.1.0`.
    pub version: String,
    /// The commit of the build.
    pub commit: &'static str,
    /// The evaluation, including the network's name.
    pub evaluation: String,
    /// A hash of evaluation results.
    pub meaning: u64,
    /// The LMR recipe.
    pub recipe: &'static str,
    /// The available tablebases.
    pub tablebases: String,
}

impl EngineId {
    /// The identity of an engine with its current options.
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

    /// Its id in a database, inserted if missing.
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

    /// Its id in a database, if present.
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
