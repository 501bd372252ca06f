//! Zobrist keys, generated at compile time from a fixed seed.

use super::{CastlingRights, File, Piece, Square};

struct Keys {
    pieces: [[u64; 64]; Piece::COUNT],
    castling: [u64; 16],
    en_passant: [u64; 8],
    side: u64,
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

static KEYS: Keys = keys();

const fn keys() -> Keys {
    let mut state = 0x4C65_6E74_6F20_2121;
    let mut keys = Keys { pieces: [[0; 64]; Piece::COUNT], castling: [0; 16], en_passant: [0; 8], side: 0 };
    let mut index = 0;
    while index < Piece::COUNT * 64 {
        keys.pieces[index / 64][index % 64] = split_mix(&mut state);
        index += 1;
    }
    // No rights hash to zero.
    let mut rights = 1;
    while rights < 16 {
        keys.castling[rights] = split_mix(&mut state);
        rights += 1;
    }
    let mut file = 0;
    while file < 8 {
        keys.en_passant[file] = split_mix(&mut state);
        file += 1;
    }
    keys.side = split_mix(&mut state);
    keys
}

/// Key of a piece on a square.
#[inline(always)]
pub fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.index()][square.index()]
}

/// Key of a set of castling rights.
#[inline(always)]
pub fn castling(rights: CastlingRights) -> u64 {
    KEYS.castling[rights.index()]
}

/// Key of the file of a legal en-passant capture.
#[inline(always)]
pub fn en_passant(file: File) -> u64 {
    KEYS.en_passant[file.index()]
}

/// Key of Black to move.
pub const SIDE: u64 = keys().side;
