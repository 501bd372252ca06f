//! Piece-square tables.

use super::pair::{Pair, s};
use super::weights::WEIGHTS;
use crate::chess::{Color, PieceType, Square};

/// Half a table: middlegame and endgame by rank from the first, files a to d.
type Half = [[i32; 4]; 8];

const PAWN: [Half; 2] = [
    [
        [0, 0, 0, 0],
        [-10, 1, -7, -4],
        [-10, -8, -4, 0],
        [-10, -8, 2, 13],
        [-4, 4, 7, 15],
        [7, 13, 5, 20],
        [21, 3, 7, 24],
        [0, 0, 0, 0],
    ],
    [
        [0, 0, 0, 0],
        [6, 6, 6, -1],
        [2, 2, 2, -1],
        [6, 6, -2, -9],
        [16, 10, 0, -10],
        [18, 16, 14, 1],
        [13, 25, 35, 26],
        [0, 0, 0, 0],
    ],
];

const KNIGHT: [Half; 2] = [
    [
        [-38, -27, -16, -9],
        [-23, -17, -6, -4],
        [-17, -1, 3, 6],
        [-2, 2, 18, 9],
        [9, 7, 8, 14],
        [-16, -9, -7, 5],
        [-32, -16, 7, 13],
        [-99, -46, -63, -23],
    ],
    [
        [-37, -35, -15, -11],
        [-26, -15, -17, -4],
        [-23, -11, -7, 5],
        [-12, -2, 7, 18],
        [-6, 1, 10, 21],
        [-16, -10, 10, 14],
        [-19, -1, -3, -3],
        [-63, -35, -16, -6],
    ],
];

const BISHOP: [Half; 2] = [
    [
        [-15, -7, -11, -11],
        [-7, 7, 4, 2],
        [-1, 12, 10, 7],
        [-3, -1, 10, 3],
        [-3, 3, 8, 3],
        [-11, -1, -7, 12],
        [-8, -24, -9, -16],
        [-18, -24, -33, -27],
    ],
    [
        [-18, -17, -10, -4],
        [-3, -12, -1, 0],
        [-3, -7, -8, 8],
        [-13, 9, 6, 4],
        [-2, 13, 7, 5],
        [5, 5, 0, 8],
        [-2, -6, 11, 12],
        [-6, 1, 3, 6],
    ],
];

const ROOK: [Half; 2] = [
    [
        [-12, -6, 1, 9],
        [-24, -9, -6, 6],
        [-22, -9, -12, -12],
        [-17, -11, -10, -11],
        [-11, -2, -9, 10],
        [-1, 1, 1, 25],
        [5, 1, 4, 12],
        [11, 12, 9, 8],
    ],
    [
        [-10, -3, -5, -14],
        [-2, -3, -2, -8],
        [3, 2, 4, 5],
        [12, 10, 9, 10],
        [16, 19, 14, 1],
        [16, 17, 12, 2],
        [4, 9, 6, -1],
        [5, 13, 11, 12],
    ],
];

const QUEEN: [Half; 2] = [
    [
        [-16, -16, -10, -5],
        [-6, -4, 3, 3],
        [0, -3, -2, -7],
        [1, 2, -8, -3],
        [9, -3, 3, -9],
        [9, 4, 12, 2],
        [-1, 9, 9, 4],
        [5, 13, 17, 13],
    ],
    [
        [-32, -27, -38, -48],
        [-37, -25, -38, -24],
        [-11, -1, -1, 16],
        [-1, 10, 27, 25],
        [12, 17, 28, 33],
        [1, 22, 30, 27],
        [9, 20, 21, 25],
        [3, 0, 9, 14],
    ],
];

const KING: [Half; 2] = [
    [
        [29, 34, 9, -12],
        [16, 5, -13, -39],
        [-15, -8, -28, -58],
        [-31, -44, -54, -74],
        [-53, -60, -66, -87],
        [-52, -63, -67, -87],
        [-53, -63, -71, -79],
        [-71, -68, -71, -85],
    ],
    [
        [-57, -44, -36, -45],
        [-37, -22, -14, -14],
        [-16, -7, 3, 5],
        [-7, 7, 17, 12],
        [9, 26, 28, 27],
        [18, 40, 45, 39],
        [10, 39, 36, 34],
        [-62, -2, 6, 3],
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

/// Index into a half table of a square seen from its own side.
#[inline(always)]
const fn half_index(square: Square) -> usize {
    let file = square.index() & 7;
    let mirrored = if file > 3 { 7 - file } else { file };
    (square.index() >> 3) * 4 + mirrored
}

/// Piece-square value.
#[inline(always)]
pub(super) fn at(color: Color, kind: PieceType, square: Square) -> Pair {
    WEIGHTS.squares[kind.index()][half_index(square.relative_to(color))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_wings_and_both_colors_are_alike() {
        let at = |color, square| at(color, PieceType::Knight, square);
        assert_eq!(at(Color::White, Square::B1), at(Color::White, Square::G1));
        assert_eq!(at(Color::White, Square::B1), at(Color::Black, Square::G8));
        assert_eq!(at(Color::White, Square::B1), s(KNIGHT[0][0][1], KNIGHT[1][0][1]));
        assert!(at(Color::White, Square::E5).mg() > at(Color::White, Square::A8).mg());
    }
}
