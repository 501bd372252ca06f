//! The identity of an engine, and its row in the table `engine`.

use crate::sql::{Connection, Result, Value, values};
use lento::engine::Engine;
use lento::named::Named;
use lento::version;

/// Everything besides limits, threads and hash that determines a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineId {
    /// For example `Lento 0.1.0`.
    pub version: String,
    pub commit: &'static str,
    /// The evaluation, including the network's name.
    pub evaluation: String,
    /// A hash of evaluation results.
    pub meaning: u64,
    pub recipe: &'static str,
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
            meaning: identity.fingerprint,
            recipe: engine.settings.lmr.main.name(),
            tablebases: engine.tables().map_or_else(String::new, |tables| tables.stock().to_string()),
        }
    }

    /// Its fields in the order of the table `engine`.
    pub fn values(&self) -> [Value; 6] {
        let Self { version, commit, evaluation, meaning, recipe, tablebases } = self;
        values![version, *commit, evaluation, format!("{meaning:016x}"), *recipe, tablebases]
    }
}

const COLUMNS: &str = "version, commit_id, evaluation, meaning, recipe, tablebases";
const VALUES: &str = "($1, $2, $3, $4, $5, $6)";

/// The id of an engine in a database, if it is there.
pub fn find_engine(connection: &mut Connection, engine: &[Value]) -> Result<Option<i64>> {
    connection.query_first(&format!("SELECT id FROM engine WHERE ({COLUMNS}) = {VALUES}"), engine)
}

/// The id of an engine in a database, inserted if missing.
pub fn engine_id(connection: &mut Connection, engine: &[Value]) -> Result<i64> {
    if let Some(known) = find_engine(connection, engine)? {
        return Ok(known);
    }
    let insert = format!("INSERT INTO engine ({COLUMNS}) VALUES {VALUES} ON CONFLICT DO NOTHING");
    connection.execute(&insert, engine)?;
    find_engine(connection, engine)?.ok_or_else(|| connection.error("the engine was not entered"))
}
