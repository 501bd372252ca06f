//! An entry in a form that suits a table of any size and era.

use super::entry::{Era, Packed, TtEntry};
use crate::score::{INFINITE, MAX_EVAL};

/// An entry with its whole key, and its age in place of its generation. Its numbers are in the ranges of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    key: u64,
    /// Its age is relative to generation 0.
    data: Packed,
}

impl Record {
    /// An entry of a table of this era; `None` if empty, a static evaluation alone, which is cheaper to compute than to store, or
    /// out of range.
    pub fn new(key: u64, data: Packed, era: Era) -> Option<Self> {
        let TtEntry { score, eval, .. } = data.unpack()?;
        let in_range = score.abs() <= INFINITE && eval.is_none_or(|eval| eval.abs() <= MAX_EVAL);
        let deep_enough = data.depth() >= Packed::MIN_DEPTH;
        (in_range && deep_enough).then(|| Self { key, data: data.aged(data.age(era), Era::FIRST) })
    }

    /// An entry of age 0; `None` if out of range.
    pub fn of_search(key: u64, entry: TtEntry) -> Option<Self> {
        Self::new(key, Packed::new(entry, Era::FIRST), Era::FIRST)
    }

    /// The inverse of [`words`](Self::words), for untrusted words; `None` if out of range.
    pub fn from_words([key, data]: [u64; 2]) -> Option<Self> {
        Self::new(key, Packed(data), Era::FIRST)
    }

    /// The key, and the data: from the lowest bit move 16, score 16, evaluation 16, depth 8, bound 2, pv 1, and 5 bits with 32
    /// minus the age in searches.
    pub fn words(self) -> [u64; 2] {
        [self.key, self.data.0]
    }

    /// The key of the position.
    pub fn key(self) -> u64 {
        self.key
    }

    /// The entry for a table of this era.
    pub(super) fn data(self, era: Era) -> Packed {
        self.data.aged(self.data.age(Era::FIRST), era)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Bound;

    #[test]
    fn words_give_back_the_record_in_any_era() {
        let entry = TtEntry { mv: None, score: -31_990, eval: Some(12), depth: 40, bound: Bound::Upper, pv: true };
        for (written, saved, loaded) in [(0, 0, 0), (30, 2, 17), (5, 5, 31), (1, 0, 9)] {
            let [written, saved, loaded] = [written, saved, loaded].map(|nth| Era::FIRST.with_generation(nth));
            let data = Packed::new(entry, written);
            let record = Record::new(77, data, saved).unwrap();
            assert_eq!(Record::from_words(record.words()), Some(record));
            let back = record.data(loaded);
            assert_eq!((back.unpack(), back.age(loaded)), (Some(entry), data.age(saved)));
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let entry = TtEntry { mv: None, score: 0, eval: None, depth: 1, bound: Bound::Exact, pv: false };
        let known = |entry| Record::from_words([1, Packed::new(entry, Era::FIRST).0]).is_some();
        assert!(known(entry) && known(TtEntry { score: -INFINITE, eval: Some(MAX_EVAL), depth: -7, ..entry }));
        assert!(
            !known(TtEntry::of_eval(5))
                && !known(TtEntry { score: INFINITE + 1, ..entry })
                && !known(TtEntry { eval: Some(-MAX_EVAL - 1), ..entry })
        );
        // No bound, and less than the least depth.
        assert_eq!((Record::from_words([1, 0]), Record::from_words([1, 3 << 56])), (None, None));
    }
}
