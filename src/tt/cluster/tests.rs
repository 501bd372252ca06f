#[cfg(loom)]
mod model;

use super::*;
use crate::chess::Move;

fn entry(depth: i32) -> TtEntry {
    TtEntry { mv: Move::from_word(0x1234), score: 7, eval: Some(-3), depth, bound: Bound::Lower, pv: false }
}

fn era(generation: u8) -> Era {
    Era(generation)
}

fn store(cluster: &Cluster, key: u64, entry: TtEntry, generation: u8) {
    cluster.store(Tag::new(key, Epoch::FIRST), entry, era(generation));
}

fn probe(cluster: &Cluster, key: u64) -> Option<TtEntry> {
    cluster.probe(Tag::new(key, Epoch::FIRST))
}

fn depths(cluster: &Cluster, keys: &[u64]) -> Vec<Option<i32>> {
    keys.iter().map(|&key| probe(cluster, key).map(|entry| entry.depth)).collect()
}

#[test]
fn fills_one_cache_line() {
    assert_eq!((size_of::<Cluster>(), align_of::<Cluster>()), (64, 64));
}

#[test]
fn empty_clusters_miss() {
    let cluster = Cluster::default();
    assert_eq!((probe(&cluster, 0), probe(&cluster, 1)), (None, None));
    store(&cluster, 0, entry(-7), 5);
    assert_eq!(probe(&cluster, 0), Some(entry(-7)));
}

#[test]
fn all_tag_bits_are_compared() {
    let cluster = Cluster::default();
    let key = 0x0123_4567_89ab_cdef;
    store(&cluster, key, entry(3), 0);
    assert_eq!(probe(&cluster, key), Some(entry(3)));
    for bit in 0..64 {
        assert_eq!(cluster.probe(Tag(Tag::new(key, Epoch::FIRST).0 ^ 1 << bit)), None);
    }
}

#[test]
fn torn_entries_miss() {
    let (one, two) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
    let data = [entry(3), entry(9), TtEntry { score: 8, ..entry(3) }].map(|entry| Packed::new(entry, era(0)));
    let cluster = Cluster::default();
    // Words of two positions.
    let check = Tag::new(one, Epoch::FIRST).0 ^ data[0].0;
    cluster.0[0].check.store(check, Relaxed);
    cluster.0[0].data.store(data[1].0, Relaxed);
    // Words of one position, from two searches.
    cluster.0[1].check.store(check, Relaxed);
    cluster.0[1].data.store(data[2].0, Relaxed);
    assert_eq!((probe(&cluster, one), probe(&cluster, two)), (None, None));
    cluster.0[1].data.store(data[0].0, Relaxed);
    assert_eq!(probe(&cluster, one), Some(entry(3)));
}

#[test]
fn empty_slots_are_taken_first_and_then_the_shallowest() {
    let cluster = Cluster::default();
    for (key, depth) in [(1, 9), (2, -7), (3, 5), (4, 6)] {
        store(&cluster, key, entry(depth), 31);
    }
    assert_eq!(depths(&cluster, &[1, 2, 3, 4]), [Some(9), Some(-7), Some(5), Some(6)]);
    store(&cluster, 5, entry(1), 31);
    assert_eq!(depths(&cluster, &[1, 2, 3, 4, 5]), [Some(9), None, Some(5), Some(6), Some(1)]);
}

#[test]
fn empty_slots_are_taken_before_the_oldest_entry() {
    let cluster = Cluster::default();
    store(&cluster, 1, entry(0), 1);
    // After 31 searches the generation is 0, as in an empty slot.
    for key in 2..=4 {
        store(&cluster, key, entry(0), 0);
    }
    assert_eq!(depths(&cluster, &[1, 2, 3, 4]), [Some(0); 4]);
}

#[test]
fn old_generations_go_first() {
    let cluster = Cluster::default();
    // Of age 3, 2, 1 and 0, across the wrap-around.
    for (key, depth, generation) in [(1, 20, 30), (2, 11, 31), (3, 4, 0), (4, 1, 1)] {
        store(&cluster, key, entry(depth), generation);
    }
    // The values are 20 - 24, 11 - 16, 4 - 8 and 1.
    store(&cluster, 5, entry(1), 1);
    assert_eq!(depths(&cluster, &[1, 2, 3, 4, 5]), [Some(20), None, Some(4), Some(1), Some(1)]);
    // One of two equal entries is replaced; both are less valuable than the newest.
    store(&cluster, 6, entry(-3), 1);
    store(&cluster, 7, entry(30), 1);
    let left = depths(&cluster, &[1, 3, 4, 5, 6, 7]);
    assert_eq!(left[2..4], [Some(1), Some(1)]);
    assert_eq!(left[5], Some(30));
    assert_eq!(left.iter().flatten().count(), 4);
}

#[test]
fn same_key_keeps_its_slot_and_move() {
    let cluster = Cluster::default();
    for key in 1..=4 {
        store(&cluster, key, entry(key as i32), 0);
    }
    let deeper = TtEntry { mv: None, bound: Bound::Upper, ..entry(12) };
    store(&cluster, 3, deeper, 0);
    assert_eq!(probe(&cluster, 3), Some(TtEntry { mv: entry(0).mv, ..deeper }));
    assert_eq!(depths(&cluster, &[1, 2, 4]), [Some(1), Some(2), Some(4)]);
    let other = TtEntry { mv: Move::from_word(0x777), ..entry(12) };
    store(&cluster, 3, other, 0);
    assert_eq!(probe(&cluster, 3), Some(other));
}

#[test]
fn much_deeper_entry_of_the_same_search_stays() {
    let start = || {
        let cluster = Cluster::default();
        store(&cluster, 1, entry(10), 4);
        cluster
    };
    for (new, generation, replaced) in [
        (entry(6), 4, false),
        (entry(7), 4, true),
        (TtEntry { pv: true, ..entry(4) }, 4, false),
        (TtEntry { pv: true, ..entry(5) }, 4, true),
        (TtEntry { bound: Bound::Exact, ..entry(0) }, 4, true),
        (entry(0), 5, true),
    ] {
        let cluster = start();
        store(&cluster, 1, new, generation);
        assert_eq!(probe(&cluster, 1), Some(if replaced { new } else { entry(10) }), "{new:?}");
    }
}

#[test]
fn used_counts_this_generation_only() {
    let cluster = Cluster::default();
    assert_eq!(cluster.used(Epoch::FIRST, era(0)), 0);
    for (key, generation) in [(1, 0), (2, 0), (3, 1)] {
        store(&cluster, key, entry(1), generation);
    }
    assert_eq!(
        (cluster.used(Epoch::FIRST, era(0)), cluster.used(Epoch::FIRST, era(1)), cluster.used(Epoch::FIRST, era(2))),
        (2, 1, 0)
    );
}

#[test]
fn entries_of_earlier_epochs_miss_and_are_replaced() {
    let cluster = Cluster::default();
    (1..=4).for_each(|key| store(&cluster, key, entry(100), 3));
    let next = Epoch::FIRST.next().unwrap();
    assert_eq!((cluster.probe(Tag::new(1, next)), cluster.used(next, era(3))), (None, 0));
    for key in 1..=4 {
        cluster.store(Tag::new(key, next), TtEntry { mv: None, ..entry(-7) }, era(3));
    }
    // No moves are inherited, and no deep entries spared.
    let found: Vec<_> = (1..=4).filter_map(|key| cluster.probe(Tag::new(key, next))).collect();
    assert_eq!(found, [TtEntry { mv: None, ..entry(-7) }; 4]);
    assert_eq!((cluster.used(next, era(3)), cluster.used(Epoch::FIRST, era(3))), (4, 0));
}

#[test]
fn number_of_epochs() {
    let count = std::iter::successors(Some(Epoch::FIRST), |epoch| epoch.next()).count();
    assert_eq!(count, (1 << (64 - Tag::KEY_BITS)) - 1);
}
