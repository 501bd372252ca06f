//! What reaches a conversation besides the news of its search.

use std::time::SystemTime;

/// A message for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A line of input, and when it was read.
    Line(String, SystemTime),
    /// There is no more input.
    EndOfInput,
    /// The number of a task and a line that it prints, or `None` when it has ended.
    Task(u64, Option<String>),
}
