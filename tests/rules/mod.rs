//! The rules of chess, the layers of the crate, and its documents.

mod documents;
mod endings;
mod fen;
mod layering;
mod legality;
mod licences;
mod perft;
