//! Errors with limited strength: misjudged positions and overlooked moves.

use super::{Handicap, Purpose};
use crate::chess::{Board, Color, Move, PieceType};
use crate::score::{MAX_EVAL, Score};
use crate::search::observer::Observer;

impl Handicap {
    /// Shares of the noise by pawn structure, material (both change slowly) and position. Their squares sum to 1.
    const SHARES: [(Purpose, f64); 3] =
        [(Purpose::Structure, 0.65), (Purpose::Material, 0.6), (Purpose::Position, 0.466)];
    /// Factors on the probability of overlooking a move at the first plies.
    const NEAR: [f64; 4] = [0.15, 0.35, 0.6, 0.8];
    /// Number of pieces below which positions are easier.
    const CROWD: f64 = 10.0;

    /// The error of the evaluation, in centipawns from White's view.
    fn error(&self, board: &Board) -> f64 {
        let share = |(purpose, share): (Purpose, f64)| {
            let key = match purpose {
                Purpose::Structure => board.pawn_key(),
                Purpose::Material => material(board),
                _ => board.key(),
            };
            share * normal(self.bits(purpose, key))
        };
        self.level.noise * Self::crowd(board) * Self::SHARES.into_iter().map(share).sum::<f64>()
    }

    /// Factor on noise and temperature by the number of pieces; its square is the factor on oversights.
    pub(super) fn crowd(board: &Board) -> f64 {
        (f64::from(board.occupied().count()) / Self::CROWD).min(1.0)
    }

    /// Bonus for material with few pieces, in centipawns from White's view. Evaluations of won endings hardly differ, but humans keep
    /// their pieces.
    fn material_bonus(board: &Board) -> f64 {
        let balance = board.exchange_value(Color::White) - board.exchange_value(Color::Black);
        (1.0 - Self::crowd(board)) * f64::from(balance) / 4.0
    }

    /// Whether the player sees a legal move at this ply. Evasions are always seen.
    pub(super) fn sees(&self, board: &Board, mv: Move, ply: usize) -> bool {
        let overlooked = if mv.is_quiet() { self.level.overlooked } else { self.level.overlooked_noisy };
        let chance = overlooked * Self::NEAR.get(ply).copied().unwrap_or(1.0);
        if chance == 0.0 || board.in_check() {
            return true;
        }
        let chance = chance * Self::crowd(board).powi(2) * hidden(board, mv);
        self.fraction(Purpose::Move, board.key() ^ u64::from(mv.word()) << 40) >= chance.min(0.9)
    }
}

impl Observer for Handicap {
    fn evaluated(&self, board: &Board, value: Score) -> Score {
        if self.level.noise == 0.0 {
            return value;
        }
        let change = self.error(board) + Self::material_bonus(board);
        (value + change as Score * board.side_to_move().sign()).clamp(-MAX_EVAL, MAX_EVAL)
    }

    fn overlooks(&self, board: &Board, mv: Move, ply: usize) -> bool {
        !self.sees(board, mv, ply)
    }
}

/// How easily a move is overlooked: retreats, long moves and knight moves more; pawn moves, castling and checks less; captures less
/// the larger their share of the opponent's material, and captures of the last piece never.
fn hidden(board: &Board, mv: Move) -> f64 {
    let (from, to, side) = (mv.from(), mv.to(), board.side_to_move());
    let Some(piece) = board.piece_on(from) else { return 1.0 };
    if mv.is_castle() {
        return 0.3;
    }
    let back = to.relative_to(side).rank() < from.relative_to(side).rank();
    let by_distance = match (back, from.distance(to) >= 4) {
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
    let check = if board.gives_check(mv) { 0.4 } else { 1.0 };
    by_distance * by_piece * check * remaining(board, mv).powi(2)
}

/// The opponent's material after a move as a share of that before it, without the king.
fn remaining(board: &Board, mv: Move) -> f64 {
    let Some(captured) = board.captured(mv) else { return 1.0 };
    1.0 - f64::from(captured.kind().exchange_value()) / f64::from(board.exchange_value(!board.side_to_move()))
}

/// A number that identifies the material.
fn material(board: &Board) -> u64 {
    const KINDS: [PieceType; 5] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let counts = Color::ALL.into_iter().flat_map(|color| KINDS.map(|kind| board.pieces(color, kind).count()));
    counts.fold(0, |sum, count| sum << 4 | u64::from(count))
}

/// Approximately standard normal, from random bits: the sum of four bytes.
fn normal(bits: u64) -> f64 {
    let sum: u32 = bits.to_le_bytes()[..4].iter().map(|&byte| u32::from(byte)).sum();
    (f64::from(sum) - 510.0) / 147.8
}
