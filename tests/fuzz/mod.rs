//! Tests with generated conversations and files.
//!
//! `cargo test` runs a few seconds of it. For more, from the repository root:
//!
//! - `LENTO_FUZZ_SECONDS=3600 cargo test --test all conversations_` runs each kind of conversation for this time, with new seeds
//!   each time;
//! - `LENTO_FUZZ_SEED=17 ...` runs only the conversation of this seed, or starts with it if a time is given;
//! - `LENTO_FUZZ_REPLAY=file ...` replays a conversation as printed by a failure; lines that start with `#` are ignored;
//! - `LENTO_FUZZ_BINARY=path ...` tests another program, such as the release build;
//! - `LENTO_FUZZ_KEEP_GOING=file ...` appends failures to a file, without shrinking, and continues.

mod conversations;
mod cozy;
mod crowded;
mod rare;
mod readers;
