//! The option `Hash`: a large table shows that it is being made.

use super::format;
use super::options::Target;
use crate::tt::TtError;
use std::time::{Duration, Instant};

/// Makes a table of so many MiB. While that takes longer than a second, lines say once a second how far it has come.
///
/// # Errors
/// There is not enough memory.
pub fn set(target: &mut Target, mib: usize) -> Result<(), String> {
    let Target { engine, voice } = target;
    let mut pace = Pace::starting(Instant::now());
    let tell = &mut |ready: usize| {
        if ready < mib && pace.is_due(Instant::now()) {
            voice.say_now(&format::message(&format!("Hash: {ready} of {mib} MiB ready")));
        }
    };
    engine.set_hash_telling(mib, tell).map_err(|error| match error {
        // It says itself what there is instead.
        TtError::Lost { .. } => error.to_string(),
        _ => format!("{error}; the old table stays"),
    })
}

/// When to say how far work has come.
pub(super) struct Pace {
    next: Instant,
}

impl Pace {
    const PAUSE: Duration = Duration::from_secs(1);

    /// For work that begins now.
    pub(super) fn starting(now: Instant) -> Self {
        Self { next: now + Self::PAUSE }
    }

    /// Whether a second has passed since the start, or since this was last so.
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
    fn once_a_second_from_the_first_second_on() {
        let start = Instant::now();
        let mut pace = Pace::starting(start);
        let due: Vec<u64> = (0..5000).filter(|&ms| pace.is_due(start + Duration::from_millis(ms))).collect();
        assert_eq!(due, [1000, 2000, 3000, 4000]);
        // Work that was not heard of for long is heard of once.
        assert!(pace.is_due(start + Duration::from_millis(9500)));
        assert!(!pace.is_due(start + Duration::from_millis(10_000)));
        assert!(pace.is_due(start + Duration::from_millis(10_500)));
    }
}
