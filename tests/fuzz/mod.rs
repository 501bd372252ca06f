//! Conversations and files that a generator makes up, and what must hold whatever it makes up.
//!
//! `cargo test` runs a few seconds of it. More, from the repository root:
//!
//! - `LENTO_FUZZ_SECONDS=3600 cargo test --test all conversations_` runs each kind of conversation for so long, with
//!   new seeds each time;
//! - `LENTO_FUZZ_SEED=17 ...` runs the conversation of this seed alone, or begins with it if a time is given;
//! - `LENTO_FUZZ_REPLAY=file ...` runs a conversation as a failure prints it, lines that start with `#` left out;
//! - `LENTO_FUZZ_BINARY=path ...` takes another program, such as the release build;
//! - `LENTO_FUZZ_KEEP_GOING=file ...` appends failures to a file, unshortened, and goes on.

mod conversations;
mod crowded;
mod rare;
mod readers;
mod second;
