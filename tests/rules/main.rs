//! The rules of chess, the layers of the crate, and its documents.

#[path = "../common/data.rs"]
mod common;

mod documents;
mod endings;
mod fen;
mod layering;
mod legality;
mod perft;
