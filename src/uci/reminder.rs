//! Lines of play that nothing was heard of for a while are said again: whoever watches a long iteration sees that it goes on, and
//! what is known.

use crate::search::report::Info;
use std::time::{Duration, Instant};

/// The latest state of each line, and when it was said.
#[derive(Debug)]
pub struct Reminder {
    after: Duration,
    lines: Vec<(Info, Instant)>,
}

impl Reminder {
    /// Nobody waits longer than three seconds for a line, also where the machine is busy.
    pub const USUAL: Duration = Duration::from_millis(2500);

    /// Lines are said again after this time.
    pub fn new(after: Duration) -> Self {
        Self { after, lines: Vec::new() }
    }

    /// A line was said.
    pub fn said(&mut self, info: Info, now: Instant) {
        self.lines.retain(|(known, _)| known.multipv != info.multipv);
        self.lines.push((info, now));
    }

    /// When a line is to be said again, if any is known.
    pub fn due(&self) -> Option<Instant> {
        self.lines.iter().map(|(_, said)| *said + self.after).min()
    }

    /// The lines that are to be said again, best first; they count as said.
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
    fn each_line_is_said_again_in_its_time() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let info = |multipv, depth| Info { multipv, depth, ..Info::default() };
        let mut reminder = Reminder::new(Duration::from_secs(10));
        let due = |reminder: &mut Reminder, seconds| {
            let lines = reminder.take_due(at(seconds));
            lines.iter().map(|info| (info.multipv, info.depth)).collect::<Vec<_>>()
        };
        assert_eq!((reminder.due(), due(&mut reminder, 100)), (None, vec![]));
        reminder.said(info(2, 7), at(1));
        reminder.said(info(1, 7), at(0));
        reminder.said(info(1, 8), at(5));
        assert_eq!((reminder.due(), due(&mut reminder, 10)), (Some(at(11)), vec![]));
        assert_eq!(due(&mut reminder, 11), [(2, 7)]);
        assert_eq!((reminder.due(), due(&mut reminder, 21)), (Some(at(15)), vec![(1, 8), (2, 7)]));
        assert_eq!(reminder.due(), Some(at(31)));
    }
}
