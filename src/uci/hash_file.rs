//! The work with hash files, on threads of its own, and what is said about it.

use super::format;
use super::hash::Pace;
use super::inbox::TaskNews;
use super::problem::Quoted;
use super::task::{Console, Task, TaskOutput};
use crate::engine::{Foundations, LentTable};
use crate::hash_file::{self, LoadError, Loaded, Order, Progress, SaveError};
use crate::processors;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use thiserror::Error;

/// The most threads that write or read a file. A disk is not faster with more.
const MOST_THREADS: usize = 16;

/// Who has called for a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// `savehash`, or its button.
    Command,
    /// The option, when it was time.
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

/// Why hash tables could not be saved or loaded, or not all of one.
#[derive(Debug, Error)]
enum Trouble {
    /// Nothing was saved.
    #[error("{0}: {1}; nothing was saved, and an older file stays as it was")]
    Save(Caller, SaveError),
    /// Nothing was loaded.
    #[error("loadhash: {0}; the hash table stays as it was")]
    Load(LoadError),
    /// A part was not loaded.
    #[error("loadhash: {}: {why}", path.display())]
    Part {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Saves a table. What calls for it is named in what is said.
pub fn save(to: TaskOutput, caller: Caller, lent: (LentTable, Foundations), order: Order) -> io::Result<Task> {
    Task::start(to, move |console| {
        let (table, foundations) = lent;
        let (began, name) = (Instant::now(), Quoted::new(&order.path.to_string_lossy()));
        let identity = foundations.identity();
        match hash_file::save(table, &identity, &order, &mut telling(console, caller)) {
            Ok(saved) => {
                let size = mib(saved.bytes);
                let line = format!("{caller}: {} entries, {size} MiB, in {} to {name}", saved.entries, seconds(began));
                let _ = console.print(format::message(&line));
            }
            Err(SaveError::CalledOff(_)) => {}
            // Nobody has asked for it.
            Err(SaveError::Empty(_)) if caller == Caller::AutoSave => {}
            Err(error) => console.complain(&Trouble::Save(caller, error)),
        }
    })
}

/// Loads a file into a table.
pub fn load(to: TaskOutput, (table, foundations): (LentTable, Foundations), path: PathBuf) -> io::Result<Task> {
    Task::start(to, move |console| {
        let began = Instant::now();
        let loaded =
            hash_file::load(&path, &foundations.identity(), &table, threads(), &mut telling(console, "loadhash"));
        drop(table);
        match loaded {
            Ok(loaded) => show(console, &path, loaded, began),
            Err(LoadError::CalledOff(_)) => {}
            Err(error) => console.complain(&Trouble::Load(error)),
        }
    })
}

/// How many threads save and load where nothing else is to be done.
pub fn threads() -> usize {
    processors::count().min(MOST_THREADS)
}

/// Says what was loaded, and what was not.
fn show(console: &Console, path: &Path, loaded: Loaded, began: Instant) {
    let Loaded { origin, read, kept, refused } = loaded;
    let part = |why| console.complain(&Trouble::Part { path: path.to_owned(), why });
    refused.notes.into_iter().for_each(part);
    if refused.blocks > 0 || refused.entries > 0 {
        part(format!("refused in all: {} blocks, {} entries of others", refused.blocks, refused.entries));
    }
    let name = Quoted::new(&path.to_string_lossy());
    let line = format!("loadhash: {kept} of {read} entries, in {} from {name}", seconds(began));
    let about = if origin.position.is_empty() {
        String::new()
    } else {
        format!("; position {:?}, depth {}", origin.position, origin.depth)
    };
    let _ = console.print(format::message(&(line + &about)));
    console.tell(TaskNews::Loaded(origin));
}

/// Says once a second how far it has come.
fn telling(console: &Console, caller: impl fmt::Display) -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut pace = Pace::starting(Instant::now());
    move |Progress { done, total }| {
        if done < total && pace.is_due(Instant::now()) {
            let _ = console.print(format::message(&format!("{caller}: {} of {} MiB", mib(done), mib(total))));
        }
        console.go_on()
    }
}

fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

fn seconds(since: Instant) -> String {
    format!("{:.2} s", since.elapsed().as_secs_f64())
}
