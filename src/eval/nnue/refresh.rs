//! Accumulators of positions seen earlier, to begin from when the board has to be seen anew.
//!
//! One is kept for each way to see the board. A position differs from the last one that was seen in this way by a few pieces only, so that
//! far fewer rows are added than there are pieces on the board. The idea is known as "Finny tables", after its inventor
//! Luecx (2023).

use super::features::View;
use super::network::Network;
use super::simd::{Line, Simd};
use crate::chess::fen::MAX_PIECES;
use crate::chess::{Bitboard, Board, Piece};
use arrayvec::ArrayVec;

/// The cache of one thread.
pub struct Cache {
    /// For each color, king bucket, and way of mirroring: where the pieces stood.
    boards: Box<[[Bitboard; Piece::COUNT]]>,
    /// The accumulators of those positions.
    rows: Box<[Line]>,
}

impl Cache {
    /// A cache of empty boards.
    pub fn new(network: &Network) -> Self {
        let ways = 4 * network.architecture().kings.count();
        Self { boards: vec![[Bitboard::EMPTY; Piece::COUNT]; ways].into(), rows: network.biases().repeat(ways).into() }
    }

    /// The accumulator of a position for a side that sees it so.
    pub fn refresh(&mut self, network: &Network, simd: Simd, board: &Board, view: View) -> &[Line] {
        let way = view.way();
        let [mut adds, mut subs] = [(); 2].map(|()| ArrayVec::<u16, { MAX_PIECES as usize }>::new());
        for (piece, old) in Piece::ALL.into_iter().zip(&mut self.boards[way]) {
            let new = board.pieces(piece.color(), piece.kind());
            let feature = |square| view.feature(piece, square) as u16;
            adds.extend((new & !*old).into_iter().map(feature));
            subs.extend((*old & !new).into_iter().map(feature));
            *old = new;
        }
        let lines = network.lines();
        let row = &mut self.rows[way * lines..][..lines];
        simd.apply(row, network.features(), &adds, &subs);
        row
    }
}
