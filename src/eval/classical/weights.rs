//! The numbers of the evaluation, tuned on games of the engine.
//!
//! Tables by rank count from the own side: index 1 is the second rank. Those by piece type begin with the pawn.

use super::pair::{Pair, s};
use crate::chess::{Color, PieceType, Square};

const O: Pair = Pair::ZERO;

/// Joins middlegame and endgame values.
const fn join<const N: usize>(mg: [i32; N], eg: [i32; N]) -> [Pair; N] {
    let mut pairs = [O; N];
    let mut index = 0;
    while index < N {
        pairs[index] = s(mg[index], eg[index]);
        index += 1;
    }
    pairs
}

/// Piece values, pawn to queen.
pub(super) static MATERIAL: [Pair; 5] = [s(62, 108), s(288, 361), s(299, 370), s(450, 607), s(963, 1109)];
/// Bishop pair.
pub(super) const BISHOP_PAIR: Pair = s(25, 47);
/// Each knight, for each own pawn above five.
pub(super) const KNIGHT_PAWNS: Pair = s(6, 4);
/// Each rook, for each own pawn above five.
pub(super) const ROOK_PAWNS: Pair = s(0, -3);
/// The second rook.
pub(super) const ROOK_PAIR: Pair = s(-47, -19);
/// A queen with at least one rook.
pub(super) const QUEEN_ROOK: Pair = s(-53, -4);
/// No own pawn on a neighbouring file.
pub(super) const ISOLATED: Pair = s(-3, -6);
/// Isolated, and no enemy pawn ahead on the file.
pub(super) const ISOLATED_OPEN: Pair = s(-4, -14);
/// An own pawn ahead on the file, and not defended by a pawn.
pub(super) const DOUBLED: Pair = s(-5, -17);
/// Behind its neighbours and unable to advance safely.
pub(super) const BACKWARD: Pair = s(-3, -8);
/// Backward, and no enemy pawn ahead on the file.
pub(super) const BACKWARD_OPEN: Pair = s(-9, -10);
/// A neighbour on the same rank, by rank.
pub(super) static PHALANX: [Pair; 8] = [O, s(4, 3), s(9, 2), s(10, 9), s(12, 24), s(40, 55), s(71, 75), O];
/// Each own pawn defending this one, by rank.
pub(super) static SUPPORTED: [Pair; 8] = [O, O, s(13, 8), s(13, 8), s(15, 16), s(34, 39), s(58, 56), O];
/// Not passed, but with at least as many supporters as stoppers, by rank.
pub(super) static CANDIDATE: [Pair; 8] = [O, s(3, -6), s(2, 3), s(4, 13), s(5, 29), s(26, 59), O, O];

/// A passed pawn, by rank.
pub(super) static PASSED: [Pair; 8] = [O, s(-3, 9), s(-6, 18), s(-12, 46), s(10, 63), s(48, 78), s(107, 139), O];
/// Each king step (up to five) of the enemy from the square ahead, by rank.
pub(super) static PASSED_ENEMY_KING: [Pair; 8] = [O, O, O, s(-6, 8), s(-5, 18), s(-6, 35), s(-3, 43), O];
/// Each king step (up to five) of the own side from the square ahead, by rank.
pub(super) static PASSED_OWN_KING: [Pair; 8] = [O, O, O, s(8, -11), s(4, -15), s(-4, -17), s(-4, -21), O];
/// An enemy piece on the square ahead, by rank.
pub(super) static PASSED_BLOCKED: [Pair; 8] = [O, O, O, s(-3, 7), s(-4, 3), s(0, -6), s(-34, -42), O];
/// The path to promotion is free and not attacked, by rank.
pub(super) static PASSED_FREE_PATH: [Pair; 8] = [O, O, O, s(-23, 25), s(-1, 47), s(46, 85), s(62, 145), O];
/// Otherwise, the square ahead is not attacked, by rank.
pub(super) static PASSED_SAFE_STOP: [Pair; 8] = [O, O, O, s(1, 5), s(5, 15), s(22, 26), s(14, 26), O];
/// The whole path to promotion is defended, by rank.
pub(super) static PASSED_GUARDED_PATH: [Pair; 8] = [O, O, O, s(8, 15), s(7, 34), s(24, 50), s(37, 83), O];
/// Otherwise, the square ahead is defended, by rank.
pub(super) static PASSED_GUARDED_STOP: [Pair; 8] = [O, O, O, s(4, 9), s(1, 15), s(20, 23), s(16, 16), O];
/// Another passed pawn on an adjacent file, at most one rank apart, by rank.
pub(super) static PASSED_CONNECTED: [Pair; 8] =
    [O, s(6, -10), s(14, -2), s(-9, 11), s(11, 15), s(40, 15), s(46, 57), O];
/// An enemy rook behind the pawn.
pub(super) const PASSED_ROOK_AGAINST: Pair = s(-16, -13);
/// Outruns the king of an enemy without pieces.
pub(super) const PASSED_UNSTOPPABLE: Pair = s(-1, 271);

/// Reached squares by knight, bishop, rook and queen.
pub(super) static MOBILITY: [&[Pair]; 4] = [
    &join([-31, -24, -16, -10, -5, -1, 4, 5, 11], [-14, -37, -7, 2, 14, 23, 23, 21, 14]),
    &join(
        [-23, -12, 1, 5, 10, 13, 14, 15, 17, 17, 17, 20, 40, 37],
        [-21, -19, -4, 8, 17, 26, 28, 31, 33, 34, 32, 35, 34, 31],
    ),
    &join(
        [-33, -17, -9, -6, -2, 1, 2, 4, 6, 8, 8, 12, 18, 12, 27],
        [-69, -15, 7, 9, 19, 29, 37, 37, 43, 48, 51, 53, 53, 57, 54],
    ),
    &join(
        [-34, -19, -12, -2, 1, 4, 6, 6, 8, 8, 10, 12, 12, 14, 11, 11, 14, 19, 18, 23, 25, 23, 22, 23, 25, 27, 31, 30],
        [
            -44, -35, -36, -22, -18, 2, 19, 26, 35, 42, 44, 44, 48, 46, 53, 48, 41, 40, 49, 43, 51, 47, 47, 51, 55, 59,
            63, 64,
        ],
    ),
];

/// A knight on an outpost.
pub(super) const KNIGHT_OUTPOST: Pair = s(24, 9);
/// A bishop on an outpost.
pub(super) const BISHOP_OUTPOST: Pair = s(21, 6);
/// A knight that can reach an outpost.
pub(super) const KNIGHT_REACHES_OUTPOST: Pair = s(16, 10);
/// A minor piece directly behind a pawn.
pub(super) const MINOR_BEHIND_PAWN: Pair = s(4, 10);
/// Each own pawn on the bishop's square color.
pub(super) const BISHOP_PAWN: Pair = s(-1, -3);
/// Each own pawn on the bishop's square color, blocked on a central file.
pub(super) const BISHOP_BLOCKED_PAWN: Pair = s(-3, -9);
/// A bishop that sees two central squares of a long diagonal, ignoring other pieces than pawns.
pub(super) const BISHOP_LONG_DIAGONAL: Pair = s(13, 12);

/// A rook on a file without pawns.
pub(super) const ROOK_OPEN_FILE: Pair = s(24, 8);
/// A rook on a file without own pawns.
pub(super) const ROOK_HALF_OPEN_FILE: Pair = s(13, 5);
/// A rook on a file with an own blocked pawn.
pub(super) const ROOK_CLOSED_FILE: Pair = s(-6, 3);
/// A rook on the seventh rank with enemy pawns on it or the king behind it.
pub(super) const ROOK_SEVENTH: Pair = s(7, 16);

/// A rook shut in by its own uncastled king.
pub(super) const TRAPPED_ROOK: Pair = s(-28, -16);
/// A bishop on a7 or h7 (a2, h2) trapped by a pawn on b6 or g6.
pub(super) const TRAPPED_BISHOP: Pair = s(-88, -59);
/// A queen with one piece between it and an enemy slider.
pub(super) const WEAK_QUEEN: Pair = s(-21, -11);

/// Nearest own pawn by distance of the file from the edge and rank; rank 0 for none.
pub(super) static SHELTER: [[Pair; 8]; 4] = [
    [s(-5, 0), s(19, -9), s(13, -8), s(3, 3), s(-1, -3), s(-5, 4), s(2, 23), O],
    [s(-31, 0), s(17, -6), s(11, -9), s(-14, -5), s(-18, -4), s(-21, 3), s(-7, -5), O],
    [s(-12, 1), s(21, -1), s(-1, 2), s(-9, 1), s(-7, -4), s(5, -4), s(-1, 2), O],
    [s(-10, 3), s(11, 6), s(3, 8), s(-3, 4), s(-4, 5), s(-6, -3), s(0, 4), O],
];
/// Nearest enemy pawn, likewise, unless blocked.
pub(super) static STORM: [[Pair; 8]; 4] = [
    [O, s(-2, -4), s(-30, 12), s(-16, 7), s(-2, 9), s(3, 0), s(2, 4), O],
    [O, s(17, 9), s(-16, 7), s(-14, 7), s(-1, 9), s(6, 0), s(4, 1), O],
    [O, s(-5, 13), s(-28, -6), s(-15, 2), s(-4, 4), s(1, 1), s(0, -1), O],
    [O, s(-4, 9), s(-12, -11), s(-12, -2), s(-5, -2), s(1, 2), s(1, -7), O],
];
/// No pawns on the king's wing.
pub(super) const PAWNLESS_WING: Pair = s(15, -52);
/// Each step from the king to the nearest own pawn.
pub(super) const KING_TO_PAWN: Pair = s(-4, -3);

/// A safe pawn attacks a piece.
pub(super) const THREAT_BY_PAWN: Pair = s(71, 34);
/// A safe pawn push would attack a piece.
pub(super) const THREAT_BY_PUSH: Pair = s(16, 14);
/// A minor piece attacks, by attacked type.
pub(super) static THREAT_BY_MINOR: [Pair; 5] = [s(6, 15), s(20, 24), s(35, 26), s(63, 19), s(52, 37)];
/// A rook attacks a weak piece, by attacked type.
pub(super) static THREAT_BY_ROOK: [Pair; 5] = [s(8, 14), s(22, 22), s(28, 21), s(-4, 12), s(35, 6)];
/// The king attacks a weak piece.
pub(super) const THREAT_BY_KING: Pair = s(32, 19);
/// Each undefended attacked piece, or badly defended piece attacked twice.
pub(super) const HANGING: Pair = s(16, 24);
/// Each square both sides attack and the enemy does not hold.
pub(super) const RESTRICTED: Pair = s(4, 2);
/// Each square from which a knight can safely attack the queen.
pub(super) const KNIGHT_ON_QUEEN: Pair = s(9, -8);
/// Each square from which a bishop or rook can safely attack the queen.
pub(super) const SLIDER_ON_QUEEN: Pair = s(17, -6);

/// Each safe square behind the pawns, per seven pieces.
pub(super) const SPACE: Pair = s(2, 0);
/// Side to move.
pub(super) const TEMPO: Pair = s(23, 14);

/// Each attacker of the king zone, by type. King danger is the sum of these numbers, see [`danger`](super::king::danger).
pub(super) static ATTACKER_DANGER: [i32; 6] = [0, 24, 16, 21, 17, 0];
/// Each attack on a square next to the king.
pub(super) const HIT_DANGER: i32 = 6;
/// Each attacked square of the zone defended only by king or queen.
pub(super) const WEAK_DANGER: i32 = 13;
/// A safe check by knight, bishop, rook or queen.
pub(super) const SAFE_CHECK_DANGER: [i32; 4] = [70, 41, 79, 57];
/// Each further safe check by the same type.
pub(super) const MORE_CHECKS_DANGER: i32 = 31;
/// Each unsafe check.
pub(super) const UNSAFE_CHECK_DANGER: i32 = 9;
/// Each piece pinned to the king.
pub(super) const PINNED_DANGER: i32 = 5;
/// Each attacked square of the king's wing.
pub(super) const WING_ATTACK_DANGER: i32 = 6;
/// Each of those attacked at least twice.
pub(super) const WING_DOUBLE_DANGER: i32 = 3;
/// Each of those defended.
pub(super) const WING_GUARD_DANGER: i32 = -3;
/// The enemy has no queen.
pub(super) const NO_QUEEN_DANGER: i32 = -118;
/// Each centipawn of king shelter, in 1/16.
pub(super) const SHELTER_DANGER: i32 = -7;
/// Constant.
pub(super) const BASE_DANGER: i32 = -7;
/// Cap of the danger.
pub(super) const MAX_DANGER: i32 = 480;

/// Piece-square value.
pub(super) fn square(color: Color, kind: PieceType, square: Square) -> Pair {
    let square = square.relative_to(color).index();
    let file = square % 8;
    SQUARES[kind][square / 8][file.min(7 - file)]
}

/// Piece-square values by type, rank and file; files e to h mirror d to a.
static SQUARES: [[[Pair; 4]; 8]; 6] = [
    [
        [s(0, 0), s(0, 0), s(0, 0), s(0, 0)],
        [s(-10, 6), s(1, 6), s(-7, 6), s(-4, -1)],
        [s(-10, 2), s(-8, 2), s(-4, 2), s(0, -1)],
        [s(-10, 6), s(-8, 6), s(2, -2), s(13, -9)],
        [s(-4, 16), s(4, 10), s(7, 0), s(15, -10)],
        [s(7, 18), s(13, 16), s(5, 14), s(20, 1)],
        [s(21, 13), s(3, 25), s(7, 35), s(24, 26)],
        [s(0, 0), s(0, 0), s(0, 0), s(0, 0)],
    ],
    [
        [s(-38, -37), s(-27, -35), s(-16, -15), s(-9, -11)],
        [s(-23, -26), s(-17, -15), s(-6, -17), s(-4, -4)],
        [s(-17, -23), s(-1, -11), s(3, -7), s(6, 5)],
        [s(-2, -12), s(2, -2), s(18, 7), s(9, 18)],
        [s(9, -6), s(7, 1), s(8, 10), s(14, 21)],
        [s(-16, -16), s(-9, -10), s(-7, 10), s(5, 14)],
        [s(-32, -19), s(-16, -1), s(7, -3), s(13, -3)],
        [s(-99, -63), s(-46, -35), s(-63, -16), s(-23, -6)],
    ],
    [
        [s(-15, -18), s(-7, -17), s(-11, -10), s(-11, -4)],
        [s(-7, -3), s(7, -12), s(4, -1), s(2, 0)],
        [s(-1, -3), s(12, -7), s(10, -8), s(7, 8)],
        [s(-3, -13), s(-1, 9), s(10, 6), s(3, 4)],
        [s(-3, -2), s(3, 13), s(8, 7), s(3, 5)],
        [s(-11, 5), s(-1, 5), s(-7, 0), s(12, 8)],
        [s(-8, -2), s(-24, -6), s(-9, 11), s(-16, 12)],
        [s(-18, -6), s(-24, 1), s(-33, 3), s(-27, 6)],
    ],
    [
        [s(-12, -10), s(-6, -3), s(1, -5), s(9, -14)],
        [s(-24, -2), s(-9, -3), s(-6, -2), s(6, -8)],
        [s(-22, 3), s(-9, 2), s(-12, 4), s(-12, 5)],
        [s(-17, 12), s(-11, 10), s(-10, 9), s(-11, 10)],
        [s(-11, 16), s(-2, 19), s(-9, 14), s(10, 1)],
        [s(-1, 16), s(1, 17), s(1, 12), s(25, 2)],
        [s(5, 4), s(1, 9), s(4, 6), s(12, -1)],
        [s(11, 5), s(12, 13), s(9, 11), s(8, 12)],
    ],
    [
        [s(-16, -32), s(-16, -27), s(-10, -38), s(-5, -48)],
        [s(-6, -37), s(-4, -25), s(3, -38), s(3, -24)],
        [s(0, -11), s(-3, -1), s(-2, -1), s(-7, 16)],
        [s(1, -1), s(2, 10), s(-8, 27), s(-3, 25)],
        [s(9, 12), s(-3, 17), s(3, 28), s(-9, 33)],
        [s(9, 1), s(4, 22), s(12, 30), s(2, 27)],
        [s(-1, 9), s(9, 20), s(9, 21), s(4, 25)],
        [s(5, 3), s(13, 0), s(17, 9), s(13, 14)],
    ],
    [
        [s(29, -57), s(34, -44), s(9, -36), s(-12, -45)],
        [s(16, -37), s(5, -22), s(-13, -14), s(-39, -14)],
        [s(-15, -16), s(-8, -7), s(-28, 3), s(-58, 5)],
        [s(-31, -7), s(-44, 7), s(-54, 17), s(-74, 12)],
        [s(-53, 9), s(-60, 26), s(-66, 28), s(-87, 27)],
        [s(-52, 18), s(-63, 40), s(-67, 45), s(-87, 39)],
        [s(-53, 10), s(-63, 39), s(-71, 36), s(-79, 34)],
        [s(-71, -62), s(-68, -2), s(-71, 6), s(-85, 3)],
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_symmetric() {
        let at = |color, square| super::square(color, PieceType::Knight, square);
        assert_eq!(at(Color::White, Square::B1), s(-27, -35));
        assert_eq!(at(Color::White, Square::B1), at(Color::White, Square::G1));
        assert_eq!(at(Color::White, Square::B1), at(Color::Black, Square::G8));
        assert!(at(Color::White, Square::E5).mg() > at(Color::White, Square::A8).mg());
    }
}
