//! Attack tables, all computed at compile time.

use super::{Bitboard, Color, Piece, PieceType, Square};

/// Steps of bishops and of rooks, both directions of a line after each other.
const SLIDER_STEPS: [[(i32, i32); 4]; 2] = [[(1, 1), (-1, -1), (1, -1), (-1, 1)], [(1, 0), (-1, 0), (0, 1), (0, -1)]];
const KNIGHT_STEPS: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i32, i32); 8] = [(1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];

/// Squares reached by steps in the same direction, up to and including the first blocker.
const fn slide<const N: usize>(square: usize, occupied: u64, steps: [(i32, i32); N]) -> u64 {
    let mut seen = 0;
    let mut step = 0;
    while step < N {
        let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
        loop {
            file += steps[step].0;
            rank += steps[step].1;
            if file < 0 || file > 7 || rank < 0 || rank > 7 {
                break;
            }
            let next = 1 << (rank * 8 + file);
            seen |= next;
            if occupied & next != 0 {
                break;
            }
        }
        step += 1;
    }
    seen
}

/// The two lines of a slider through a square, without the square itself.
const fn lines(square: usize, steps: [(i32, i32); 4]) -> [u64; 2] {
    [slide(square, 0, [steps[0], steps[1]]), slide(square, 0, [steps[2], steps[3]])]
}

/// [`slide`] along one line (Hyperbola Quintessence), with a tenth of the compile-time steps.
const fn along(square: usize, occupied: u64, line: u64) -> u64 {
    let (from, blockers) = (1 << square, occupied & line);
    let down = blockers.reverse_bits().wrapping_sub(u64::reverse_bits(from)).reverse_bits();
    (blockers.wrapping_sub(from) ^ down) & line
}

/// Squares reached by a single step.
const fn leaper_table(steps: [(i32, i32); 8]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(slide(square, !0, steps));
        square += 1;
    }
    table
}

/// Occupancy mask of a slider: its rays without the edge squares.
const fn relevant(square: usize, steps: [(i32, i32); 4]) -> u64 {
    let (file, rank) = (square % 8, square / 8);
    let ranks = (0xFF | 0xFF << 56) & !(0xFF << (8 * rank));
    let files = (0x0101_0101_0101_0101 | 0x8080_8080_8080_8080) & !(0x0101_0101_0101_0101 << file);
    slide(square, 0, steps) & !(ranks | files)
}

/// A square's slice of [`SLIDER_ATTACKS`] and how to index it.
#[derive(Clone, Copy)]
struct Slot {
    mask: u64,
    offset: u32,
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    magic: (u64, u32),
}

impl Slot {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[inline(always)]
    fn index(&self, occupied: Bitboard) -> usize {
        // SAFETY: this function is compiled only for targets that have BMI2.
        let packed = unsafe { std::arch::x86_64::_pext_u64(occupied.0, self.mask) };
        self.offset as usize + packed as usize
    }

    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    #[inline(always)]
    fn index(&self, occupied: Bitboard) -> usize {
        self.offset as usize + magic_index(occupied.0 & self.mask, self.magic)
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
#[inline(always)]
const fn magic_index(relevant: u64, (factor, shift): (u64, u32)) -> usize {
    (relevant.wrapping_mul(factor) >> shift) as usize
}

static SLOTS: [[Slot; 64]; 2] = {
    let mut table = [[Slot {
        mask: 0,
        offset: 0,
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        magic: (0, 0),
    }; 64]; 2];
    let (mut at, mut offset) = (0, 0);
    while at < 128 {
        let (kind, square) = (at / 64, at % 64);
        let mask = relevant(square, SLIDER_STEPS[kind]);
        table[kind][square] = Slot {
            mask,
            offset,
            #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
            magic: (MAGICS[kind][square], 64 - mask.count_ones()),
        };
        offset += 1 << mask.count_ones();
        at += 1;
    }
    table
};

/// The attacks of each slot, for each subset of its mask.
#[allow(long_running_const_eval, reason = "107 648 entries")]
static SLIDER_ATTACKS: [Bitboard; 5_248 + 102_400] = {
    let mut table = [Bitboard::EMPTY; 5_248 + 102_400];
    let mut at = 0;
    while at < 128 {
        let (kind, square) = (at / 64, at % 64);
        let slot = SLOTS[kind][square];
        let [first, second] = lines(square, SLIDER_STEPS[kind]);
        // PEXT numbers the subsets in this order.
        let (mut number, mut subset) = (0, 0u64);
        while number < 1 << slot.mask.count_ones() {
            #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
            let index = number;
            #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
            let index = magic_index(subset, slot.magic);
            table[slot.offset as usize + index] =
                Bitboard(along(square, subset, first) | along(square, subset, second));
            number += 1;
            subset = subset.wrapping_sub(slot.mask) & slot.mask;
        }
        at += 1;
    }
    table
};

static KNIGHT: [Bitboard; 64] = leaper_table(KNIGHT_STEPS);
static KING: [Bitboard; 64] = leaper_table(KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = {
    let mut table = [[Bitboard::EMPTY; 64]; 2];
    let mut square = 0;
    while square < 64 {
        table[0][square] = Bitboard(1 << square).pawn_attacks(Color::White);
        table[1][square] = Bitboard(1 << square).pawn_attacks(Color::Black);
        square += 1;
    }
    table
};

/// Squares strictly between two aligned squares, and the full line through both; empty if not aligned.
const fn line_tables() -> ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut at = 0;
    while at < 4 * 64 {
        let a = at % 64;
        let squares = lines(a, SLIDER_STEPS[at / 128])[at / 64 % 2];
        let mut rest = squares;
        while rest != 0 {
            let b = rest.trailing_zeros() as usize;
            let squares_of_b = squares ^ (1 << a | 1 << b);
            between[a][b] = Bitboard(along(a, 1 << b, squares) & along(b, 1 << a, squares_of_b));
            line[a][b] = Bitboard(squares | 1 << a);
            rest &= rest - 1;
        }
        at += 1;
    }
    (between, line)
}

static BETWEEN: [[Bitboard; 64]; 64] = line_tables().0;
static LINE: [[Bitboard; 64]; 64] = line_tables().1;

/// Squares attacked by a pawn of this color.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Squares attacked by a knight.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares attacked by a king.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares attacked by a bishop, given the occupancy.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    SLIDER_ATTACKS[SLOTS[0][square.index()].index(occupied)]
}

/// Squares attacked by a rook, given the occupancy.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    SLIDER_ATTACKS[SLOTS[1][square.index()].index(occupied)]
}

/// Squares attacked by a queen, given the occupancy.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// Squares attacked by a piece, given the occupancy.
#[inline(always)]
pub fn of(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind() {
        PieceType::Pawn => pawn(piece.color(), square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}

/// Squares strictly between two squares on a common rank, file or diagonal; empty otherwise.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The full rank, file or diagonal through two squares, edge to edge; empty if not aligned.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// Magic factors of bishops and of rooks.
#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
#[rustfmt::skip]
const MAGICS: [[u64; 64]; 2] = [[
    0x8020_8204_2104_0016, 0xC048_8228_0202_202C, 0x4004_1904_1110_0101, 0x0084_0522_0020_2210,
    0x0002_0210_0800_1002, 0x0001_0402_4002_4000, 0x0044_2401_0808_0004, 0x000F_0102_9884_4023,
    0x4101_4010_0440_8090, 0x0B14_0802_0802_2024, 0x4880_1040_8200_5220, 0x0084_4410_4200_1310,
    0x8100_2212_1008_4200, 0x0000_0082_1040_0001, 0x0004_0100_8860_092C, 0x0300_1480_4410_0400,
    0x0020_1041_0202_8202, 0x1610_0005_0158_0104, 0x4041_1302_1404_0080, 0x0010_8108_0202_C440,
    0x001C_0480_80A0_2181, 0x8116_0009_0101_0124, 0x0409_0102_0801_0442, 0x0150_4291_0048_5C00,
    0x4042_2060_C108_8210, 0x0101_0884_1002_1818, 0x0000_2808_1000_8024, 0x0024_0401_0041_0200,
    0x4000_8400_1280_2001, 0x1004_0840_0808_0200, 0x0004_0405_C304_A200, 0x4080_8100_01F1_0824,
    0x2001_0411_4060_2000, 0x8800_C420_8810_0200, 0x1014_0044_0448_0020, 0x4401_0200_8008_0081,
    0x1110_0E00_8052_1004, 0x3810_0108_4422_0040, 0x1004_5144_0012_0090, 0x0014_08A2_0010_30E2,
    0x0021_0820_0490_1204, 0x8202_1A10_0420_2240, 0x1800_0844_1000_0200, 0xC204_0042_0200_2020,
    0xC140_0401_0C00_1200, 0x2008_1010_4080_2810, 0x0420_22D4_0040_8300, 0x0004_0800_8512_D3A0,
    0x0008_8804_0220_B280, 0x000A_0041_6410_0061, 0x00B2_2200_5208_2008, 0x8000_0400_8404_0400,
    0x1041_0040_0282_1000, 0x4468_0408_1004_4820, 0x15B1_0258_0104_0002, 0x4020_1891_0046_8002,
    0x0061_8080_5010_1500, 0x1000_0882_0090_0402, 0x0230_0040_8400_8804, 0x8002_0830_8842_0210,
    0xC800_0105_1491_4400, 0x0004_0031_200A_0C20, 0x0284_C010_0420_8082, 0x0010_6106_10A2_0200,
], [
    0x8080_0020_8040_0010, 0x6040_0010_0040_2000, 0x0880_2000_0980_1000, 0x3080_0408_0010_0080,
    0x5080_0400_8008_0002, 0x3480_0400_0200_4180, 0x0700_2200_1100_0084, 0x0100_0038_4086_0100,
    0x6120_8011_2340_0080, 0x0210_8040_0020_0082, 0x001A_0042_0020_8010, 0x0050_8008_0010_0081,
    0x00D0_8008_0080_0401, 0x0410_8004_0042_0081, 0x409C_0024_5042_2801, 0x0001_0002_1040_A100,
    0x0880_0440_2008_4000, 0x0040_0040_2010_0041, 0x0801_0100_2000_1041, 0x0108_0080_8010_0008,
    0x0108_0080_0400_0880, 0x084C_8080_0400_0201, 0x0000_0C00_100E_0829, 0x0004_4600_0080_4904,
    0x0400_4010_8000_8020, 0x0842_4002_8020_0182, 0x010A_0042_0016_80E2, 0x0080_2101_0010_0008,
    0x0601_0011_0008_007D, 0x0004_0004_8002_0080, 0x2900_0834_0010_0112, 0x2201_2442_0004_9C01,
    0x0048_4000_3080_0081, 0x0810_0040_0840_2000, 0x0400_8010_0080_2004, 0x0004_1001_0100_0822,
    0x0285_0500_1100_0800, 0x0004_0008_0202_0010, 0x4001_0201_0400_0810, 0x0000_0441_8200_0419,
    0x8080_C000_8021_8000, 0x0000_2010_0246_4000, 0x92A0_0080_1002_8020, 0x2050_0021_0009_0012,
    0x0100_8801_0011_0044, 0x0AA2_0098_1012_0004, 0x0141_9028_1204_0009, 0x0030_0044_0082_0001,
    0x0001_0040_3080_0100, 0x2042_0110_2444_8200, 0x0010_0580_A000_9080, 0x8408_0900_2010_0100,
    0x004A_0800_8004_0080, 0x0102_0400_8002_0080, 0x2040_5A10_2845_0400, 0x2328_9104_0080_6200,
    0x0403_0820_5080_0041, 0x0200_2010_8040_0101, 0x6001_2202_1080_0942, 0x00E4_1000_0820_0501,
    0x4002_0020_0810_0C6A, 0x8081_0004_0008_8241, 0x0000_0241_1008_0084, 0x8000_0A91_A404_4102,
]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slider_tables_match_ray_walks() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let occupied = random.u64(..) & random.u64(..);
            for square in Square::ALL {
                let expected = slide(square.index(), occupied, SLIDER_STEPS[0]);
                assert_eq!(bishop(square, Bitboard(occupied)).0, expected);
                let expected = slide(square.index(), occupied, SLIDER_STEPS[1]);
                assert_eq!(rook(square, Bitboard(occupied)).0, expected);
            }
        }
    }

    #[test]
    fn leaper_and_line_tables() {
        assert_eq!(KNIGHT.iter().map(|set| set.count()).sum::<u32>(), 336);
        assert_eq!(KING.iter().map(|set| set.count()).sum::<u32>(), 420);
        assert_eq!(between(Square::A1, Square::D4), [Square::B2, Square::C3].into_iter().collect());
        assert_eq!(between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(line(Square::B2, Square::D4), line(Square::A1, Square::H8));
        assert_eq!(line(Square::B2, Square::D4).count(), 8);
    }
}
