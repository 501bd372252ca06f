//! The Universal Chess Interface.
//!
//! [`command`] and [`go`] parse input, [`options`] declares the options, `format` formats output, all
//! without side effects; [`session`] holds the state and [`run`] is the event loop.

#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod command;
pub mod format;
pub mod genfens;
pub mod go;
pub(crate) mod listing;
pub mod options;
pub mod protocol;
pub mod run;
pub(crate) mod sent_lines;
pub mod session;
pub mod task;
pub mod words;
pub mod writer;
