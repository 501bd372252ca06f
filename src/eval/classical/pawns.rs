//! Pawn structure, cached per thread, and passed pawns.

use super::king;
use super::pair::Pair;
use super::survey::Survey;
use super::weights as w;
use crate::chess::{Bitboard, Board, Color, PieceType, Rank, Square, attacks};

/// Cap of king distances.
const FAR: u32 = 5;
/// The path is evaluated from the fourth rank (index 3) on.
const ADVANCED: usize = 3;
/// Cache entries, a power of two.
const CACHE_SIZE: usize = 4096;

/// Terms that depend on pawns only, by color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Structure {
    pub passed: [Bitboard; 2],
    /// Squares attacked by pawns now or after advancing.
    pub reach: [Bitboard; 2],
    /// Isolated, doubled, backward, connected, candidate.
    pub value: [Pair; 2],
    /// Piece-square values of the pawns.
    pub squares: [Pair; 2],
}

impl Structure {
    fn new(pawns: [Bitboard; 2]) -> Self {
        let reach = Color::ALL.map(|color| pawns[color].fill_forward(color).pawn_attacks(color));
        let mut structure = Self { reach, ..Self::default() };
        for color in Color::ALL {
            for square in pawns[color] {
                let (value, passed) = pawn(pawns, color, square);
                structure.value[color] += value;
                structure.squares[color] += w::square(color, PieceType::Pawn, square);
                if passed {
                    structure.passed[color] |= square.bitboard();
                }
            }
        }
        structure
    }

    /// Outposts: squares on the fourth to sixth rank, defended by a pawn and out of reach of enemy pawns.
    pub(super) fn outposts(&self, survey: &Survey, color: Color) -> Bitboard {
        let ranks = match color {
            Color::White => Bitboard(0x0000_FFFF_FF00_0000),
            Color::Black => Bitboard(0x0000_00FF_FFFF_0000),
        };
        ranks & survey.by[color][PieceType::Pawn] & !self.reach[!color]
    }
}

/// Value of one pawn in the structure, and whether it is passed.
fn pawn(pawns: [Bitboard; 2], color: Color, square: Square) -> (Pair, bool) {
    let (own, enemy) = (pawns[color], pawns[!color]);
    let rank = square.rank().relative_to(color).index();
    let here = square.bitboard();
    let stop = here.forward(color);
    let ahead = stop.fill_forward(color);
    let beside = here.east() | here.west();
    let neighbour_files = beside.fill_forward(Color::White) | beside.fill_forward(Color::Black);

    let opposed = (enemy & ahead).any();
    let neighbours = own & neighbour_files;
    let phalanx = own & beside;
    let guards = own & attacks::pawn(!color, square);
    let stoppers = enemy & stop.pawn_attacks(color).fill_forward(color);
    let levers = enemy & attacks::pawn(color, square);
    // Neighbours level with the pawn or behind it can still support it.
    let supporters = own & beside.fill_forward(!color);

    let mut value = Pair::ZERO;
    if (phalanx | guards).any() {
        value += w::PHALANX[rank] * i32::from(phalanx.any());
        value += w::SUPPORTED[rank] * guards.count() as i32;
    } else if neighbours.is_empty() {
        value += w::ISOLATED;
        value += w::ISOLATED_OPEN * i32::from(!opposed);
    } else if supporters.is_empty()
        && ((enemy & stop).any() || (enemy & attacks::pawn(color, square.forward(color))).any())
    {
        value += w::BACKWARD;
        value += w::BACKWARD_OPEN * i32::from(!opposed);
    }
    let doubled = (own & ahead).any();
    value += w::DOUBLED * i32::from(doubled && guards.is_empty());

    let passed = !opposed && !doubled && (stoppers | levers).is_empty();
    if !passed && !opposed && !doubled && supporters.count() >= stoppers.count() && guards.count() >= levers.count() {
        value += w::CANDIDATE[rank];
    }
    (value, passed)
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u64,
    structure: Structure,
    /// By color, the last king square and castling rights, and their shelter.
    shelter: [Option<((Square, usize), Pair)>; 2],
}

/// One thread's cache of pawn structures, by pawn key.
pub(super) struct PawnCache(Box<[Entry]>);

impl Default for PawnCache {
    /// An empty cache: all entries hold the structure without pawns, which is correct for key 0.
    fn default() -> Self {
        Self(vec![Entry::default(); CACHE_SIZE].into())
    }
}

impl PawnCache {
    /// The structure and both shelters (see [`king::shelter`]).
    pub(super) fn probe(&mut self, board: &Board) -> (Structure, [Pair; 2]) {
        let key = board.pawn_key();
        let entry = &mut self.0[key as usize & (CACHE_SIZE - 1)];
        let pawns = Color::ALL.map(|color| board.pieces(color, PieceType::Pawn));
        if entry.key != key {
            *entry = Entry { key, structure: Structure::new(pawns), shelter: [None; 2] };
        }
        let shelter = Color::ALL.map(|color| {
            let king = (board.king(color), board.castling().index() >> (2 * color.index()) & 3);
            match entry.shelter[color] {
                Some((known, value)) if known == king => value,
                _ => {
                    let value = king::shelter(board, pawns, color);
                    entry.shelter[color] = Some((king, value));
                    value
                }
            }
        });
        (entry.structure, shelter)
    }
}

pub(super) fn passed(survey: &Survey, structure: &Structure, color: Color) -> Pair {
    let own = structure.passed[color];
    let mut value = Pair::ZERO;
    let mut unstoppable = false;
    for square in own {
        value += passed_pawn(survey, own, color, square);
        unstoppable |= outruns_king(survey, color, square);
    }
    // Counted once: the enemy can't stop one, so the second does not matter.
    value + w::PASSED_UNSTOPPABLE * i32::from(unstoppable)
}

fn passed_pawn(survey: &Survey, own: Bitboard, color: Color, square: Square) -> Pair {
    let rank = square.rank().relative_to(color).index();
    let here = square.bitboard();
    let stop = square.forward(color);
    let row = here | here.forward(Color::White) | here.forward(Color::Black);
    let connected = (own & (row.east() | row.west())).any();

    let mut value = w::PASSED[rank];
    value += w::PASSED_CONNECTED[rank] * i32::from(connected);
    // Majors behind the pawn see along the whole file, through the pawn.
    let behind = attacks::rook(square, survey.occupied) & here.fill_forward(!color);
    let against = behind & survey.board.pieces(!color, PieceType::Rook);
    value += w::PASSED_ROOK_AGAINST * i32::from(against.any());
    if rank < ADVANCED {
        return value;
    }
    let enemy_king = survey.king[!color].distance(stop).min(FAR) as i32;
    let own_king = survey.king[color].distance(stop).min(FAR) as i32;
    value += w::PASSED_ENEMY_KING[rank] * enemy_king;
    value += w::PASSED_OWN_KING[rank] * own_king;
    if survey.occupied.has(stop) {
        let blocked = survey.board.color(!color).has(stop);
        value + w::PASSED_BLOCKED[rank] * i32::from(blocked)
    } else {
        value + path(survey, color, square, behind, rank)
    }
}

/// The path to promotion: free, safe, defended?
fn path(survey: &Survey, color: Color, square: Square, behind: Bitboard, rank: usize) -> Pair {
    let stop = square.bitboard().forward(color);
    let path = stop.fill_forward(color);
    let majors = survey.board.kind(PieceType::Rook) | survey.board.kind(PieceType::Queen);
    let pushed = (behind & majors & survey.board.color(color)).any();
    let pulled = (behind & majors & survey.board.color(!color)).any();
    let attacked = if pulled { path } else { path & survey.all[!color] };
    let guarded = if pushed { path } else { path & survey.all[color] };

    let mut value = Pair::ZERO;
    if (attacked | (path & survey.board.color(!color))).is_empty() {
        value += w::PASSED_FREE_PATH[rank];
    } else if (attacked & stop).is_empty() {
        value += w::PASSED_SAFE_STOP[rank];
    }
    if guarded == path {
        value += w::PASSED_GUARDED_PATH[rank];
    } else if (guarded & stop).any() {
        value += w::PASSED_GUARDED_STOP[rank];
    }
    value
}

pub(super) fn promotion(color: Color, pawn: Square) -> Square {
    Square::new(pawn.file(), Rank::Eighth.relative_to(color))
}

/// Whether the enemy has only king and pawns, and its king is outside the pawn's square.
fn outruns_king(survey: &Survey, color: Color, square: Square) -> bool {
    if survey.census.pieces(!color) > 0 {
        return false;
    }
    let path = square.bitboard().forward(color).fill_forward(color);
    let rank = square.rank().relative_to(color).index() as u32;
    // A double step saves a move.
    let moves = (7 - rank).min(5);
    let first = u32::from(survey.board.side_to_move() != color);
    (path & survey.occupied).is_empty() && survey.king[!color].distance(promotion(color, square)) > moves + first
}
