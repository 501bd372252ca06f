//! The rules of chess, the layers of the crate, its programs and its documents.

mod documents;
mod endings;
mod fen;
mod instructions;
mod layering;
mod legality;
mod licences;
mod perft;
