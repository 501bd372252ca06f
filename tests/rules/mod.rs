//! The rules of chess, and the layers of the crate.

mod endings;
mod fen;
mod layering;
mod legality;
mod licences;
mod perft;
