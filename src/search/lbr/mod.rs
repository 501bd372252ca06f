//! Last Best Reply (Steven Edwards; Chess Programming Wiki, "Last Best Reply"): the best move found last time the same move
//! was played at the same ply.
//!
//! Moves are the same if squares, kind (promotion, en passant, castling), moving piece and captured piece are equal, so that
//! matches are rarer than those of countermoves. Variants: `docs/search.md`.

#[cfg(test)]
mod tests;

use super::stack::Stack;
use crate::chess::{Color, Move, MoveDelta};
use crate::huge_pages::HugeBox;
use crate::named::Named;

/// The earlier moves that must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prior {
    /// None: nothing is stored or found.
    Off,
    /// The previous move.
    #[default]
    Last,
    /// The previous move and the one before it.
    Pair,
    /// The move two plies earlier, by the side to move.
    TwoPlies,
}

/// A variant: how replies are stored and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lbr {
    /// The earlier moves that must match.
    pub prior: Prior,
    /// Whether only quiet moves are stored.
    pub quiet_only: bool,
    /// Whether there is a store for each side to move instead of each ply.
    pub per_color: bool,
}

impl Lbr {
    /// Disabled.
    pub const OFF: Self = Self::new(Prior::Off, false, false);

    const fn new(prior: Prior, quiet_only: bool, per_color: bool) -> Self {
        Self { prior, quiet_only, per_color }
    }
}

impl Named for Lbr {
    /// Names are the parts that differ from the default, joined by `+`.
    const ALL: &'static [(&'static str, Self)] = &[
        ("off", Self::OFF),
        ("reply", Self::new(Prior::Last, false, false)),
        ("pair", Self::new(Prior::Pair, false, false)),
        ("two-plies", Self::new(Prior::TwoPlies, false, false)),
        ("quiet", Self::new(Prior::Last, true, false)),
        ("pair+quiet", Self::new(Prior::Pair, true, false)),
        ("two-plies+quiet", Self::new(Prior::TwoPlies, true, false)),
        ("colour", Self::new(Prior::Last, false, true)),
        ("pair+colour", Self::new(Prior::Pair, false, true)),
        ("two-plies+colour", Self::new(Prior::TwoPlies, false, true)),
        ("quiet+colour", Self::new(Prior::Last, true, true)),
        ("pair+quiet+colour", Self::new(Prior::Pair, true, true)),
        ("two-plies+quiet+colour", Self::new(Prior::TwoPlies, true, true)),
    ];
}

/// Binary logarithm of the slots of a ply's store. Keys that share a slot overwrite each other.
const PLY_BITS: u32 = 9;
/// Binary logarithm of the slots of a color's store. Both stores use the memory of all plies' stores.
const COLOR_BITS: u32 = 15;
/// Plies with a store of their own; deeper plies share them.
const PLIES: usize = 128;
const SLOTS: usize = PLIES << PLY_BITS;

const _: () = assert!(Color::ALL.len() << COLOR_BITS <= SLOTS);

/// The identity of a move in 22 bits, never zero: 16 for squares and kind, 3 for the piece and 3 for the captured piece.
#[inline(always)]
fn identity(played: MoveDelta) -> u64 {
    let captured = played.captured.map_or(6, |piece| piece.kind().index() as u64);
    u64::from(played.mv.word()) | (played.mover.kind().index() as u64) << 16 | captured << 19
}

/// The upper bits are the best.
#[inline(always)]
fn hash(key: u64) -> u32 {
    (key as u32 ^ ((key >> 32) as u32).wrapping_mul(0x85EB_CA6B)).wrapping_mul(0x9E37_79B1)
}

/// The slot of a node and the key to match: the identities of one or two earlier moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    key: u64,
    slot: usize,
}

/// The replies of one thread.
pub(super) struct LastBestReply {
    mode: Lbr,
    /// A key and, in the lowest 16 bits, the reply.
    entries: HugeBox<[u64]>,
}

impl LastBestReply {
    pub(super) fn clear(&mut self) {
        self.entries.fill(0);
    }

    /// Sets the variant; clears the replies if it changes.
    pub(super) fn set_mode(&mut self, lbr: Lbr) {
        if self.mode != lbr {
            self.mode = lbr;
            self.clear();
        }
    }

    /// The slot of a node; `None` if disabled, too close to the root, or after a null move.
    #[inline(always)]
    pub(super) fn place(&self, stack: &Stack, ply: usize, side: Color) -> Option<Place> {
        let played = |back| stack.before(ply, back).played;
        let key = match self.mode.prior {
            Prior::Off => return None,
            Prior::Last => identity(played(1)?),
            Prior::Pair => identity(played(1)?) | identity(played(2)?) << 22,
            Prior::TwoPlies => identity(played(2)?),
        };
        let (store, bits) = if self.mode.per_color { (side.index(), COLOR_BITS) } else { (ply % PLIES, PLY_BITS) };
        Some(Place { key, slot: store << bits | (hash(key) >> (u32::BITS - bits)) as usize })
    }

    /// The reply of a slot, which may be illegal.
    #[inline(always)]
    pub(super) fn reply(&self, place: Place) -> Option<Move> {
        let entry = self.entries[place.slot];
        if entry >> 16 == place.key { Move::from_word(entry as u16) } else { None }
    }

    /// Stores the best move of a node, if the variant accepts it.
    #[inline(always)]
    pub(super) fn remember(&mut self, place: Place, best: Move) {
        if best.is_quiet() || !self.mode.quiet_only {
            self.entries[place.slot] = place.key << 16 | u64::from(best.word());
        }
    }
}

impl Default for LastBestReply {
    fn default() -> Self {
        Self { mode: Lbr::OFF, entries: HugeBox::from_fn(SLOTS, |_| 0) }
    }
}
