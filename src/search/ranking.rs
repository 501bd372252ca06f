//! Selection of the best remaining move of a list.

use crate::chess::Move;
use crate::chess::movegen::MAX_MOVES;
use arrayvec::ArrayVec;

/// A move's score and, in the low bits, its index in the list, inverted so that of equal scores the first is the highest.
#[derive(Clone, Copy, Debug)]
struct Key(i32);

impl Key {
    const INDEX_BITS: u32 = MAX_MOVES.next_power_of_two().trailing_zeros();
    const MAX_INDEX: i32 = (1 << Self::INDEX_BITS) - 1;
    /// Scores are clamped to this absolute value.
    const MAX_SCORE: i32 = i32::MAX >> Self::INDEX_BITS;
    /// Below the key of every move.
    const NONE: Self = Self(i32::MIN);

    #[inline(always)]
    fn new(score: i32, index: usize) -> Self {
        Self(score.clamp(-Self::MAX_SCORE, Self::MAX_SCORE) << Self::INDEX_BITS).at(index)
    }

    /// The same score at another index.
    #[inline(always)]
    fn at(self, index: usize) -> Self {
        Self(self.0 & !Self::MAX_INDEX | (Self::MAX_INDEX - index as i32))
    }

    #[inline(always)]
    fn index(self) -> usize {
        (Self::MAX_INDEX - (self.0 & Self::MAX_INDEX)) as usize
    }
}

/// Keys compared at once.
const LANES: usize = 8;

/// The scores of a list's moves. Selection sort: the best remaining move is swapped with the first.
#[derive(Clone)]
pub(super) struct Ranking {
    /// The keys of all moves, padded by a group of lanes.
    keys: ArrayVec<Key, { MAX_MOVES + LANES }>,
    taken: usize,
    /// Index of the best remaining move, if known.
    best: Option<usize>,
}

impl Ranking {
    /// The ranking of an empty list.
    pub(super) fn new() -> Self {
        Self { keys: ArrayVec::new(), taken: 0, best: None }
    }

    /// Scores all moves of a list; higher scores come first.
    #[inline(always)]
    pub(super) fn rank(&mut self, list: &[Move], score: impl Fn(Move) -> i32) {
        self.clear();
        for &mv in list {
            self.push(score(mv));
        }
        self.close();
    }

    /// Starts a new list: then [`push`](Self::push) for each move, and [`close`](Self::close).
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.keys, self.taken, self.best) = (ArrayVec::new(), 0, None);
    }

    /// Adds the score of the list's next move.
    #[inline(always)]
    pub(super) fn push(&mut self, score: i32) {
        self.keys.push(Key::new(score, self.keys.len()));
    }

    /// Pads the keys after the last move.
    #[inline(always)]
    pub(super) fn close(&mut self) {
        self.keys.extend([Key::NONE; LANES]);
    }

    /// Returns the best remaining move without taking it.
    #[inline(always)]
    pub(super) fn peek(&mut self, list: &[Move]) -> Option<Move> {
        self.best = self.find_best(list);
        Some(list[self.best?])
    }

    /// Takes the best remaining move.
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

    /// Index of the best remaining move.
    #[inline(always)]
    fn find_best(&self, list: &[Move]) -> Option<usize> {
        if self.best.is_some() {
            return self.best;
        }
        let left = list.get(self.taken..)?.len();
        let mut lanes = [Key::NONE.0; LANES];
        for group in self.keys.get(self.taken..)?.chunks_exact(LANES).take(left.div_ceil(LANES)) {
            for (max, key) in lanes.iter_mut().zip(group) {
                *max = key.0.max(*max);
            }
        }
        let best = Key(lanes.into_iter().fold(Key::NONE.0, i32::max)).index();
        (best < list.len()).then_some(best)
    }

    /// Takes moves in list order up to the first that is wanted.
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

    /// Reference selection sort.
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
    fn order_matches_a_selection_sort() {
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
