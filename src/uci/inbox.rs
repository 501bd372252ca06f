//! Messages to the event loop.

use crate::hash_file::Origin;
use std::time::SystemTime;

/// A message for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A line of input, and the time it was read.
    Line(String, SystemTime),
    /// The end of input.
    EndOfInput,
    /// A task's id and event.
    Task(u64, TaskEvent),
}

/// Events of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// A line to print.
    Line(String),
    /// An error to print.
    Problem(String),
    /// A hash file was loaded; its origin.
    Loaded(Origin),
    /// The task has ended.
    Ended,
}
