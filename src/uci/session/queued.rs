//! A command that waits or runs.

use crate::command::Command;
use crate::sent_lines::SentLines;
use crate::task::Task;
use std::time::Instant;

/// A command with the flags set since it was received.
pub(super) struct Queued {
    pub command: Command,
    /// `stop` was received.
    pub stopped: bool,
    /// `ponderhit` was received.
    pub ponderhit: bool,
    /// `wait` was received: only an explicit `stop` ends the work early.
    pub waited: bool,
}

pub(super) struct Work {
    pub queued: Queued,
    /// The task, unless it is a search of the engine.
    pub task: Option<Task>,
    pub started: Instant,
    pub stopped: Option<Instant>,
    pub sent: SentLines,
}

impl Queued {
    /// Applies `stop`, which does not end the setting of an option.
    pub(super) fn stop(&mut self) {
        self.stopped |= !matches!(self.command, Command::SetOption(..));
    }

    /// Applies `quit` or the end of input: stops searches unless `wait` was received, and those that would never end.
    /// Perft and bench finish, as in other engines. `quit` does not wait for slow options.
    pub(super) fn close(&mut self, quit: bool) {
        self.stopped |= match &self.command {
            Command::Go(go) | Command::Threat(go) => !self.waited || !go.limits.ends_by_itself(self.ponderhit),
            Command::LmrStats(_) | Command::LoadHash(_) => !self.waited,
            Command::SetOption(..) => quit && !self.waited,
            _ => false,
        };
    }
}
