//! The set of tables found, and diagnostics about them.

use super::material::{Kind, Material};
use super::numbering::MAX_PIECES;
use super::source::Damage;
use super::table::Table;
use crate::files::raise_open_limit;
use crate::sync::channel::unbounded;
use crate::sync::{AtomicBool, Mutex, Ordering::Relaxed};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::mem::replace;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Time limit for finding tables: a system call on a dead mount may never return.
const OPEN_TIME: Duration = Duration::from_secs(10);
/// Time limit for checking tables up front; the others are checked on first use.
const CHECK_TIME: Duration = Duration::from_millis(1500);
/// Bytes of checked tables kept in memory.
const MAX_HELD: u64 = 128 << 20;
/// Maximum number of names in a message.
const MAX_NAMES: usize = 8;
const MAX_FAILURES: usize = 64;
pub(super) const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// One table, and the files that may hold it.
struct Slot {
    /// In the order of the folders; the first usable one is opened.
    paths: Vec<PathBuf>,
    /// Opened on first use; `None` if unusable.
    table: OnceLock<Option<Table>>,
    /// Whether a probe has found it damaged.
    is_damaged: AtomicBool,
}

type Slots = BTreeMap<(Material, Kind), Slot>;

/// Endgame tablebases, shared by all threads.
pub struct Tables {
    slots: Slots,
    summary: Summary,
    /// Failures of opened tables, and how many of them have been taken.
    failures: Mutex<(Vec<String>, usize)>,
}

/// The usable tables, and problems with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Usable tables, by kind.
    pub counts: [usize; 2],
    /// Maximum number of pieces in a WDL table, kings included.
    pub max_pieces: u32,
    /// Tables left to be checked on first use.
    pub unchecked: usize,
    /// Missing, damaged or unreadable files, one message each.
    pub problems: Vec<String>,
}

impl Summary {
    /// The usable tables, in words that do not depend on the speed of the disk.
    pub fn usable(&self) -> String {
        let [wdl, dtz] = self.counts;
        format!("{wdl} WDL and {dtz} DTZ tables of up to {} pieces", self.max_pieces)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.usable())?;
        if self.unchecked > 0 {
            write!(f, "; {} of them are checked when they are first needed", self.unchecked)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Tables({})", self.summary)
    }
}

impl Tables {
    /// Opens the tables in folders separated by `:` (`;` on Windows). Of several files for a table the first usable one counts. Small
    /// files are read and their checksums verified; of others only header and size are checked, as far as the time limit allows.
    ///
    /// # Errors
    /// No table is usable, or a folder does not respond.
    pub fn open(folders: &str) -> Result<Self, String> {
        // Large tables stay open once used, up to 3022 with seven pieces.
        raise_open_limit();
        let (sender, receiver) = unbounded();
        let owned = folders.to_owned();
        thread::spawn(move || sender.send(Self::open_blocking(&owned)));
        let opened = receiver.recv_timeout(OPEN_TIME).unwrap_or_else(|_| {
            let seconds = OPEN_TIME.as_secs();
            Err(format!("no response from {} within {seconds} seconds", quoted(folders)))
        });
        opened.map_err(|problem| {
            format!("{problem}; expected folders with tables such as KQvK.rtbw, separated by {SEPARATOR:?}")
        })
    }

    fn open_blocking(folders: &str) -> Result<Self, String> {
        let mut problems = Vec::new();
        let mut slots = find(folders, &mut problems);
        let unchecked = check(&mut slots, &mut problems);
        slots.retain(|_, slot| !slot.paths.is_empty());
        let pieces = |kind: Kind| slots.keys().filter(move |key| key.1 == kind).map(|key| key.0.pieces());
        let counts = Kind::ALL.map(|kind| pieces(kind).count());
        let Some(max_pieces) = pieces(Kind::Wdl).max() else {
            let first = problems[..problems.len().min(MAX_NAMES)].join("; ");
            return Err(if first.is_empty() { "no tables".into() } else { first });
        };
        problems.extend(missing(&slots, max_pieces));
        let summary = Summary { counts, max_pieces, unchecked, problems };
        Ok(Self { slots, summary, failures: Mutex::new((Vec::new(), 0)) })
    }

    /// The usable tables, and problems with others.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether both have the same files.
    pub fn has_files_of(&self, other: &Self) -> bool {
        self.slots.len() == other.slots.len()
            && self
                .slots
                .iter()
                .all(|(table, slot)| other.slots.get(table).is_some_and(|same| same.paths == slot.paths))
    }

    /// The table of this material, opened if necessary. Several threads may open it at once: no lock is held while files are read.
    pub(super) fn table(&self, material: Material, kind: Kind) -> Option<&Table> {
        let slot = self.slots.get(&(material, kind)).filter(|slot| !slot.is_damaged.load(Relaxed))?;
        if slot.table.get().is_none() {
            let report = |damage: &Damage| self.report(material, kind, damage);
            let open = |path: &PathBuf| Table::open(path, material, kind).inspect_err(report).ok();
            let _ = slot.table.set(slot.paths.iter().find_map(open));
        }
        slot.table.get()?.as_ref()
    }

    /// The result of a probe. Records an error for [`take_failures`](Self::take_failures) and leaves out a damaged table.
    pub(super) fn ok_or_report<T>(&self, material: Material, kind: Kind, result: Result<T, Damage>) -> Option<T> {
        let leave_out = |damage: &Damage| {
            self.report(material, kind, damage);
            let slot = self.slots.get(&(material, kind)).filter(|_| !matches!(damage, Damage::Io(_)));
            slot.inspect(|slot| slot.is_damaged.store(true, Relaxed));
        };
        result.inspect_err(leave_out).ok()
    }

    #[cold]
    fn report(&self, material: Material, kind: Kind, damage: &Damage) {
        let failure = format!("{material}.{} {damage}", kind.extension());
        let (failures, _) = &mut *self.failures.lock();
        // An unreadable table fails on every probe.
        if failures.len() < MAX_FAILURES && !failures.contains(&failure) {
            failures.push(failure);
        }
    }

    /// Failures since the last call.
    pub fn take_failures(&self) -> Vec<String> {
        let (failures, taken) = &mut *self.failures.lock();
        failures[replace(taken, failures.len())..].to_vec()
    }
}

fn find(folders: &str, problems: &mut Vec<String>) -> Slots {
    let mut slots = Slots::new();
    for folder in folders.split(SEPARATOR).map(str::trim).filter(|folder| !folder.is_empty()) {
        let listed = fs::read_dir(folder)
            .and_then(|listing| listing.map(|file| file.map(|file| file.path())).collect::<Result<Vec<_>, _>>());
        let mut files = match listed {
            Ok(files) => files,
            Err(error) => {
                problems.push(format!("the folder {} cannot be read: {error}", quoted(folder)));
                continue;
            }
        };
        files.sort_unstable();
        let mut found = 0;
        for path in files {
            let Some(table) = named(&path) else { continue };
            let new = || Slot { paths: Vec::new(), table: OnceLock::new(), is_damaged: AtomicBool::new(false) };
            slots.entry(table).or_insert_with(new).paths.push(path);
            found += 1;
        }
        if found == 0 {
            problems.push(format!("the folder {} holds no tables", quoted(folder)));
        }
    }
    slots
}

/// A folder in quotes, shortened to its end.
fn quoted(folder: &str) -> String {
    const MAX_LENGTH: usize = 150;
    match folder.char_indices().nth_back(MAX_LENGTH) {
        Some((cut, _)) => format!("...{:?}", &folder[cut..]),
        None => format!("{folder:?}"),
    }
}

/// The table a file name stands for.
fn named(path: &Path) -> Option<(Material, Kind)> {
    let extension = path.extension()?.to_str()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.extension() == extension)?;
    let material = Material::parse(path.file_stem()?.to_str()?)?;
    (3..=MAX_PIECES as u32).contains(&material.pieces()).then_some((material, kind))
}

/// Checks tables, smallest first, and removes the paths of unusable ones. Returns the number left unchecked.
fn check(slots: &mut Slots, problems: &mut Vec<String>) -> usize {
    let deadline = Instant::now() + CHECK_TIME;
    let (mut unchecked, mut held) = (0, 0);
    let mut order: Vec<_> = slots.iter_mut().collect();
    order.sort_by_key(|((material, _), _)| material.pieces());
    for (&(material, kind), slot) in order {
        if Instant::now() > deadline {
            unchecked += 1;
            continue;
        }
        let good = slot.paths.iter().enumerate().find_map(|(index, path)| {
            let opened = Table::open(path, material, kind);
            opened.map_err(|damage| problems.push(format!("{} {damage}", path.display()))).ok().zip(Some(index))
        });
        let Some((table, index)) = good else {
            slot.paths.clear();
            continue;
        };
        slot.paths.drain(..index);
        // Close other files: there are thousands.
        if let Some(bytes) = table.held().filter(|bytes| held + bytes <= MAX_HELD) {
            held += bytes;
            let _ = slot.table.set(Some(table));
        }
    }
    unchecked
}

/// Missing tables by number of pieces and kind, strongest first.
fn missing(slots: &Slots, max_pieces: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for pieces in 3..=max_pieces {
        let mut all = Material::all(pieces);
        all.sort_unstable_by(|first, second| second.cmp(first));
        for kind in Kind::ALL {
            let missing = all.iter().filter(|&&material| !slots.contains_key(&(material, kind)));
            let missing: Vec<String> = missing.map(Material::to_string).collect();
            let extension = kind.extension();
            if missing.len() == all.len() {
                lines.push(format!("no .{extension} of {pieces} pieces"));
            } else if !missing.is_empty() {
                let count = missing.len();
                let more = if count > MAX_NAMES { ", ..." } else { "" };
                let names = missing[..count.min(MAX_NAMES)].join(", ");
                lines.push(format!("{count} of {} .{extension} of {pieces} pieces missing: {names}{more}", all.len()));
            }
        }
    }
    lines
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files::open_limit;

    #[test]
    fn usable_tables_do_not_depend_on_what_was_checked() {
        let summary = |unchecked| Summary { counts: [510; 2], max_pieces: 6, unchecked, ..Summary::default() };
        assert_eq!(summary(0).usable(), summary(7).usable());
        assert_ne!(summary(0).to_string(), summary(7).to_string());
    }

    #[test]
    fn tables_found_damaged_in_use_are_left_out() {
        let tables = Tables::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy")).unwrap();
        let rook = Material::parse("KRvK").unwrap();
        assert!(tables.table(rook, Kind::Wdl).is_some());
        assert_eq!(tables.ok_or_report::<()>(rook, Kind::Wdl, Err(Damage::Values)), None);
        assert!(tables.table(rook, Kind::Wdl).is_none());
        assert_eq!(tables.take_failures(), ["KRvK.rtbw is damaged: invalid values"]);
    }

    #[test]
    fn tables_may_use_all_files_that_the_system_allows() {
        let limit = open_limit();
        let most = limit.rlim_max.min(10_240);
        let lower = libc::rlimit { rlim_cur: most - 1, ..limit };
        // SAFETY: the call reads the limit.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const lower) }, 0);
        assert!(Tables::open("").is_err());
        assert_eq!(open_limit().rlim_cur, most);
    }
}
