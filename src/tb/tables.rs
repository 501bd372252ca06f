//! All tables that were found, and what is to be said about them.

use super::material::Material;
pub use super::numbering::MOST_MEN;
use super::table::{Damage, Kind, Table};
use crate::smp::sync::{AtomicUsize, Mutex, Ordering};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Tables are looked through for this long when they are named; what is left is looked at when it is first needed.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Tables that were looked through stay in memory up to so many bytes together.
const MOST_HELD: u64 = 128 << 20;
/// How many names a message lists.
const NAMED: usize = 8;
/// How many troubles are told.
const MOST_TROUBLES: usize = 64;
/// What separates folders.
pub const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// A table of which there is a file, or several in several folders.
struct Shelf {
    /// In the order of the folders. The first that can be used counts.
    paths: Vec<PathBuf>,
    /// Once it has been needed; `None` if it is not usable.
    table: OnceLock<Option<Table>>,
}

/// What was found about some material.
struct Entry {
    material: Material,
    /// By [`Kind`].
    shelves: [Option<Shelf>; 2],
}

/// Why no tables can be used.
#[derive(Debug, Error)]
pub enum TablesError {
    /// No folder holds a table that can be used.
    #[error("{0}; expected folders with tables such as KQvK.rtbw, separated by {SEPARATOR:?}")]
    Nothing(String),
}

/// Tables, which threads may ask at the same time.
pub struct Tables {
    /// In the order of their material.
    entries: Box<[Entry]>,
    stock: Stock,
    troubles: Mutex<Troubles>,
    /// How many troubles nobody has been told of.
    news: AtomicUsize,
}

/// What has gone wrong with tables that looked good at first.
#[derive(Default)]
struct Troubles {
    all: Vec<String>,
    told: usize,
}

/// What there is, and what is wrong with the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// Tables that can be used, by [`Kind`].
    pub counts: [usize; 2],
    /// The most men of any table of results.
    pub most_men: u32,
    /// Tables that were not looked at before they are needed.
    pub unchecked: usize,
    /// What is missing, damaged or unreadable, in sentences.
    pub problems: Vec<String>,
}

impl fmt::Display for Stock {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [wdl, dtz] = self.counts;
        write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {} men", self.most_men)?;
        if self.unchecked > 0 {
            write!(f, "; {} of them are checked when they are first needed", self.unchecked)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Tables({})", self.stock)
    }
}

impl Tables {
    /// The tables in these folders, separated by `:` (on Windows `;`). Of two files for the same table the first counts that can
    /// be used.
    /// Small files are read and their checksums compared, of others the head and the size are checked, as long as that does not
    /// take too much time.
    ///
    /// # Errors
    /// No table can be used.
    pub fn open(folders: &str) -> Result<Self, TablesError> {
        let mut problems = Vec::new();
        let mut entries = find(folders, &mut problems);
        let unchecked = check(&mut entries, &mut problems);
        entries.retain(|entry| entry.shelves.iter().any(Option::is_some));
        let count = |kind: Kind| entries.iter().filter(|entry| entry.shelves[kind as usize].is_some()).count();
        let counts = Kind::ALL.map(count);
        let of_results = entries.iter().filter(|entry| entry.shelves[Kind::Wdl as usize].is_some());
        let Some(most_men) = of_results.map(|entry| entry.material.men()).max() else {
            let first = problems.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
            return Err(TablesError::Nothing(if first.is_empty() { "no tables there".into() } else { first }));
        };
        problems.extend(missing(&entries, most_men));
        let stock = Stock { counts, most_men, unchecked, problems };
        Ok(Self {
            entries: entries.into(),
            stock,
            troubles: Mutex::new(Troubles::default()),
            news: AtomicUsize::new(0),
        })
    }

    /// What there is.
    pub fn stock(&self) -> &Stock {
        &self.stock
    }

    /// The most men on a board of which the tables may know the result.
    pub fn most_men(&self) -> u32 {
        self.stock.most_men
    }

    /// The table for this material, opened if that has not been done yet.
    pub(super) fn table(&self, material: Material, kind: Kind) -> Option<&Table> {
        let index = self.entries.binary_search_by_key(&material, |entry| entry.material).ok()?;
        let shelf = self.entries[index].shelves[kind as usize].as_ref()?;
        let open = |path: &PathBuf| self.noting(material, kind, Table::checked(path, material, kind));
        let opened = shelf.table.get_or_init(|| shelf.paths.iter().find_map(open));
        opened.as_ref()
    }

    /// Keeps what has gone wrong, to be told later.
    pub(super) fn noting<T>(&self, material: Material, kind: Kind, result: Result<T, Damage>) -> Option<T> {
        result.map_err(|damage| self.note(format!("{material}.{} {damage}", kind.extension()))).ok()
    }

    #[cold]
    fn note(&self, trouble: String) {
        let mut troubles = self.troubles.lock();
        // A table that goes wrong does so again and again.
        if troubles.all.len() < MOST_TROUBLES && !troubles.all.contains(&trouble) {
            troubles.all.push(trouble);
            self.news.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What has gone wrong with tables that looked good at first, each trouble told once. Without news it costs nothing to ask.
    pub fn take_news(&self) -> Vec<String> {
        if self.news.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let mut troubles = self.troubles.lock();
        self.news.store(0, Ordering::Relaxed);
        let news = troubles.all[troubles.told..].to_vec();
        troubles.told = troubles.all.len();
        news
    }
}

/// The tables in these folders, in the order of their material.
fn find(folders: &str, problems: &mut Vec<String>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = (3..=MOST_MEN as u32)
        .flat_map(Material::all)
        .map(|material| Entry { material, shelves: [None, None] })
        .collect();
    entries.sort_unstable_by_key(|entry| entry.material);
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
            let Some((material, kind)) = named(&path) else { continue };
            let Ok(index) = entries.binary_search_by_key(&material, |entry| entry.material) else { continue };
            let shelf = &mut entries[index].shelves[kind as usize];
            shelf.get_or_insert_with(|| Shelf { paths: Vec::new(), table: OnceLock::new() }).paths.push(path);
            found += 1;
        }
        if found == 0 {
            problems.push(format!("the folder {} holds no tables", quoted(folder)));
        }
    }
    entries
}

/// A folder's name in quotes, its end if it is long.
fn quoted(folder: &str) -> String {
    const LONGEST: usize = 150;
    match folder.char_indices().nth_back(LONGEST) {
        Some((cut, _)) => format!("...{:?}", &folder[cut..]),
        None => format!("{folder:?}"),
    }
}

/// What table a file is, by its name.
fn named(path: &Path) -> Option<(Material, Kind)> {
    let extension = path.extension()?.to_str()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.extension() == extension)?;
    Some((Material::parse(path.file_stem()?.to_str()?)?, kind))
}

/// Looks at the tables, those of fewer men first, and removes those that cannot be used. Returns how many were not looked at.
fn check(entries: &mut [Entry], problems: &mut Vec<String>) -> usize {
    let deadline = Instant::now() + PATIENCE;
    let (mut unchecked, mut held) = (0, 0);
    let mut order: Vec<&mut Entry> = entries.iter_mut().collect();
    order.sort_by_key(|entry| entry.material.men());
    for entry in order {
        let material = entry.material;
        for (place, kind) in entry.shelves.iter_mut().zip(Kind::ALL) {
            let Some(shelf) = place else { continue };
            if Instant::now() > deadline {
                unchecked += 1;
                continue;
            }
            let good = shelf.paths.iter().enumerate().find_map(|(index, path)| {
                let opened = Table::checked(path, material, kind);
                opened.map_err(|damage| problems.push(format!("{} {damage}", path.display()))).ok().zip(Some(index))
            });
            let Some((table, index)) = good else {
                *place = None;
                continue;
            };
            shelf.paths.drain(..index);
            // Files stay open no longer than needed: there are thousands.
            if let Some(bytes) = table.held().filter(|bytes| held + bytes <= MOST_HELD) {
                held += bytes;
                let _ = shelf.table.set(Some(table));
            }
        }
    }
    unchecked
}

/// Of each number of men, up to the most, and each kind, which tables are missing; nothing where none are there.
fn missing(entries: &[Entry], most_men: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for men in 3..=most_men {
        let all = Material::all(men);
        for kind in Kind::ALL {
            let has = |material: &Material| {
                let index = entries.binary_search_by_key(material, |entry| entry.material);
                index.is_ok_and(|index| entries[index].shelves[kind as usize].is_some())
            };
            let missing: Vec<String> = all.iter().filter(|material| !has(material)).map(Material::to_string).collect();
            if missing.is_empty() {
                continue;
            }
            let extension = kind.extension();
            lines.push(if missing.len() == all.len() {
                format!("no .{extension} of {men} men")
            } else {
                let more = if missing.len() > NAMED { ", ..." } else { "" };
                let names = missing.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
                format!("{} of {} .{extension} of {men} men missing: {names}{more}", missing.len(), all.len())
            });
        }
    }
    lines
}
