//! Piece-square tables.

use super::pair::{Pair, s};
use super::tracer::{Tracer, take};
use super::weights::WEIGHTS;
use crate::chess::{Color, PieceType, Square};

/// Half a table as it is read: middlegame and endgame by rank (first rank first), files a to d.
type Half = [[i32; 4]; 8];

const PAWN: [Half; 2] = [
    [
        [0, 0, 0, 0],
        [-6, 0, -5, -14],
        [-8, -3, 2, 6],
        [-9, -4, 8, 22],
        [-5, 2, 10, 22],
        [2, 8, 14, 18],
        [8, 10, 12, 12],
        [0, 0, 0, 0],
    ],
    [
        [0, 0, 0, 0],
        [4, 4, 2, 0],
        [0, 0, -2, -4],
        [3, 2, -4, -6],
        [9, 8, 2, 0],
        [18, 16, 12, 10],
        [28, 26, 24, 22],
        [0, 0, 0, 0],
    ],
];

const KNIGHT: [Half; 2] = [
    [
        [-58, -30, -22, -18],
        [-28, -20, -8, -2],
        [-18, -4, 6, 10],
        [-10, 4, 13, 20],
        [-5, 10, 21, 27],
        [-12, 8, 23, 28],
        [-30, -14, 11, 15],
        [-86, -44, -30, -20],
    ],
    [
        [-40, -32, -24, -16],
        [-32, -20, -12, -4],
        [-22, -12, 0, 8],
        [-14, -2, 10, 18],
        [-14, 0, 12, 20],
        [-22, -10, 4, 12],
        [-34, -24, -14, -2],
        [-56, -40, -30, -22],
    ],
];

const BISHOP: [Half; 2] = [
    [
        [-22, -6, -10, -14],
        [-4, 8, 4, 1],
        [0, 6, 8, 6],
        [-3, 3, 8, 16],
        [-5, 4, 10, 17],
        [-5, 6, 8, 8],
        [-14, -8, -4, -4],
        [-24, -12, -16, -18],
    ],
    [
        [-20, -12, -12, -6],
        [-12, -8, -4, -2],
        [-6, 0, 2, 4],
        [-6, 0, 4, 8],
        [-4, 2, 6, 8],
        [-4, 2, 4, 4],
        [-8, -4, 0, 2],
        [-16, -10, -8, -6],
    ],
];

const ROOK: [Half; 2] = [
    [
        [-13, -8, 1, 8],
        [-18, -9, -5, 0],
        [-16, -7, -4, -2],
        [-14, -6, -4, -2],
        [-8, -2, 2, 4],
        [-4, 4, 8, 10],
        [2, 8, 13, 15],
        [4, 4, 6, 8],
    ],
    [
        [-8, -6, -5, -6],
        [-7, -6, -4, -4],
        [-4, -3, -2, -2],
        [0, 1, 2, 1],
        [4, 4, 4, 3],
        [6, 6, 5, 4],
        [9, 9, 8, 8],
        [8, 8, 8, 8],
    ],
];

const QUEEN: [Half; 2] = [
    [
        [-6, -6, -3, 2],
        [-4, 0, 4, 4],
        [-2, 2, 3, 2],
        [-2, 0, 1, 1],
        [0, 0, 1, 0],
        [2, 4, 4, 2],
        [-3, -9, 0, 0],
        [0, 2, 4, 4],
    ],
    [
        [-28, -23, -19, -14],
        [-21, -14, -8, -4],
        [-14, -4, 4, 8],
        [-8, 6, 14, 21],
        [-4, 9, 18, 25],
        [-8, 4, 12, 16],
        [-10, 2, 8, 11],
        [-16, -8, -4, 0],
    ],
];

const KING: [Half; 2] = [
    [
        [26, 36, 8, -2],
        [16, 12, -12, -24],
        [-14, -22, -36, -46],
        [-36, -46, -58, -68],
        [-50, -60, -72, -80],
        [-56, -66, -76, -84],
        [-60, -70, -78, -86],
        [-66, -74, -82, -90],
    ],
    [
        [-48, -33, -22, -16],
        [-28, -11, -3, 3],
        [-14, 2, 12, 17],
        [-6, 10, 21, 28],
        [0, 16, 27, 32],
        [0, 18, 25, 27],
        [-10, 8, 13, 15],
        [-42, -22, -16, -14],
    ],
];

const fn join(table: &[Half; 2]) -> [Pair; 32] {
    let mut joined = [Pair::ZERO; 32];
    let mut index = 0;
    while index < 32 {
        joined[index] = s(table[0][index / 4][index % 4], table[1][index / 4][index % 4]);
        index += 1;
    }
    joined
}

/// The tables as weights.
pub(super) const SQUARES: [[Pair; 32]; 6] =
    [join(&PAWN), join(&KNIGHT), join(&BISHOP), join(&ROOK), join(&QUEEN), join(&KING)];

/// The index in a half table of a square seen from its own side.
#[inline(always)]
const fn half_index(square: Square) -> usize {
    let file = square.index() & 7;
    let mirrored = if file > 3 { 7 - file } else { file };
    (square.index() >> 3) * 4 + mirrored
}

/// What standing on this square is worth.
#[inline(always)]
pub(super) fn at<T: Tracer>(tracer: &mut T, color: Color, kind: PieceType, square: Square) -> Pair {
    take(tracer, color, &WEIGHTS.squares[kind.index()][half_index(square.relative_to(color))], 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::classical::tracer::Silent;

    #[test]
    fn both_wings_and_both_colors_are_alike() {
        let at = |color, square| at(&mut Silent, color, PieceType::Knight, square);
        assert_eq!(at(Color::White, Square::B1), at(Color::White, Square::G1));
        assert_eq!(at(Color::White, Square::B1), at(Color::Black, Square::G8));
        assert_eq!(at(Color::White, Square::B1), s(-30, -32));
        assert!(at(Color::White, Square::E5).mg() > at(Color::White, Square::A8).mg());
    }
}
