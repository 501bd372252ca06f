//! What a limited player sees of the board, and how it judges it.

use super::{Level, Matter, Seed};
use crate::chess::{Board, Color, Move, PieceType};
use crate::score::{MAX_EVAL, Score};
use crate::search::probe::SearchProbe;

/// Stands between the search and the board: judgements are off, and some moves are overlooked. Both depend on the seed and on what is
/// judged or overlooked alone.
#[derive(Clone, Copy, Debug)]
pub struct Eyes {
    seed: Seed,
    noise: f64,
    /// Chances to overlook quiet moves, and captures and promotions.
    overlooked: [f64; 2],
}

impl Eyes {
    /// How much of the noise belongs to what changes slowly, the structure of pawns and the material, and how much to the position as a
    /// whole. The squares add up to 1.
    const SHARES: [(Matter, f64); 3] = [(Matter::Structure, 0.65), (Matter::Material, 0.6), (Matter::Position, 0.466)];
    /// How much of the chance to overlook something is left at the root and at the plies behind it: deep in a line everything.
    const NEAR: [f64; 4] = [0.15, 0.35, 0.6, 0.8];

    /// The eyes of a player of this level.
    pub(super) fn new(level: &Level, seed: Seed) -> Self {
        Self { seed, noise: level.noise, overlooked: [level.overlooked, level.overlooked_noisy] }
    }

    /// By how much the player misjudges a position, in centipawns from White's view.
    fn error(&self, board: &Board) -> f64 {
        let share = |(matter, share): (Matter, f64)| {
            let which = match matter {
                Matter::Structure => board.pawn_key(),
                Matter::Material => material(board),
                _ => board.key(),
            };
            share * normal(self.seed.draw(matter, which))
        };
        self.noise * Self::SHARES.into_iter().map(share).sum::<f64>()
    }

    /// Whether the player sees a legal move so many plies from the root. Evasions of checks are seen.
    pub fn sees(&self, board: &Board, mv: Move, ply: usize) -> bool {
        let noisy = !mv.is_quiet();
        let chance = self.overlooked[usize::from(noisy)] * Self::NEAR.get(ply).copied().unwrap_or(1.0);
        if chance == 0.0 || board.in_check() {
            return true;
        }
        let chance = chance * hidden(board, mv);
        self.seed.chance(Matter::Move, board.key() ^ u64::from(mv.word()) << 40) >= chance.min(0.9)
    }
}

impl SearchProbe for Eyes {
    #[inline(always)]
    fn judged(&self, board: &Board, value: Score) -> Score {
        if self.noise == 0.0 {
            return value;
        }
        (value + self.error(board) as Score * board.side_to_move().sign()).clamp(-MAX_EVAL, MAX_EVAL)
    }

    #[inline(always)]
    fn overlooks(&self, board: &Board, mv: Move, ply: usize) -> bool {
        !self.sees(board, mv, ply)
    }
}

/// How much harder a move is to see than others: moves back, long moves and those of knights are, pawn moves and castling are not, and
/// of checks people think first.
fn hidden(board: &Board, mv: Move) -> f64 {
    let (from, to, side) = (mv.from(), mv.to(), board.side_to_move());
    let Some(piece) = board.piece_on(from) else { return 1.0 };
    if mv.is_castle() {
        return 0.3;
    }
    let back = to.relative_to(side).rank() < from.relative_to(side).rank();
    let by_way = match (back, from.distance(to) >= 4) {
        (true, true) => 1.8,
        (true, false) => 1.4,
        (false, true) => 1.3,
        (false, false) => 1.0,
    };
    let by_piece = match piece.kind() {
        PieceType::Pawn => 0.7,
        PieceType::Knight => 1.2,
        _ => 1.0,
    };
    let check = if board.check_squares().gives_check(board, mv) { 0.4 } else { 1.0 };
    by_way * by_piece * check
}

/// What stands on the board, as a number.
fn material(board: &Board) -> u64 {
    const KINDS: [PieceType; 5] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let counts = Color::ALL.into_iter().flat_map(|color| KINDS.map(|kind| board.pieces(color, kind).count()));
    counts.fold(0, |sum, count| sum << 4 | u64::from(count))
}

/// A number that is nearly normal, of mean 0 and standard deviation 1, from random bits: the sum of four bytes.
fn normal(bits: u64) -> f64 {
    let sum: u32 = bits.to_le_bytes()[..4].iter().map(|&byte| u32::from(byte)).sum();
    (f64::from(sum) - 510.0) / 147.8
}
