//! Accumulator refresh cache ("Finny tables", Luecx, 2023).
//!
//! Keeps the last accumulator of each view. The board usually differs from it by a few pieces only, which is far cheaper than adding
//! all rows.

use super::features::View;
use super::network::Network;
use super::simd::{CacheLine, Simd};
use crate::chess::fen::MAX_PIECES;
use crate::chess::{Bitboard, Board, Piece};
use arrayvec::ArrayVec;

/// One thread's cache.
pub struct Cache {
    /// Per view, the cached position.
    boards: Box<[[Bitboard; Piece::COUNT]]>,
    /// Per view, its accumulator.
    rows: Box<[CacheLine]>,
}

impl Cache {
    /// Starts with empty boards.
    pub fn new(network: &Network) -> Self {
        let views = 4 * network.architecture().kings.count();
        Self {
            boards: vec![[Bitboard::EMPTY; Piece::COUNT]; views].into(),
            rows: network.biases().repeat(views).into(),
        }
    }

    /// The accumulator of a position for a view.
    pub fn refresh(&mut self, network: &Network, simd: Simd, board: &Board, view: View) -> &[CacheLine] {
        let index = view.index();
        let [mut adds, mut subs] = [(); 2].map(|()| ArrayVec::<u16, { MAX_PIECES as usize }>::new());
        for (piece, old) in Piece::ALL.into_iter().zip(&mut self.boards[index]) {
            let new = board.pieces(piece.color(), piece.kind());
            let feature = |square| view.feature(piece, square) as u16;
            adds.extend((new & !*old).into_iter().map(feature));
            subs.extend((*old & !new).into_iter().map(feature));
            *old = new;
        }
        let lines = network.lines();
        let row = &mut self.rows[index * lines..][..lines];
        simd.apply(row, network.features(), &adds, &subs);
        row
    }
}
