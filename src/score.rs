//! Scores: centipawns and mate distances.

/// Maximum search depth in plies from the root.
pub const MAX_PLY: usize = 246;

/// A score in centipawns from the side to move's view; tablebase wins start at [`TB_WIN_IN_MAX`], mates at [`MATE_IN_MAX`].
pub type Score = i32;

/// Beyond any score: bound of a full window.
pub const INFINITE: Score = 32_001;
/// Being mated now scores `-MATE`; mate in n plies scores `MATE - n`.
pub const MATE: Score = 32_000;
/// The longest mate; all scores from here on are mates.
pub const MATE_IN_MAX: Score = MATE - 2 * MAX_PLY as Score;
/// A draw.
pub const DRAW: Score = 0;
/// Score of a tablebase win at the root, less the ply at which it is reached.
pub const TB_WIN: Score = MATE_IN_MAX - 1;
/// The longest tablebase win; all scores from here on are proven wins.
pub const TB_WIN_IN_MAX: Score = TB_WIN - 2 * MAX_PLY as Score;
/// Static evaluations lie within ± this bound.
pub const MAX_EVAL: Score = TB_WIN_IN_MAX - 1;

/// Above this halfmove clock the fifty-move rule may invalidate scores of the table.
pub(crate) const TABLE_SAFE_CLOCK: u32 = 90;

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

/// Whether the score is a mate for either side.
#[inline(always)]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX
}

/// Whether a score that [settles](Bound::settles) a limit is a mate valid at any depth: a win of at least the limit, or a loss
/// below it. The absence of a shorter mate or a longer defence is valid only for the searched depth.
#[inline(always)]
pub const fn proves_mate(score: Score, limit: Score) -> bool {
    is_mate(score) && (score > DRAW) == (score >= limit)
}

/// Whether the score is a mate or tablebase win for either side.
#[inline(always)]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_WIN_IN_MAX
}

/// Plies to a tablebase win of either side; `None` for other scores.
pub const fn tablebase_distance(score: Score) -> Option<i32> {
    if is_decisive(score) && !is_mate(score) { Some(TB_WIN - score.abs()) } else { None }
}

/// Full moves to mate, negative if the side to move is mated; `None` for other scores.
pub const fn mate_distance(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score + 1) / 2)
    }
}

/// Converts mate and tablebase scores from root-relative to node-relative, as stored in the hash table.
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

/// Converts back to root-relative. Mates and tablebase wins out of reach given the halfmove clock are reduced to plain winning
/// or losing scores.
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

/// Whether a proven win comes before the fifty-move rule applies. Tablebase wins assume a halfmove clock of 0.
#[inline(always)]
const fn is_within_reach(score: Score, clock: u32) -> bool {
    let left = 100 - clock as Score;
    match tablebase_distance(score) {
        None => MATE - score.abs() <= left,
        Some(0) => clock == 0,
        Some(plies) => plies <= left,
    }
}

/// Type of a score's bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// Upper bound (fail low).
    Upper = 1,
    /// Lower bound (fail high).
    Lower = 2,
    /// Exact score.
    #[default]
    Exact = 3,
}

impl Bound {
    /// Whether a stored score allows a cutoff against `limit`: exact, or bounded on the right side of it.
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
    fn mates_are_proved_for_the_winner_only() {
        assert!([0, mate_in(5), mated_in(4)].iter().all(|&limit| proves_mate(mate_in(5), limit)));
        assert!([0, mate_in(5), mate_in(3)].iter().all(|&limit| proves_mate(mated_in(4), limit)));
        assert!(!proves_mate(mate_in(5), mate_in(3)), "there may be a shorter mate");
        assert!(!proves_mate(mated_in(4), mated_in(2)), "there may be a longer defence");
        assert!(!proves_mate(MAX_EVAL, 0));
    }

    #[test]
    fn table_round_trip_is_relative_to_the_node() {
        for score in [mate_in(5), mated_in(6), 0, 123, -MAX_EVAL] {
            for ply in [0, 1, 17] {
                assert_eq!(from_table(to_table(score, ply), ply, 0), score);
            }
        }
        assert_eq!(to_table(mate_in(5), 2), mate_in(3));
        assert_eq!(from_table(to_table(TB_WIN - 7, 7), 7, 0), TB_WIN - 7);
        assert_eq!([from_table(TB_WIN, 3, 1), from_table(1 - TB_WIN, 3, 99)], [MAX_EVAL, 4 - TB_WIN]);
        // The mating move is on the hundredth ply, or one too late.
        let (mate, mated) = (mate_in(5), mated_in(6));
        assert_eq!([from_table(mate, 2, 95), from_table(mate, 2, 96)], [mate_in(7), MAX_EVAL]);
        assert_eq!([from_table(mated, 2, 94), from_table(mated, 2, 95)], [mated_in(8), -MAX_EVAL]);
    }
}
