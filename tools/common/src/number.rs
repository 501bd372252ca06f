//! Numbers on the command line.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Parses a number within a range.
pub fn within<T: FromStr + PartialOrd>(text: &str, range: RangeInclusive<T>, expected: &str) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected {expected}"))
}

/// Parses a share from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    within(text, 0.0..=1.0, "a number from 0 to 1")
}

/// Parses a count from 1 to 2^30.
pub fn count<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let expected = "a number from 1 to 1073741824";
    within::<u64>(text, 1..=1 << 30, expected)?.try_into().map_err(|_| format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_errors() {
        assert_eq!((share("0"), share("0.25"), share("1")), (Ok(0.0), Ok(0.25), Ok(1.0)));
        assert_eq!(count::<u64>("16384"), Ok(16_384));
        for text in ["-0.1", "1.1", "nan", "half", ""] {
            assert_eq!(share(text), Err("expected a number from 0 to 1".to_owned()), "{text}");
        }
        for text in ["0", "-1", "1.5", "9999999999"] {
            assert_eq!(count::<u64>(text), Err("expected a number from 1 to 1073741824".to_owned()), "{text}");
        }
    }
}
