//! Entries stored by the table benches.

use lento::chess::Move;
use lento::score::Bound;
use lento::tt::TtEntry;

/// An entry derived from its key.
pub fn entry(key: u64) -> TtEntry {
    TtEntry {
        mv: Move::from_word(key as u16 | 1),
        score: (key >> 20) as i32 % 1000,
        eval: Some((key >> 40) as i32 % 1000),
        depth: (key >> 8) as i32 & 15,
        bound: Bound::Lower,
        pv: false,
    }
}
