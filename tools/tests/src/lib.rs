//! Shared by the tests of several packages.
#![allow(missing_docs, reason = "for tests")]

pub mod damage;
pub mod documented;
pub mod driver;
mod folder;
pub mod polyglot;
mod random;

pub use damage::mutate;
pub use folder::Folder;
pub use random::Random;
