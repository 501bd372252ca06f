//! The rules of chess. Knows nothing of search, evaluation or threads.

pub mod bitboard;
pub mod castling;
pub mod color;
pub mod mv;
pub mod piece;
pub mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, Wing};
pub use color::Color;
pub use mv::{Move, MoveKind};
pub use piece::{Piece, PieceType};
pub use square::{File, Rank, Square};
