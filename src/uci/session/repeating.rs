//! Repeated lines of the running search.

use super::Session;
use crate::uci::format;
use std::time::Instant;

impl Session {
    /// When a line is due to be repeated.
    pub fn repeat_due(&self) -> Option<Instant> {
        self.work.as_ref()?.repeat_timer.due()
    }

    /// Repeats lines not printed for a while, with current nodes and time.
    pub fn repeat_lines(&mut self) {
        let lines = self.work.as_mut().map_or_else(Vec::new, |work| work.repeat_timer.take_due(Instant::now()));
        for info in lines {
            // A finished search waiting for `stop` has nothing new.
            if let Some(info) = self.engine.with_current_counters(info) {
                self.print(&format::info(self.engine.game().board(), &info, self.engine.settings()));
            }
        }
    }
}
