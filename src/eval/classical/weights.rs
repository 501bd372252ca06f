//! Every number of the evaluation, set by hand.
//!
//! [`WEIGHTS`] are linear: a weight counts as often as the feature is there. [`DANGER`] adds up to the danger of a king,
//! which counts squared. [`INITIATIVE`] adds up to a bonus bounded by the endgame score itself.
//! Tables by rank count from the own side: index 1 is the second rank, 6 the seventh.

use super::pair::{Pair, s};

const O: Pair = Pair::ZERO;

/// The linear weights. Only pairs, so that a weight's place in the structure is an index for a tuner.
#[repr(C)]
pub struct Weights {
    /// A man's worth, pawn to queen.
    pub material: [Pair; 5],
    /// Having two bishops.
    pub bishop_pair: Pair,
    /// Each knight, for each own pawn above five.
    pub knight_pawns: Pair,
    /// Each rook, for each own pawn above five.
    pub rook_pawns: Pair,
    /// The second rook.
    pub rook_pair: Pair,
    /// A queen beside at least one rook.
    pub queen_rook: Pair,
    /// By kind and square, files a to d (the other half mirrors them), first rank first.
    pub squares: [[Pair; 32]; 6],

    /// No own pawn on a neighbouring file.
    pub isolated: Pair,
    /// Isolated, and no enemy pawn ahead on the file.
    pub isolated_open: Pair,
    /// An own pawn ahead on the file, and no own pawn guards this one.
    pub doubled: Pair,
    /// Left behind by its neighbours, and not able to follow them.
    pub backward: Pair,
    /// Backward, and no enemy pawn ahead on the file.
    pub backward_open: Pair,
    /// A neighbour on the same rank, by rank.
    pub phalanx: [Pair; 8],
    /// Each own pawn that guards this one, by rank.
    pub supported: [Pair; 8],
    /// Not passed yet, but with as many helpers as enemy pawns can stop it, by rank.
    pub candidate: [Pair; 8],

    /// A passed pawn, by rank.
    pub passed: [Pair; 8],
    /// Each step (up to five) of the enemy king from the square ahead, by rank.
    pub passed_enemy_king: [Pair; 8],
    /// Each step (up to five) of the own king from the square ahead, by rank.
    pub passed_own_king: [Pair; 8],
    /// An enemy man on the square ahead, by rank.
    pub passed_blocked: [Pair; 8],
    /// Nothing on the way to promotion and nothing attacks it, by rank.
    pub passed_free_path: [Pair; 8],
    /// Or at least the square ahead is not attacked, by rank.
    pub passed_safe_stop: [Pair; 8],
    /// The whole way to promotion is guarded, by rank.
    pub passed_guarded_path: [Pair; 8],
    /// Or at least the square ahead is guarded, by rank.
    pub passed_guarded_stop: [Pair; 8],
    /// Another passed pawn on a neighbouring file, at most one rank apart, by rank.
    pub passed_connected: [Pair; 8],
    /// An own rook behind.
    pub passed_rook_behind: Pair,
    /// An enemy rook behind.
    pub passed_rook_against: Pair,
    /// The enemy has only king and pawns, and the king comes too late.
    pub passed_unstoppable: Pair,

    /// Squares a knight reaches, 0 to 8.
    pub knight_mobility: [Pair; 9],
    /// Squares a bishop reaches, 0 to 13.
    pub bishop_mobility: [Pair; 14],
    /// Squares a rook reaches, 0 to 14.
    pub rook_mobility: [Pair; 15],
    /// Squares a queen reaches, 0 to 27.
    pub queen_mobility: [Pair; 28],

    /// A knight guarded by a pawn on the fourth to sixth rank where no enemy pawn can come.
    pub knight_outpost: Pair,
    /// The same for a bishop.
    pub bishop_outpost: Pair,
    /// A knight that can go to such a square.
    pub knight_reaches_outpost: Pair,
    /// A knight or bishop right behind a pawn.
    pub minor_behind_pawn: Pair,
    /// Each own pawn on a bishop's color.
    pub bishop_pawn: Pair,
    /// Each own pawn on a bishop's color, on a central file and blocked.
    pub bishop_blocked_pawn: Pair,
    /// A bishop that sees two central squares of a long diagonal through all pawns' gaps.
    pub bishop_long_diagonal: Pair,

    /// A rook on a file without pawns.
    pub rook_open_file: Pair,
    /// A rook on a file without own pawns.
    pub rook_half_open_file: Pair,
    /// A rook on a file with a blocked own pawn.
    pub rook_closed_file: Pair,
    /// A rook on the seventh rank with enemy pawns there or the king behind them.
    pub rook_seventh: Pair,

    /// A rook that its own uncastled king shuts in.
    pub trapped_rook: Pair,
    /// A bishop on a7 or h7 (a2, h2) that a pawn on b6 or g6 shuts in.
    pub trapped_bishop: Pair,
    /// A queen with one man between it and an enemy slider.
    pub veiled_queen: Pair,

    /// Own pawn before the king by the file's distance from the edge and rank; index 0 of the rank: none.
    pub shelter: [[Pair; 8]; 4],
    /// Enemy pawn coming at the king, likewise.
    pub storm: [[Pair; 8]; 4],
    /// Enemy pawn coming at the king but stopped by a pawn, by rank.
    pub storm_blocked: [Pair; 8],
    /// No pawns at all on the king's wing.
    pub pawnless_wing: Pair,
    /// Each step from the king to the nearest own pawn.
    pub king_to_pawn: Pair,

    /// A safe pawn attacks a piece.
    pub threat_by_pawn: Pair,
    /// A safe pawn step would attack a piece.
    pub threat_by_push: Pair,
    /// A minor piece attacks, by the attacked kind.
    pub threat_by_minor: [Pair; 5],
    /// A rook attacks something weak, by the attacked kind.
    pub threat_by_rook: [Pair; 5],
    /// The king attacks something weak.
    pub threat_by_king: Pair,
    /// Each attacked man that nothing guards, or piece attacked twice and guarded badly.
    pub hanging: Pair,
    /// Each square that both sides reach and the enemy does not hold.
    pub restricted: Pair,
    /// Each square from which a knight can safely attack the queen.
    pub knight_on_queen: Pair,
    /// Each square from which a bishop or rook can safely attack the queen.
    pub slider_on_queen: Pair,

    /// Each safe square behind the front, for each seven pieces.
    pub space: Pair,
    /// Having the move.
    pub tempo: Pair,
}

/// The weights in use.
pub static WEIGHTS: Weights = Weights {
    material: [s(86, 100), s(322, 312), s(334, 326), s(474, 540), s(985, 1010)],
    bishop_pair: s(26, 46),
    knight_pawns: s(3, 4),
    rook_pawns: s(-4, -2),
    rook_pair: s(-8, -14),
    queen_rook: s(-6, -12),
    squares: super::pst::SQUARES,

    isolated: s(-7, -9),
    isolated_open: s(-9, -7),
    doubled: s(-7, -20),
    backward: s(-6, -9),
    backward_open: s(-10, -8),
    phalanx: [O, s(4, 1), s(9, 4), s(13, 9), s(24, 22), s(44, 46), s(70, 75), O],
    supported: [O, O, s(10, 6), s(8, 7), s(13, 14), s(28, 30), s(50, 55), O],
    candidate: [O, s(0, 3), s(2, 6), s(6, 14), s(18, 30), s(36, 55), O, O],

    passed: [O, s(0, 6), s(2, 10), s(4, 20), s(20, 44), s(52, 84), s(96, 140), O],
    passed_enemy_king: [O, O, O, s(0, 4), s(0, 9), s(0, 15), s(0, 20), O],
    passed_own_king: [O, O, O, s(0, -3), s(0, -6), s(0, -9), s(0, -9), O],
    passed_blocked: [O, O, O, s(-2, -6), s(-6, -14), s(-14, -28), s(-26, -50), O],
    passed_free_path: [O, O, O, s(3, 9), s(9, 20), s(20, 40), s(34, 66), O],
    passed_safe_stop: [O, O, O, s(2, 5), s(5, 11), s(10, 20), s(14, 26), O],
    passed_guarded_path: [O, O, O, s(3, 5), s(7, 11), s(14, 18), s(22, 26), O],
    passed_guarded_stop: [O, O, O, s(2, 3), s(5, 6), s(9, 10), s(16, 16), O],
    passed_connected: [O, s(0, 4), s(1, 7), s(5, 13), s(12, 26), s(26, 48), s(42, 70), O],
    passed_rook_behind: s(4, 14),
    passed_rook_against: s(-3, -10),
    passed_unstoppable: s(0, 330),

    knight_mobility: [
        s(-46, -58),
        s(-30, -36),
        s(-12, -18),
        s(-3, -6),
        s(4, 4),
        s(10, 11),
        s(15, 16),
        s(20, 19),
        s(24, 20),
    ],
    bishop_mobility: [
        s(-36, -50),
        s(-20, -30),
        s(-4, -13),
        s(6, -1),
        s(13, 8),
        s(19, 16),
        s(24, 22),
        s(28, 27),
        s(31, 31),
        s(33, 34),
        s(36, 36),
        s(40, 38),
        s(44, 40),
        s(46, 42),
    ],
    rook_mobility: [
        s(-38, -58),
        s(-24, -36),
        s(-12, -17),
        s(-6, -3),
        s(-3, 8),
        s(0, 16),
        s(4, 24),
        s(8, 31),
        s(11, 38),
        s(14, 44),
        s(17, 49),
        s(20, 53),
        s(22, 56),
        s(24, 58),
        s(26, 60),
    ],
    queen_mobility: [
        s(-26, -40),
        s(-18, -30),
        s(-11, -20),
        s(-7, -13),
        s(-4, -8),
        s(-2, -3),
        s(0, 2),
        s(3, 6),
        s(5, 11),
        s(8, 16),
        s(10, 20),
        s(12, 24),
        s(14, 28),
        s(16, 32),
        s(18, 36),
        s(20, 39),
        s(21, 42),
        s(22, 45),
        s(23, 48),
        s(24, 50),
        s(25, 52),
        s(26, 54),
        s(27, 56),
        s(28, 58),
        s(29, 60),
        s(30, 62),
        s(31, 64),
        s(32, 66),
    ],

    knight_outpost: s(26, 17),
    bishop_outpost: s(15, 8),
    knight_reaches_outpost: s(13, 8),
    minor_behind_pawn: s(8, 3),
    bishop_pawn: s(-2, -3),
    bishop_blocked_pawn: s(-4, -6),
    bishop_long_diagonal: s(16, 4),

    rook_open_file: s(26, 12),
    rook_half_open_file: s(11, 8),
    rook_closed_file: s(-6, -4),
    rook_seventh: s(8, 20),

    trapped_rook: s(-34, -8),
    trapped_bishop: s(-85, -65),
    veiled_queen: s(-20, -9),

    shelter: [
        [s(-8, 0), s(20, 0), s(18, 0), s(-2, 0), s(-6, 0), s(-6, 0), s(-8, 0), O],
        [s(-26, 0), s(30, 0), s(18, 0), s(-12, 0), s(-12, 0), s(-10, 0), s(-14, 0), O],
        [s(-12, 0), s(26, 0), s(6, 0), s(-10, 0), s(-8, 0), s(-4, 0), s(-8, 0), O],
        [s(-16, 0), s(18, 0), s(6, 0), s(-6, 0), s(-10, 0), s(-12, 0), s(-14, 0), O],
    ],
    storm: [
        [O, s(0, 0), s(-34, 0), s(-24, 0), s(-10, 0), s(-3, 0), O, O],
        [O, s(0, 0), s(-32, 0), s(-26, 0), s(-9, 0), s(-1, 0), O, O],
        [O, s(0, 0), s(-28, 0), s(-22, 0), s(-6, 0), s(0, 0), O, O],
        [O, s(0, 0), s(-22, 0), s(-16, 0), s(-5, 0), s(0, 0), O, O],
    ],
    storm_blocked: [O, O, s(-26, -10), s(-2, -4), s(0, -2), O, O, O],
    pawnless_wing: s(-9, -30),
    king_to_pawn: s(0, -7),

    threat_by_pawn: s(60, 36),
    threat_by_push: s(18, 14),
    threat_by_minor: [s(3, 12), s(22, 18), s(26, 22), s(40, 36), s(36, 52)],
    threat_by_rook: [s(2, 14), s(16, 24), s(18, 24), s(2, 14), s(30, 20)],
    threat_by_king: s(10, 32),
    hanging: s(30, 18),
    restricted: s(3, 3),
    knight_on_queen: s(7, 5),
    slider_on_queen: s(22, 8),

    space: s(4, 0),
    tempo: s(20, 12),
};

/// The weights of king danger. Danger d above zero takes d²/[`DANGER_SQUARE`] from the middlegame score and
/// d/[`DANGER_LINE`] from the endgame score.
#[repr(C)]
pub struct Danger {
    /// A piece that attacks the king's surroundings, by kind.
    pub attacker: [i32; 6],
    /// Each attack on a square next to the king.
    pub hit: i32,
    /// Each attacked square round the king that only king or queen guard.
    pub weak: i32,
    /// A safe check, by the kind of piece that gives it.
    pub safe_check: [i32; 6],
    /// Each further square of a safe check by the same kind.
    pub more_checks: i32,
    /// Each square of a check that would cost the piece.
    pub unsafe_check: i32,
    /// Each man pinned to the king.
    pub pinned: i32,
    /// Each square of the king's wing and half that the enemy attacks.
    pub wing_attack: i32,
    /// Each of those attacked twice or more.
    pub wing_double: i32,
    /// Each of those squares that this side guards.
    pub wing_guard: i32,
    /// A knight or bishop that guards the king's surroundings.
    pub guardian: i32,
    /// The enemy has no queen.
    pub no_queen: i32,
    /// Each centipawn of king shelter, in 1/16.
    pub shelter: i32,
    /// Always.
    pub base: i32,
}

/// The weights of king danger in use.
pub static DANGER: Danger = Danger {
    attacker: [0, 34, 24, 30, 26, 0],
    hit: 10,
    weak: 25,
    safe_check: [0, 84, 54, 98, 88, 0],
    more_checks: 15,
    unsafe_check: 13,
    pinned: 20,
    wing_attack: 2,
    wing_double: 3,
    wing_guard: -1,
    guardian: -12,
    no_queen: -150,
    shelter: -8,
    base: -22,
};

/// Danger squared is divided by this for the middlegame.
pub const DANGER_SQUARE: i32 = 256;
/// Danger is divided by this for the endgame.
pub const DANGER_LINE: i32 = 6;
/// More danger than this counts no more.
pub const MAX_DANGER: i32 = 480;

/// The weights of the initiative: how much harder than its terms say an endgame is for the side that is behind.
pub struct Initiative {
    /// Each passed pawn of either side.
    pub passed: i32,
    /// Each pawn of either side.
    pub pawn: i32,
    /// Each file the kings are apart, less the ranks.
    pub outflanking: i32,
    /// Pawns on both wings.
    pub both_wings: i32,
    /// No pieces.
    pub pawn_ending: i32,
    /// Always.
    pub base: i32,
}

/// The weights of the initiative in use.
pub static INITIATIVE: Initiative =
    Initiative { passed: 4, pawn: 5, outflanking: 4, both_wings: 11, pawn_ending: 24, base: -54 };
