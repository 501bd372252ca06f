use super::*;
use crate::chess::Move;
use crate::score::Bound;
use crate::tt::{Record, Tt, TtEntry};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lento-hash-file-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("table")
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn identity() -> Identity {
    Identity { engine: "Lento 1".into(), evaluation: "a network".into(), meaning: 77 }
}

fn options(path: PathBuf, compress: bool, threads: usize) -> SaveOptions {
    let origin = Origin { position: "startpos moves e2e4".into(), depth: 31 };
    SaveOptions { path, compress, effort: Effort::Threads(threads), origin, keep_older: false }
}

fn proceed(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A table with entries of all kinds.
fn filled(mib: usize, entries: u64) -> Tt {
    let table = Tt::new(mib, 1).unwrap();
    for nth in 0..entries {
        let eval = (nth % 5 > 0).then_some(nth as i32 % 500 - 250);
        let bound = [Bound::Upper, Bound::Lower, Bound::Exact][nth as usize % 3];
        let (mv, pv) = (Move::from_word(nth as u16), nth % 7 == 0);
        let hit = TtEntry { mv, score: nth as i32 % 900 - 450, eval, depth: nth as i32 % 40 - 3, bound, pv };
        table.store(nth.wrapping_mul(0x9e37_79b9_7f4a_7c15), hit);
        if nth % 50_000 == 0 {
            table.new_search();
        }
    }
    table
}

fn contents(table: &Tt) -> Vec<Record> {
    let mut records = Vec::new();
    table.collect(0..table.len(), &mut records);
    records.sort_by_key(|record| record.key());
    records
}

fn load_all(path: &Path, table: &Tt) -> Loaded {
    load(path, &identity(), table, 2, &mut proceed).unwrap()
}

#[test]
fn tables_round_trip_in_any_size_and_packing() {
    let folder = Folder::new("whole");
    let table = filled(3, 100_000);
    let held = contents(&table);
    for (compress, threads, mib) in [(false, 1, 3), (false, 3, 7), (true, 2, 4)] {
        let options = options(folder.file(), compress, threads);
        let saved = save(&table, &identity(), &options, &mut proceed).unwrap();
        assert_eq!((saved.entries, saved.bytes), (held.len() as u64, fs::metadata(&options.path).unwrap().len()));
        assert_eq!(folder.names(), ["table"], "no draft is left");
        assert!(saved.bytes < held.len() as u64 * if compress { 14 } else { 17 });
        let other = Tt::new(mib, 1).unwrap();
        let loaded = load_all(&options.path, &other);
        assert_eq!((&loaded.origin, &loaded.refused), (&options.origin, &Refused::default()));
        assert_eq!((loaded.read, loaded.kept), (saved.entries, saved.entries));
        assert_eq!(contents(&other), held);
    }
    // A smaller table keeps the most valuable entries.
    let small = Tt::new(1, 1).unwrap();
    let loaded = load_all(&folder.file(), &small);
    assert!(loaded.kept < loaded.read && loaded.refused == Refused::default());
    let kept = contents(&small);
    assert!(kept.len() > 60_000 && kept.iter().all(|record| held.contains(record)));
}

#[test]
fn damaged_blocks_are_refused_and_the_rest_is_kept() {
    let folder = Folder::new("damaged");
    for compress in [false, true] {
        let options = options(folder.file(), compress, 1);
        let table = filled(6, 30_000);
        save(&table, &identity(), &options, &mut proceed).unwrap();
        let (whole, held) = (fs::read(&options.path).unwrap(), contents(&table));
        let damage = |change: &mut dyn FnMut(&mut Vec<u8>)| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            fs::write(&options.path, bytes).unwrap();
            let other = Tt::new(6, 1).unwrap();
            let loaded = load_all(&options.path, &other);
            assert!(contents(&other).iter().all(|record| held.contains(record)), "no invented entries");
            loaded
        };
        let starts: Vec<usize> =
            (0..whole.len()).step_by(ALIGNMENT).filter(|&at| whole[at..].starts_with(b"LENTOBLK")).collect();
        assert_eq!(starts.len(), 6);
        // Any byte of a block's header or content.
        for at in [starts[2] + 700, starts[2], starts[2] + 9, starts[2] + 30, starts[2] + 41, starts[2] + 44] {
            let loaded = damage(&mut |bytes| bytes[at] ^= 0x10);
            assert_eq!(loaded.refused.blocks, 1, "byte {at}: {:?}", loaded.refused);
            assert!(loaded.kept > held.len() as u64 * 4 / 5 && !loaded.refused.notes.is_empty());
        }
        // Damage across two blocks.
        let loaded = damage(&mut |bytes| bytes[starts[3] - 5000..starts[3] + 100].fill(0));
        assert_eq!(loaded.refused.blocks, 2, "{:?}", loaded.refused);
        // Truncated within or between blocks.
        for (end, missing) in [(starts[4] + 500, 2), (starts[4], 2), (starts[5] + 20, 1)] {
            let loaded = damage(&mut |bytes| bytes.truncate(end));
            assert_eq!(loaded.refused.blocks, missing, "{end}: {:?}", loaded.refused);
            assert!(loaded.refused.notes.iter().any(|note| note.contains("the file ends after")));
        }
        // Trailing bytes are ignored.
        let loaded = damage(&mut |bytes| bytes.extend([7; 10_000]));
        assert_eq!((loaded.kept, loaded.refused), (held.len() as u64, Refused::default()));
    }
}

#[test]
fn every_byte_of_a_small_file_is_checked() {
    let folder = Folder::new("bits");
    let options = options(folder.file(), false, 1);
    let table = filled(1, 9);
    let saved = save(&table, &identity(), &options, &mut proceed).unwrap();
    let (whole, held) = (fs::read(&options.path).unwrap(), contents(&table));
    // The content with some bytes around it; the rest is padding.
    assert_eq!(saved.bytes, 2 * ALIGNMENT as u64);
    let used = (0..200).chain(ALIGNMENT - 8..ALIGNMENT + 44 + 9 * 16);
    for at in used {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&options.path, bytes).unwrap();
        let other = Tt::new(1, 1).unwrap();
        match load(&options.path, &identity(), &other, 1, &mut proceed) {
            Ok(loaded) => assert!(loaded.refused.blocks == 1 && loaded.kept == 0, "byte {at}: {loaded:?}"),
            Err(error) => assert!(at < ALIGNMENT, "byte {at}: {error}"),
        }
        assert!(contents(&other).is_empty());
    }
    assert_eq!(held.len(), 9);
}

#[test]
fn invalid_entries_are_skipped() {
    let folder = Folder::new("strange");
    let options = options(folder.file(), false, 1);
    save(&filled(1, 9), &identity(), &options, &mut proceed).unwrap();
    let mut bytes = fs::read(&options.path).unwrap();
    // Remove the bound of the first entry and fix the checksums.
    let block = &mut bytes[ALIGNMENT..];
    block[44 + 15] &= !3;
    let sum = crc32fast::hash(&block[44..44 + 9 * 16]).to_le_bytes();
    block[36..40].copy_from_slice(&sum);
    let sum = crc32fast::hash(&block[..40]).to_le_bytes();
    block[40..44].copy_from_slice(&sum);
    fs::write(&options.path, bytes).unwrap();
    let loaded = load_all(&options.path, &Tt::new(1, 1).unwrap());
    assert_eq!((loaded.kept, loaded.refused.entries, loaded.refused.blocks), (8, 1, 0));
}

#[test]
fn foreign_files_are_refused() {
    let folder = Folder::new("foreign");
    let options = options(folder.file(), false, 1);
    let table = filled(1, 100);
    save(&table, &identity(), &options, &mut proceed).unwrap();
    let other = Tt::new(1, 1).unwrap();
    let refusal =
        |path: &Path, identity: &Identity| load(path, identity, &other, 1, &mut proceed).unwrap_err().to_string();
    let newer = Identity { meaning: 78, evaluation: "another network".into(), ..identity() };
    let text = refusal(&options.path, &newer);
    assert!(text.contains("\"a network\", expected") && text.contains("\"another network\""), "{text}");
    let text = refusal(&options.path, &Identity { meaning: 78, ..identity() });
    assert!(text.ends_with("evaluation results differ"), "{text}");
    let mut cases = vec![(folder.0.clone(), "it is a folder, expected a regular file")];
    for (name, bytes, reason) in [
        ("empty", &b""[..], "does not begin with LENTOHSH"),
        ("text", &[b'x'; 9000], "does not begin with LENTOHSH"),
        ("short", b"LENTOHSH\x01\0\0\0\0\x10\0\0", "its header is damaged"),
        ("huge", b"LENTOHSH\x01\0\0\0\0\xf0\xff\xff", "its header is damaged"),
        ("newer", b"LENTOHSH\x02\0\0\0\0\x10\0\0", "version 2, expected version 1"),
    ] {
        fs::write(folder.0.join(name), bytes).unwrap();
        cases.push((folder.0.join(name), reason));
    }
    for (path, reason) in cases {
        let text = refusal(&path, &identity());
        assert!(text.contains(reason) && text.contains(&path.display().to_string()), "{text}");
    }
    assert!(contents(&other).is_empty());
}

#[test]
fn a_failed_save_leaves_older_files_unchanged() {
    let folder = Folder::new("early");
    let options = options(folder.file(), false, 2);
    fs::write(&options.path, "old").unwrap();
    let stays =
        || assert_eq!((folder.names(), fs::read(&options.path).unwrap()), (vec!["table".into()], b"old".to_vec()));
    let error = save(&filled(4, 1000), &identity(), &options, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, SaveError::Cancelled(_)), "{error}");
    stays();
    for empty in [Tt::empty(), Tt::new(1, 1).unwrap()] {
        let error = save(&empty, &identity(), &options, &mut proceed).unwrap_err();
        assert!(matches!(error, SaveError::Empty(_)), "{error}");
        stays();
    }
    let error = save(&filled(1, 9), &identity(), &self::options(folder.0.clone(), false, 1), &mut proceed).unwrap_err();
    assert!(error.to_string().contains("it is a folder, expected a regular file"), "{error}");
    let options = SaveOptions { keep_older: true, ..options };
    save(&filled(1, 9), &identity(), &options, &mut proceed).unwrap();
    assert_eq!(
        (folder.names(), fs::read(backup_path(&options.path)).unwrap()),
        (vec!["table".into(), "table.old".into()], b"old".to_vec())
    );
}

#[test]
fn progress_reaches_the_total_and_loading_can_be_cancelled() {
    let folder = Folder::new("progress");
    let (options, table) = (options(folder.file(), false, 1), filled(5, 50_000));
    let mut reported = Vec::new();
    let mut note = |Progress { done, total }| {
        reported.push((done, total));
        ControlFlow::Continue(())
    };
    save(&table, &identity(), &options, &mut note).unwrap();
    assert_eq!(reported, [0, 1, 2, 3, 4, 5].map(|mib| (mib << 20, 5 << 20)));
    let error =
        load(&options.path, &identity(), &Tt::new(1, 1).unwrap(), 1, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, LoadError::Cancelled(_)), "{error}");
}
