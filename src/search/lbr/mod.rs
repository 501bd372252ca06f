//! Last Best Reply (Steven Edwards; Chess Programming Wiki, "Last Best Reply"): the move that was best the last time the
//! same move had been played before, remembered for each ply.
//!
//! A move is the same if all of it is: squares, kind (promotion, en passant, castling), the piece that moved and the piece that
//! was taken. A match is rarer than a counter-move's, and means more. [`LbrMode`] tells the variants, `docs/lbr.md` what
//! they do. What it is worth: docs/results/lbr.md.

mod mode;
#[cfg(test)]
mod tests;

pub use mode::{Lbr, LbrMode, Prior, Stores};

use super::MAX_PLY;
use super::stack::Stack;
use crate::chess::{Color, Move, MoveDelta};

/// A ply's store has this many slots, as a power of two. Two keys that share a slot overwrite each other.
const PLY_BITS: u32 = 9;
/// A color's store, likewise: two of them have the memory of all plies' stores.
const COLOR_BITS: u32 = 15;
/// Slots of all stores together.
const SLOTS: usize = (MAX_PLY + 1) << PLY_BITS;

const _: () = assert!(Color::ALL.len() << COLOR_BITS <= SLOTS);

/// The whole identity of one earlier move or of two, never zero: 22 bits for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    low: u32,
    high: u16,
}

impl Key {
    const BITS_PER_MOVE: u32 = 22;

    /// All that identifies a move: 16 bits of squares and kind, 3 for the piece and 3 for its victim.
    #[inline(always)]
    fn identity(played: MoveDelta) -> u32 {
        let captured = played.captured.map_or(6, |piece| piece.kind().index() as u32);
        u32::from(played.mv.word()) | (played.mover.kind().index() as u32) << 16 | captured << 19
    }

    #[inline(always)]
    fn one(played: MoveDelta) -> Self {
        Self { low: Self::identity(played), high: 0 }
    }

    #[inline(always)]
    fn two(prior: MoveDelta, before: MoveDelta) -> Self {
        let before = u64::from(Self::identity(before)) << Self::BITS_PER_MOVE;
        let both = u64::from(Self::identity(prior)) | before;
        Self { low: both as u32, high: (both >> 32) as u16 }
    }

    /// The best bits of this are the upper ones.
    #[inline(always)]
    fn hash(self) -> u32 {
        (self.low ^ u32::from(self.high).wrapping_mul(0x85EB_CA6B)).wrapping_mul(0x9E37_79B1)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: Key,
    reply: Option<Move>,
}

/// Where the reply at a node belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    key: Key,
    slot: usize,
}

/// One thread's replies.
pub struct LastBestReply {
    mode: Option<LbrMode>,
    entries: Box<[Entry]>,
}

impl LastBestReply {
    /// Forgets all replies.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// Goes by this variant from now on. What was stored by another one is forgotten: it was stored elsewhere, for other
    /// moves.
    pub fn set_mode(&mut self, lbr: Lbr) {
        if self.mode != lbr.mode() {
            self.mode = lbr.mode();
            self.clear();
        }
    }

    /// Where the reply at a node belongs. `None` where there is nothing to match: when it is off, too near to the root, or
    /// when one of the moves that have to match is a null move.
    #[inline(always)]
    pub fn place(&self, stack: &Stack, ply: usize, side: Color) -> Option<Place> {
        let mode = self.mode?;
        let played = |back| stack.before(ply, back).played;
        let key = match mode.prior {
            Prior::Last => Key::one(played(1)?),
            Prior::Pair => Key::two(played(1)?, played(2)?),
            Prior::TwoPlies => Key::one(played(2)?),
        };
        let (store, bits) = match mode.stores {
            Stores::PerPly => (ply, PLY_BITS),
            Stores::PerColor => (side.index(), COLOR_BITS),
        };
        Some(Place { key, slot: store << bits | (key.hash() >> (u32::BITS - bits)) as usize })
    }

    /// The reply remembered there. It may be illegal now.
    #[inline(always)]
    pub fn reply(&self, place: Place) -> Option<Move> {
        let entry = self.entries[place.slot];
        if entry.key == place.key { entry.reply } else { None }
    }

    /// Remembers the best move of a node, if the variant takes it for a reply.
    #[inline(always)]
    pub fn remember(&mut self, place: Place, best: Move) {
        if best.is_quiet() || !self.mode.is_some_and(|mode| mode.quiet_only) {
            self.entries[place.slot] = Entry { key: place.key, reply: Some(best) };
        }
    }
}

impl Default for LastBestReply {
    fn default() -> Self {
        Self { mode: None, entries: vec![Entry::default(); SLOTS].into_boxed_slice() }
    }
}
