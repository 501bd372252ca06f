//! Lines of a search that are said again.

use super::Session;
use crate::uci::format;
use std::time::Instant;

impl Session {
    /// When a line of the search is to be said again.
    pub fn reminder_due(&self) -> Option<Instant> {
        self.work.as_ref()?.reminder.due()
    }

    /// Says again the lines of the search that nothing was heard of for a while, with the nodes and the time of now.
    pub fn remind(&mut self) {
        let lines = self.work.as_mut().map_or_else(Vec::new, |work| work.reminder.take_due(Instant::now()));
        for info in lines {
            // A search that has ended and waits for `stop` has said what there is.
            if let Some(info) = self.engine.as_of_now(info) {
                self.say(&format::info(self.engine.game().board(), &info, self.engine.settings()));
            }
        }
    }
}
