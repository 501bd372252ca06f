use super::*;
use crate::chess::Move;
use crate::score::Bound;

const KEY: u64 = 0x0123_4567_89ab_cdef;
/// Too large for any machine, without overflow.
const HUGE: usize = 1 << 42;

fn entry(depth: i32) -> TtEntry {
    TtEntry { mv: Move::from_word(0x1234), score: 7, eval: None, depth, bound: Bound::Exact, pv: true }
}

/// Resizes on one thread, with this much memory available, if known.
fn resize(table: &mut Tt, mib: usize, available: Option<u64>) -> Result<(), TtError> {
    table.resize_within(available, mib, 1, &mut |_| ())
}

/// A table with an entry.
fn filled(mib: usize) -> Tt {
    let mut table = Tt::empty();
    resize(&mut table, mib, None).unwrap();
    table.store(KEY, entry(5));
    assert_eq!(table.probe(KEY), Some(entry(5)));
    table
}

#[test]
fn all_clusters_are_used() {
    for mib in [1, 2, 3, 7] {
        let table = Tt::new(mib, 3).unwrap();
        let clusters = table.clusters.len();
        assert_eq!((table.size_mib(), clusters), (mib, mib << 14));
        assert_eq!((index(0, clusters), index(u64::MAX, clusters)), (0, clusters - 1));
        for key in [0, 1, u64::MAX / 3, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            assert!(index(key, clusters) < clusters);
            table.prefetch(key);
            table.store(key, entry(1));
            assert_eq!(table.probe(key), Some(entry(1)));
        }
        // Equally spaced keys, one per cluster.
        let share = u64::MAX / clusters as u64 + 1;
        let entry = (0..clusters as u64).map(|nth| index(nth * share + share / 2, clusters));
        assert!(entry.eq(0..clusters));
    }
}

#[test]
fn zero_is_rejected() {
    assert_eq!(Tt::new(0, 1).err(), Some(TtError::Zero));
}

#[test]
fn huge_sizes_are_rejected() {
    let mut table = filled(2);
    for mib in [33_554_432, 1 << 30, HUGE, usize::MAX / MIB as usize, 1 << 44, 1 << 60, usize::MAX] {
        let error = table.resize(mib, 4, &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains(&format!("{mib} MiB")), "{error}");
        assert!(error.to_string().contains("expected"), "{error}");
        assert!(Tt::new(mib, 4).is_err());
    }
    assert_eq!(resize(&mut table, 0, None), Err(TtError::Zero));
    assert_eq!((table.size_mib(), table.probe(KEY)), (2, Some(entry(5))));
    // If the available memory is unknown, the allocator refuses.
    for mib in [HUGE, usize::MAX] {
        assert_eq!(resize(&mut table, mib, None), Err(TtError::Lost(mib)));
        table.store(KEY, entry(1));
        assert_eq!((table.size_mib(), table.probe(KEY)), (0, None));
        assert_eq!((resize(&mut table, 2, None), table.probe(KEY)), (Ok(()), None));
    }
}

#[test]
fn resizing_clears_unless_unchanged() {
    let mut table = filled(2);
    resize(&mut table, 2, Some(0)).unwrap();
    assert_eq!((table.size_mib(), table.probe(KEY)), (2, Some(entry(5))));
    for mib in [3, 1] {
        table.resize(mib, 2, &mut |_| ()).unwrap();
        assert_eq!((table.size_mib(), table.probe(KEY)), (mib, None));
        table.store(KEY, entry(5));
    }
}

#[test]
fn memory_of_the_old_table_counts_as_available() {
    let mut table = filled(4);
    let error = resize(&mut table, 9, Some(2 * MIB)).unwrap_err();
    assert_eq!(error, TtError::Memory { requested: 9, largest: 5 });
    assert_eq!((table.size_mib(), table.probe(KEY)), (4, Some(entry(5))));
    resize(&mut table, 5, Some(2 * MIB)).unwrap();
    assert_eq!((table.size_mib(), table.probe(KEY)), (5, None));
    // A smaller one always fits.
    resize(&mut table, 4, Some(0)).unwrap();
    assert_eq!(table.size_mib(), 4);
}

#[test]
fn tables_without_memory_miss() {
    let mut table = Tt::empty();
    table.store(KEY, entry(3));
    table.prefetch(KEY);
    table.clear(2);
    assert_eq!((table.probe(KEY), table.hashfull(), table.size_mib()), (None, 0, 0));
}

#[test]
fn clear_removes_all_entries() {
    for threads in [0, 1, 2, 64] {
        let mut table = Tt::new(5, threads).unwrap();
        keys(100_000).for_each(|key| table.store(key, entry(2)));
        assert!(keys(100_000).filter(|&key| table.probe(key).is_some()).count() > 90_000);
        table.clear(threads);
        assert_eq!(keys(100_000).filter(|&key| table.probe(key).is_some()).count(), 0);
        assert_eq!((table.hashfull(), table.size_mib()), (0, 5));
    }
}

/// The keys of a cluster are consecutive, and fewer than the tags.
#[test]
fn keys_of_a_cluster_have_different_tags() {
    for mib in [1, 2, 3, 5, 1000, 33_554_432] {
        let clusters = mib << 14;
        let first = |nth: usize| (((nth as u128) << 64).div_ceil(clusters as u128)) as u64;
        for nth in [0, 1, clusters / 3, clusters / 2, clusters - 2] {
            let (low, high) = (first(nth), first(nth + 1) - 1);
            assert_eq!((index(low, clusters), index(high, clusters)), (nth, nth), "{mib} MiB");
            assert!(high - low < 1 << Tag::KEY_BITS, "{mib} MiB");
        }
    }
}

#[test]
fn last_epoch_clears_the_memory() {
    let mut table = filled(1);
    let before = table.epoch;
    for _ in 0..(1 << (64 - Tag::KEY_BITS)) - 1 {
        table.store(KEY, entry(1));
        table.clear(1);
        assert_eq!(table.probe(KEY), None);
    }
    assert_eq!(table.epoch, before);
    assert!(table.clusters.iter().all(|cluster| cluster.used(before, Era::FIRST) == 0));
}

#[test]
fn spreading_pages_keeps_entries() {
    let mut table = filled(8);
    assert!(table.nodes().is_empty() && table.clusters.refusal.is_none());
    // No system has nodes with large numbers.
    for (nodes, must_refuse) in [(&[0][..], false), (&[0, 1023], true), (&[5000, 0], true), (&[], false)] {
        table.spread_over(nodes);
        assert_eq!((table.nodes(), table.probe(KEY)), (nodes, Some(entry(5))));
        assert!(table.clusters.refusal.is_some() || !must_refuse, "{nodes:?}");
        assert!(table.clusters.refusal.is_none() || !nodes.is_empty());
        let mut new = Tt::empty();
        new.spread_over(nodes);
        new.resize(5, 1, &mut |_| ()).unwrap();
        assert_eq!(new.clusters.refusal.is_some(), table.clusters.refusal.is_some(), "{nodes:?}");
    }
}

#[test]
fn hashfull_is_per_mille_of_this_generation() {
    let table = Tt::new(1, 1).unwrap();
    assert_eq!(table.hashfull(), 0);
    // One entry in each cluster of half the sample, and in the same number of clusters beyond it.
    let share = u64::MAX / table.clusters.len() as u64 + 1;
    for cluster in (0..SAMPLE as u64 / 2).chain(SAMPLE as u64..SAMPLE as u64 * 3 / 2) {
        table.store(cluster * share + 1, entry(1));
    }
    assert_eq!(table.hashfull(), 125);
    table.new_search(false);
    assert_eq!(table.hashfull(), 0);
    for cluster in 0..SAMPLE as u64 {
        for nth in 1..=4 {
            table.store(cluster * share + nth, entry(1));
        }
    }
    assert_eq!(table.hashfull(), 1000);
}

#[test]
fn old_deep_entries_are_replaced() {
    let table = Tt::new(1, 1).unwrap();
    let keys = [1, 2, 3, 4];
    keys.iter().for_each(|&key| table.store(key, entry(9)));
    for _ in 0..40 {
        table.new_search(false);
    }
    table.store(4, entry(9));
    for key in 5..8 {
        table.store(key, entry(2));
    }
    assert!(keys[..3].iter().all(|&key| table.probe(key).is_none()));
    assert!((4..8).all(|key| table.probe(key).is_some()));
}

/// Keys distributed over the whole range.
fn keys(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The entries of a table, sorted by key.
fn contents(table: &Tt) -> Vec<Record> {
    let mut records = table.records(0..table.len());
    records.sort_by_key(|record| record.key);
    records
}

#[test]
fn records_have_full_keys() {
    for mib in [1, 2, 3, 7, 16] {
        let mut table = Tt::new(mib, 1).unwrap();
        keys(500).for_each(|key| table.store(key, entry(9)));
        // Only the last epoch counts.
        table.clear(1);
        let ends = [0, 1, u64::MAX, u64::MAX - 1, 1 << 50, (1 << 50) - 1, 1 << 63];
        let mut stored: Vec<u64> = keys(9000).chain(ends).collect();
        stored.sort_unstable();
        stored.dedup();
        for (nth, &key) in stored.iter().enumerate() {
            table.store(key, entry(nth as i32 % 200));
        }
        let held = contents(&table);
        assert!(held.len() > 8900 && held.len() <= stored.len(), "{mib} MiB: {}", held.len());
        for record in held {
            let nth = stored.binary_search(&record.key).expect("a stored key");
            assert_eq!(table.probe(record.key), Some(entry(nth as i32 % 200)));
        }
    }
}

#[test]
fn torn_entries_are_dropped_or_have_other_keys() {
    let table = filled(1);
    let place = table.cluster_index(KEY);
    for (nth, bits) in (0..64).map(|bit| (bit, 1_u64 << bit)) {
        let found = key_at(Tag::new(KEY ^ bits, table.epoch), place, table.len());
        // The upper 14 bits are not in the tag.
        assert_eq!(found == Some(KEY), nth >= Tag::KEY_BITS, "bit {nth}");
    }
    // In a larger table a cluster has fewer keys, so more tags match none.
    let large = Tt::new(64, 1).unwrap();
    let place = large.cluster_index(KEY);
    let lost =
        (0..50).filter(|bit| key_at(Tag::new(KEY ^ 1 << bit, large.epoch), place, large.len()).is_none()).count();
    assert!(lost >= 5, "{lost}");
}

#[test]
fn entries_move_to_tables_of_any_size() {
    for (from, to) in [(1, 1), (1, 5), (4, 1), (3, 2), (2, 3)] {
        let old = Tt::new(from, 1).unwrap();
        for (nth, key) in keys(40_000).enumerate() {
            if nth % 10_000 == 0 {
                old.new_search(false);
            }
            old.store(key, entry(nth as i32 % 100));
        }
        let mut new = Tt::new(to, 1).unwrap();
        new.clear(1);
        (0..13).for_each(|_| new.new_search(false));
        let held = contents(&old);
        let kept = held.iter().filter(|&&record| new.restore(record)).count();
        assert!(kept > held.len() * 9 / 10 && (to < from || kept == held.len()), "{kept} of {}", held.len());
        let back = contents(&new);
        assert!(back.iter().all(|record| held.contains(record)), "entries keep their ages");
        if to >= from {
            assert_eq!(back, held);
        }
    }
}

#[test]
fn restore_never_replaces_more_valuable_entries() {
    let deep = Tt::new(1, 1).unwrap();
    let near = |nth: u64| nth + 1;
    (0..4).for_each(|nth| deep.store(near(nth), entry(50)));
    let record = |key, depth| {
        let other = Tt::new(1, 1).unwrap();
        other.store(key, entry(depth));
        contents(&other)[0]
    };
    assert!(!deep.restore(record(near(4), 50)) && !deep.restore(record(near(5), 3)));
    assert!(deep.restore(record(near(2), 7)), "present already");
    assert_eq!(deep.probe(near(2)), Some(entry(50)));
    assert!(deep.restore(record(near(6), 51)) && deep.restore(record(near(6), 60)));
    assert_eq!(deep.probe(near(6)), Some(entry(60)));
    assert!(!Tt::empty().restore(record(near(1), 1)));
}

/// With deep entries spared, shallow searches in the same generation replace none, of the same position or others.
#[test]
fn spared_entries_survive_shallow_searches() {
    let table = Tt::new(1, 1).unwrap();
    table.new_search(true);
    let deep: Vec<u64> = keys(300).collect();
    deep.iter().for_each(|&key| table.store(key, entry(30)));
    for step in 0..40 {
        deep.iter().for_each(|&key| table.store(key, entry(step % 20)));
        keys(100_000).skip(1000).for_each(|key| table.store(key, entry(step % 10)));
    }
    assert!(deep.iter().all(|&key| table.probe(key) == Some(entry(30))));
    // An entry of similar depth replaces it; without sparing, any exact score does.
    table.store(deep[0], entry(27));
    let other = Tt::new(1, 1).unwrap();
    [30, 1].into_iter().for_each(|depth| other.store(deep[0], entry(depth)));
    assert_eq!([table, other].map(|table| table.probe(deep[0])), [Some(entry(27)), Some(entry(1))]);
}

#[test]
fn description() {
    assert_eq!(Tt::empty().describe(), None);
    let mut table = Tt::new(3, 1).unwrap();
    table.spread_over(&[0, 5000]);
    let line = table.describe().unwrap();
    assert!(line.starts_with("Hash 3 MiB") && line.contains("not spread over memory nodes 0,5000: "), "{line}");
    table.spread_over(&[]);
    assert!(table.describe().is_none_or(|line| line.ends_with(" pages")));
}

#[test]
fn checksum_covers_entries_and_places_but_not_epochs() {
    let keys = [KEY, KEY ^ 1, KEY ^ 1 << 49, 7];
    let sum_with = |table: &Tt, keys: &[u64], depth: i32| {
        keys.iter().for_each(|&key| table.store(key, entry(depth)));
        table.checksum()
    };
    let mut table = filled(1);
    table.clear(1);
    let empty = table.checksum();
    let sums = [sum_with(&table, &keys, 5), sum_with(&Tt::new(1, 1).unwrap(), &keys, 5)];
    assert_eq!(sums[0], sums[1]);
    let mut others = vec![empty, sums[0], Tt::new(2, 1).unwrap().checksum()];
    others.push(sum_with(&Tt::new(1, 1).unwrap(), &keys, 6));
    others.push(sum_with(&Tt::new(1, 1).unwrap(), &keys[1..], 5));
    others.push(sum_with(&Tt::new(1, 1).unwrap(), &[keys[1], keys[0], keys[2], keys[3]], 5));
    let next = Tt::new(1, 1).unwrap();
    next.new_search(false);
    others.push(sum_with(&next, &keys, 5));
    others.sort_unstable();
    assert!(others.is_sorted_by(|one, other| one < other), "{others:?}");
    table.clear(1);
    assert_eq!(table.checksum(), empty);
}
