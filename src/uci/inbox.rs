//! What reaches a conversation besides the news of its search.

use crate::hash_file::Origin;
use std::time::SystemTime;

/// A message for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A line of input, and when it was read.
    Line(String, SystemTime),
    /// There is no more input.
    EndOfInput,
    /// The number of a task, and what it has to tell.
    Task(u64, TaskNews),
}

/// What a task has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskNews {
    /// A line that it prints.
    Line(String),
    /// A line that says why something could not be done.
    Problem(String),
    /// It has loaded a hash table that is about this.
    Loaded(Origin),
    /// It has ended.
    Ended,
}
