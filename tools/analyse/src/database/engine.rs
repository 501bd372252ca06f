//! The identity of an engine, and its row in the table `engine`.

use crate::sql::{Connection, Result, Value, values};
use lento::engine::Engine;
use lento::internals::version;
use lento::named::Named;

/// Everything besides limits, threads and hash that determines a search result: version, commit, evaluation with the network's
/// name, a hash of evaluation results, recipe and tablebases.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineId(pub Vec<Value>);

impl EngineId {
    /// The identity of an engine with its current options.
    pub fn new(engine: &mut Engine) -> Self {
        let identity = engine.identity();
        let fields = values![
            identity.engine,
            version::COMMIT,
            identity.evaluation,
            format!("{:016x}", identity.fingerprint),
            engine.settings.lmr.main.name(),
            engine.tables().map_or_else(String::new, |tables| tables.summary().usable()),
        ];
        Self(fields.into())
    }
}

const COLUMNS: &str = "version, commit_id, evaluation, meaning, recipe, tablebases";
const VALUES: &str = "($1, $2, $3, $4, $5, $6)";

/// The id of an engine in a database, if present.
pub fn find_engine(connection: &mut Connection, EngineId(fields): &EngineId) -> Result<Option<i64>> {
    connection.query_first(&format!("SELECT id FROM engine WHERE ({COLUMNS}) = {VALUES}"), fields)
}

/// The id of an engine in a database, inserted if missing.
pub fn engine_id(connection: &mut Connection, engine: &EngineId) -> Result<i64> {
    if let Some(known) = find_engine(connection, engine)? {
        return Ok(known);
    }
    let insert = format!("INSERT INTO engine ({COLUMNS}) VALUES {VALUES} ON CONFLICT DO NOTHING");
    connection.execute(&insert, &engine.0)?;
    find_engine(connection, engine)?.ok_or_else(|| connection.error("the engine was not inserted"))
}
