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

/// One bit per position: whether the side with the pawn wins.
static WINS: LazyLock<Box<[u64]>> = LazyLock::new(solve);

/// A KPK position with White to own the pawn.
#[derive(Clone, Copy)]
struct Ending {
    side: Color,
    pawn: Square,
    white: Square,
    black: Square,
}

impl Ending {
    const fn index(self) -> usize {
        let pawn = (self.pawn.index() / 8 - 1) * 4 + self.pawn.index() % 8;
        ((pawn * 64 + self.white.index()) * 64 + self.black.index()) * 2 + self.side.index()
    }

    const fn from_index(index: usize) -> Self {
        let pawn = index >> 13;
        Self {
            side: if index & 1 == 0 { Color::White } else { Color::Black },
            pawn: Square::from_index((pawn / 4 + 1) * 8 + pawn % 4),
            white: Square::from_index(index >> 7 & 63),
            black: Square::from_index(index >> 1 & 63),
        }
    }

    /// Classification without lookahead.
    fn first_sight(self) -> u8 {
        let Self { side, pawn, white, black } = self;
        let pawn_attacks = attacks::pawn(Color::White, pawn);
        if white.distance(black) <= 1 || white == pawn || black == pawn {
            return INVALID;
        }
        match side {
            Color::White if pawn_attacks.has(black) => INVALID,
            Color::White => {
                let ahead = pawn.forward(Color::White);
                let promotes = pawn.index() >= 48 && ahead != white && ahead != black;
                let kept = black.distance(ahead) > 1 || white.distance(ahead) == 1;
                if promotes && kept { WIN } else { UNKNOWN }
            }
            Color::Black => {
                let steps = attacks::king(black) & !attacks::king(white) & !pawn_attacks;
                if steps.is_empty() || steps.has(pawn) { DRAW } else { UNKNOWN }
            }
        }
    }

    /// Classification from the successors.
    fn look_ahead(self, known: &[u8]) -> u8 {
        let (Self { side, pawn, white, black }, mut union) = (self, INVALID);
        let [best, worst] = if side == Color::White {
            for white in attacks::king(white) {
                union |= known[Self { side: Color::Black, white, ..self }.index()];
            }
            if pawn.index() < 48 {
                let step = pawn.forward(Color::White);
                union |= known[Self { side: Color::Black, pawn: step, ..self }.index()];
                if pawn.index() < 16 && step != white && step != black {
                    let leap = step.forward(Color::White);
                    union |= known[Self { side: Color::Black, pawn: leap, ..self }.index()];
                }
            }
            [WIN, DRAW]
        } else {
            for black in attacks::king(black) {
                union |= known[Self { side: Color::White, black, ..self }.index()];
            }
            [DRAW, WIN]
        };
        [best, UNKNOWN].into_iter().find(|result| union & result != 0).unwrap_or(worst)
    }
}

/// Iterates to a fixed point.
fn solve() -> Box<[u64]> {
    let mut known: Vec<u8> = (0..POSITIONS).map(|index| Ending::from_index(index).first_sight()).collect();
    loop {
        let mut changed = false;
        // Backwards: pawns near promotion are settled first.
        for index in (0..POSITIONS).rev() {
            if known[index] == UNKNOWN {
                known[index] = Ending::from_index(index).look_ahead(&known);
                changed |= known[index] != UNKNOWN;
            }
        }
        if !changed {
            break;
        }
    }
    let mut wins = vec![0u64; POSITIONS / 64].into_boxed_slice();
    for (index, result) in known.into_iter().enumerate() {
        wins[index / 64] |= u64::from(result == WIN) << (index % 64);
    }
    wins
}

/// Whether `strong`, the side with the pawn, wins with `side` to move.
pub(super) fn wins(strong: Color, strong_king: Square, pawn: Square, weak_king: Square, side: Color) -> bool {
    // Normalise: pawn of White, on files a to d.
    let flip = if pawn.file() > File::D { 7 } else { 0 };
    let normal = |square: Square| Square::from_index(square.relative_to(strong).index() ^ flip);
    let side = if side == strong { Color::White } else { Color::Black };
    let ending = Ending { side, pawn: normal(pawn), white: normal(strong_king), black: normal(weak_king) };
    let index = ending.index();
    WINS[index / 64] >> (index % 64) & 1 != 0
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
    fn the_number_of_wins_is_the_known_one() {
        let wins: u32 = WINS.iter().map(|word| word.count_ones()).sum();
        assert_eq!(wins, 111_282);
    }
}
