//! Last Best Reply (Steven Edwards; Chess Programming Wiki, "Last Best Reply"): the last best move after the same move at
//! the same ply.
//!
//! Moves are the same if squares, kind (promotion, en passant, castling), moving piece and captured piece are. Matches are
//! rarer than those of counter-moves. For variants see [`LbrMode`] and `docs/lbr.md`.

mod mode;
#[cfg(test)]
mod tests;

pub use mode::{Lbr, LbrMode, Prior, Stores};

use super::stack::Stack;
use crate::chess::{Color, Move, MoveDelta};

/// Binary logarithm of the slots of a ply's store. Keys that share a slot overwrite each other.
const PLY_BITS: u32 = 9;
/// Binary logarithm of the slots of a color's store. Both together use the memory of all plies' stores.
const COLOR_BITS: u32 = 15;
/// Plies with a store of their own; deeper plies share them.
const PLIES: usize = 128;
/// Slots of all stores.
const SLOTS: usize = PLIES << PLY_BITS;

const _: () = assert!(Color::ALL.len() << COLOR_BITS <= SLOTS);

/// The identity of one or two earlier moves, 22 bits each; never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    low: u32,
    high: u16,
}

impl Key {
    const BITS_PER_MOVE: u32 = 22;

    /// 16 bits for squares and kind, 3 for the piece and 3 for the captured piece.
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

    /// The upper bits are the best ones.
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

/// The slot of a node and the key to match.
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
    /// Clears all replies.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// Sets the variant; clears the replies of another one.
    pub fn set_mode(&mut self, lbr: Lbr) {
        if self.mode != lbr.mode() {
            self.mode = lbr.mode();
            self.clear();
        }
    }

    /// The slot of a node; `None` if there is nothing to match: if it is off, near the root, and after null moves.
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
            Stores::PerPly => (ply % PLIES, PLY_BITS),
            Stores::PerColor => (side.index(), COLOR_BITS),
        };
        Some(Place { key, slot: store << bits | (key.hash() >> (u32::BITS - bits)) as usize })
    }

    /// The reply stored there, which may be illegal.
    #[inline(always)]
    pub fn reply(&self, place: Place) -> Option<Move> {
        let entry = self.entries[place.slot];
        if entry.key == place.key { entry.reply } else { None }
    }

    /// Stores the best move of a node, if the variant accepts it.
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
