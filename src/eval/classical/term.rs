//! Names of the terms.

/// Declares the terms with their row names.
macro_rules! terms {
    ($($(#[$doc:meta])+ $term:ident = $name:literal,)+) => {
        /// A term of the evaluation: one row of the table that `lento eval` prints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Term { $($(#[$doc])+ $term,)+ }

        impl Term {
            /// All terms in the order of the table.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$term,)+];
            /// Number of terms.
            pub const COUNT: usize = [$($name,)+].len();

            /// Row name.
            pub const fn name(self) -> &'static str {
                [$($name,)+][self as usize]
            }
        }
    };
}

terms! {
    /// Piece values.
    Material = "material",
    /// Bishop pair, knights and rooks by number of pawns, redundant majors.
    Imbalance = "imbalance",
    /// Piece-square values.
    PieceSquare = "piece-square",
    /// Isolated, doubled, backward, connected and candidate pawns.
    Pawns = "pawns",
    /// Passed pawns.
    Passed = "passed pawns",
    /// Mobility.
    Mobility = "mobility",
    /// Outposts, and pawns that block bishops.
    Minors = "minor pieces",
    /// Rooks on open files and on the seventh rank.
    Rooks = "rooks",
    /// Trapped pieces, and queens exposed to x-rays.
    Trapped = "trapped",
    /// Pawn shelter and storm.
    Shelter = "king shelter",
    /// Attack on this color's king, negative.
    Danger = "king danger",
    /// Threats to win pieces.
    Threats = "threats",
    /// Safe squares behind the pawns.
    Space = "space",
    /// Complexity bonus, reported for the side ahead.
    Initiative = "initiative",
    /// Bonus for the side to move.
    Tempo = "tempo",
}
