//! Every number of the evaluation but the piece-square tables, tuned on games of the engine.
//!
//! [`WEIGHTS`] are linear in their features. [`DANGER`] sums to a king's danger, which counts quadratically. [`INITIATIVE`] sums to a
//! bonus bounded by the endgame score. Tables by rank count from the own side: index 1 is the second rank.

use super::pair::{Pair, s};

const O: Pair = Pair::ZERO;

/// The linear weights.
pub struct Weights {
    /// Piece values, pawn to queen.
    pub material: [Pair; 5],
    /// Bishop pair.
    pub bishop_pair: Pair,
    /// Each knight, for each own pawn above five.
    pub knight_pawns: Pair,
    /// Each rook, for each own pawn above five.
    pub rook_pawns: Pair,
    /// The second rook.
    pub rook_pair: Pair,
    /// A queen with at least one rook.
    pub queen_rook: Pair,
    /// By type and square of files a to d, first rank first.
    pub squares: [[Pair; 32]; 6],

    /// No own pawn on a neighbouring file.
    pub isolated: Pair,
    /// Isolated, and no enemy pawn ahead on the file.
    pub isolated_open: Pair,
    /// An own pawn ahead on the file, and not defended by a pawn.
    pub doubled: Pair,
    /// Behind its neighbours and unable to advance safely.
    pub backward: Pair,
    /// Backward, and no enemy pawn ahead on the file.
    pub backward_open: Pair,
    /// A neighbour on the same rank, by rank.
    pub phalanx: [Pair; 8],
    /// Each own pawn defending this one, by rank.
    pub supported: [Pair; 8],
    /// Not passed, but with at least as many helpers as sentries, by rank.
    pub candidate: [Pair; 8],

    /// A passed pawn, by rank.
    pub passed: [Pair; 8],
    /// Each king step (up to five) of the enemy from the square ahead, by rank.
    pub passed_enemy_king: [Pair; 8],
    /// Each king step (up to five) of the own side from the square ahead, by rank.
    pub passed_own_king: [Pair; 8],
    /// An enemy piece on the square ahead, by rank.
    pub passed_blocked: [Pair; 8],
    /// The path to promotion is free and not attacked, by rank.
    pub passed_free_path: [Pair; 8],
    /// Otherwise, the square ahead is not attacked, by rank.
    pub passed_safe_stop: [Pair; 8],
    /// The whole path to promotion is defended, by rank.
    pub passed_guarded_path: [Pair; 8],
    /// Otherwise, the square ahead is defended, by rank.
    pub passed_guarded_stop: [Pair; 8],
    /// Another passed pawn on an adjacent file, at most one rank apart, by rank.
    pub passed_connected: [Pair; 8],
    /// An enemy rook behind the pawn.
    pub passed_rook_against: Pair,
    /// Outruns the king of an enemy without pieces.
    pub passed_unstoppable: Pair,

    /// Squares a knight reaches, 0 to 8.
    pub knight_mobility: [Pair; 9],
    /// Squares a bishop reaches, 0 to 13.
    pub bishop_mobility: [Pair; 14],
    /// Squares a rook reaches, 0 to 14.
    pub rook_mobility: [Pair; 15],
    /// Squares a queen reaches, 0 to 27.
    pub queen_mobility: [Pair; 28],

    /// A knight on an outpost.
    pub knight_outpost: Pair,
    /// A bishop on an outpost.
    pub bishop_outpost: Pair,
    /// A knight that can reach an outpost.
    pub knight_reaches_outpost: Pair,
    /// A minor piece directly behind a pawn.
    pub minor_behind_pawn: Pair,
    /// Each own pawn on the bishop's square color.
    pub bishop_pawn: Pair,
    /// Each own pawn on the bishop's square color, blocked on a central file.
    pub bishop_blocked_pawn: Pair,
    /// A bishop that sees two central squares of a long diagonal, ignoring other pieces than pawns.
    pub bishop_long_diagonal: Pair,

    /// A rook on a file without pawns.
    pub rook_open_file: Pair,
    /// A rook on a file without own pawns.
    pub rook_half_open_file: Pair,
    /// A rook on a file with an own blocked pawn.
    pub rook_closed_file: Pair,
    /// A rook on the seventh rank with enemy pawns on it or the king behind it.
    pub rook_seventh: Pair,

    /// A rook shut in by its own uncastled king.
    pub trapped_rook: Pair,
    /// A bishop on a7 or h7 (a2, h2) trapped by a pawn on b6 or g6.
    pub trapped_bishop: Pair,
    /// A queen with one piece between it and an enemy slider.
    pub veiled_queen: Pair,

    /// Nearest own pawn by distance of the file from the edge and rank; rank 0 for none.
    pub shelter: [[Pair; 8]; 4],
    /// Nearest enemy pawn, likewise, unless blocked.
    pub storm: [[Pair; 8]; 4],
    /// No pawns on the king's wing.
    pub pawnless_wing: Pair,
    /// Each step from the king to the nearest own pawn.
    pub king_to_pawn: Pair,

    /// A safe pawn attacks a piece.
    pub threat_by_pawn: Pair,
    /// A safe pawn push would attack a piece.
    pub threat_by_push: Pair,
    /// A minor piece attacks, by attacked type.
    pub threat_by_minor: [Pair; 5],
    /// A rook attacks a weak piece, by attacked type.
    pub threat_by_rook: [Pair; 5],
    /// The king attacks a weak piece.
    pub threat_by_king: Pair,
    /// Each undefended attacked piece, or badly defended piece attacked twice.
    pub hanging: Pair,
    /// Each square both sides attack and the enemy does not hold.
    pub restricted: Pair,
    /// Each square from which a knight can safely attack the queen.
    pub knight_on_queen: Pair,
    /// Each square from which a bishop or rook can safely attack the queen.
    pub slider_on_queen: Pair,

    /// Each safe square behind the pawns, per seven pieces.
    pub space: Pair,
    /// Side to move.
    pub tempo: Pair,
}

/// The weights in use.
pub static WEIGHTS: Weights = Weights {
    material: [s(62, 108), s(288, 361), s(299, 370), s(450, 607), s(963, 1109)],
    bishop_pair: s(25, 47),
    knight_pawns: s(6, 4),
    rook_pawns: s(0, -3),
    rook_pair: s(-47, -19),
    queen_rook: s(-53, -4),
    squares: super::pst::SQUARES,

    isolated: s(-3, -6),
    isolated_open: s(-4, -14),
    doubled: s(-5, -17),
    backward: s(-3, -8),
    backward_open: s(-9, -10),
    phalanx: [O, s(4, 3), s(9, 2), s(10, 9), s(12, 24), s(40, 55), s(71, 75), O],
    supported: [O, O, s(13, 8), s(13, 8), s(15, 16), s(34, 39), s(58, 56), O],
    candidate: [O, s(3, -6), s(2, 3), s(4, 13), s(5, 29), s(26, 59), O, O],

    passed: [O, s(-3, 9), s(-6, 18), s(-12, 46), s(10, 63), s(48, 78), s(107, 139), O],
    passed_enemy_king: [O, O, O, s(-6, 8), s(-5, 18), s(-6, 35), s(-3, 43), O],
    passed_own_king: [O, O, O, s(8, -11), s(4, -15), s(-4, -17), s(-4, -21), O],
    passed_blocked: [O, O, O, s(-3, 7), s(-4, 3), s(0, -6), s(-34, -42), O],
    passed_free_path: [O, O, O, s(-23, 25), s(-1, 47), s(46, 85), s(62, 145), O],
    passed_safe_stop: [O, O, O, s(1, 5), s(5, 15), s(22, 26), s(14, 26), O],
    passed_guarded_path: [O, O, O, s(8, 15), s(7, 34), s(24, 50), s(37, 83), O],
    passed_guarded_stop: [O, O, O, s(4, 9), s(1, 15), s(20, 23), s(16, 16), O],
    passed_connected: [O, s(6, -10), s(14, -2), s(-9, 11), s(11, 15), s(40, 15), s(46, 57), O],
    passed_rook_against: s(-16, -13),
    passed_unstoppable: s(-1, 271),

    knight_mobility: [
        s(-31, -14),
        s(-24, -37),
        s(-16, -7),
        s(-10, 2),
        s(-5, 14),
        s(-1, 23),
        s(4, 23),
        s(5, 21),
        s(11, 14),
    ],
    bishop_mobility: [
        s(-23, -21),
        s(-12, -19),
        s(1, -4),
        s(5, 8),
        s(10, 17),
        s(13, 26),
        s(14, 28),
        s(15, 31),
        s(17, 33),
        s(17, 34),
        s(17, 32),
        s(20, 35),
        s(40, 34),
        s(37, 31),
    ],
    rook_mobility: [
        s(-33, -69),
        s(-17, -15),
        s(-9, 7),
        s(-6, 9),
        s(-2, 19),
        s(1, 29),
        s(2, 37),
        s(4, 37),
        s(6, 43),
        s(8, 48),
        s(8, 51),
        s(12, 53),
        s(18, 53),
        s(12, 57),
        s(27, 54),
    ],
    queen_mobility: [
        s(-34, -44),
        s(-19, -35),
        s(-12, -36),
        s(-2, -22),
        s(1, -18),
        s(4, 2),
        s(6, 19),
        s(6, 26),
        s(8, 35),
        s(8, 42),
        s(10, 44),
        s(12, 44),
        s(12, 48),
        s(14, 46),
        s(11, 53),
        s(11, 48),
        s(14, 41),
        s(19, 40),
        s(18, 49),
        s(23, 43),
        s(25, 51),
        s(23, 47),
        s(22, 47),
        s(23, 51),
        s(25, 55),
        s(27, 59),
        s(31, 63),
        s(30, 64),
    ],

    knight_outpost: s(24, 9),
    bishop_outpost: s(21, 6),
    knight_reaches_outpost: s(16, 10),
    minor_behind_pawn: s(4, 10),
    bishop_pawn: s(-1, -3),
    bishop_blocked_pawn: s(-3, -9),
    bishop_long_diagonal: s(13, 12),

    rook_open_file: s(24, 8),
    rook_half_open_file: s(13, 5),
    rook_closed_file: s(-6, 3),
    rook_seventh: s(7, 16),

    trapped_rook: s(-28, -16),
    trapped_bishop: s(-88, -59),
    veiled_queen: s(-21, -11),

    shelter: [
        [s(-5, 0), s(19, -9), s(13, -8), s(3, 3), s(-1, -3), s(-5, 4), s(2, 23), O],
        [s(-31, 0), s(17, -6), s(11, -9), s(-14, -5), s(-18, -4), s(-21, 3), s(-7, -5), O],
        [s(-12, 1), s(21, -1), s(-1, 2), s(-9, 1), s(-7, -4), s(5, -4), s(-1, 2), O],
        [s(-10, 3), s(11, 6), s(3, 8), s(-3, 4), s(-4, 5), s(-6, -3), s(0, 4), O],
    ],
    storm: [
        [O, s(-2, -4), s(-30, 12), s(-16, 7), s(-2, 9), s(3, 0), s(2, 4), O],
        [O, s(17, 9), s(-16, 7), s(-14, 7), s(-1, 9), s(6, 0), s(4, 1), O],
        [O, s(-5, 13), s(-28, -6), s(-15, 2), s(-4, 4), s(1, 1), s(0, -1), O],
        [O, s(-4, 9), s(-12, -11), s(-12, -2), s(-5, -2), s(1, 2), s(1, -7), O],
    ],
    pawnless_wing: s(15, -52),
    king_to_pawn: s(-4, -3),

    threat_by_pawn: s(71, 34),
    threat_by_push: s(16, 14),
    threat_by_minor: [s(6, 15), s(20, 24), s(35, 26), s(63, 19), s(52, 37)],
    threat_by_rook: [s(8, 14), s(22, 22), s(28, 21), s(-4, 12), s(35, 6)],
    threat_by_king: s(32, 19),
    hanging: s(16, 24),
    restricted: s(4, 2),
    knight_on_queen: s(9, -8),
    slider_on_queen: s(17, -6),

    space: s(2, 0),
    tempo: s(23, 14),
};

/// The weights of king danger. Danger d above zero takes d²/[`DANGER_SQUARE`] from the middlegame score and
/// d/[`DANGER_LINE`] from the endgame score.
pub struct Danger {
    /// An attacker of the king zone, by type.
    pub attacker: [i32; 6],
    /// Each attack on a square next to the king.
    pub hit: i32,
    /// Each attacked square of the zone defended only by king or queen.
    pub weak: i32,
    /// A safe check, by type of the checking piece.
    pub safe_check: [i32; 6],
    /// Each further safe check by the same type.
    pub more_checks: i32,
    /// Each unsafe check.
    pub unsafe_check: i32,
    /// Each piece pinned to the king.
    pub pinned: i32,
    /// Each attacked square of the king's wing.
    pub wing_attack: i32,
    /// Each of those attacked at least twice.
    pub wing_double: i32,
    /// Each of those defended.
    pub wing_guard: i32,
    /// The enemy has no queen.
    pub no_queen: i32,
    /// Each centipawn of king shelter, in 1/16.
    pub shelter: i32,
    /// Constant.
    pub base: i32,
}

/// The weights of king danger in use.
pub static DANGER: Danger = Danger {
    attacker: [0, 24, 16, 21, 17, 0],
    hit: 6,
    weak: 13,
    safe_check: [0, 70, 41, 79, 57, 0],
    more_checks: 31,
    unsafe_check: 9,
    pinned: 5,
    wing_attack: 6,
    wing_double: 3,
    wing_guard: -3,
    no_queen: -118,
    shelter: -7,
    base: -7,
};

/// Divisor of the squared danger in the middlegame.
pub const DANGER_SQUARE: i32 = 256;
/// Divisor of the danger in the endgame.
pub const DANGER_LINE: i32 = 6;
/// Cap of the danger.
pub const MAX_DANGER: i32 = 480;

/// The weights of the initiative: how much harder than its terms say an endgame is for the side that is behind.
pub struct Initiative {
    /// Each passed pawn of either side.
    pub passed: i32,
    /// Each pawn of either side.
    pub pawn: i32,
    /// File distance minus rank distance of the kings.
    pub outflanking: i32,
    /// Pawns on both wings.
    pub both_wings: i32,
    /// No pieces left.
    pub pawn_ending: i32,
    /// Constant.
    pub base: i32,
}

/// The weights of the initiative in use.
pub static INITIATIVE: Initiative =
    Initiative { passed: 2, pawn: 3, outflanking: 3, both_wings: 25, pawn_ending: 90, base: -40 };
