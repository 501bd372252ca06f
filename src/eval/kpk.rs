//! KPK bitbase, generated on first use.

use crate::chess::{Color, File, Square, attacks};
use std::sync::LazyLock;

/// Side to move × pawn squares (files a to d, ranks 2 to 7) × king squares × king squares.
const POSITIONS: usize = 2 * 24 * 64 * 64;

/// Classification of a position while solving; successors combine by bitwise or.
const UNKNOWN: u8 = 1;
const DRAW: u8 = 2;
const WIN: u8 = 4;
/// Illegal positions: neutral in a union.
const INVALID: u8 = 0;

static SOLVED: LazyLock<Vec<u8>> = LazyLock::new(solve);

/// Index of a position, with White to own the pawn.
const fn index(side: Color, pawn: Square, white: Square, black: Square) -> usize {
    let pawn = (pawn.index() / 8 - 1) * 4 + pawn.index() % 8;
    ((pawn * 64 + white.index()) * 64 + black.index()) * 2 + side.index()
}

/// Classification of the position with an index: without lookahead, or from its successors.
fn classify(known: &[u8], position: usize) -> u8 {
    let white_to_move = position & 1 == 0;
    let [black, white] = [1, 7].map(|shift| Square::from_index(position >> shift & 63));
    let pawn = Square::from_index(((position >> 13) / 4 + 1) * 8 + (position >> 13) % 4);
    let (step, pawn_attacks) = (pawn.forward(Color::White), attacks::pawn(Color::White, pawn));
    if white.distance(black) <= 1 || white == pawn || black == pawn || white_to_move && pawn_attacks.has(black) {
        return INVALID;
    }
    let mut union = INVALID;
    let [best, worst] = if white_to_move {
        if pawn.index() >= 48
            && step != white
            && step != black
            && (black.distance(step) > 1 || white.distance(step) == 1)
        {
            return WIN;
        }
        for white in attacks::king(white) {
            union |= known[index(Color::Black, pawn, white, black)];
        }
        if pawn.index() < 48 {
            union |= known[index(Color::Black, step, white, black)];
        }
        if pawn.index() < 16 && step != white && step != black {
            union |= known[index(Color::Black, step.forward(Color::White), white, black)];
        }
        [WIN, DRAW]
    } else {
        let steps = attacks::king(black) & !attacks::king(white) & !pawn_attacks;
        if steps.is_empty() || steps.has(pawn) {
            return DRAW;
        }
        for black in attacks::king(black) {
            union |= known[index(Color::White, pawn, white, black)];
        }
        [DRAW, WIN]
    };
    [best, UNKNOWN].into_iter().find(|result| union & result != 0).unwrap_or(worst)
}

/// Iterates to a fixed point.
fn solve() -> Vec<u8> {
    let mut known = vec![UNKNOWN; POSITIONS];
    loop {
        let mut changed = false;
        // Backwards: pawns near promotion are settled first.
        for position in (0..POSITIONS).rev() {
            if known[position] == UNKNOWN {
                known[position] = classify(&known, position);
                changed |= known[position] != UNKNOWN;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// Whether `strong`, the side with the pawn, wins with `side` to move.
pub(super) fn wins(strong: Color, strong_king: Square, pawn: Square, weak_king: Square, side: Color) -> bool {
    // Normalise: pawn of White, on files a to d.
    let flip = if pawn.file() > File::D { 7 } else { 0 };
    let normal = |square: Square| Square::from_index(square.relative_to(strong).index() ^ flip);
    let side = if side == strong { Color::White } else { Color::Black };
    SOLVED[index(side, normal(pawn), normal(strong_king), normal(weak_king))] == WIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposition_key_squares_and_rook_pawns() {
        use Color::{Black, White};
        let wins = |king, pawn, enemy, side| wins(White, king, pawn, enemy, side);
        // The king on the sixth in front of its pawn always wins.
        assert!(wins(Square::E6, Square::E5, Square::E8, White));
        assert!(wins(Square::E6, Square::E5, Square::E8, Black));
        // On the fifth it needs the opposition.
        assert!(!wins(Square::E5, Square::E4, Square::E7, White));
        assert!(wins(Square::E5, Square::E4, Square::E7, Black));
        // Stalemate, and rook pawns.
        assert!(!wins(Square::E6, Square::E7, Square::E8, Black));
        assert!(!wins(Square::B6, Square::A5, Square::A8, White));
        // A pawn that outruns the king.
        assert!(wins(Square::A1, Square::H5, Square::B5, White));
        assert!(!wins(Square::A1, Square::H5, Square::E5, Black));
    }

    #[test]
    fn colors_and_wings_mirror() {
        for (king, pawn, enemy) in [
            (Square::E5, Square::E4, Square::E7),
            (Square::B3, Square::C2, Square::C6),
            (Square::G4, Square::H3, Square::F8),
        ] {
            for side in Color::ALL {
                let mirror = |square: Square| square.relative_to(Color::Black);
                let flip = |square: Square| Square::from_index(square.index() ^ 7);
                let result = wins(Color::White, king, pawn, enemy, side);
                assert_eq!(result, wins(Color::Black, mirror(king), mirror(pawn), mirror(enemy), !side));
                assert_eq!(result, wins(Color::White, flip(king), flip(pawn), flip(enemy), side));
            }
        }
    }

    #[test]
    fn number_of_wins_is_the_known_one() {
        assert_eq!(SOLVED.iter().filter(|&&result| result == WIN).count(), 111_282);
    }
}
