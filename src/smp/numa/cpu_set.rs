//! Sets of CPUs or memory nodes in Linux list format: `0-3,8,10-11`.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

const WORDS: usize = CpuSet::SIZE / 64;

/// A set of numbers below [`SIZE`](Self::SIZE).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CpuSet([u64; WORDS]);

/// Why a list is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CpuSetError {
    /// Neither a number nor a range.
    #[error("{0:?} is not a number or a range such as 0-15")]
    Number(String),
    /// A number is too large.
    #[error("{0:?} is above {last}, the largest supported number", last = CpuSet::SIZE - 1)]
    TooLarge(String),
    /// A range is reversed.
    #[error("the range {0:?} ends before it starts")]
    Backwards(String),
    /// A duplicate number.
    #[error("{0} is listed twice")]
    Twice(usize),
}

impl CpuSet {
    /// One more than the largest number, a limit of `sched_setaffinity`.
    pub const SIZE: usize = 1024;

    /// Whether the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Inserts a number, ignoring those too large.
    pub fn insert(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// The smallest number.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..Self::SIZE).filter(|&number| self.contains(number))
    }

    /// The intersection.
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// The union.
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The difference.
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Whether this is a subset of `other`.
    pub fn is_within(&self, other: &Self) -> bool {
        self.without(other).is_empty()
    }

    /// Parses a list from the system, ignoring numbers from [`SIZE`](Self::SIZE).
    pub(super) fn of_system(list: &str) -> Option<Self> {
        let mut set = Self::default();
        for part in list.trim().split(',').filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
            set.extend(first..=last.min(Self::SIZE - 1));
        }
        Some(set)
    }
}

impl Extend<usize> for CpuSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.insert(number));
    }
}

impl FromIterator<usize> for CpuSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Self::default();
        set.extend(numbers);
        set
    }
}

impl FromStr for CpuSet {
    type Err = CpuSetError;

    /// Parses `0-3,8`. Spaces around numbers are allowed, duplicates are not.
    fn from_str(text: &str) -> Result<Self, CpuSetError> {
        let number = |word: &str, part: &str| {
            let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            if !digits {
                return Err(CpuSetError::Number(part.into()));
            }
            word.parse().ok().filter(|&n| n < Self::SIZE).ok_or_else(|| CpuSetError::TooLarge(word.into()))
        };
        let mut set = Self::default();
        for part in text.split(',').map(str::trim) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first.trim(), part)?, number(last.trim(), part)?);
            if last < first {
                return Err(CpuSetError::Backwards(part.into()));
            }
            if let Some(twice) = (first..=last).find(|&n| set.contains(n)) {
                return Err(CpuSetError::Twice(twice));
            }
            set.extend(first..=last);
        }
        Ok(set)
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let starts = self.iter().filter(|&n| n == 0 || !self.contains(n - 1));
        for (index, first) in starts.enumerate() {
            let last = (first..).find(|n| !self.contains(n + 1)).unwrap_or(first);
            let comma = if index == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}-{last}")? }
        }
        Ok(())
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<String, CpuSetError> {
        text.parse::<CpuSet>().map(|set| set.to_string())
    }

    #[test]
    fn lists_are_normalised() {
        assert_eq!(parse("0"), Ok("0".into()));
        assert_eq!(parse(" 3, 0-1,2 ,7 - 9,1023"), Ok("0-3,7-9,1023".into()));
        assert_eq!(CpuSet::default().to_string(), "");
        assert_eq!(CpuSet::of_system("0-1,4,2000-3000,1020-1030\n").unwrap().to_string(), "0-1,4,1020-1023");
        assert_eq!(CpuSet::of_system("\n"), Some(CpuSet::default()));
        assert_eq!(CpuSet::of_system("x"), None);
    }

    #[test]
    fn invalid_lists_are_quoted() {
        use CpuSetError::*;
        for bad in ["", "-", "a", "+1", "0x1", "1-", "-1", "1-2-3", "1.5", "٣"] {
            assert_eq!(parse(bad), Err(Number(bad.into())), "{bad}");
        }
        assert_eq!(parse("0,,1"), Err(Number(String::new())));
        assert_eq!(parse("0-1024"), Err(TooLarge("1024".into())));
        assert_eq!(parse("99999999999999999999"), Err(TooLarge("99999999999999999999".into())));
        assert_eq!(parse("3-2"), Err(Backwards("3-2".into())));
        assert_eq!(parse("0-3,2"), Err(Twice(2)));
    }

    proptest! {
        #[test]
        fn display_and_parse_round_trip(numbers in prop::collection::btree_set(0..CpuSet::SIZE, 1..80)) {
            let set: CpuSet = numbers.iter().copied().collect();
            prop_assert!(set.iter().eq(numbers.iter().copied()));
            prop_assert_eq!(set.len(), numbers.len());
            prop_assert_eq!(set.to_string().parse(), Ok(set));
            prop_assert_eq!(CpuSet::of_system(&set.to_string()), Some(set));
        }
    }
}
