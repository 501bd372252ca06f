//! The options `Hash` and `SyzygyPath`, whose work may take long and runs on another thread.

use super::format;
use super::options::Target;
use crate::engine::Engine;
use crate::hash_file::Progress;
use crate::tb::Tables;
use crate::tt::TtError;
use std::sync::Arc;

/// Work for any thread. Calls back with progress, and returns what applies the result.
pub type Slow = Box<dyn FnOnce(&mut dyn FnMut(Progress)) -> Apply + Send>;

/// Applies a result. An error names what stays in use.
pub type Apply = Box<dyn FnOnce(&mut Target) -> Result<(), String> + Send>;

/// Maximum number of reported problems.
const MAX_PROBLEMS: usize = 12;

/// Resizes the table, which is taken from the engine meanwhile.
pub fn resize_hash(engine: &mut Engine, mib: usize) -> Slow {
    let mut resize = engine.begin_resize(mib);
    Box::new(move |progress| {
        resize.run(&mut |ready| progress(Progress { done: (ready as u64) << 20, total: (mib as u64) << 20 }));
        Box::new(move |target| {
            target.engine.end_resize(resize).map_err(|error| match error {
                // The message already names the replacement.
                TtError::Lost { .. } => error.to_string(),
                _ => format!("{error}; keeping the old table"),
            })
        })
    })
}

/// Opens the tables in these folders and reports what was found. An empty list removes the tables at once.
pub fn open_tables(engine: &mut Engine, folders: &str) -> Option<Slow> {
    if folders.trim().is_empty() {
        engine.set_tables(None);
        return None;
    }
    let folders = folders.to_owned();
    Some(Box::new(move |_| {
        let opened = Tables::open(&folders);
        Box::new(move |Target { engine, writer }| {
            let tables = opened.map_err(|error| match engine.tables() {
                Some(old) => format!("{error}; keeping the {}", old.stock()),
                None => format!("{error}; no tablebases in use"),
            })?;
            let mut print = |text: &str| writer.print(&format::message(format!("SyzygyPath: {text}")));
            print(&tables.stock().to_string());
            let problems = &tables.stock().problems;
            problems.iter().take(MAX_PROBLEMS).for_each(|problem| print(problem));
            if problems.len() > MAX_PROBLEMS {
                print(&format!("... and {} more problems", problems.len() - MAX_PROBLEMS));
            }
            engine.set_tables(Some(Arc::new(tables)));
            Ok(())
        })
    }))
}
