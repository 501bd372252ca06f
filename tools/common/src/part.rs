//! Splits a run over several machines.

use std::ops::Range;

/// Part `part` of `parts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 1.
    part: u64,
    parts: u64,
}

impl Part {
    /// Whether the part contains an item.
    pub fn has(self, number: u32) -> bool {
        u64::from(number) % self.parts == self.part - 1
    }

    /// The part's range of `all` items. Parts are contiguous, and their sizes differ by at most 1.
    pub fn of(self, all: u64) -> Range<u64> {
        let before = |part: u64| (u128::from(all) * u128::from(part) / u128::from(self.parts)) as u64;
        before(self.part - 1)..before(self.part)
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

/// Parses `K/N`.
///
/// # Errors
/// A message with the expected syntax.
pub fn part(text: &str) -> Result<Part, String> {
    let read = || {
        let (part, parts) = text.split_once('/')?;
        let (part, parts) = (part.trim().parse().ok()?, parts.trim().parse().ok()?);
        (1..=parts).contains(&part).then_some(Part { part, parts })
    };
    read().ok_or_else(|| "expected K/N, such as 1/8 to 8/8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_contiguous() {
        for (all, parts) in [(0, 3), (1, 3), (10, 3), (12, 4), (u64::MAX, 7)] {
            let parts: Vec<Range<u64>> = (1..=parts).map(|part| Part { part, parts }.of(all)).collect();
            assert!(parts[0].start == 0 && parts[parts.len() - 1].end == all, "{parts:?}");
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start), "{parts:?}");
            let sizes = || parts.iter().map(|part| part.end - part.start);
            assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{parts:?}");
        }
        assert_eq!(Part { part: 1, parts: 1 }.of(17), 0..17);
    }

    #[test]
    fn parts_are_disjoint() {
        for number in (0..100).chain([u32::MAX]) {
            assert_eq!((1..=5).filter(|&part| Part { part, parts: 5 }.has(number)).count(), 1);
        }
    }

    #[test]
    fn parses_parts() {
        assert_eq!(part("3/8").map(|part| part.to_string()), Ok("3/8".into()));
        for text in ["0/8", "9/8", "1", "1/0", "/", "a/b", "1/8/2", "-1/8"] {
            assert!(part(text).is_err_and(|error| error.contains("1/8")), "{text}");
        }
    }
}
