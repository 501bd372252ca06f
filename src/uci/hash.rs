//! The option `Hash`, with progress messages for large tables.

use super::format;
use super::options::Target;
use crate::tt::TtError;
use std::time::{Duration, Instant};

/// Allocates a table of `mib` MiB, reporting progress once a second.
///
/// # Errors
/// Out of memory.
pub fn set(target: &mut Target, mib: usize) -> Result<(), String> {
    let Target { engine, writer } = target;
    let mut timer = ProgressTimer::starting(Instant::now());
    let report = &mut |ready: usize| {
        if ready < mib && timer.is_due(Instant::now()) {
            writer.print_now(&format::message(&format!("Hash: {ready} of {mib} MiB ready")));
        }
    };
    engine.set_hash_with_progress(mib, report).map_err(|error| match error {
        // The message already names the replacement.
        TtError::Lost { .. } => error.to_string(),
        _ => format!("{error}; keeping the old table"),
    })
}

/// Paces progress messages.
pub(super) struct ProgressTimer {
    next: Instant,
}

impl ProgressTimer {
    const PAUSE: Duration = Duration::from_secs(1);

    /// For work starting at `now`.
    pub(super) fn starting(now: Instant) -> Self {
        Self { next: now + Self::PAUSE }
    }

    /// Whether a second has passed since the start or the last time this was true.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let due = now >= self.next;
        if due {
            self.next = now + Self::PAUSE;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_once_a_second_after_the_first_second() {
        let start = Instant::now();
        let mut timer = ProgressTimer::starting(start);
        let due: Vec<u64> = (0..5000).filter(|&ms| timer.is_due(start + Duration::from_millis(ms))).collect();
        assert_eq!(due, [1000, 2000, 3000, 4000]);
        // A long gap counts once.
        assert!(timer.is_due(start + Duration::from_millis(9500)));
        assert!(!timer.is_due(start + Duration::from_millis(10_000)));
        assert!(timer.is_due(start + Duration::from_millis(10_500)));
    }
}
