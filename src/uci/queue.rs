//! Commands queued behind a search, with the flags that later commands set on them.

use super::command::Command;

/// Flags set on a command after it was received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// `stop` was received.
    pub stopped: bool,
    /// `ponderhit` was received.
    pub ponderhit: bool,
    /// `wait` was received: only an explicit `stop` ends the work early.
    pub waited: bool,
}

impl Marks {
    /// Applies `quit` or the end of input: stops searches unless `wait` was received, and those that would never end.
    /// Perft and bench finish, as in other engines, and so do saves.
    pub fn close(&mut self, command: &Command) {
        self.stopped |= match command {
            Command::Go(go) => !self.waited || !go.limits.ends_by_itself(self.ponderhit),
            Command::LmrStats { .. } | Command::LoadHash { .. } => !self.waited,
            _ => false,
        };
    }
}

/// A command with its flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The received command.
    pub command: Command,
    /// The flags set since.
    pub marks: Marks,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::parse;

    fn closed(line: &str, marks: Marks) -> bool {
        let mut marks = marks;
        marks.close(&parse(line).command.expect("a command"));
        marks.stopped
    }

    #[test]
    fn closing_stops_searches_unless_waited_for_and_finite() {
        let plain = Marks::default();
        let waited = Marks { waited: true, ..plain };
        assert!(closed("go depth 5", plain) && !closed("go depth 5", waited));
        assert!(!closed("perft 9", plain) && !closed("bench", plain), "other engines finish these");
        assert!(closed("lmrstats off", plain) && !closed("lmrstats off", waited));
        assert!(closed("go infinite", waited) && closed("go ponder depth 9", waited));
        assert!(!closed("go ponder depth 9", Marks { ponderhit: true, ..waited }));
    }
}
