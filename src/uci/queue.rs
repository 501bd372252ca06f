//! Commands that wait for a search to end, and what was said about them meanwhile.

use super::command::Command;

/// What was said about work after it was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// `stop` came.
    pub stopped: bool,
    /// `ponderhit` came.
    pub ponderhit: bool,
    /// `wait` came: only an explicit `stop` may end it early.
    pub waited: bool,
}

impl Marks {
    /// The program is to end: a search that nobody waits for is stopped, and so is one that would never end. Perft and bench
    /// go on to their sums, as they do in other engines, and what is to be saved is saved.
    pub fn close(&mut self, command: &Command) {
        self.stopped |= match command {
            Command::Go(go) => !self.waited || !go.limits.ends_by_itself(self.ponderhit),
            Command::LmrStats { .. } | Command::LoadHash { .. } => !self.waited,
            _ => false,
        };
    }
}

/// A command with its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The command.
    pub command: Command,
    /// What was said about it since.
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
    fn closing_stops_what_nobody_waits_for_and_what_never_ends() {
        let plain = Marks::default();
        let waited = Marks { waited: true, ..plain };
        assert!(closed("go depth 5", plain) && !closed("go depth 5", waited));
        assert!(!closed("perft 9", plain) && !closed("bench", plain), "other engines finish these");
        assert!(closed("lmrstats off", plain) && !closed("lmrstats off", waited));
        assert!(closed("go infinite", waited) && closed("go ponder depth 9", waited));
        assert!(!closed("go ponder depth 9", Marks { ponderhit: true, ..waited }));
    }
}
