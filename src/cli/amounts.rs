//! Numbers of threads, sizes and times as arguments.

use super::units;
use crate::engine::Engine;
use std::time::Duration;

fn within(text: &str, most: usize, what: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected {what} from 1 to {most}"))
}

/// A number of threads.
///
/// # Errors
/// Says what is expected.
pub fn threads(text: &str) -> Result<usize, String> {
    within(text, Engine::MOST_THREADS, "a number of threads")
}

/// The size of a hash table in MiB.
///
/// # Errors
/// Says what is expected.
pub fn hash(text: &str) -> Result<usize, String> {
    within(text, Engine::MOST_HASH, "the size of the hash table, in MiB,")
}

/// How often to do something.
///
/// # Errors
/// Says what is expected.
pub fn repetitions(text: &str) -> Result<usize, String> {
    within(text, 1000, "a number of repetitions")
}

/// A time that is not nothing.
///
/// # Errors
/// Says what is expected.
pub fn some_time(text: &str) -> Result<Duration, String> {
    let time = units::parse_time(text)?;
    if time.is_zero() { Err("expected more than no time, such as 30s".into()) } else { Ok(time) }
}

/// Several numbers of threads: what `--threads 1,2,4` is read into. No number may come twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCounts(pub Vec<usize>);

/// Reads several numbers of threads with commas between them.
///
/// # Errors
/// Quotes what is no number, and says what is expected.
pub fn thread_counts(text: &str) -> Result<ThreadCounts, String> {
    let mut counts = Vec::new();
    for word in text.split(',') {
        let count =
            threads(word).map_err(|expected| format!("{word:?}: {expected}, with commas between them: 1,2,4"))?;
        if counts.contains(&count) {
            return Err(format!("{count} comes twice; expected different numbers of threads"));
        }
        counts.push(count);
    }
    Ok(ThreadCounts(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_within_their_ranges() {
        assert_eq!((threads("16"), hash("33554432"), repetitions("1")), (Ok(16), Ok(33_554_432), Ok(1)));
        for text in ["", "0", "1025", "-1", "1.5", "two"] {
            assert!(threads(text).is_err_and(|error| error.contains("expected a number of threads from 1 to 1024")));
        }
        assert!(some_time("0s").is_err() && some_time("soon").is_err() && some_time("1ms").is_ok());
    }

    #[test]
    fn lists_of_threads_quote_what_they_do_not_know() {
        assert_eq!(thread_counts("1,2, 16"), Ok(ThreadCounts(vec![1, 2, 16])));
        for (text, quoted) in [("1,x", "\"x\""), ("1,,2", "\"\""), ("4,4", "4 comes twice"), ("", "\"\"")] {
            assert!(thread_counts(text).is_err_and(|error| error.contains(quoted)), "{text}");
        }
    }
}
