//! Sets of CPUs or NUMA nodes in the list format of Linux: `0-3,8,10-11`.

use std::collections::BTreeSet;

/// CPUs or NUMA nodes, by number.
pub type CpuSet = BTreeSet<usize>;

/// The largest supported number, a limit of `sched_setaffinity`.
pub const MAX: usize = 1023;

/// Parses a list. Spaces around numbers are allowed, duplicates are not.
pub fn parse(text: &str) -> Result<CpuSet, String> {
    let mut set = CpuSet::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first.trim(), part)?, number(last.trim(), part)?);
        if last < first {
            return Err(format!("the range {part:?} ends before it starts"));
        }
        for cpu in first..=last {
            if !set.insert(cpu) {
                return Err(format!("{cpu} is listed twice"));
            }
        }
    }
    Ok(set)
}

fn number(word: &str, part: &str) -> Result<usize, String> {
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{part:?} is not a number or a range such as 0-15"));
    }
    let number = word.parse().ok().filter(|&number| number <= MAX);
    number.ok_or_else(|| format!("{word:?} is above {MAX}, the largest supported number"))
}

/// Formats a list.
pub fn format(set: &CpuSet) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &cpu in set {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let text = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    ranges.into_iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_normalised() {
        let normal = |text: &str| parse(text).map(|set| format(&set));
        assert_eq!(normal("0"), Ok("0".into()));
        assert_eq!(normal(" 3, 0-1,2 ,7 - 9,1023"), Ok("0-3,7-9,1023".into()));
        assert_eq!(format(&CpuSet::new()), "");
    }

    #[test]
    fn invalid_lists_are_quoted() {
        for bad in ["", "-", "a", "+1", "0x1", "1-", "-1", "1-2-3", "1.5", "٣"] {
            assert_eq!(parse(bad), Err(format!("{bad:?} is not a number or a range such as 0-15")));
        }
        for (bad, error) in [
            ("0,,1", "\"\" is not a number or a range such as 0-15"),
            ("0-1024", "\"1024\" is above 1023, the largest supported number"),
            ("99999999999999999999", "\"99999999999999999999\" is above 1023, the largest supported number"),
            ("3-2", "the range \"3-2\" ends before it starts"),
            ("0-3,2", "2 is listed twice"),
        ] {
            assert_eq!(parse(bad), Err(error.into()));
        }
    }

    proptest! {
        #[test]
        fn format_and_parse_round_trip(set in prop::collection::btree_set(0..=MAX, 1..80)) {
            prop_assert_eq!(parse(&format(&set)), Ok(set));
        }
    }
}
