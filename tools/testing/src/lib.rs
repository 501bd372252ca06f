//! What the tests of several packages share.
#![allow(missing_docs, reason = "for tests")]

pub mod damage;
pub mod documented;
pub mod driver;
mod folder;
mod mutate;
pub mod polyglot;
mod random;

pub use folder::Folder;
pub use mutate::mutate;
pub use random::Random;
