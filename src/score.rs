//! Scores: centipawns, and distances to mate.

/// The deepest line that is searched, in plies from the root.
pub const MAX_PLY: usize = 128;

/// A score in centipawns from the view of the side to move, a win of the tablebases beyond [`TB_WIN_IN_MAX`], or a mate beyond
/// [`MATE_IN_MAX`].
pub type Score = i32;

/// A score no position has; the outside of every window.
pub const INFINITE: Score = 32_001;
/// Being mated now scores `-MATE`; mate in n plies scores `MATE - n`.
pub const MATE: Score = 32_000;
/// The weakest mate score: every score from here up is a forced mate.
pub const MATE_IN_MAX: Score = MATE - 2 * MAX_PLY as Score;
/// A draw.
pub const DRAW: Score = 0;
/// A position that is won by the tablebases scores this; one that is n plies away, n less.
pub const TB_WIN: Score = MATE_IN_MAX - 1;
/// The weakest win of the tablebases: every score from here up is a win for certain.
pub const TB_WIN_IN_MAX: Score = TB_WIN - 2 * MAX_PLY as Score;
/// Evaluations stay inside ± this bound, apart from every mate and every win of the tablebases.
pub const MAX_EVAL: Score = TB_WIN_IN_MAX - 1;

/// The score of mating in this many plies from the root.
#[inline(always)]
pub const fn mate_in(plies: usize) -> Score {
    MATE - plies as Score
}

/// The score of being mated in this many plies from the root.
#[inline(always)]
pub const fn mated_in(plies: usize) -> Score {
    plies as Score - MATE
}

/// Whether the score is a forced mate for either side.
#[inline(always)]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX
}

/// Whether the score is certain for either side: a forced mate, or a win of the tablebases.
#[inline(always)]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_WIN_IN_MAX
}

/// How many plies away the tablebases know a win for either side; `None` for any other score.
pub const fn tablebase_distance(score: Score) -> Option<i32> {
    if is_decisive(score) && !is_mate(score) { Some(TB_WIN - score.abs()) } else { None }
}

/// Full moves until mate, negative when the side to move is mated; `None` when no mate is known.
pub const fn mate_distance(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score + 1) / 2)
    }
}

/// From distance to the root to distance from this node: how the table keeps a mate, or a win of the tablebases.
#[inline(always)]
pub const fn to_table(score: Score, ply: usize) -> Score {
    if score >= TB_WIN_IN_MAX {
        score + ply as Score
    } else if score <= -TB_WIN_IN_MAX {
        score - ply as Score
    } else {
        score
    }
}

/// From distance from this node back to distance to the root. A mate that lies beyond the fifty-move rule, `clock` plies
/// after the last capture or pawn move, is none: it counts as a won or lost position. So does a win of the tablebases, which
/// know the result where that clock begins.
#[inline(always)]
pub const fn from_table(score: Score, ply: usize, clock: u32) -> Score {
    if score >= TB_WIN_IN_MAX {
        if is_within_reach(score, clock) { score - ply as Score } else { MAX_EVAL }
    } else if score <= -TB_WIN_IN_MAX {
        if is_within_reach(score, clock) { score + ply as Score } else { -MAX_EVAL }
    } else {
        score
    }
}

/// Whether what is certain comes true before the fifty-move rule ends the game, `clock` plies after the last capture or pawn
/// move.
#[inline(always)]
const fn is_within_reach(score: Score, clock: u32) -> bool {
    let left = 100 - clock as Score;
    match tablebase_distance(score) {
        None => MATE - score.abs() <= left,
        Some(0) => clock == 0,
        Some(plies) => plies <= left,
    }
}

/// What a score says about the true value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The value is at most the score (fail low).
    Upper = 1,
    /// The value is at least the score (fail high).
    Lower = 2,
    /// The value is the score.
    #[default]
    Exact = 3,
}

impl Bound {
    /// Whether a stored score with this bound settles the question against `limit`: it is exact, or it lies on the
    /// side of the limit that the bound speaks of.
    #[inline(always)]
    pub const fn settles(self, score: Score, limit: Score) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= limit,
            Self::Upper => score < limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_distances_are_full_moves() {
        assert_eq!(mate_distance(mate_in(1)), Some(1));
        assert_eq!(mate_distance(mate_in(3)), Some(2));
        assert_eq!(mate_distance(mated_in(0)), Some(0));
        assert_eq!(mate_distance(mated_in(2)), Some(-1));
        assert_eq!(mate_distance(mated_in(4)), Some(-2));
        assert_eq!(mate_distance(MAX_EVAL), None);
    }

    #[test]
    fn table_round_trip_moves_mates_with_the_ply() {
        for score in [mate_in(5), mated_in(6), 0, 123, -MAX_EVAL] {
            for ply in [0, 1, 17] {
                assert_eq!(from_table(to_table(score, ply), ply, 0), score);
            }
        }
        assert_eq!(to_table(mate_in(5), 2), mate_in(3));
        assert_eq!(from_table(to_table(TB_WIN - 7, 7), 7, 0), TB_WIN - 7);
        assert_eq!([from_table(TB_WIN, 3, 1), from_table(1 - TB_WIN, 3, 99)], [MAX_EVAL, 4 - TB_WIN]);
        // The mating move is the hundredth ply without progress, or it comes one ply too late.
        let (mate, mated) = (mate_in(5), mated_in(6));
        assert_eq!([from_table(mate, 2, 95), from_table(mate, 2, 96)], [mate_in(7), MAX_EVAL]);
        assert_eq!([from_table(mated, 2, 94), from_table(mated, 2, 95)], [mated_in(8), -MAX_EVAL]);
    }
}
