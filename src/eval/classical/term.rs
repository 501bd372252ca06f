//! The names of the evaluation's terms.

/// Declares each term once, with the name of its row.
macro_rules! terms {
    ($($(#[$doc:meta])+ $term:ident = $name:literal,)+) => {
        /// A term of the evaluation: one row of the table that `lento eval` prints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Term { $($(#[$doc])+ $term,)+ }

        impl Term {
            /// All terms, in the order of the table.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$term,)+];
            /// How many terms there are.
            pub const COUNT: usize = [$($name,)+].len();

            /// The row's name.
            pub const fn name(self) -> &'static str {
                [$($name,)+][self as usize]
            }
        }
    };
}

terms! {
    /// What the pieces are worth.
    Material = "material",
    /// What they are worth in company: bishop pair, knights and rooks by the number of pawns, redundant majors.
    Imbalance = "imbalance",
    /// Where the pieces stand.
    PieceSquare = "piece-square",
    /// Isolated, doubled, backward, connected and candidate pawns.
    Pawns = "pawns",
    /// Passed pawns: how far, how free, and which king is near.
    Passed = "passed pawns",
    /// How many squares the pieces reach that no enemy pawn guards.
    Mobility = "mobility",
    /// Knights and bishops on squares that no enemy pawn can attack, and pawns that hem bishops in.
    Minors = "minor pieces",
    /// Rooks on open files and on the seventh rank.
    Rooks = "rooks",
    /// Pieces with no way out, and queens with an enemy slider behind a veil.
    Trapped = "trapped",
    /// Pawns in front of the king, and enemy pawns that storm it.
    Shelter = "king shelter",
    /// The attack on this color's king, as a negative value.
    Danger = "king danger",
    /// Pieces that may be won.
    Threats = "threats",
    /// Safe squares behind one's own front.
    Space = "space",
    /// How hard the position is for the side that defends; reported for the side that is ahead.
    Initiative = "initiative",
    /// Having the move.
    Tempo = "tempo",
}
