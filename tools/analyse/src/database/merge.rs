//! Merges databases.

use super::{Database, explain, immutable_uri};
use rusqlite::TransactionBehavior;
use std::path::Path;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Analyses read.
    pub read: u64,
    /// Analyses taken: new or better ones.
    pub taken: u64,
}

/// Merges a database into another, atomically. Of two analyses of a position by the same engine with the same number of
/// lines the deeper is kept, then the one with more nodes, then with more time, then the existing one; so merging is
/// idempotent.
pub fn merge(into: &mut Database, from: &Path) -> Result<Merged, String> {
    let other = Database::open_to_read(from)?;
    let real = |path: &Path| path.canonicalize().ok();
    if real(&into.path).is_some_and(|path| real(from) == Some(path)) {
        return Ok(Merged::default());
    }
    let source = if other.immutable { immutable_uri(from) } else { from.to_string_lossy().into_owned() };
    copy(into, &source).map_err(|error| format!("{} into {}", from.display(), explain(&into.path, error)))
}

fn copy(into: &mut Database, source: &str) -> rusqlite::Result<Merged> {
    into.connection.execute("ATTACH DATABASE ?1 AS other", [source])?;
    let mut merge = || {
        let transaction = into.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(include_str!("merge.sql"))?;
        let count =
            |table| transaction.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
        let merged = Merged { read: count("other.analysis")? as u64, taken: count("taken")? as u64 };
        transaction.execute("DROP TABLE taken", [])?;
        transaction.commit().map(|()| merged)
    };
    let merged = merge();
    into.connection.execute("DETACH DATABASE other", [])?;
    merged
}
