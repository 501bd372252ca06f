//! Merges databases.

use super::{Database, DatabaseError};
use rusqlite::{TransactionBehavior, params};
use std::path::Path;

/// The result of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Analyses read.
    pub read: u64,
    /// Analyses taken: new or better ones.
    pub taken: u64,
}

impl std::ops::AddAssign for Merged {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.taken += other.taken;
    }
}

/// Merges a database into another, atomically. Of two analyses of a position by the same engine with the same number of
/// lines the deeper is kept, then the one with more nodes, then with more time, then the existing one; so merging is
/// idempotent.
///
/// # Errors
/// Either database is unusable.
pub fn merge(into: &mut Database, from: &Path) -> Result<Merged, DatabaseError> {
    let other = Database::open_to_read(from)?;
    let same =
        |one: &Path, two: &Path| one.canonicalize().ok().zip(two.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if same(into.path(), from) {
        return Ok(Merged::default());
    }
    copy(into, &other).map_err(|error| match error {
        Side::Into(error) => into.explain(error),
        Side::From(error) => other.explain(error),
    })
}

/// The database of an error.
enum Side {
    Into(rusqlite::Error),
    From(rusqlite::Error),
}

const READ: &str = "SELECT position.fen, position.past,
        engine.version, engine.commit_id, engine.evaluation, engine.meaning, engine.recipe, engine.tablebases,
        analysis.multipv, analysis.asked_time_ms, analysis.asked_depth, analysis.asked_nodes, analysis.finished,
        analysis.threads, analysis.hash_mib, analysis.chess960, analysis.depth, analysis.seldepth, analysis.nodes,
        analysis.time_ms, analysis.ended, analysis.id
    FROM analysis JOIN position ON position.id = analysis.position JOIN engine ON engine.id = analysis.engine
    ORDER BY analysis.id";

fn copy(into: &mut Database, from: &Database) -> Result<Merged, Side> {
    use rusqlite::types::Value;
    let mut merged = Merged::default();
    let transaction = into.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Side::Into)?;
    let mut analyses = from.connection.prepare(READ).map_err(Side::From)?;
    let mut lines = from
        .connection
        .prepare("SELECT rank, score, cp, mate, win, draw, loss, pv, san FROM line WHERE analysis = ?1 ORDER BY rank")
        .map_err(Side::From)?;
    let mut rows = analyses.query([]).map_err(Side::From)?;
    while let Some(row) = rows.next().map_err(Side::From)? {
        let values: Vec<Value> =
            (0..22).map(|column| row.get(column)).collect::<rusqlite::Result<_>>().map_err(Side::From)?;
        merged.read += 1;
        let Some(analysis) = insert(&transaction, &values).map_err(Side::Into)? else { continue };
        merged.taken += 1;
        let mut pieces = lines.query([&values[21]]).map_err(Side::From)?;
        while let Some(piece) = pieces.next().map_err(Side::From)? {
            let mut line = vec![Value::Integer(analysis)];
            for column in 0..9 {
                line.push(piece.get(column).map_err(Side::From)?);
            }
            transaction
                .execute(
                    "INSERT INTO line (analysis, rank, score, cp, mate, win, draw, loss, pv, san)
                        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    rusqlite::params_from_iter(line),
                )
                .map_err(Side::Into)?;
        }
    }
    drop(rows);
    transaction.commit().map_err(Side::Into)?;
    Ok(merged)
}

/// Inserts an analysis without its lines, unless an equal or better one exists. Returns its id.
fn insert(connection: &rusqlite::Connection, values: &[rusqlite::types::Value]) -> rusqlite::Result<Option<i64>> {
    let (place, engine, rest) = (&values[..2], &values[2..8], &values[8..21]);
    connection.execute("INSERT OR IGNORE INTO position (fen, past) VALUES (?1, ?2)", params![place[0], place[1]])?;
    connection.execute(
        "INSERT OR IGNORE INTO engine (version, commit_id, evaluation, meaning, recipe, tablebases)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        rusqlite::params_from_iter(engine),
    )?;
    let position: i64 = connection.query_row(
        "SELECT id FROM position WHERE (fen, past) = (?1, ?2)",
        params![place[0], place[1]],
        |row| row.get(0),
    )?;
    let engine: i64 = connection.query_row(
        "SELECT id FROM engine WHERE (version, commit_id, evaluation, meaning, recipe, tablebases) = (?1, ?2, ?3, ?4, ?5, ?6)",
        rusqlite::params_from_iter(engine),
        |row| row.get(0),
    )?;
    let (multipv, depth, nodes, time) = (&rest[0], &rest[8], &rest[10], &rest[11]);
    let better: i64 = connection.query_row(
        "SELECT count(*) FROM analysis WHERE position = ?1 AND engine = ?2 AND multipv = ?3
            AND (depth, nodes, time_ms) >= (?4, ?5, ?6)",
        params![position, engine, multipv, depth, nodes, time],
        |row| row.get(0),
    )?;
    if better > 0 {
        return Ok(None);
    }
    connection.execute(
        "DELETE FROM analysis WHERE position = ?1 AND engine = ?2 AND multipv = ?3",
        params![position, engine, multipv],
    )?;
    let all = [rusqlite::types::Value::Integer(position), rusqlite::types::Value::Integer(engine)];
    connection.execute(
        "INSERT INTO analysis (position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads,
            hash_mib, chess960, depth, seldepth, nodes, time_ms, ended)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        rusqlite::params_from_iter(all.iter().chain(rest)),
    )?;
    Ok(Some(connection.last_insert_rowid()))
}
