//! Start positions: codes the differences from the initial position of chess or Chess960.

use super::coder::Coder;
use super::logistic::{Binary, Rate, starts};
use crate::formats::viri::{self, BLACK, CASTLING_ROOK, Header};

/// An empty square. Pieces have the codes of viriformat: pawn, knight, bishop, rook, queen, king, rook with castling right, plus 8 for
/// Black.
const EMPTY: u8 = 15;
const PAWN: u8 = 0;
const ROOK: u8 = 3;
const HOME: [u8; 8] = [6, 1, 2, 4, 5, 2, 1, 6];
/// Pieces of a side at the start by kind; both kinds of rooks count as one.
const COUNTS: [i8; 7] = [8, 2, 2, 2, 1, 1, 2];
/// The order in which kinds are tested on a square.
const ORDER: [u8; 7] = [PAWN, 1, 2, 4, CASTLING_ROOK, 5, ROOK];
/// The order of ranks: home ranks first.
const RANKS: [usize; 8] = [0, 7, 1, 6, 2, 5, 3, 4];

const RATE: Rate = Rate { first: 0.4, slow_down: 0.13, min: 0.004 };

/// Questions about squares.
const AS_EXPECTED: usize = 0;
const IS_EMPTY: usize = 1;
const IS_PIECE: usize = 2;

pub struct Starts {
    squares: Binary<{ IS_PIECE + 16 }>,
    /// 256 rows per number.
    numbers: Binary<1>,
}

/// Numbers coded bit by bit.
const SHUFFLED: usize = 0;
const SIDE: usize = 1;
const EN_PASSANT: usize = 2;
/// Bytes of the header and their numbers: clock, move number, and three unused ones.
const BYTES: [(usize, usize); 6] = [(25, 3), (26, 4), (27, 5), (28, 6), (29, 6), (31, 6)];

/// The squares coded so far.
struct Placed {
    codes: [u8; 64],
    /// Missing pieces by color and kind.
    missing: [[i8; 7]; 2],
    /// Files with a missing pawn, by color.
    files: [[bool; 8]; 2],
    is_shuffled: bool,
    /// Unexpected squares on the first two ranks of each color.
    surprises: [usize; 2],
}

impl Starts {
    pub fn new() -> Self {
        Self { squares: Binary::new(ROWS[6], RATE), numbers: Binary::new(8 * 256, RATE) }
    }

    /// Codes a start position without the result of the game.
    pub fn code<C: Coder>(&mut self, coder: &mut C, header: &Header) -> Header {
        let mut input = [EMPTY; 64];
        viri::codes(header).for_each(|(square, code)| input[square] = code);
        let is_shuffled = self.number(coder, SHUFFLED, 1, u32::from(is_shuffled(&input))) == 1;
        let mut placed =
            Placed { codes: [EMPTY; 64], missing: [COUNTS; 2], files: [[true; 8]; 2], is_shuffled, surprises: [0; 2] };
        for square in RANKS.into_iter().flat_map(|rank| 8 * rank..8 * rank + 8) {
            let code = self.code_square(coder, &placed, square, input[square]);
            placed.put(square, code);
        }
        let mut coded = [0; 32];
        let pieces = placed.codes.into_iter().enumerate();
        viri::put_codes(&mut coded, pieces.filter(|&(_, code)| code != EMPTY));
        let side = self.number(coder, SIDE, 1, u32::from(header[24] >> 7));
        let en_passant = self.number(coder, EN_PASSANT, 7, u32::from(header[24] & 0x7F));
        coded[24] = (side << 7 | en_passant) as u8;
        for (index, number) in BYTES {
            coded[index] = self.number(coder, number, 8, header[index].into()) as u8;
        }
        coded
    }

    /// Codes a number of `bits` bits.
    fn number<C: Coder>(&mut self, coder: &mut C, number: usize, bits: u32, value: u32) -> u32 {
        let first = number * 256;
        let mut read = 1;
        for bit in (0..bits).rev() {
            read = read << 1 | u32::from(self.numbers.code(coder, &[first + read as usize], 0, value >> bit & 1 == 1));
        }
        read - (1 << bits)
    }

    fn code_square<C: Coder>(&mut self, coder: &mut C, placed: &Placed, square: usize, code: u8) -> u8 {
        let place = place(square);
        let contexts = placed.contexts(square, place);
        let expected = expected(square);
        // On a shuffled first rank no piece is expected.
        let is_free = placed.is_shuffled && place == 0;
        if !is_free && self.squares.code(coder, &contexts, AS_EXPECTED, code == expected) {
            return expected;
        }
        let may_be_empty = expected != EMPTY || is_free;
        if may_be_empty && self.squares.code(coder, &contexts, IS_EMPTY, code == EMPTY) {
            return EMPTY;
        }
        let own_first = usize::from(square >= 32);
        let mut last = EMPTY;
        for color in [own_first, 1 - own_first] {
            for kind in ORDER {
                last = kind + BLACK * color as u8;
                let contexts = placed.piece_contexts(square, place, kind, color);
                if self.squares.code(coder, &contexts, IS_PIECE + usize::from(last), code == last) {
                    return last;
                }
            }
        }
        last
    }
}

/// First rows of the three contexts for squares, then of those for pieces.
const ROWS: [usize; 7] = starts([2 * 64, 4 * 2 * 81, 2 * 64 * 16, 2 * 64, 4 * 2 * 4 * 4, 64 * 4]);

impl Placed {
    fn put(&mut self, square: usize, code: u8) {
        self.codes[square] = code;
        let own = usize::from(square >= 32);
        if place(square) != 2 {
            self.surprises[own] += usize::from(code != expected(square));
        }
        if code == EMPTY {
            return;
        }
        let (kind, color) = (code % BLACK, usize::from(code / BLACK));
        self.missing[color][counted(kind)] -= 1;
        if kind == PAWN {
            self.files[color][square % 8] = false;
        }
    }

    /// Missing pieces of a color, at most 8; both kinds of rooks count once.
    fn absent(&self, color: usize) -> usize {
        let counts = self.missing[color].iter().enumerate().filter(|&(kind, _)| kind != usize::from(ROOK));
        counts.map(|(_, &count)| count.max(0) as usize).sum::<usize>().min(8)
    }

    /// Rows for the questions whether a square is as expected or empty.
    fn contexts(&self, square: usize, place: usize) -> [usize; 3] {
        let shuffled = usize::from(self.is_shuffled);
        let (own, file) = (usize::from(square >= 32), square % 8);
        let is_new = |square: usize| self.codes[square] != expected(square);
        // The first file has no square to the left.
        let left = (file > 0).then(|| square - 1);
        let absent = match place {
            2 => self.absent(0) * 9 + self.absent(1),
            _ => self.surprises[own].min(8) * 9 + file,
        };
        let around = match place {
            0 => usize::from(left.is_some_and(is_new)),
            1 => {
                let behind = if own == 0 { square - 8 } else { square + 8 };
                usize::from(is_new(behind)) + 2 * usize::from(left.is_some_and(|left| self.codes[left] == EMPTY))
            }
            _ => usize::from(self.files[0][file]) + 2 * usize::from(self.files[1][file]),
        };
        let neighbor = usize::from(left.is_some_and(|left| self.codes[left] != EMPTY));
        [
            ROWS[0] + shuffled * 64 + square,
            ROWS[1] + (place * 2 + shuffled) * 81 + absent,
            ROWS[2] + ((shuffled * 64 + square) * 4 + around) * 4 + neighbor,
        ]
    }

    /// Rows for the question whether a square has a piece of a kind and color.
    fn piece_contexts(&self, square: usize, place: usize, kind: u8, color: usize) -> [usize; 3] {
        let missing = match counted(kind) {
            0 => usize::from(self.files[color][square % 8]) * 3,
            kind => self.missing[color][kind].clamp(0, 3) as usize,
        };
        let king = usize::from(self.missing[color][5] > 0) + 2 * usize::from(self.missing[color][6] > 1);
        let shuffled = usize::from(self.is_shuffled);
        [
            ROWS[3] + shuffled * 64 + square,
            ROWS[4] + ((place * 2 + shuffled) * 4 + missing) * 4 + king,
            ROWS[5] + square * 4 + missing,
        ]
    }
}

/// The kind for counting pieces: both kinds of rooks are one.
fn counted(kind: u8) -> usize {
    usize::from(if kind == ROOK { CASTLING_ROOK } else { kind })
}

/// 0 for the first rank of a side, 1 for its second, 2 for others.
fn place(square: usize) -> usize {
    match square / 8 {
        0 | 7 => 0,
        1 | 6 => 1,
        _ => 2,
    }
}

/// The content of a square in the start position of chess.
fn expected(square: usize) -> u8 {
    match square / 8 {
        0 => HOME[square],
        1 => PAWN,
        6 => BLACK,
        7 => HOME[square - 56] + BLACK,
        _ => EMPTY,
    }
}

/// Whether the first ranks differ from those of chess.
fn is_shuffled(codes: &[u8; 64]) -> bool {
    let like = |square: &usize| codes[*square] == expected(*square);
    (0..8).chain(56..64).filter(like).count() < 8
}
