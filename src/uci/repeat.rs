//! Repeats lines of play during long iterations.

use crate::search::report::Info;
use std::time::{Duration, Instant};

/// The latest state of each line, and when it was last printed.
#[derive(Debug)]
pub struct RepeatTimer {
    after: Duration,
    lines: Vec<(Info, Instant)>,
}

impl RepeatTimer {
    /// Leaves half a second of slack for printing a line every three seconds on a busy machine.
    pub const DEFAULT_AFTER: Duration = Duration::from_millis(2500);

    /// Repeats lines after this time.
    pub fn new(after: Duration) -> Self {
        Self { after, lines: Vec::new() }
    }

    /// Records a printed line.
    pub fn record(&mut self, info: Info, now: Instant) {
        self.lines.retain(|(known, _)| known.multipv != info.multipv);
        self.lines.push((info, now));
    }

    /// When the next line is due, if any.
    pub fn due(&self) -> Option<Instant> {
        self.lines.iter().map(|(_, said)| *said + self.after).min()
    }

    /// Takes the lines that are due, best first, and restarts their timers.
    pub fn take_due(&mut self, now: Instant) -> Vec<Info> {
        let mut due = Vec::new();
        for (info, said) in &mut self.lines {
            if now >= *said + self.after {
                *said = now;
                due.push(info.clone());
            }
        }
        due.sort_by_key(|info| info.multipv);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_own_timer() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let info = |multipv, depth| Info { multipv, depth, ..Info::default() };
        let mut repeat_timer = RepeatTimer::new(Duration::from_secs(10));
        let due = |repeat_timer: &mut RepeatTimer, seconds| {
            let lines = repeat_timer.take_due(at(seconds));
            lines.iter().map(|info| (info.multipv, info.depth)).collect::<Vec<_>>()
        };
        assert_eq!((repeat_timer.due(), due(&mut repeat_timer, 100)), (None, vec![]));
        repeat_timer.record(info(2, 7), at(1));
        repeat_timer.record(info(1, 7), at(0));
        repeat_timer.record(info(1, 8), at(5));
        assert_eq!((repeat_timer.due(), due(&mut repeat_timer, 10)), (Some(at(11)), vec![]));
        assert_eq!(due(&mut repeat_timer, 11), [(2, 7)]);
        assert_eq!((repeat_timer.due(), due(&mut repeat_timer, 21)), (Some(at(15)), vec![(1, 8), (2, 7)]));
        assert_eq!(repeat_timer.due(), Some(at(31)));
    }
}
