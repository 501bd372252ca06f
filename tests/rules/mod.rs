//! The rules of chess, and checks of the sources and the documentation.

mod documents;
mod endings;
mod fen;
mod instructions;
mod layering;
mod legality;
mod licences;
mod perft;
