//! Parsers of arguments: thread counts, sizes, times and names. Errors state what is expected.

use super::units;
use crate::engine::Engine;
use crate::search::lmr;
use std::time::Duration;

fn within(text: &str, most: usize, what: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected {what} from 1 to {most}"))
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    within(text, Engine::MAX_THREADS, "a number of threads")
}

/// Parses a hash table size in MiB.
pub fn hash(text: &str) -> Result<usize, String> {
    within(text, Engine::MAX_HASH, "the size of the hash table, in MiB,")
}

/// Parses a number of repetitions.
pub fn repetitions(text: &str) -> Result<usize, String> {
    within(text, 1000, "a number of repetitions")
}

/// Parses a positive time.
pub fn positive_time(text: &str) -> Result<Duration, String> {
    let time = units::parse_time(text)?;
    if time.is_zero() { Err("expected a time above zero, such as 30s".into()) } else { Ok(time) }
}

/// The item found by its name, or an error that lists the names.
pub(super) fn one_of<T>(found: Option<T>, names: &[&str]) -> Result<T, String> {
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// Parses the name of a late move reduction recipe.
pub fn recipe(name: &str) -> Result<&'static str, String> {
    let found = lmr::names().iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    one_of(found, lmr::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked_against_their_ranges() {
        assert_eq!((threads("16"), hash("33554432"), repetitions("1")), (Ok(16), Ok(33_554_432), Ok(1)));
        for text in ["", "0", "1025", "-1", "1.5", "two"] {
            assert!(threads(text).is_err_and(|error| error.contains("expected a number of threads from 1 to 1024")));
        }
        assert!(positive_time("0s").is_err() && positive_time("soon").is_err() && positive_time("1ms").is_ok());
    }
}
