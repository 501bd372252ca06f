//! The option `SyzygyPath`.

use super::format;
use super::options::Target;
use crate::tb::Tables;
use std::sync::Arc;

/// How many lines may tell of what is wrong.
const MOST_PROBLEMS: usize = 12;

/// Uses the tables in these folders, and says what there is; no tables if there is no folder.
///
/// # Errors
/// No table there can be used; the old ones stay.
pub fn set(target: &mut Target, folders: &str) -> Result<(), String> {
    let Target { engine, voice } = target;
    if folders.trim().is_empty() {
        engine.set_tables(None);
        return Ok(());
    }
    let tables = Tables::open(folders).map_err(|error| match engine.tables() {
        Some(old) => format!("{error}; the {} stay", old.stock()),
        None => format!("{error}; there are still no tablebases"),
    })?;
    voice.say(&format::message(&format!("SyzygyPath: {}", tables.stock())));
    let problems = &tables.stock().problems;
    for problem in problems.iter().take(MOST_PROBLEMS) {
        voice.say(&format::message(&format!("SyzygyPath: {problem}")));
    }
    if problems.len() > MOST_PROBLEMS {
        voice.say(&format::message(&format!("SyzygyPath: ... and {} problems more", problems.len() - MOST_PROBLEMS)));
    }
    engine.set_tables(Some(Arc::new(tables)));
    Ok(())
}
