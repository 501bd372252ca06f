//! What both colors attack, worked out for all men at once.
//!
//! Rays grow on all lines side by side, in steps of one, two and four squares ("Kogge-Stone"). Nothing depends on how many men there are, so
//! that no branch has to be foreseen, and eight sets of squares fit into one or two of the processor's registers.

use super::simd::Eight;
use super::threats::Men;
use crate::chess::{Bitboard, Color, PieceType, attacks};

const NOT_A: u64 = Bitboard::NOT_A;
const NOT_H: u64 = Bitboard::NOT_H;
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// By how much the number of a square grows up each line: a file, a rank, a diagonal, one that crosses it.
const STEPS: [u64; 4] = [8, 1, 9, 7];
/// The squares that a step up can reach; with others it would be around the edge of the board.
const UP: [u64; 4] = [!0, NOT_A, NOT_A, NOT_H];
/// The same for a step down.
const DOWN: [u64; 4] = [!0, NOT_H, NOT_H, NOT_A];

/// The leaps of a knight up the board, and the squares that they can reach.
const LEAPS: [u64; 4] = [17, 15, 10, 6];
const LEAPS_UP: [u64; 4] = [NOT_A, NOT_H, NOT_AB, NOT_GH];
const LEAPS_DOWN: [u64; 4] = [NOT_H, NOT_A, NOT_GH, NOT_AB];

/// Four sets of squares, the same for each color.
#[inline(always)]
fn lines<V: Eight>([a, b, c, d]: [u64; 4]) -> V {
    V::new([a, b, c, d, a, b, c, d])
}

/// The squares that men attack along lines, up and down.
#[derive(Clone, Copy)]
struct Rays<V> {
    up: V,
    down: V,
}

impl<V: Eight> Rays<V> {
    /// Both ways along each line.
    #[inline(always)]
    fn both(self) -> V {
        self.up.or(self.down)
    }

    /// The squares that are in these sets, and are so too that many steps back.
    #[inline(always)]
    fn further(self, steps: V) -> Self {
        Self { up: self.up.and(self.up.up(steps)), down: self.down.and(self.down.down(steps)) }
    }

    /// The leaps of knights.
    #[inline(always)]
    fn leaps(knights: V) -> Self {
        let leaps = lines(LEAPS);
        Self { up: knights.up(leaps).and(lines(LEAPS_UP)), down: knights.down(leaps).and(lines(LEAPS_DOWN)) }
    }
}

/// Where rays can go on after one, two and four squares.
struct Paths<V> {
    free: [Rays<V>; 3],
}

impl<V: Eight> Paths<V> {
    #[inline(always)]
    fn steps(squares: u64) -> V {
        lines(STEPS.map(|step| squares * step))
    }

    #[inline(always)]
    fn new(empty: u64) -> Self {
        let one = Rays { up: lines::<V>(UP.map(|up| up & empty)), down: lines(DOWN.map(|down| down & empty)) };
        let two = one.further(Self::steps(1));
        Self { free: [one, two, two.further(Self::steps(2))] }
    }

    /// The rays of men on these squares.
    #[inline(always)]
    fn rays(&self, from: V) -> Rays<V> {
        let mut rays = Rays { up: from, down: from };
        for (free, squares) in self.free.iter().zip([1, 2, 4]) {
            rays.up = rays.up.or(free.up.and(rays.up.up(Self::steps(squares))));
            rays.down = rays.down.or(free.down.and(rays.down.down(Self::steps(squares))));
        }
        Rays { up: rays.up.up(Self::steps(1)).and(lines(UP)), down: rays.down.down(Self::steps(1)).and(lines(DOWN)) }
    }
}

/// What both colors attack.
pub struct Reach {
    /// By each kind of man but the king, of each color.
    pub by: [[Bitboard; 5]; 2],
    /// By any man.
    pub all: [Bitboard; 2],
    /// By two men or more.
    pub twice: [Bitboard; 2],
    /// Whether rooks, knights, bishops and queens of the other color could give check on a square that the king's side does not attack: the
    /// lower four bits for White's king.
    pub safe_checks: u8,
    /// The same for squares that the king's side attacks.
    pub checks: u8,
    /// Men between their king and an enemy slider.
    pub pinned: [Bitboard; 2],
}

/// For each pair of lines what is in one of them.
#[inline(always)]
fn pairs<V: Eight>(lines: V) -> V {
    lines.or(lines.exchange::<1>())
}

/// For each color what is in one of its lines.
#[inline(always)]
fn fours<V: Eight>(lines: V) -> V {
    pairs(lines).or(pairs(lines).exchange::<2>())
}

/// For each color what is in a line of its rays.
#[inline(always)]
fn whole<V: Eight>(rays: Rays<V>) -> V {
    fours(rays.both())
}

/// Of each color's four: what rooks, knights, bishops and queens attack, where the first rays are those of rooks on files and ranks and
/// those of bishops on diagonals.
#[inline(always)]
fn kinds<V: Eight>([pieces, knights, queens]: [Rays<V>; 3]) -> V {
    pairs(pieces.both()).blend::<0b0010_0010>(whole(knights)).blend::<0b1000_1000>(whole(queens))
}

/// These sets of White and of Black, for each line of the color.
#[inline(always)]
fn of_colors<V: Eight>([white, black]: [Bitboard; 2]) -> V {
    let (white, black) = (white.0, black.0);
    V::new([white, white, white, white, black, black, black, black])
}

impl Reach {
    /// What these men attack.
    #[inline(always)]
    pub fn new<V: Eight>(men: &Men) -> Self {
        use PieceType::{Bishop, King, Knight, Queen, Rook};
        let of = |kind| Color::ALL.map(|color| men.of(color, kind));
        let paths = Paths::<V>::new(!men.occupied().0);
        // Rooks on files and ranks, bishops on diagonals.
        let pieces = paths.rays(of_colors::<V>(of(Rook)).blend::<0b1100_1100>(of_colors(of(Bishop))));
        let (queens, kings) = (paths.rays(of_colors(of(Queen))), paths.rays(of_colors(of(King))));
        let [knights, leaps] = [Knight, King].map(|kind| Rays::leaps(of_colors(of(kind))));

        let mut reach = Self::of_all(men, [pieces, queens, knights]);
        // An enemy slider looks down a line that the king looks up: what both see and is a man, is the only one between them.
        let enemies = Rays { up: pieces.up.or(queens.up), down: pieces.down.or(queens.down) };
        let between = kings.up.and(enemies.down.exchange::<4>()).or(kings.down.and(enemies.up.exchange::<4>()));
        let between = fours(between).numbers();
        let by = kinds([pieces, knights, queens]);
        let checks = kinds([kings, leaps, kings]).and(by.exchange::<4>());
        let checks = checks.and(of_colors([!men.color(Color::Black), !men.color(Color::White)]));
        reach.safe_checks = checks.and(of_colors(reach.all.map(|squares| !squares))).any();
        reach.checks = checks.and(of_colors(reach.all)).any();
        let by = by.numbers();
        for color in Color::ALL {
            let (side, at) = (color.index(), 4 * color.index());
            for (line, kind) in [Rook, Knight, Bishop, Queen].into_iter().enumerate() {
                reach.by[side][kind.index()] = Bitboard(by[at + line]);
            }
            reach.pinned[side] = Bitboard(between[at]) & men.color(color);
        }
        reach
    }

    /// What pawns and kings attack, and all men together, of which these rays are those of pieces.
    #[inline(always)]
    fn of_all<V: Eight>(men: &Men, [pieces, queens, knights]: [Rays<V>; 3]) -> Self {
        let (mut all, mut twice) = (pieces.both(), pieces.up.and(pieces.down));
        for lines in [queens.up, queens.down, knights.up, knights.down] {
            twice = twice.or(all.and(lines));
            all = all.or(lines);
        }
        twice = fours(twice.or(all.and(all.exchange::<1>())).or(pairs(all).and(pairs(all).exchange::<2>())));
        let (all, twice) = (fours(all).numbers(), twice.numbers());
        let mut reach = Self {
            by: [[Bitboard::EMPTY; 5]; 2],
            all: [all[0], all[4]].map(Bitboard),
            twice: [twice[0], twice[4]].map(Bitboard),
            safe_checks: 0,
            checks: 0,
            pinned: [Bitboard::EMPTY; 2],
        };
        for color in Color::ALL {
            let side = color.index();
            let pawns = men.of(color, PieceType::Pawn).forward(color);
            let king = men.of(color, PieceType::King).first().map_or(Bitboard::EMPTY, attacks::king);
            for squares in [pawns.west(), pawns.east(), king] {
                reach.twice[side] |= reach.all[side] & squares;
                reach.all[side] |= squares;
            }
            reach.by[side][PieceType::Pawn.index()] = pawns.west() | pawns.east();
        }
        reach
    }
}
