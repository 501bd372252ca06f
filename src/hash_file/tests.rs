use super::*;
use crate::chess::Move;
use crate::score::Bound;
use crate::tt::{Record, Tt, TtEntry};
use lento_testing::Folder;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn identity() -> Identity {
    Identity { engine: "Lento 1".into(), evaluation: "a network".into(), fingerprint: 77 }
}

fn options(path: PathBuf, compress: bool, threads: usize) -> SaveOptions {
    let origin = Origin { position: "startpos moves e2e4".into(), depth: 31 };
    SaveOptions { path, compress, threads, origin, keeps_older: false }
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
        let entry = TtEntry { mv, score: nth as i32 % 900 - 450, eval, depth: nth as i32 % 40 - 3, bound, pv };
        table.store(nth.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry);
        if nth % 50_000 == 0 {
            table.new_search(false);
        }
    }
    table
}

fn contents(table: &Tt) -> Vec<Record> {
    let mut records = table.records(0..table.len());
    records.sort_by_key(|record| record.key);
    records
}

fn load_all(path: &Path, table: &Tt) -> Loaded {
    load(path, &identity(), table, 2, &mut proceed).unwrap()
}

type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

#[test]
fn tables_round_trip_in_any_size_and_packing() {
    let folder = Folder::new("whole");
    let table = filled(3, 100_000);
    let held = contents(&table);
    for (compress, threads, mib) in [(false, 1, 3), (false, 3, 7), (true, 2, 4)] {
        let options = options(folder.at("table"), compress, threads);
        let saved = save(&table, &identity(), &options, &mut proceed).unwrap();
        assert_eq!((saved.entries, saved.bytes), (held.len() as u64, fs::metadata(&options.path).unwrap().len()));
        assert_eq!(folder.names(), ["table"], "no draft is left");
        assert!(saved.bytes < held.len() as u64 * if compress { 14 } else { 17 });
        let other = Tt::new(mib, 1).unwrap();
        let loaded = load_all(&options.path, &other);
        assert_eq!(loaded.origin, options.origin);
        assert_eq!((loaded.read, loaded.kept), (saved.entries, saved.entries));
        assert_eq!(contents(&other), held);
    }
    // A smaller table keeps the most valuable entries.
    let small = Tt::new(1, 1).unwrap();
    let loaded = load_all(&folder.at("table"), &small);
    assert!(loaded.kept < loaded.read);
    let kept = contents(&small);
    assert!(kept.len() > 60_000 && kept.iter().all(|record| held.contains(record)));
}

#[test]
fn damaged_files_are_rejected() {
    let folder = Folder::new("damaged");
    for compress in [false, true] {
        let options = options(folder.at("table"), compress, 1);
        let table = filled(6, 30_000);
        save(&table, &identity(), &options, &mut proceed).unwrap();
        let whole = fs::read(&options.path).unwrap();
        let (middle, end) = (whole.len() / 2, whole.len());
        let damages: [Damage; 6] = [
            &|bytes| bytes[middle] ^= 0x10,
            &|bytes| bytes[end - 1] ^= 1,
            &|bytes| bytes[middle..middle + 5000].fill(0),
            &|bytes| bytes.truncate(middle),
            &|bytes| bytes.truncate(end - 1),
            &|bytes| bytes.push(0),
        ];
        for (number, damage) in damages.iter().enumerate() {
            let mut bytes = whole.clone();
            damage(&mut bytes);
            fs::write(&options.path, bytes).unwrap();
            let other = Tt::new(6, 1).unwrap();
            let loaded = load(&options.path, &identity(), &other, 2, &mut proceed);
            assert!(
                matches!(&loaded, Err(HashFileError::Refused(why)) if why.contains("damaged")),
                "{number}: {loaded:?}"
            );
            assert!(contents(&other).is_empty());
        }
    }
}

#[test]
fn all_bytes_of_a_small_file_are_checked() {
    let folder = Folder::new("bits");
    let options = options(folder.at("table"), false, 1);
    save(&filled(1, 9), &identity(), &options, &mut proceed).unwrap();
    let whole = fs::read(&options.path).unwrap();
    let other = Tt::new(1, 1).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&options.path, bytes).unwrap();
        assert!(load(&options.path, &identity(), &other, 1, &mut proceed).is_err(), "byte {at}");
    }
    for size in 0..whole.len() {
        fs::write(&options.path, &whole[..size]).unwrap();
        assert!(load(&options.path, &identity(), &other, 1, &mut proceed).is_err(), "{size} bytes");
    }
    assert!(contents(&other).is_empty());
    fs::write(&options.path, whole).unwrap();
    assert_eq!(load_all(&options.path, &other).kept, 9);
}

#[test]
fn invalid_entries_are_skipped() {
    let folder = Folder::new("strange");
    let options = options(folder.at("table"), false, 1);
    save(&filled(1, 9), &identity(), &options, &mut proceed).unwrap();
    let mut bytes = fs::read(&options.path).unwrap();
    // Remove the bound of the last entry and fix the checksum.
    let end = bytes.len() - 4;
    bytes[end - 1] &= !3;
    let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&sum);
    fs::write(&options.path, bytes).unwrap();
    assert_eq!(load_all(&options.path, &Tt::new(1, 1).unwrap()).kept, 8);
}

#[test]
fn foreign_files_are_rejected() {
    let folder = Folder::new("foreign");
    let options = options(folder.at("table"), false, 1);
    let table = filled(1, 100);
    save(&table, &identity(), &options, &mut proceed).unwrap();
    let other = Tt::new(1, 1).unwrap();
    let error =
        |path: &Path, identity: &Identity| load(path, identity, &other, 1, &mut proceed).unwrap_err().to_string();
    let newer = Identity { fingerprint: 78, evaluation: "another network".into(), ..identity() };
    let text = error(&options.path, &newer);
    assert!(text.contains("\"a network\", expected") && text.contains("\"another network\""), "{text}");
    let text = error(&options.path, &Identity { fingerprint: 78, ..identity() });
    assert!(text.ends_with("evaluation results differ"), "{text}");
    let mut cases = vec![(folder.path().to_owned(), "it is a folder, expected a regular file")];
    for (name, bytes, reason) in [
        ("empty", &b""[..], "does not begin with LENTOHSH"),
        ("text", &[b'x'; 9000], "does not begin with LENTOHSH"),
        ("short", b"LENTOHSH\x02\0\0\0\0\x10\0\0", "it is damaged or incomplete"),
        ("huge", b"LENTOHSH\x02\0\0\0mmmmmmmmdddd\xff\xff\xff\xffssssssss", "it is damaged or incomplete"),
        ("older", b"LENTOHSH\x01\0\0\0\0\x10\0\0", "version 1, expected version 2"),
    ] {
        fs::write(folder.at(name), bytes).unwrap();
        cases.push((folder.at(name), reason));
    }
    for (path, reason) in cases {
        let text = error(&path, &identity());
        assert!(text.contains(reason), "{text}");
    }
    assert!(contents(&other).is_empty());
}

#[test]
fn failed_saves_leave_older_files_unchanged() {
    let folder = Folder::new("early");
    let options = options(folder.at("table"), false, 2);
    fs::write(&options.path, "old").unwrap();
    let unchanged =
        || assert_eq!((folder.names(), fs::read(&options.path).unwrap()), (vec!["table".into()], b"old".to_vec()));
    let error = save(&filled(4, 1000), &identity(), &options, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, HashFileError::Cancelled), "{error}");
    unchanged();
    for empty in [Tt::empty(), Tt::new(1, 1).unwrap()] {
        let error = save(&empty, &identity(), &options, &mut proceed).unwrap_err();
        assert!(matches!(error, HashFileError::Empty), "{error}");
        unchanged();
    }
    let error =
        save(&filled(1, 9), &identity(), &self::options(folder.path().to_owned(), false, 1), &mut proceed).unwrap_err();
    assert!(error.to_string().contains("it is a folder, expected a regular file"), "{error}");
}

#[test]
fn progress_is_reported_and_loading_can_be_cancelled() {
    let folder = Folder::new("progress");
    let (options, table) = (options(folder.at("table"), false, 1), filled(5, 50_000));
    let mut reported = Vec::new();
    let mut note = |Progress { done, total }| {
        reported.push((done, total));
        ControlFlow::Continue(())
    };
    save(&table, &identity(), &options, &mut note).unwrap();
    assert_eq!(reported, [0, 1, 2, 3, 4].map(|mib| (mib << 20, 5 << 20)));
    let size = fs::metadata(&options.path).unwrap().len();
    let mut reported = Vec::new();
    let mut note = |Progress { done, total }| {
        reported.push(done);
        assert!(done <= total && total == size);
        ControlFlow::Continue(())
    };
    load(&options.path, &identity(), &Tt::new(1, 1).unwrap(), 1, &mut note).unwrap();
    assert!(reported.is_sorted() && reported.last().is_some_and(|&done| done > size - 100), "{reported:?} of {size}");
    let cancel = &mut |_| ControlFlow::Break(());
    let error = load(&options.path, &identity(), &Tt::new(1, 1).unwrap(), 1, cancel).unwrap_err();
    assert!(matches!(error, HashFileError::Cancelled), "{error}");
}
