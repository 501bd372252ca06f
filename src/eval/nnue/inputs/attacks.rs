//! Attack sets of both sides, computed for all pieces at once.
//!
//! Sliders use Kogge-Stone fills along all lines in parallel: branch-free whatever the number of pieces, with eight bitboards in one
//! or two registers.

use super::super::simd::U64x8;
use super::pieces::Pieces;
use crate::chess::{Bitboard, Color, PieceType, attacks};

const NOT_A: u64 = Bitboard::NOT_A;
const NOT_H: u64 = Bitboard::NOT_H;
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// Square index step up each line: file, rank, diagonal, anti-diagonal.
const STEPS: [u64; 4] = [8, 1, 9, 7];
/// Squares reachable by a step up without wrapping around the edge.
const UP: [u64; 4] = [!0, NOT_A, NOT_A, NOT_H];
/// Squares reachable by a step down without wrapping.
const DOWN: [u64; 4] = [!0, NOT_H, NOT_H, NOT_A];

/// Upward knight jumps and the squares reachable by them without wrapping.
const LEAPS: [u64; 4] = [17, 15, 10, 6];
const LEAPS_UP: [u64; 4] = [NOT_A, NOT_H, NOT_AB, NOT_GH];
const LEAPS_DOWN: [u64; 4] = [NOT_H, NOT_A, NOT_GH, NOT_AB];

/// Four bitboards, repeated for each color.
#[inline(always)]
fn lines<V: U64x8>(isa: V::Isa, [a, b, c, d]: [u64; 4]) -> V {
    V::new(isa, [a, b, c, d, a, b, c, d])
}

/// Attacks along each line, up and down.
#[derive(Clone, Copy)]
struct Rays<V> {
    up: V,
    down: V,
}

impl<V: U64x8> Rays<V> {
    /// Both directions of each line.
    #[inline(always)]
    fn both(self) -> V {
        self.up.or(self.down)
    }

    /// Doubles the reach of a propagator: squares also set `steps` further back.
    #[inline(always)]
    fn extend(self, steps: V) -> Self {
        Self { up: self.up.and(self.up.shl(steps)), down: self.down.and(self.down.shr(steps)) }
    }

    /// Knight attacks.
    #[inline(always)]
    fn leaps(isa: V::Isa, knights: V) -> Self {
        let leaps = lines(isa, LEAPS);
        Self { up: knights.shl(leaps).and(lines(isa, LEAPS_UP)), down: knights.shr(leaps).and(lines(isa, LEAPS_DOWN)) }
    }
}

/// Kogge-Stone propagators for one, two and four steps.
struct Propagators<V: U64x8> {
    isa: V::Isa,
    free: [Rays<V>; 3],
}

impl<V: U64x8> Propagators<V> {
    #[inline(always)]
    fn steps(isa: V::Isa, squares: u64) -> V {
        lines(isa, STEPS.map(|step| squares * step))
    }

    #[inline(always)]
    fn new(isa: V::Isa, empty: u64) -> Self {
        let empty = V::new(isa, [empty; 8]);
        let one = Rays { up: lines::<V>(isa, UP).and(empty), down: lines::<V>(isa, DOWN).and(empty) };
        let two = one.extend(Self::steps(isa, 1));
        Self { isa, free: [one, two, two.extend(Self::steps(isa, 2))] }
    }

    /// Slider attacks from these squares.
    #[inline(always)]
    fn rays(&self, from: V) -> Rays<V> {
        let mut rays = Rays { up: from, down: from };
        for (free, squares) in self.free.iter().zip([1, 2, 4]) {
            rays.up = rays.up.or(free.up.and(rays.up.shl(Self::steps(self.isa, squares))));
            rays.down = rays.down.or(free.down.and(rays.down.shr(Self::steps(self.isa, squares))));
        }
        let (one, up, down) = (Self::steps(self.isa, 1), lines(self.isa, UP), lines(self.isa, DOWN));
        Rays { up: rays.up.shl(one).and(up), down: rays.down.shr(one).and(down) }
    }
}

/// Attack sets of both colors.
pub(super) struct Attacks {
    /// Per color, by each piece type except the king.
    pub by: [[Bitboard; 5]; 2],
    /// Per color, by any piece.
    pub all: [Bitboard; 2],
    /// Per color, by at least two pieces.
    pub twice: [Bitboard; 2],
    /// Whether rooks, knights, bishops and queens can check safely, on a square not attacked by the king's side; the low four bits are
    /// checks to White's king.
    pub safe_checks: u8,
    /// Same for unsafe checks.
    pub checks: u8,
    /// Per color, pieces pinned to their king.
    pub pinned: [Bitboard; 2],
}

/// Union of each pair of lanes, in both lanes.
#[inline(always)]
fn or_pairs<V: U64x8>(lines: V) -> V {
    lines.or(lines.swap_lanes::<1>())
}

/// Union of each color's four lanes, in all of them.
#[inline(always)]
fn or_fours<V: U64x8>(lines: V) -> V {
    or_pairs(lines).or(or_pairs(lines).swap_lanes::<2>())
}

/// Per color, the attacks of rooks, knights, bishops and queens. The first rays are those of rooks on files and ranks, and of
/// bishops on diagonals.
#[inline(always)]
fn by_kind<V: U64x8>([sliders, knights, queens]: [Rays<V>; 3]) -> V {
    let (knights, queens) = (or_fours(knights.both()), or_fours(queens.both()));
    or_pairs(sliders.both()).blend::<0b0010_0010>(knights).blend::<0b1000_1000>(queens)
}

/// Broadcasts White's bitboard to the lower four lanes, Black's to the upper four.
#[inline(always)]
fn splat_colors<V: U64x8>(isa: V::Isa, [white, black]: [Bitboard; 2]) -> V {
    let (white, black) = (white.0, black.0);
    V::new(isa, [white, white, white, white, black, black, black, black])
}

/// Both colors' pieces of a type.
#[inline(always)]
fn of_kind<V: U64x8>(isa: V::Isa, pieces: &Pieces, kind: PieceType) -> V {
    splat_colors(isa, [pieces.of(Color::White, kind), pieces.of(Color::Black, kind)])
}

impl Attacks {
    /// Computes the attack sets of these pieces.
    #[inline(always)]
    pub(super) fn new<V: U64x8>(isa: V::Isa, pieces: &Pieces) -> Self {
        use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};
        let propagators = Propagators::<V>::new(isa, !pieces.occupied().0);
        // Rooks on files and ranks, bishops on diagonals.
        let sliders =
            propagators.rays(of_kind::<V>(isa, pieces, Rook).blend::<0b1100_1100>(of_kind(isa, pieces, Bishop)));
        let king = of_kind(isa, pieces, King);
        let (queens, kings) = (propagators.rays(of_kind(isa, pieces, Queen)), propagators.rays(king));
        let (knights, leaps) = (Rays::leaps(isa, of_kind(isa, pieces, Knight)), Rays::leaps(isa, king));

        let [all, twice] = combine(pieces, [sliders, queens, knights]);
        // A pinned piece is where the king's ray meets the opposite ray of an enemy slider.
        let enemies = Rays { up: sliders.up.or(queens.up), down: sliders.down.or(queens.down) };
        let between = kings.up.and(enemies.down.swap_lanes::<4>()).or(kings.down.and(enemies.up.swap_lanes::<4>()));
        let between = or_fours(between).to_array();
        let by = by_kind([sliders, knights, queens]);
        let checks = by_kind([kings, leaps, kings]).and(by.swap_lanes::<4>());
        let checks = checks.and(splat_colors(isa, [!pieces.color(Color::Black), !pieces.color(Color::White)]));
        let safe_checks = checks.and(splat_colors(isa, all.map(|squares| !squares))).nonzero();
        let checks = checks.and(splat_colors(isa, all)).nonzero();
        let by = by.to_array();
        let by = Color::ALL.map(|color| {
            let [rook, knight, bishop, queen] = [0, 1, 2, 3].map(|line| Bitboard(by[4 * color.index() + line]));
            [pieces.of(color, Pawn).pawn_attacks(color), knight, bishop, rook, queen]
        });
        let pinned = Color::ALL.map(|color| Bitboard(between[4 * color.index()]) & pieces.color(color));
        Self { by, all, twice, safe_checks, checks, pinned }
    }
}

/// Squares attacked by each color, once and twice: sliders and knights, then pawns and kings.
#[inline(always)]
fn combine<V: U64x8>(pieces: &Pieces, [sliders, queens, knights]: [Rays<V>; 3]) -> [[Bitboard; 2]; 2] {
    let (mut all, mut twice) = (sliders.both(), sliders.up.and(sliders.down));
    for lines in [queens.up, queens.down, knights.up, knights.down] {
        twice = twice.or(all.and(lines));
        all = all.or(lines);
    }
    twice = or_fours(twice.or(all.and(all.swap_lanes::<1>())).or(or_pairs(all).and(or_pairs(all).swap_lanes::<2>())));
    let (all, twice) = (or_fours(all).to_array(), twice.to_array());
    let (mut all, mut twice) = ([Bitboard(all[0]), Bitboard(all[4])], [Bitboard(twice[0]), Bitboard(twice[4])]);
    for color in Color::ALL {
        let side = color.index();
        let pawns = pieces.of(color, PieceType::Pawn).forward(color);
        let king = pieces.of(color, PieceType::King).first().map_or(Bitboard::EMPTY, attacks::king);
        for squares in [pawns.west(), pawns.east(), king] {
            twice[side] |= all[side] & squares;
            all[side] |= squares;
        }
    }
    [all, twice]
}
