//! The names of the evaluation's terms.

/// A term of the evaluation: one row of the table that `lento eval` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Term {
    /// What the pieces are worth.
    Material,
    /// What they are worth in company: bishop pair, knights and rooks by the number of pawns, redundant majors.
    Imbalance,
    /// Where the pieces stand.
    PieceSquare,
    /// Isolated, doubled, backward, connected and candidate pawns.
    Pawns,
    /// Passed pawns: how far, how free, and which king is near.
    Passed,
    /// How many squares the pieces reach that no enemy pawn guards.
    Mobility,
    /// Knights and bishops on squares that no enemy pawn can attack, and pawns that hem bishops in.
    Minors,
    /// Rooks on open files and on the seventh rank.
    Rooks,
    /// Pieces with no way out, and queens with an enemy slider behind a veil.
    Trapped,
    /// Pawns in front of the king, and enemy pawns that storm it.
    Shelter,
    /// The attack on this color's king, as a negative value.
    Danger,
    /// Pieces that may be won.
    Threats,
    /// Safe squares behind one's own front.
    Space,
    /// How hard the position is for the side that defends; reported for the side that is ahead.
    Initiative,
    /// Having the move.
    Tempo,
}

impl Term {
    /// How many terms there are.
    pub const COUNT: usize = 15;

    /// All terms, in the order of the table.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Material,
        Self::Imbalance,
        Self::PieceSquare,
        Self::Pawns,
        Self::Passed,
        Self::Mobility,
        Self::Minors,
        Self::Rooks,
        Self::Trapped,
        Self::Shelter,
        Self::Danger,
        Self::Threats,
        Self::Space,
        Self::Initiative,
        Self::Tempo,
    ];

    /// The row's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Imbalance => "imbalance",
            Self::PieceSquare => "piece-square",
            Self::Pawns => "pawns",
            Self::Passed => "passed pawns",
            Self::Mobility => "mobility",
            Self::Minors => "minor pieces",
            Self::Rooks => "rooks",
            Self::Trapped => "trapped",
            Self::Shelter => "king shelter",
            Self::Danger => "king danger",
            Self::Threats => "threats",
            Self::Space => "space",
            Self::Initiative => "initiative",
            Self::Tempo => "tempo",
        }
    }
}
