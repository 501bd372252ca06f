//! Commands that wait for a search to end, and what was said about them meanwhile.

use super::command::Command;
use std::collections::VecDeque;

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
    /// go on to their sums, as they do in other engines.
    pub fn close(&mut self, command: &Command) {
        self.stopped |= match command {
            Command::Go(go) => !self.waited || !go.limits.ends_by_itself(self.ponderhit),
            Command::LmrStats { .. } => !self.waited,
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

/// Commands in the order they came.
#[derive(Debug, Default)]
pub struct Queue {
    commands: VecDeque<Queued>,
}

impl Queue {
    /// Adds a command at the end.
    pub fn push(&mut self, command: Command, marks: Marks) {
        self.commands.push_back(Queued { command, marks });
    }

    /// Takes the command at the front.
    pub fn pop(&mut self) -> Option<Queued> {
        self.commands.pop_front()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Everything that waits, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Queued> {
        self.commands.iter_mut()
    }
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

    #[test]
    fn first_in_first_out() {
        let mut queue = Queue::default();
        queue.push(Command::Uci, Marks::default());
        queue.push(Command::Eval, Marks::default());
        queue.iter_mut().for_each(|queued| queued.marks.stopped = true);
        let queued = queue.pop().expect("a command");
        assert_eq!((queued.command, queued.marks.stopped), (Command::Uci, true));
        assert!(!queue.is_empty());
        assert!(queue.pop().is_some() && queue.pop().is_none() && queue.is_empty());
    }
}
