//! One cache line of the table: where a key may lie, and which entry gives way to a new one.

use super::entry::{Hit, Packed};
use crate::score::Bound;
use crate::smp::sync::{AtomicU64, Ordering::Relaxed};

#[cfg(all(test, loom))]
mod model;

/// How many entries share a cache line.
pub const SLOTS: usize = 4;

/// Four slots, filling one cache line.
#[derive(Default)]
#[repr(align(64))]
pub struct Cluster([Slot; SLOTS]);

/// An entry and the check that it belongs to a key.
#[derive(Default)]
struct Slot {
    /// The key xored with the data.
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The key that the two words belong to, and the data. Should they come from two writers, the key is none that
    /// anybody looks for.
    #[inline(always)]
    fn load(&self) -> (u64, Packed) {
        let (check, data) = (self.check.load(Relaxed), self.data.load(Relaxed));
        (check ^ data, Packed(data))
    }

    #[inline(always)]
    fn store(&self, key: u64, data: Packed) {
        self.check.store(key ^ data.0, Relaxed);
        self.data.store(data.0, Relaxed);
    }
}

impl Cluster {
    /// How many plies of depth an entry has to be ahead for each search that it is older.
    const AGE_WEIGHT: i32 = 8;
    /// An entry of the same position from the same search stays when it is at least this many plies deeper, unless
    /// the new score is exact.
    const DEEPER: i32 = 4;
    /// How many plies more that margin has for a node of the principal variation.
    const PV_BONUS: i32 = 2;

    /// The entry under a key, if it is here. Nothing is written, not even a new generation: the line stays shared by
    /// all the cores that read it, and a node that the hit does not end stores its entry anew anyway.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<Hit> {
        for slot in &self.0 {
            let (found, data) = slot.load();
            if found == key {
                return data.hit();
            }
        }
        None
    }

    /// Keeps an entry. It takes the slot of the same key if there is one (and then inherits the move, if it has none
    /// itself, or gives up, if what is there is much deeper and as new), else that of the entry worth least.
    #[inline(always)]
    pub fn store(&self, key: u64, mut hit: Hit, generation: u8) {
        let mut target = &self.0[0];
        let mut least = i32::MAX;
        for slot in &self.0 {
            let (found, old) = slot.load();
            if found == key {
                if Self::outweighs(old, &hit, generation) {
                    return;
                }
                hit.mv = hit.mv.or(old.mv());
                target = slot;
                break;
            }
            let worth = Self::worth(old, generation);
            if worth < least {
                least = worth;
                target = slot;
            }
        }
        target.store(key, Packed::new(hit, generation));
    }

    /// How many of the slots hold an entry of this generation.
    pub fn used(&self, generation: u8) -> usize {
        let current = |data: Packed| !data.is_empty() && data.age(generation) == 0;
        self.0.iter().filter(|slot| current(Packed(slot.data.load(Relaxed)))).count()
    }

    /// Whether what is known about a position is too good to be replaced by what is new.
    #[inline(always)]
    fn outweighs(old: Packed, new: &Hit, generation: u8) -> bool {
        let margin = Self::DEEPER + if new.pv { Self::PV_BONUS } else { 0 };
        new.bound != Bound::Exact && old.age(generation) == 0 && new.depth + margin <= old.depth()
    }

    /// What an entry is worth, in plies; an empty slot is worth less than any.
    #[inline(always)]
    fn worth(data: Packed, generation: u8) -> i32 {
        if data.is_empty() { i32::MIN } else { data.depth() - Self::AGE_WEIGHT * data.age(generation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;

    fn entry(depth: i32) -> Hit {
        Hit { mv: Move::from_word(0x1234), score: 7, eval: Some(-3), depth, bound: Bound::Lower, pv: false }
    }

    fn depths(cluster: &Cluster, keys: &[u64]) -> Vec<Option<i32>> {
        keys.iter().map(|&key| cluster.probe(key).map(|hit| hit.depth)).collect()
    }

    #[test]
    fn fills_one_cache_line() {
        assert_eq!((size_of::<Cluster>(), align_of::<Cluster>()), (64, 64));
    }

    #[test]
    fn empty_has_no_key_not_even_zero() {
        let cluster = Cluster::default();
        assert_eq!((cluster.probe(0), cluster.probe(1)), (None, None));
        cluster.store(0, entry(-7), 5);
        assert_eq!(cluster.probe(0), Some(entry(-7)));
    }

    #[test]
    fn any_single_bit_of_the_key_matters() {
        let cluster = Cluster::default();
        let key = 0x0123_4567_89ab_cdef;
        cluster.store(key, entry(3), 0);
        assert_eq!(cluster.probe(key), Some(entry(3)));
        for bit in 0..64 {
            assert_eq!(cluster.probe(key ^ 1 << bit), None);
        }
    }

    #[test]
    fn words_of_two_writers_are_a_miss() {
        let (one, two) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
        let data = [entry(3), entry(9), Hit { score: 8, ..entry(3) }].map(|hit| Packed::new(hit, 0));
        let cluster = Cluster::default();
        // Of two positions.
        cluster.0[0].check.store(one ^ data[0].0, Relaxed);
        cluster.0[0].data.store(data[1].0, Relaxed);
        // Of one position, from two searches of it.
        cluster.0[1].check.store(one ^ data[0].0, Relaxed);
        cluster.0[1].data.store(data[2].0, Relaxed);
        assert_eq!((cluster.probe(one), cluster.probe(two)), (None, None));
        cluster.0[1].data.store(data[0].0, Relaxed);
        assert_eq!(cluster.probe(one), Some(entry(3)));
    }

    #[test]
    fn empty_slots_are_taken_first_and_then_the_shallowest() {
        let cluster = Cluster::default();
        for (key, depth) in [(1, 9), (2, -7), (3, 5), (4, 6)] {
            cluster.store(key, entry(depth), 31);
        }
        assert_eq!(depths(&cluster, &[1, 2, 3, 4]), [Some(9), Some(-7), Some(5), Some(6)]);
        cluster.store(5, entry(1), 31);
        assert_eq!(depths(&cluster, &[1, 2, 3, 4, 5]), [Some(9), None, Some(5), Some(6), Some(1)]);
    }

    #[test]
    fn an_empty_slot_is_taken_before_the_oldest_entry() {
        let cluster = Cluster::default();
        cluster.store(1, entry(0), 1);
        // 31 searches later the generation is 0, as that of an empty slot seems to be.
        for key in 2..=4 {
            cluster.store(key, entry(0), 0);
        }
        assert_eq!(depths(&cluster, &[1, 2, 3, 4]), [Some(0); 4]);
    }

    #[test]
    fn old_generations_go_first() {
        let cluster = Cluster::default();
        // The generations are 3, 2, 1 and 0 searches ago, across their wrap-around.
        for (key, depth, generation) in [(1, 20, 30), (2, 11, 31), (3, 4, 0), (4, 1, 1)] {
            cluster.store(key, entry(depth), generation);
        }
        // Worth 20 - 24, 11 - 16, 4 - 8 and 1.
        cluster.store(5, entry(1), 1);
        assert_eq!(depths(&cluster, &[1, 2, 3, 4, 5]), [Some(20), None, Some(4), Some(1), Some(1)]);
        // Of two worth the same, any may go; both are worth less than the newest ones.
        cluster.store(6, entry(-3), 1);
        cluster.store(7, entry(30), 1);
        let left = depths(&cluster, &[1, 3, 4, 5, 6, 7]);
        assert_eq!(left[2..4], [Some(1), Some(1)]);
        assert_eq!(left[5], Some(30));
        assert_eq!(left.iter().flatten().count(), 4);
    }

    #[test]
    fn same_key_keeps_its_slot_and_its_move() {
        let cluster = Cluster::default();
        for key in 1..=4 {
            cluster.store(key, entry(key as i32), 0);
        }
        let deeper = Hit { mv: None, bound: Bound::Upper, ..entry(12) };
        cluster.store(3, deeper, 0);
        assert_eq!(cluster.probe(3), Some(Hit { mv: entry(0).mv, ..deeper }));
        assert_eq!(depths(&cluster, &[1, 2, 4]), [Some(1), Some(2), Some(4)]);
        let other = Hit { mv: Move::from_word(0x777), ..entry(12) };
        cluster.store(3, other, 0);
        assert_eq!(cluster.probe(3), Some(other));
    }

    #[test]
    fn much_deeper_entry_of_the_same_search_stays() {
        let start = || {
            let cluster = Cluster::default();
            cluster.store(1, entry(10), 4);
            cluster
        };
        for (new, generation, replaced) in [
            (entry(6), 4, false),
            (entry(7), 4, true),
            (Hit { pv: true, ..entry(4) }, 4, false),
            (Hit { pv: true, ..entry(5) }, 4, true),
            (Hit { bound: Bound::Exact, ..entry(0) }, 4, true),
            (entry(0), 5, true),
        ] {
            let cluster = start();
            cluster.store(1, new, generation);
            assert_eq!(cluster.probe(1), Some(if replaced { new } else { entry(10) }), "{new:?}");
        }
    }

    #[test]
    fn used_counts_this_generation_only() {
        let cluster = Cluster::default();
        assert_eq!(cluster.used(0), 0);
        for (key, generation) in [(1, 0), (2, 0), (3, 1)] {
            cluster.store(key, entry(1), generation);
        }
        assert_eq!((cluster.used(0), cluster.used(1), cluster.used(2)), (2, 1, 0));
    }
}
