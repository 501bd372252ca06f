//! Positions as inputs of the network.

use crate::formats::packed;
use bulletformat::ChessBoard;
use lento::chess::{Color, Square};
use lento::eval::nnue::Network;
use lento::internals::nnue::{Architecture, InputSet, Simd};

/// Maximum active inputs: one per piece, and threats.
const MAX_INPUTS: usize = 32 + InputSet::MAX_ACTIVE;

/// Active inputs and output bucket of a position.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pieces: u8,
    active: u8,
    bucket: u8,
    features: [[u16; MAX_INPUTS]; 2],
}

impl Sample {
    /// Decodes a position, in which the side to move is White.
    pub fn new(packed: &ChessBoard, architecture: &Architecture) -> Self {
        let kings = &architecture.kings;
        // The king of the other side is stored from the point of view of that side.
        let us = kings.view(Color::White, Square::from_index(packed.ksq.into()));
        let them = kings.view(Color::Black, Square::from_index(usize::from(packed.opp_ksq) ^ 56));
        let mut features = [[0; MAX_INPUTS]; 2];
        let mut pieces = 0;
        for (square, piece) in packed::pieces(packed) {
            features[0][pieces] = us.feature(piece, square) as u16;
            features[1][pieces] = them.feature(piece, square) as u16;
            pieces += 1;
        }
        let bucket = architecture.output_bucket(pieces) as u8;
        let mut active = pieces;
        if architecture.threats > 0 {
            let threats = InputSet::new(&packed::pieces(packed).map(|(square, piece)| (piece, square)).collect());
            for input in threats.inputs() {
                for (features, color) in features.iter_mut().zip(Color::ALL) {
                    features[active] = (architecture.inputs() + usize::from(input ^ InputSet::flip(color))) as u16;
                }
                active += 1;
            }
        }
        Self { pieces: pieces as u8, active: active as u8, bucket, features }
    }

    /// The active inputs from the point of view of the side to move (0) or the other side (1).
    #[inline(always)]
    pub fn features(&self, side: usize) -> &[u16] {
        &self.features[side][..usize::from(self.active)]
    }

    /// The active piece inputs, which come first.
    pub fn pieces(&self, side: usize) -> &[u16] {
        &self.features[side][..usize::from(self.pieces)]
    }

    pub fn threats(&self, side: usize) -> &[u16] {
        &self.features[side][usize::from(self.pieces)..usize::from(self.active)]
    }

    /// The output bucket.
    #[inline(always)]
    pub fn bucket(&self) -> usize {
        usize::from(self.bucket)
    }
}

/// The value of a position in centipawns.
pub fn value(network: &Network, packed: &ChessBoard) -> i32 {
    let position = Sample::new(packed, network.architecture());
    let inputs = network.architecture().inputs();
    let threats: Vec<u8> = position.threats(0).iter().map(|&input| (usize::from(input) - inputs) as u8).collect();
    let pieces = [0, 1].map(|side| position.pieces(side));
    network.value(Simd::best(), pieces, Color::White, &threats, position.bucket())
}
