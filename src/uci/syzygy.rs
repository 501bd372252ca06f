//! The option `SyzygyPath`.

use super::format;
use super::options::Target;
use crate::tb::Tables;
use std::sync::Arc;

/// Maximum number of reported problems.
const MAX_PROBLEMS: usize = 12;

/// Opens the tables in these folders and reports what was found; an empty list removes the tables.
///
/// # Errors
/// No usable tables were found; the old ones are kept.
pub fn set(target: &mut Target, folders: &str) -> Result<(), String> {
    let Target { engine, writer } = target;
    if folders.trim().is_empty() {
        engine.set_tables(None);
        return Ok(());
    }
    let tables = Tables::open(folders).map_err(|error| match engine.tables() {
        Some(old) => format!("{error}; keeping the {}", old.stock()),
        None => format!("{error}; no tablebases in use"),
    })?;
    writer.print(&format::message(&format!("SyzygyPath: {}", tables.stock())));
    let problems = &tables.stock().problems;
    for problem in problems.iter().take(MAX_PROBLEMS) {
        writer.print(&format::message(&format!("SyzygyPath: {problem}")));
    }
    if problems.len() > MAX_PROBLEMS {
        writer.print(&format::message(&format!("SyzygyPath: ... and {} more problems", problems.len() - MAX_PROBLEMS)));
    }
    engine.set_tables(Some(Arc::new(tables)));
    Ok(())
}
