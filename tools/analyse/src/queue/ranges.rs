//! Parses ranges of numbers: `3,5-9,20-`.

/// A set of selected numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Whether a number is selected.
    pub fn contain(&self, number: u64) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&number))
    }

    /// The largest selected number.
    pub fn last(&self) -> u64 {
        self.0.iter().map(|&(_, last)| last).max().unwrap_or(0)
    }
}

/// Parses comma-separated numbers from 1 and ranges, which may be open at either end.
///
/// # Errors
/// Quotes the invalid range.
pub fn ranges(text: &str) -> Result<Ranges, String> {
    let range = |word: &str| -> Option<(u64, u64)> {
        let number =
            |digits: &str, or: u64| if digits.is_empty() { Some(or) } else { digits.parse().ok().filter(|&n| n > 0) };
        match word.trim().split_once('-') {
            _ if word.trim().trim_matches('-').is_empty() => None,
            None => number(word.trim(), 0).map(|number| (number, number)),
            Some((first, last)) => {
                let (first, last) = (number(first.trim(), 1)?, number(last.trim(), u64::MAX)?);
                (first <= last).then_some((first, last))
            }
        }
    };
    let read = |word| range(word).ok_or_else(|| format!("{word:?}: expected numbers from 1 on, such as 3,5-9,20-"));
    text.split(',').map(read).collect::<Result<_, _>>().map(Ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let wanted =
            |text: &str| (1..=12).filter(|&number| ranges(text).unwrap().contain(number)).collect::<Vec<u64>>();
        assert_eq!(wanted("3,5-7, 11-"), [3, 5, 6, 7, 11, 12]);
        assert_eq!(wanted("-2"), [1, 2]);
        assert_eq!((ranges("3,5-9").unwrap().last(), ranges("3-").unwrap().last()), (9, u64::MAX));
        for text in ["", "x", "0", "5-3", "-", "1,,2", "1-2-3", "1.5"] {
            assert!(ranges(text).is_err_and(|error| error.contains("expected numbers from 1 on")), "{text}");
        }
    }
}
