//! Random endgame positions.

use fastrand::Rng;
use lento::chess::{Bitboard, Board, Color, Piece, PieceType, Square};
use std::ops::RangeInclusive;

/// Numbers of pieces, including kings and pawns.
const PIECES: RangeInclusive<usize> = 5..=12;
/// Probability that a piece after the first pawn is a pawn.
const PAWNS: f64 = 0.55;
/// Maximum pieces of a side besides king and pawns.
const MAX_PIECES: [PieceType; 7] = {
    use PieceType::{Bishop, Knight, Queen, Rook};
    [Knight, Knight, Bishop, Bishop, Rook, Rook, Queen]
};
/// Maximum pawns of a side.
const MAX_PAWNS: usize = 8;
/// Maximum material difference in pawns. Saves searching positions that are rarely balanced.
const MAX_DIFFERENCE: i32 = 3;
/// The move number: the default `--draw-from`.
const MOVE: u32 = 40;

/// Draws a legal position without check: 5 to 12 pieces, at least one pawn and about equal material. The game may be over.
pub(super) fn draw(rng: &mut Rng) -> Board {
    let count = rng.usize(PIECES);
    loop {
        if let Some(board) = attempt(count, rng) {
            return board;
        }
    }
}

/// Kings and random pieces of about equal material, each side without promoted pieces.
fn pieces(count: usize, rng: &mut Rng) -> Option<Vec<Piece>> {
    let mut pieces = vec![Piece::new(Color::White, PieceType::King), Piece::new(Color::Black, PieceType::King)];
    let mut unused = [MAX_PIECES; 2].map(Vec::from);
    let (mut difference, mut pawns) = (0, [0; 2]);
    for number in 2..count {
        let color = if rng.bool() { Color::White } else { Color::Black };
        let kind = if number == 2 || rng.f64() < PAWNS {
            PieceType::Pawn
        } else {
            let left = &mut unused[color.index()];
            if left.is_empty() {
                return None;
            }
            left.swap_remove(rng.usize(..left.len()))
        };
        difference += points(kind) * color.sign();
        pawns[color.index()] += usize::from(kind == PieceType::Pawn);
        pieces.push(Piece::new(color, kind));
    }
    (difference.abs() <= MAX_DIFFERENCE && pawns.iter().all(|&pawns| pawns <= MAX_PAWNS)).then_some(pieces)
}

fn attempt(count: usize, rng: &mut Rng) -> Option<Board> {
    let pieces = pieces(count, rng)?;
    let mut squares = Bitboard::EMPTY;
    let mut letters = ['1'; 64];
    for piece in pieces {
        // Pawns are not on the first or last rank.
        let range = if piece.kind() == PieceType::Pawn { 8..56 } else { 0..64 };
        let square = Square::from_index(rng.usize(range));
        if (squares & square.bitboard()).any() {
            return None;
        }
        squares |= square.bitboard();
        letters[square.index()] = piece.letter();
    }
    let ranks: Vec<String> = letters.chunks(8).rev().map(String::from_iter).collect();
    let side = if rng.bool() { 'w' } else { 'b' };
    // Invalid if the side not to move is in check.
    let board = Board::from_fen(&format!("{} {side} - - 0 {MOVE}", ranks.join("/"))).ok()?;
    (!board.in_check()).then_some(board)
}

fn points(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 1,
        PieceType::Knight | PieceType::Bishop => 3,
        PieceType::Rook => 5,
        PieceType::Queen => 9,
        PieceType::King => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_side_has_nine_pawns() {
        let mut rng = Rng::with_seed(11);
        for pieces in (0..3_000_000).filter_map(|_| pieces(12, &mut rng)) {
            let pawns = |color| pieces.iter().filter(|&&piece| piece == Piece::new(color, PieceType::Pawn)).count();
            assert!(Color::ALL.map(pawns).iter().all(|&pawns| pawns <= MAX_PAWNS), "{pieces:?}");
        }
    }

    #[test]
    fn positions_are_quiet_balanced_and_of_every_size() {
        let mut rng = Rng::with_seed(5);
        let (mut counts, mut kinds, mut sides) = (HashMap::new(), [0; 6], [0; 2]);
        for _ in 0..4000 {
            let board = draw(&mut rng);
            assert!(!board.in_check() && board.kind(PieceType::Pawn).any(), "{}", board.fen(false));
            assert_eq!((board.halfmove_clock(), board.fullmove_number()), (0, MOVE));
            *counts.entry(board.occupied().count()).or_insert(0) += 1;
            sides[board.side_to_move().index()] += 1;
            for (kind, count) in PieceType::ALL.into_iter().zip(&mut kinds) {
                *count += board.kind(kind).count();
            }
            let material = |color| -> i32 {
                PieceType::ALL.iter().map(|&kind| board.pieces(color, kind).count() as i32 * points(kind)).sum()
            };
            assert!((material(Color::White) - material(Color::Black)).abs() <= MAX_DIFFERENCE);
        }
        assert_eq!((counts.len(), counts.keys().min(), counts.keys().max()), (8, Some(&5), Some(&12)));
        assert!(counts.values().all(|&count| (400..600).contains(&count)), "{counts:?}");
        assert!(kinds[1..5].iter().all(|&count| count > 500), "{kinds:?}");
        assert!(sides.iter().all(|&count| count > 1500), "{sides:?}");
    }
}
