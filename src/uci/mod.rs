//! The Universal Chess Interface: text in, text out.
//!
//! [`command`] and [`go`] read a line, [`options`] declares what can be set, [`format`](mod@format) writes the
//! answers, all without side effects; [`session`] holds the state of a conversation and [`run`] feeds it.

pub mod command;
pub mod format;
pub mod go;
pub mod hangup;
pub mod hash;
pub mod hash_file;
pub mod inbox;
pub mod listing;
pub mod log;
pub mod options;
pub mod problem;
pub mod queue;
pub mod rebel;
mod reminder;
pub mod run;
pub mod session;
pub mod shown;
pub mod statistics;
mod syzygy;
pub mod task;
pub mod voice;
pub mod words;
