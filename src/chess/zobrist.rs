//! Zobrist keys, generated at compile time from a fixed seed.

use super::{CastlingRights, Piece, Square};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Offsets of the keys of castling rights, en-passant files and side to move, after those of pieces.
const CASTLING: usize = Piece::COUNT * 64;
const EN_PASSANT: usize = CASTLING + 16;
const BLACK: usize = EN_PASSANT + 8;

static KEYS: [u64; BLACK + 1] = keys();

const fn keys() -> [u64; BLACK + 1] {
    let mut state = 0x4C65_6E74_6F20_2121;
    let mut keys = [0; BLACK + 1];
    let mut index = 0;
    while index <= BLACK {
        // No rights hash to zero.
        if index != CASTLING {
            keys[index] = split_mix(&mut state);
        }
        index += 1;
    }
    keys
}

/// Key of a piece on a square.
pub(crate) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS[piece.index() * 64 + square.index()]
}

/// Key of a set of castling rights.
pub(crate) fn castling(rights: CastlingRights) -> u64 {
    KEYS[CASTLING + rights.index()]
}

/// Key of a legal en-passant capture, which depends on the file only.
pub(crate) fn en_passant(target: Option<Square>) -> u64 {
    target.map_or(0, |square| KEYS[EN_PASSANT + square.file().index()])
}

/// Key of Black to move.
pub(crate) const SIDE: u64 = keys()[BLACK];
