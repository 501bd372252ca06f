//! Integration tests of library and binary, in one program to save link time.

mod binary;
#[path = "common/data.rs"]
mod data;
#[cfg(unix)]
mod docs;
mod fuzz;
mod interfaces;
mod rules;
mod search;

use binary::harness;
