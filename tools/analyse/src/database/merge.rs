//! Merges databases.

use super::{Database, Location};
use crate::sql::{Connection, Result, Value, immutable_uri, values};
use std::path::Path;

/// Tables to merge: name, number of key columns, columns.
const TABLES: [(&str, usize, &str); 4] = [
    ("position", 1, "id, fen, past"),
    ("engine", 1, "id, version, commit_id, evaluation, meaning, recipe, tablebases"),
    (
        "analysis",
        1,
        "id, position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib, chess960, depth,
            seldepth, nodes, time_ms, ended",
    ),
    ("line", 2, "analysis, rank, score, cp, mate, win, draw, loss, pv, san"),
];
const ROWS: usize = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    pub read: u64,
    /// Analyses taken, which are new or better.
    pub taken: u64,
}

/// Merges a database into another, atomically. Of analyses of a position by the same engine with the same number of lines,
/// keeps the deeper one, then the one with more nodes, then with more time, then the existing one, so merging is idempotent.
pub fn merge(into: &mut Database, from: &Location) -> Result<Merged> {
    let mut other = Database::open_to_read(from)?;
    let real = |location: &Location| location.file().and_then(|path| path.canonicalize().ok());
    if into.location() == from || real(into.location()).is_some_and(|path| real(from) == Some(path)) {
        return Ok(Merged::default());
    }
    let merged = match (from, into.location().file()) {
        (Location::File(path), Some(_)) => attach(into, path, other.immutable),
        _ => copy(&mut other.connection, &mut into.connection),
    };
    merged.map_err(|error| error.at(format!("{from} into {}", into.location())))
}

/// Merges a file into another by `ATTACH`.
fn attach(into: &mut Database, from: &Path, immutable: bool) -> Result<Merged> {
    let source = if immutable { immutable_uri(from) } else { from.to_string_lossy().into_owned() };
    into.connection.execute("ATTACH DATABASE $1 AS other", &values![source])?;
    let merged = into.connection.transaction(|connection| take(connection, "other."));
    into.connection.batch("DETACH DATABASE other")?;
    merged
}

/// Copies the tables to temporary ones, then merges these.
fn copy(from: &mut Connection, into: &mut Connection) -> Result<Merged> {
    // Reads a consistent snapshot.
    from.batch(if from.is_server() { "BEGIN ISOLATION LEVEL REPEATABLE READ" } else { "BEGIN" })?;
    into.transaction(|into| {
        for (table, key, columns) in TABLES {
            into.batch(&format!("CREATE TEMP TABLE other_{table} AS SELECT {columns} FROM {table} LIMIT 0"))?;
            copy_table(from, into, table, key, columns)?;
        }
        if into.is_server() {
            into.batch("LOCK TABLE analysis IN SHARE ROW EXCLUSIVE MODE")?;
        }
        let merged = take(into, "other_")?;
        TABLES.iter().try_for_each(|(table, ..)| into.batch(&format!("DROP TABLE other_{table}")))?;
        Ok(merged)
    })
}

fn copy_table(from: &mut Connection, into: &mut Connection, table: &str, key: usize, columns: &str) -> Result<()> {
    let width = columns.split(',').count();
    let keys = columns.split(", ").take(key).collect::<Vec<_>>().join(", ");
    let parameters = |first: usize, count: usize| {
        let names: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
        format!("({})", names.join(", "))
    };
    let after = parameters(1, key);
    let select = format!("SELECT {columns} FROM {table} WHERE ({keys}) > {after} ORDER BY {keys} LIMIT {ROWS}");
    let mut last = vec![Value::Int(i64::MIN); key];
    loop {
        let rows = from.query(&select, &last, |row| Ok(row.clone()))?;
        let Some(end) = rows.last() else { return Ok(()) };
        last = end.0[..key].to_vec();
        let tuples: Vec<String> = (0..rows.len()).map(|row| parameters(row * width + 1, width)).collect();
        let values: Vec<Value> = rows.into_iter().flat_map(|row| row.0).collect();
        into.execute(&format!("INSERT INTO other_{table} VALUES {}", tuples.join(", ")), &values)?;
    }
}

/// Merges the tables with this prefix.
fn take(connection: &mut Connection, prefix: &str) -> Result<Merged> {
    let main = if connection.is_server() { "" } else { "main." };
    connection.batch(&include_str!("merge.sql").replace("other.", prefix).replace("main.", main))?;
    let mut count = |table: &str| connection.query_value(&format!("SELECT count(*) FROM {table}"), &[]);
    let merged = Merged { read: count(&format!("{prefix}analysis"))?, taken: count("taken")? };
    connection.batch("DROP TABLE taken").map(|()| merged)
}
