//! Loads a table from a file block by block, keeping the intact part of a damaged file.

use super::block::{HEAD, Head, MAX_BYTES};
use super::header::{Header, HeaderError, Identity, Origin};
use super::{ALIGNMENT, Progress};
use crate::files::open_regular;
use crate::files::position::read_at;
use crate::processors;
use crate::sync::{AtomicBool, Mutex, Ordering::Relaxed};
use crate::tt::Tt;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use thiserror::Error;

/// The result of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// What was searched.
    pub origin: Origin,
    /// Entries read.
    pub read: u64,
    /// Entries stored in the table; the rest were replaced by more valuable ones.
    pub kept: u64,
    /// The unusable part.
    pub refused: Refused,
}

/// The unusable part of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Damaged or missing blocks.
    pub blocks: u64,
    /// Invalid entries.
    pub entries: u64,
    /// The first few errors with their location.
    pub notes: Vec<String>,
}

/// Why nothing was loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// Not a hash file.
    #[error("{}: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: HeaderError,
    },
    /// Saved by another engine or evaluation.
    #[error(
        "{}: it was saved by {:?} with {:?}, expected {:?} with {:?}{}",
        path.display(), found.engine, found.evaluation, expected.engine, expected.evaluation, hash_hint(found, expected)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The file's identity.
        found: Box<Identity>,
        /// The table's identity.
        expected: Box<Identity>,
    },
    /// Cancelled by the callback. Entries loaded so far are kept.
    #[error("{}: cancelled", .0.display())]
    Cancelled(PathBuf),
}

/// A hint for the case that only the hashes differ.
fn hash_hint(found: &Identity, expected: &Identity) -> &'static str {
    let same = found.engine == expected.engine && found.evaluation == expected.evaluation;
    if same { ", but evaluation results differ" } else { "" }
}

impl Refused {
    /// Further errors are only counted.
    const MAX_NOTES: usize = 8;

    fn note(&mut self, note: impl FnOnce() -> String) {
        if self.notes.len() < Self::MAX_NOTES {
            self.notes.push(note());
        }
    }

    fn block(&mut self, at: u64, why: &str) {
        self.blocks += 1;
        self.note(|| format!("the block at byte {at} is refused: {why}"));
    }
}

/// State shared by the loading threads.
struct Reading<'a> {
    file: &'a File,
    table: &'a Tt,
    cursor: Mutex<Cursor>,
    loaded: Mutex<Loaded>,
    stopped: AtomicBool,
    total: u64,
}

/// Progress of scanning a file for blocks.
struct Cursor {
    /// The save id.
    id: u64,
    /// Where the next block is expected.
    at: u64,
    end: u64,
    /// Where damage began.
    damaged_from: Option<u64>,
    /// Number of blocks found.
    found: u64,
}

/// Result of a scan step.
enum Step {
    /// A block and the offset of its content.
    Block(u64, Head),
    /// No block yet; retry.
    Damaged,
    /// The end of the file.
    End,
}

/// Loads a file into a table without clearing it, on `threads` threads. `report` is called with progress on the calling
/// thread, and may cancel.
///
/// # Errors
/// The file is invalid, has another identity, or the load was cancelled.
pub fn load(
    path: &Path,
    identity: &Identity,
    table: &Tt,
    threads: usize,
    report: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Loaded, LoadError> {
    let no_header = |reason| LoadError::Header { path: path.to_owned(), reason };
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
        reading.work(report);
    });
    if reading.stopped.load(Relaxed) {
        return Err(LoadError::Cancelled(path.to_owned()));
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
    /// Loads blocks until the end or until `report` cancels.
    fn work(&self, report: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let mut content = Vec::new();
        let mut at = 0;
        while !self.stopped.load(Relaxed) {
            if report(Progress { done: at.min(self.total), total: self.total }).is_break() {
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

    /// Stores the entries of a block.
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
                loaded.refused.note(|| format!("the block at byte {at} has {left_out} invalid entries"));
            }
            Err(why) => loaded.refused.block(at - HEAD as u64, &why),
        }
    }
}

impl Cursor {
    /// Bytes scanned at a time for the next block.
    const STRIDE: usize = 1 << 20;

    /// Finds the next block or skips damage. A block truncated by the end of the file is returned; reading its content
    /// fails.
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
        // Unreadable bytes are skipped, too.
        let found = read_at(file, &mut bytes, self.at)
            .ok()
            .and_then(|()| bytes.chunks(ALIGNMENT).position(|chunk| Head::decode(chunk, self.id).is_some()));
        self.at += found.map_or(bytes.len().next_multiple_of(ALIGNMENT), |nth| nth * ALIGNMENT) as u64;
        Step::Damaged
    }

    /// Reports the end of a damaged range.
    fn end_damage(&mut self, loaded: &Mutex<Loaded>) {
        if let Some(from) = self.damaged_from.take() {
            let to = self.at.min(self.end);
            loaded.lock().refused.note(|| format!("bytes {from} to {to} are damaged"));
        }
    }
}

const _: () = assert!(MAX_BYTES <= Cursor::STRIDE);
