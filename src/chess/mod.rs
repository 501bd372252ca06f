//! The rules of chess, independent of search and evaluation.

/// An enum of consecutive values, which index arrays of that length. For 2 or 8 values `from_index` compiles to a mask of the low
/// bits, without `unsafe`.
macro_rules! indexed_enum {
    ($(#[$doc:meta])* $name:ident, $count:literal: $($variant:ident = $index:literal),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum $name { $($variant = $index),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: [Self; $count] = [$(Self::$variant),+];

            /// The value with this index, modulo the number of values.
            #[inline(always)]
            pub const fn from_index(index: usize) -> Self {
                match index % $count {
                    $($index => Self::$variant,)+
                    _ => unreachable!(),
                }
            }

            /// Index from 0.
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl<T> std::ops::Index<$name> for [T; $count] {
            type Output = T;

            #[inline(always)]
            fn index(&self, index: $name) -> &T {
                &self[index as usize]
            }
        }

        impl<T> std::ops::IndexMut<$name> for [T; $count] {
            #[inline(always)]
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index as usize]
            }
        }
    };
}

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod draw;
pub mod fen;
mod game;
mod legal;
mod make;
pub mod movegen;
mod mv;
pub mod perft;
mod piece;
mod san;
mod see;
mod square;
pub(crate) mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use castling::{CastlingRights, CastlingSide};
pub use game::{Game, Verdict};
pub use legal::CheckSquares;
pub use mv::{Move, MoveDelta, MoveKind};
pub use piece::{Color, Piece, PieceType};
pub use square::{File, Rank, Square};
