//! The rules of chess, and the layers of the crate.

#[path = "../common/data.rs"]
mod common;

mod endings;
mod fen;
mod layering;
mod legality;
mod perft;
