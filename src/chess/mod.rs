//! The rules of chess, independent of search and evaluation.

pub mod attacks;
pub mod bitboard;
pub mod board;
pub mod castling;
pub mod draw;
pub mod fen;
pub mod game;
pub mod legal;
pub mod make;
pub mod movegen;
pub mod mv;
pub mod perft;
pub mod piece;
pub mod san;
pub mod see;
pub mod square;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use castling::{CastlingRights, CastlingSide};
pub use game::{Game, Verdict};
pub use mv::{Move, MoveDelta, MoveKind};
pub use piece::{Color, Piece, PieceType};
pub use square::{File, Rank, Square};
