//! The two kinds of tables.

/// Kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Win, draw or loss.
    Wdl,
    /// Distance to zeroing: plies to the next capture or pawn move.
    Dtz,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Wdl, Self::Dtz];

    pub(super) const fn extension(self) -> &'static str {
        ["rtbw", "rtbz"][self as usize]
    }

    pub(super) const fn magic(self) -> [u8; 4] {
        [[0x71, 0xE8, 0x23, 0x5D], [0xD7, 0x66, 0x0C, 0xA5]][self as usize]
    }
}
