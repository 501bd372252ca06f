//! Reading a table from a file: block by block, so that what is good of a damaged file is kept.

use super::block::{HEAD, Head, LARGEST};
use super::header::{Header, Identity, NoHeader, Origin};
use super::{ALIGNMENT, Progress};
use crate::files::open_regular;
use crate::files::position::read_at;
use crate::processors;
use crate::smp::sync::{AtomicBool, Mutex, Ordering::Relaxed};
use crate::tt::Tt;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use thiserror::Error;

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// What was searched.
    pub origin: Origin,
    /// Entries that were read.
    pub read: u64,
    /// Those of them that the table has taken; the others had to give way to what is worth more.
    pub kept: u64,
    /// What could not be used.
    pub refused: Refused,
}

/// What of a file could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Blocks that are damaged or missing.
    pub blocks: u64,
    /// Entries such as no search stores.
    pub entries: u64,
    /// Where they are and what is wrong, the first few of them.
    pub notes: Vec<String>,
}

/// Why nothing was loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It is no hash file.
    #[error("{}: {reason}", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: NoHeader,
    },
    /// Its keys or scores mean something else.
    #[error(
        "{}: its entries mean something else: it was saved by {:?} with {:?}, expected {:?} with {:?}{}",
        path.display(), found.engine, found.evaluation, expected.engine, expected.evaluation, same_names(found, expected)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What its entries mean.
        found: Box<Identity>,
        /// What those of the table mean.
        expected: Box<Identity>,
    },
    /// Whoever was told of the progress did not want to go on. What was loaded until then stays.
    #[error("{}: called off", .0.display())]
    CalledOff(PathBuf),
}

/// What is said where names alone do not tell the difference.
fn same_names(found: &Identity, expected: &Identity) -> &'static str {
    let same = found.engine == expected.engine && found.evaluation == expected.evaluation;
    if same { ", which values positions in another way now" } else { "" }
}

impl Refused {
    /// More are only counted.
    const MOST_NOTES: usize = 8;

    fn note(&mut self, note: impl FnOnce() -> String) {
        if self.notes.len() < Self::MOST_NOTES {
            self.notes.push(note());
        }
    }

    fn block(&mut self, at: u64, why: &str) {
        self.blocks += 1;
        self.note(|| format!("the block at byte {at} is refused: {why}"));
    }
}

/// What the threads share that read a file.
struct Reading<'a> {
    file: &'a File,
    table: &'a Tt,
    cursor: Mutex<Cursor>,
    loaded: Mutex<Loaded>,
    stopped: AtomicBool,
    total: u64,
}

/// How far the blocks of a file have been found.
struct Cursor {
    /// The number of the save.
    id: u64,
    /// Where the next block should be.
    at: u64,
    end: u64,
    /// Where what is no block begins.
    damaged_from: Option<u64>,
    /// How many blocks were found.
    found: u64,
}

/// What is next in a file.
enum Step {
    /// A block whose content begins here.
    Block(u64, Head),
    /// No block; to be asked again.
    Damaged,
    /// The end.
    End,
}

/// Loads a file into a table, beside what that holds, on so many threads. `tell` hears on the calling thread how far it has come,
/// and may call it off.
///
/// # Errors
/// It is no file of this kind, or its entries mean something else than `identity` says, or it was called off.
pub fn load(
    path: &Path,
    identity: &Identity,
    table: &Tt,
    threads: usize,
    tell: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Loaded, LoadError> {
    let no_header = |reason| LoadError::NoHeader { path: path.to_owned(), reason };
    let file = open_regular(path, OpenOptions::new().read(true)).map_err(|error| no_header(error.into()))?;
    let (header, start) = Header::read(&file).map_err(no_header)?;
    if header.identity.meaning != identity.meaning {
        let (found, expected) = (Box::new(header.identity), Box::new(identity.clone()));
        return Err(LoadError::Foreign { path: path.to_owned(), found, expected });
    }
    let length = file.metadata().map_err(|error| no_header(error.into()))?.len();
    let end = header.length.min(length);
    let cursor = Cursor { id: header.id, at: start, end, damaged_from: None, found: 0 };
    let reading = Reading {
        file: &file,
        table,
        cursor: Mutex::new(cursor),
        loaded: Mutex::new(Loaded { origin: header.origin, ..Loaded::default() }),
        stopped: AtomicBool::new(false),
        total: end,
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(processors::count()) {
            let work = || reading.work(&mut |_| ControlFlow::Continue(()));
            if thread::Builder::new().name("task: load".into()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        reading.work(tell);
    });
    if reading.stopped.load(Relaxed) {
        return Err(LoadError::CalledOff(path.to_owned()));
    }
    let mut loaded = std::mem::take(&mut *reading.loaded.lock());
    let missing = header.blocks.saturating_sub(reading.cursor.lock().found);
    if missing > 0 {
        loaded.refused.blocks += missing;
        loaded.refused.note(|| format!("{missing} of {} blocks are missing", header.blocks));
    }
    if length < header.length {
        loaded.refused.note(|| format!("the file ends after {length} of {} bytes", header.length));
    }
    Ok(loaded)
}

impl Reading<'_> {
    /// Reads blocks until there are no more, or `tell` calls it off.
    fn work(&self, tell: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let mut content = Vec::new();
        let mut at = 0;
        while !self.stopped.load(Relaxed) {
            if tell(Progress { done: at.min(self.total), total: self.total }).is_break() {
                self.stopped.store(true, Relaxed);
                break;
            }
            let step = {
                let mut cursor = self.cursor.lock();
                let step = cursor.step(self.file, &self.loaded);
                at = cursor.at;
                step
            };
            match step {
                Step::Block(at, head) => self.take(at, &head, &mut content),
                Step::Damaged => {}
                Step::End => break,
            }
        }
    }

    /// Puts the entries of a block into the table.
    fn take(&self, at: u64, head: &Head, content: &mut Vec<u8>) {
        content.resize(head.stored, 0);
        let (mut read, mut kept) = (0, 0);
        let put = |record| {
            read += 1;
            kept += u64::from(self.table.restore(record));
        };
        let done = match read_at(self.file, content, at) {
            Ok(()) => head.entries(content, put).map_err(str::to_owned),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err("the file ends before it does".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let mut loaded = self.loaded.lock();
        loaded.read += read;
        loaded.kept += kept;
        match done {
            Ok(0) => {}
            Ok(left_out) => {
                loaded.refused.entries += left_out;
                loaded
                    .refused
                    .note(|| format!("the block at byte {at} has {left_out} entries such as no search stores"));
            }
            Err(why) => loaded.refused.block(at - HEAD as u64, &why),
        }
    }
}

impl Cursor {
    /// How many bytes are looked through at a time for the next block.
    const STRIDE: usize = 1 << 20;

    /// Finds the next block, or passes over what is none. A block that the end of the file cuts off is found, and its content
    /// cannot be read.
    fn step(&mut self, file: &File, loaded: &Mutex<Loaded>) -> Step {
        let mut head = [0; HEAD];
        if self.at >= self.end {
            self.end_damage(loaded);
            return Step::End;
        }
        if read_at(file, &mut head, self.at).is_ok()
            && let Some(head) = Head::decode(&head, self.id)
        {
            self.end_damage(loaded);
            let content = self.at + HEAD as u64;
            self.at = (content + head.stored as u64).next_multiple_of(ALIGNMENT as u64);
            self.found += 1;
            return Step::Block(content, head);
        }
        self.damaged_from.get_or_insert(self.at);
        self.at += ALIGNMENT as u64;
        let mut bytes = vec![0; Self::STRIDE.min(self.end.saturating_sub(self.at) as usize)];
        // What cannot be read is passed over, too.
        let found = read_at(file, &mut bytes, self.at)
            .ok()
            .and_then(|()| bytes.chunks(ALIGNMENT).position(|chunk| Head::decode(chunk, self.id).is_some()));
        self.at += found.map_or(bytes.len().next_multiple_of(ALIGNMENT), |nth| nth * ALIGNMENT) as u64;
        Step::Damaged
    }

    /// What was no block has ended.
    fn end_damage(&mut self, loaded: &Mutex<Loaded>) {
        if let Some(from) = self.damaged_from.take() {
            let to = self.at.min(self.end);
            loaded.lock().refused.note(|| format!("bytes {from} to {to} are no blocks of this file"));
        }
    }
}

const _: () = assert!(LARGEST <= Cursor::STRIDE);
