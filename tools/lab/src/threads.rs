//! Lists of thread counts.

use lento_console::setup::threads;

/// Distinct thread counts, as in `--threads 1,2,4`.
pub type ThreadCounts = Box<[usize]>;

/// Parses comma-separated thread counts.
pub fn thread_counts(text: &str) -> Result<ThreadCounts, String> {
    let mut counts = Vec::new();
    for word in text.split(',') {
        let count = threads(word).map_err(|expected| format!("{word:?}: {expected}, separated by commas: 1,2,4"))?;
        if counts.contains(&count) {
            return Err(format!("{count} is listed twice; expected distinct numbers of threads"));
        }
        counts.push(count);
    }
    Ok(counts.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_quote_invalid_parts() {
        assert_eq!(thread_counts("1,2, 16"), Ok([1, 2, 16].into()));
        for (text, quoted) in [("1,x", "\"x\""), ("1,,2", "\"\""), ("4,4", "4 is listed twice"), ("", "\"\"")] {
            assert!(thread_counts(text).is_err_and(|error| error.contains(quoted)), "{text}");
        }
    }
}
