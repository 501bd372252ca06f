//! One cache line of the table, and its replacement scheme.

use super::entry::{Era, Packed, TtEntry};
use crate::score::Bound;
use crate::sync::{AtomicU64, Ordering::Relaxed};

pub(super) const SLOTS: usize = 4;

/// Number of times the table has been cleared. Entries of earlier epochs are treated as empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch(u64);

impl Epoch {
    /// The epoch of a new table. Zeroed memory has no epoch.
    pub(super) const FIRST: Self = Self(1 << Tag::KEY_BITS);

    /// The next epoch; `None` after the last.
    pub(super) fn next(self) -> Option<Self> {
        self.0.checked_add(Self::FIRST.0).map(Self)
    }
}

/// Identifies an entry: the lower bits of its key, with the epoch in place of the upper bits. Keys of one cluster differ in their
/// lower bits, since there are more clusters than values of the upper bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(u64);

impl Tag {
    /// Bits of the key in a tag. A table has at least 2^(64 - `KEY_BITS`) clusters.
    pub(super) const KEY_BITS: u32 = 50;

    /// The tag of a key.
    #[inline(always)]
    pub(super) fn new(key: u64, epoch: Epoch) -> Self {
        Self(key & (Epoch::FIRST.0 - 1) | epoch.0)
    }

    /// The lower bits of the key.
    pub(super) fn key_bits(self) -> u64 {
        self.0 & (Epoch::FIRST.0 - 1)
    }

    #[inline(always)]
    fn has_epoch_of(self, other: Self) -> bool {
        (self.0 ^ other.0) >> Self::KEY_BITS == 0
    }
}

/// Four slots, filling one cache line.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Cluster([Slot; SLOTS]);

/// An entry and its tag.
#[derive(Default)]
struct Slot {
    /// The tag xored with the data.
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The tag and the data. If the words are from different writers, the tag matches no probe.
    #[inline(always)]
    fn load(&self) -> (Tag, Packed) {
        let (check, data) = (self.check.load(Relaxed), self.data.load(Relaxed));
        (Tag(check ^ data), Packed(data))
    }

    #[inline(always)]
    fn store(&self, tag: Tag, data: Packed) {
        self.check.store(tag.0 ^ data.0, Relaxed);
        self.data.store(data.0, Relaxed);
    }
}

impl Cluster {
    /// Plies of depth equivalent to one search of age.
    const AGE_WEIGHT: i32 = 8;
    /// An entry of the same position and search stays if deeper by this margin in plies, unless the new score is exact.
    const MARGIN: i32 = 4;
    /// Increase of the margin if the new entry is of a PV node, in plies.
    const PV_MARGIN: i32 = 2;

    /// The entry with a tag. Its generation is not refreshed, so that the cache line stays shared by the cores that read it; nodes
    /// without cutoff store their entry again anyway.
    #[inline(always)]
    pub(super) fn probe(&self, tag: Tag) -> Option<TtEntry> {
        for slot in &self.0 {
            let (found, data) = slot.load();
            if found == tag {
                return data.unpack();
            }
        }
        None
    }

    /// Stores an entry in the slot of the same tag, else in one of another epoch, else in place of the least valuable entry. An
    /// entry without a move inherits its predecessor's. A much deeper predecessor of the same search stays.
    #[inline(always)]
    pub(super) fn store(&self, tag: Tag, mut entry: TtEntry, era: Era) {
        let mut target = &self.0[0];
        let mut least = i32::MAX;
        for slot in &self.0 {
            let (found, old) = slot.load();
            if found == tag {
                if old.age(era) == 0 && Self::outweighs(old.depth(), &entry, era) {
                    return;
                }
                entry.mv = entry.mv.or(old.mv());
                target = slot;
                break;
            }
            let value = if found.has_epoch_of(tag) { Self::value(old, era) } else { i32::MIN };
            if value < least {
                least = value;
                target = slot;
            }
        }
        target.store(tag, Packed::new(entry, era));
    }

    /// The entry that [`store`](Self::store) would leave under a tag; `None` if it would change nothing.
    pub(super) fn successor(&self, tag: Tag, entry: TtEntry, era: Era) -> Option<TtEntry> {
        match self.0.iter().map(Slot::load).find(|&(found, _)| found == tag) {
            Some((_, old)) if old.age(era) == 0 && Self::outweighs(old.depth(), &entry, era) => None,
            Some((_, old)) => Some(TtEntry { mv: entry.mv.or(old.mv()), ..entry }),
            None => Some(entry),
        }
    }

    /// Stores an entry in the slot of the same tag, unless that is deeper, else in one of another epoch, else in place of the least
    /// valuable entry, if that is less valuable. Returns whether the cluster now has an entry with the tag of at least this depth.
    pub(super) fn restore(&self, tag: Tag, data: Packed, era: Era) -> bool {
        let same = self.0.iter().find(|slot| slot.load().0 == tag);
        if same.is_some_and(|slot| slot.load().1.depth() > data.depth()) {
            return true;
        }
        let value = |slot: &&Slot| match slot.load() {
            (found, old) if found.has_epoch_of(tag) => Self::value(old, era),
            _ => i32::MIN,
        };
        let least = || self.0.iter().min_by_key(value).filter(|slot| value(slot) < Self::value(data, era));
        same.or_else(least).inspect(|slot| slot.store(tag, data)).is_some()
    }

    /// The entries of this epoch, including torn ones under wrong tags.
    pub(super) fn entries(&self, epoch: Epoch) -> impl Iterator<Item = (Tag, Packed)> {
        self.0.iter().map(Slot::load).filter(move |(tag, _)| tag.has_epoch_of(Tag(epoch.0)))
    }

    /// The number of entries of this epoch and generation.
    pub(super) fn used(&self, epoch: Epoch, era: Era) -> usize {
        self.entries(epoch).filter(|(_, data)| data.age(era) == 0).count()
    }

    /// Whether an entry of the same position and search, of `depth` plies, is too deep to be replaced.
    #[inline(always)]
    pub(super) fn outweighs(depth: i32, new: &TtEntry, era: Era) -> bool {
        let margin = Self::MARGIN + if new.pv { Self::PV_MARGIN } else { 0 };
        (new.bound != Bound::Exact || era.spares_deep()) && new.depth + margin <= depth
    }

    /// The value of an entry for replacement, in plies.
    #[inline(always)]
    fn value(data: Packed, era: Era) -> i32 {
        data.depth() - Self::AGE_WEIGHT * data.age(era)
    }
}

#[cfg(test)]
mod tests;
