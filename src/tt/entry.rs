//! An entry, and its packing into 64 bits.

use crate::chess::Move;
use crate::score::{Bound, INFINITE, MAX_EVAL};

/// A table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The best move. After a probe it may be illegal.
    pub mv: Option<Move>,
    /// The score, relative to this node (see [`to_table`](crate::score::to_table)); clamped to ±32 767.
    pub score: i32,
    /// The static evaluation; clamped to ±32 767.
    pub eval: Option<i32>,
    /// The depth in plies; clamped to -7..=247.
    pub depth: i32,
    /// The bound of the score.
    pub bound: Bound,
    /// Whether the node is or was on a principal variation.
    pub pv: bool,
}

impl TtEntry {
    /// Depth of a static evaluation above beta as score, in plies.
    pub const STAND_PAT: i32 = Packed::MIN_DEPTH + 1;

    /// An entry with only a static evaluation: the score is an upper bound above all scores of the search, and never cuts off.
    #[inline(always)]
    pub const fn of_eval(eval: i32) -> Self {
        let (score, depth, bound) = (i16::MAX as i32, Packed::MIN_DEPTH, Bound::Upper);
        Self { mv: None, score, eval: Some(eval), depth, bound, pv: false }
    }
}

/// The number of generations before they wrap around.
pub(super) const GENERATIONS: u8 = 32;

/// The generation of the current search (lower bits), and whether deep entries are spared (highest bit;
/// [`Tt::new_search`](super::Tt::new_search)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Era(pub u8);

impl Era {
    /// The era of a new table: generation 0.
    pub(super) const FIRST: Self = Self(0);
    const SPARES_DEEP: u8 = 1 << 7;

    /// The era of the next search: the next generation, or if it `continues`, this one with deep entries spared.
    pub(super) const fn next(self, continues: bool) -> Self {
        match self.0 % GENERATIONS {
            generation if continues => Self(generation | Self::SPARES_DEEP),
            generation => Self((generation + 1) % GENERATIONS),
        }
    }

    /// Whether deep entries are spared.
    #[inline(always)]
    pub(super) const fn spares_deep(self) -> bool {
        self.0 & Self::SPARES_DEEP != 0
    }
}

/// A [`TtEntry`] and its generation in one word.
///
/// From the lowest bit: move 16, score 16, evaluation 16, depth 8, bound 2, pv 1, generation 5. Zero means no move, no
/// evaluation (stored with an offset of 32 768), no bound and so no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed(pub u64);

impl Packed {
    const SCORE: u32 = 16;
    const EVAL: u32 = 32;
    const DEPTH: u32 = 48;
    const BOUND: u32 = 56;
    const PV: u32 = 58;
    const GENERATION: u32 = 59;

    const EVAL_OFFSET: i32 = 1 << 15;
    const DEPTH_OFFSET: i32 = 8;
    pub(super) const MIN_DEPTH: i32 = 1 - Self::DEPTH_OFFSET;
    const MAX_DEPTH: i32 = u8::MAX as i32 - Self::DEPTH_OFFSET;

    /// Packs an entry, clamping its numbers.
    #[inline(always)]
    pub(super) fn new(entry: TtEntry, era: Era) -> Self {
        const LIMIT: i32 = i16::MAX as i32;
        let mv = entry.mv.map_or(0, Move::word) as u64;
        let score = entry.score.clamp(-LIMIT, LIMIT) as u16 as u64;
        let eval = entry.eval.map_or(0, |eval| eval.clamp(-LIMIT, LIMIT) + Self::EVAL_OFFSET) as u64;
        let depth = (entry.depth.clamp(Self::MIN_DEPTH, Self::MAX_DEPTH) + Self::DEPTH_OFFSET) as u64;
        Self(
            mv | score << Self::SCORE
                | eval << Self::EVAL
                | depth << Self::DEPTH
                | (entry.bound as u64) << Self::BOUND
                | (entry.pv as u64) << Self::PV
                | (era.0 as u64) << Self::GENERATION,
        )
    }

    /// The entry, if there is one.
    #[inline(always)]
    pub(super) fn unpack(self) -> Option<TtEntry> {
        // A table, since a `match` would become an unpredictable jump.
        const BOUNDS: [Option<Bound>; 4] = [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)];
        let bound = BOUNDS[(self.0 >> Self::BOUND & 3) as usize]?;
        let eval = match (self.0 >> Self::EVAL) as u16 {
            0 => None,
            word => Some(word as i32 - Self::EVAL_OFFSET),
        };
        Some(TtEntry {
            mv: self.mv(),
            score: (self.0 >> Self::SCORE) as i16 as i32,
            eval,
            depth: self.depth(),
            bound,
            pv: self.0 >> Self::PV & 1 != 0,
        })
    }

    #[inline(always)]
    pub(super) const fn mv(self) -> Option<Move> {
        Move::from_word(self.0 as u16)
    }

    /// The depth in plies; below the minimum if empty.
    #[inline(always)]
    pub(super) const fn depth(self) -> i32 {
        (self.0 >> Self::DEPTH) as u8 as i32 - Self::DEPTH_OFFSET
    }

    /// The entry with this age.
    pub(super) const fn aged(self, age: i32, now: Era) -> Self {
        let rest = self.0 & ((1 << Self::GENERATION) - 1);
        Self(rest | (now.0.wrapping_sub(age as u8) as u64) << Self::GENERATION)
    }

    /// The age in searches, from 0 (this one) to 31, after which it wraps around.
    #[inline(always)]
    pub(super) const fn age(self, now: Era) -> i32 {
        (now.0.wrapping_sub((self.0 >> Self::GENERATION) as u8) & (GENERATIONS - 1)) as i32
    }
}

/// An entry with its full key, for a table of any size and era: it has its age instead of its generation, and its numbers are in
/// the ranges of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key of the position.
    pub key: u64,
    /// Its age is relative to generation 0.
    data: Packed,
}

impl Record {
    /// Size in a file.
    pub const BYTES: usize = 16;

    /// An entry of a table of this era; `None` if empty, out of range, or only a static evaluation, which is cheaper to compute than
    /// to store.
    pub(super) fn new(key: u64, data: Packed, era: Era) -> Option<Self> {
        let TtEntry { score, eval, .. } = data.unpack()?;
        let in_range = score.abs() <= INFINITE && eval.is_none_or(|eval| eval.abs() <= MAX_EVAL);
        let deep_enough = data.depth() >= Packed::MIN_DEPTH;
        (in_range && deep_enough).then(|| Self { key, data: data.aged(data.age(era), Era::FIRST) })
    }

    /// An entry of age 0; `None` if out of range.
    pub fn of_search(key: u64, entry: TtEntry) -> Option<Self> {
        Self::new(key, Packed::new(entry, Era::FIRST), Era::FIRST)
    }

    /// The inverse of [`to_bytes`](Self::to_bytes), for untrusted bytes; `None` if out of range.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Option<Self> {
        let both = u128::from_le_bytes(bytes);
        Self::new(both as u64, Packed((both >> 64) as u64), Era::FIRST)
    }

    /// The key, then the data as in the table, with 32 minus the age in searches as the generation; little-endian.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        (u128::from(self.data.0) << 64 | u128::from(self.key)).to_le_bytes()
    }

    /// The entry for a table of this era.
    pub(super) fn data(self, era: Era) -> Packed {
        self.data.aged(self.data.age(Era::FIRST), era)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{MATE, MAX_PLY, from_table, to_table};

    const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

    /// A plain entry for the tests to vary.
    const PLAIN: TtEntry = TtEntry { mv: None, score: 0, eval: None, depth: 0, bound: Bound::Exact, pv: false };

    fn era(generation: u8) -> Era {
        Era(generation % GENERATIONS)
    }

    fn round_trip(entry: TtEntry, generation: u8) {
        let packed =
            Packed::new(entry, if generation.is_multiple_of(2) { era(generation) } else { era(generation).next(true) });
        assert_eq!(packed.unpack(), Some(entry));
        assert_eq!(packed.age(era(generation)), 0);
        assert_eq!((packed.mv(), packed.depth()), (entry.mv, entry.depth));
    }

    #[test]
    fn fields_round_trip() {
        for word in 0..=u16::MAX {
            round_trip(TtEntry { mv: Move::from_word(word), ..PLAIN }, 31);
        }
        for number in -i32::from(i16::MAX)..=i32::from(i16::MAX) {
            round_trip(TtEntry { score: number, ..PLAIN }, 0);
            round_trip(TtEntry { eval: Some(number), ..PLAIN }, 0);
        }
        for depth in -7..=247 {
            for bound in BOUNDS {
                for pv in [false, true] {
                    for generation in 0..GENERATIONS {
                        round_trip(TtEntry { depth, bound, pv, ..PLAIN }, generation);
                    }
                }
            }
        }
    }

    #[test]
    fn fields_are_independent() {
        let mut state = 0x1234_5678_9abc_def1_u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % below
        };
        for _ in 0..200_000 {
            let entry = TtEntry {
                mv: Move::from_word(random(65_536) as u16),
                score: random(65_535) as i32 - 32_767,
                eval: (random(4) > 0).then_some(random(65_535) as i32 - 32_767),
                depth: random(255) as i32 - 7,
                bound: BOUNDS[random(3) as usize],
                pv: random(2) > 0,
            };
            round_trip(entry, random(32) as u8);
        }
    }

    #[test]
    fn scores_of_the_search_fit() {
        for score in [-INFINITE, -MATE, MATE, INFINITE] {
            round_trip(TtEntry { score, eval: Some(MAX_EVAL), ..PLAIN }, 1);
        }
    }

    #[test]
    fn static_evaluations_never_cut_off() {
        for eval in [-MAX_EVAL, -1, 0, 57, MAX_EVAL] {
            for [stored_at, probed_at] in [[0, 0], [0, MAX_PLY], [MAX_PLY, 0], [3, 30]] {
                let stored =
                    TtEntry { score: to_table(TtEntry::of_eval(eval).score, stored_at), ..TtEntry::of_eval(eval) };
                let entry = Packed::new(stored, Era::FIRST).unpack().unwrap();
                assert_eq!((entry.mv, entry.eval, entry.depth, entry.pv), (None, Some(eval), Packed::MIN_DEPTH, false));
                for clock in [0, 50, 100] {
                    let score = from_table(entry.score, probed_at, clock);
                    assert!((-INFINITE..=INFINITE).all(|limit| !entry.bound.settles(score, limit)), "{eval} {clock}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_clamped() {
        let high =
            Packed::new(TtEntry { score: 40_000, eval: Some(i32::MAX), depth: i32::MAX, ..PLAIN }, Era::FIRST).unpack();
        assert_eq!(high, Some(TtEntry { score: 32_767, eval: Some(32_767), depth: 247, ..PLAIN }));
        let low = Packed::new(TtEntry { score: -40_000, eval: Some(i32::MIN), depth: i32::MIN, ..PLAIN }, Era::FIRST)
            .unpack();
        assert_eq!(low, Some(TtEntry { score: -32_767, eval: Some(-32_767), depth: -7, ..PLAIN }));
    }

    #[test]
    fn zero_is_no_entry() {
        assert_eq!(Packed(0).unpack(), None);
        assert!(Packed(0).depth() < -7);
    }

    #[test]
    fn age_wraps_around() {
        let packed = Packed::new(PLAIN, era(30));
        assert_eq!([30, 31, 0, 29].map(|now| packed.age(era(now).next(true))), [0, 1, 2, 31]);
        for age in 0..32 {
            let moved = packed.aged(age, era(5));
            assert_eq!((moved.age(era(5)), moved.unpack()), (age, packed.unpack()));
        }
    }

    #[test]
    fn records_round_trip_across_eras() {
        let entry = TtEntry { score: -31_990, eval: Some(12), depth: 40, bound: Bound::Upper, pv: true, ..PLAIN };
        for (written, saved, loaded) in [(0, 0, 0), (30, 2, 17), (5, 5, 31), (1, 0, 9)] {
            let [written, saved, loaded] = [written, saved, loaded].map(era);
            let data = Packed::new(entry, written);
            let record = Record::new(77, data, saved).unwrap();
            assert_eq!(Record::from_bytes(record.to_bytes()), Some(record));
            let back = record.data(loaded);
            assert_eq!((back.unpack(), back.age(loaded)), (Some(entry), data.age(saved)));
        }
    }

    #[test]
    fn records_out_of_range_are_rejected() {
        let valid = |entry| Record::of_search(1, entry).is_some();
        assert!(valid(PLAIN) && valid(TtEntry { score: -INFINITE, eval: Some(MAX_EVAL), depth: -7, ..PLAIN }));
        assert!(
            !valid(TtEntry::of_eval(5))
                && !valid(TtEntry { score: INFINITE + 1, ..PLAIN })
                && !valid(TtEntry { eval: Some(-MAX_EVAL - 1), ..PLAIN })
        );
        // No bound, and less than the minimum depth.
        assert_eq!([0, 3 << 56].map(|data| Record::new(1, Packed(data), Era::FIRST)), [None, None]);
    }
}
