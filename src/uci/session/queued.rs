//! Queued and running commands.

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
    /// Applies `stop`, which does not cancel `setoption`.
    pub(super) fn stop(&mut self) {
        self.stopped |= !matches!(self.command, Command::SetOption(..));
    }

    /// Applies `quit` or the end of input: stops infinite searches, and others unless `wait` was received. Perft and bench
    /// finish, as in other engines. `quit` does not wait for slow options and loads.
    pub(super) fn close(&mut self, quit: bool) {
        self.stopped |= match &self.command {
            Command::Go(go) | Command::Threat(go) => !self.waited || !go.limits.is_finite(self.ponderhit),
            Command::LmrStats(_) => !self.waited,
            Command::LoadHash(_) | Command::SetOption(..) => quit && !self.waited,
            _ => false,
        };
    }
}
