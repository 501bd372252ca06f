//! Tasks that save and load hash files, and their messages.

use super::format;
use super::hash::ProgressTimer;
use super::inbox::TaskEvent;
use super::problem::Quoted;
use super::task::{Console, Task, TaskOutput};
use crate::engine::{EvalIdentity, LentTable};
use crate::hash_file::{self, LoadError, Loaded, Progress, SaveError, SaveOptions};
use crate::processors;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use thiserror::Error;

/// More threads do not speed up the disk.
const MAX_THREADS: usize = 16;

/// What started a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// `savehash` or its button.
    Command,
    /// The `AutoSave` timer.
    AutoSave,
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Command => "savehash",
            Self::AutoSave => "AutoSave",
        })
    }
}

#[derive(Debug, Error)]
enum HashFileError {
    #[error("{0}: {1}; nothing saved, any older file unchanged")]
    Save(Caller, SaveError),
    #[error("loadhash: {0}; hash table unchanged")]
    Load(LoadError),
    /// A part of the file was skipped.
    #[error("loadhash: {}: {why}", path.display())]
    Part {
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// Starts saving a table; messages start with the caller's name.
pub fn save(to: TaskOutput, caller: Caller, lent: (LentTable, EvalIdentity), options: SaveOptions) -> io::Result<Task> {
    Task::start(to, move |console| {
        let (table, eval_identity) = lent;
        let (began, name) = (Instant::now(), Quoted::new(&options.path.to_string_lossy()));
        let identity = eval_identity.identity();
        match hash_file::save(table, &identity, &options, &mut progress_printer(console, caller)) {
            Ok(saved) => {
                let size = mib(saved.bytes);
                let line = format!("{caller}: {} entries, {size} MiB, in {} to {name}", saved.entries, seconds(began));
                let _ = console.print(format::message(&line));
            }
            Err(SaveError::Cancelled(_)) => {}
            // Not worth an error when nothing was requested.
            Err(SaveError::Empty(_)) if caller == Caller::AutoSave => {}
            Err(error) => console.report(&HashFileError::Save(caller, error)),
        }
    })
}

/// Starts loading a file into a table.
pub fn load(to: TaskOutput, (table, eval_identity): (LentTable, EvalIdentity), path: PathBuf) -> io::Result<Task> {
    Task::start(to, move |console| {
        let began = Instant::now();
        let loaded = hash_file::load(
            &path,
            &eval_identity.identity(),
            &table,
            threads(),
            &mut progress_printer(console, "loadhash"),
        );
        drop(table);
        match loaded {
            Ok(loaded) => show(console, &path, loaded, began),
            Err(LoadError::Cancelled(_)) => {}
            Err(error) => console.report(&HashFileError::Load(error)),
        }
    })
}

/// Number of threads for saving and loading while no search runs.
pub fn threads() -> usize {
    processors::count().min(MAX_THREADS)
}

/// Prints what was loaded and what was refused.
fn show(console: &Console, path: &Path, loaded: Loaded, began: Instant) {
    let Loaded { origin, read, kept, refused } = loaded;
    let part = |why| console.report(&HashFileError::Part { path: path.to_owned(), why });
    refused.notes.into_iter().for_each(part);
    if refused.blocks > 0 || refused.entries > 0 {
        part(format!("refused in total: {} blocks and {} entries from others", refused.blocks, refused.entries));
    }
    let name = Quoted::new(&path.to_string_lossy());
    let line = format!("loadhash: {kept} of {read} entries, in {} from {name}", seconds(began));
    let about = if origin.position.is_empty() {
        String::new()
    } else {
        format!("; position {:?}, depth {}", origin.position, origin.depth)
    };
    let _ = console.print(format::message(&(line + &about)));
    console.send(TaskEvent::Loaded(origin));
}

/// Prints progress once a second, and breaks when the task is cancelled.
fn progress_printer(console: &Console, caller: impl fmt::Display) -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut timer = ProgressTimer::starting(Instant::now());
    move |Progress { done, total }| {
        if done < total && timer.is_due(Instant::now()) {
            let _ = console.print(format::message(&format!("{caller}: {} of {} MiB", mib(done), mib(total))));
        }
        console.check_cancelled()
    }
}

fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

fn seconds(since: Instant) -> String {
    format!("{:.2} s", since.elapsed().as_secs_f64())
}
