//! What reaches a conversation besides the news of its search.

use std::time::SystemTime;

/// A message for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A line of input, and when it was read.
    Line(String, SystemTime),
    /// There is no more input.
    EndOfInput,
    /// A line that a task prints, or `None` when the task has ended.
    Task(TaskId, Option<String>),
}

/// Tells the tasks of a conversation apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskId(u64);

impl TaskId {
    /// The next one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
