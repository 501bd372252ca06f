//! Which of a list's moves comes next.

use crate::chess::Move;
use crate::chess::movegen::MAX_MOVES;
use arrayvec::ArrayVec;

/// A move's score above its place in the list, in one number: so the highest names its move, and of equal ones the first is higher.
#[derive(Clone, Copy, Debug)]
struct Key(i32);

impl Key {
    const PLACE_BITS: u32 = MAX_MOVES.next_power_of_two().trailing_zeros();
    const LAST_PLACE: i32 = (1 << Self::PLACE_BITS) - 1;
    /// Scores count as far as this.
    const MOST: i32 = i32::MAX >> Self::PLACE_BITS;
    /// Below every move's.
    const NONE: Self = Self(i32::MIN);

    #[inline(always)]
    fn new(score: i32, place: usize) -> Self {
        Self(score.clamp(-Self::MOST, Self::MOST) << Self::PLACE_BITS).at(place)
    }

    /// The same score at this place.
    #[inline(always)]
    fn at(self, place: usize) -> Self {
        Self(self.0 & !Self::LAST_PLACE | (Self::LAST_PLACE - place as i32))
    }

    #[inline(always)]
    fn place(self) -> usize {
        (Self::LAST_PLACE - (self.0 & Self::LAST_PLACE)) as usize
    }
}

/// So many keys are compared at once.
const LANES: usize = 8;

/// The scores of a list's moves. Taking the best of those that are left swaps it with the first of them, as in a selection sort.
#[derive(Clone)]
pub(super) struct Ranking {
    /// Of all moves, and then so many that no group of lanes ends behind them.
    keys: ArrayVec<Key, { MAX_MOVES + LANES }>,
    taken: usize,
    /// Where the best of those that are left is, if that is known.
    best: Option<usize>,
}

impl Ranking {
    /// Of an empty list.
    pub(super) fn new() -> Self {
        Self { keys: ArrayVec::new(), taken: 0, best: None }
    }

    /// Gives every move its score: the higher the earlier.
    #[inline(always)]
    pub(super) fn rank(&mut self, list: &[Move], score: impl Fn(Move) -> i32) {
        self.clear();
        for &mv in list {
            self.push(score(mv));
        }
        self.close();
    }

    /// Begins anew, with no move. [`rank`](Self::rank) is this, a [`push`](Self::push) for each move, and [`close`](Self::close).
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.keys, self.taken, self.best) = (ArrayVec::new(), 0, None);
    }

    /// Gives the next move of the list its score.
    #[inline(always)]
    pub(super) fn push(&mut self, score: i32) {
        self.keys.push(Key::new(score, self.keys.len()));
    }

    /// All moves have their scores.
    #[inline(always)]
    pub(super) fn close(&mut self) {
        self.keys.extend([Key::NONE; LANES]);
    }

    /// The best of the moves that are left, which stays.
    #[inline(always)]
    pub(super) fn peek(&mut self, list: &[Move]) -> Option<Move> {
        self.best = self.find_best(list);
        Some(list[self.best?])
    }

    /// Takes the best of the moves that are left.
    #[inline(always)]
    pub(super) fn take_best(&mut self, list: &mut [Move]) -> Option<Move> {
        let best = self.find_best(list)?;
        let mv = *list.get(best)?;
        list.swap(self.taken, best);
        self.keys[best] = self.keys[self.taken].at(best);
        self.taken += 1;
        self.best = None;
        Some(mv)
    }

    /// Where the best of the moves that are left is.
    #[inline(always)]
    fn find_best(&self, list: &[Move]) -> Option<usize> {
        if self.best.is_some() {
            return self.best;
        }
        let left = list.get(self.taken..)?.len();
        let mut lanes = [Key::NONE.0; LANES];
        for group in self.keys.get(self.taken..)?.chunks_exact(LANES).take(left.div_ceil(LANES)) {
            for (most, key) in lanes.iter_mut().zip(group) {
                *most = key.0.max(*most);
            }
        }
        let best = Key(lanes.into_iter().fold(Key::NONE.0, i32::max)).place();
        (best < list.len()).then_some(best)
    }

    /// Takes moves, in no particular order, up to one that is wanted.
    #[inline(always)]
    pub(super) fn take_any(&mut self, list: &[Move], is_wanted: impl Fn(Move) -> bool) -> Option<Move> {
        let left = list.get(self.taken..)?;
        let skipped = left.iter().position(|&mv| is_wanted(mv));
        self.best = None;
        self.taken += skipped.map_or(left.len(), |skipped| skipped + 1);
        skipped.map(|skipped| left[skipped])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;

    /// The order of a selection sort: what comes first among equals is swapped with what is taken.
    fn sorted(list: &[Move], scores: &[i32]) -> Vec<Move> {
        let mut left: Vec<(Move, i32)> = list.iter().copied().zip(scores.iter().copied()).collect();
        for taken in 0..left.len() {
            let mut best = taken;
            for place in taken..left.len() {
                if left[place].1 > left[best].1 {
                    best = place;
                }
            }
            left.swap(taken, best);
        }
        left.into_iter().map(|(mv, _)| mv).collect()
    }

    #[test]
    fn the_best_comes_first() {
        let board = Board::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").expect("a FEN");
        let moves = board.legal_moves();
        assert_eq!(moves.len(), 218);
        let mut random = fastrand::Rng::with_seed(1);
        let mut ranking = Ranking::new();
        assert_eq!(ranking.take_best(&mut []), None);
        for count in (0..=moves.len()).chain([1, 8, 9]) {
            let spread = *random.choice(&[0, 5, 1_000_000]).expect("one of them");
            let scores: Vec<i32> = (0..count).map(|_| random.i32(-spread..=spread)).collect();
            let mut list = moves[..count].to_vec();
            ranking.rank(&moves[..count], |mv| scores[list.iter().position(|&other| other == mv).expect("a move")]);
            let found: Vec<Move> = std::iter::from_fn(|| {
                let ahead = random.bool().then(|| ranking.peek(&list));
                let taken = ranking.take_best(&mut list);
                assert!(ahead.is_none_or(|ahead| ahead == taken));
                taken
            })
            .collect();
            assert_eq!(found, sorted(&moves[..count], &scores), "{scores:?}");
            assert_eq!(ranking.take_best(&mut list), None);
        }
    }
}
