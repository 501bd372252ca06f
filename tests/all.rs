//! All tests of the library and the binary from outside, in one program: each further one costs a newcomer half a minute.

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
