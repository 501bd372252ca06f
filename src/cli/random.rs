//! Numbers drawn by chance, the same for the same seed.

/// A generator: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below `count`, which is at least 1.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// The numbers from 0 to below `count` in an order of chance.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_about_as_often() {
        let mut random = Random::new(7);
        let mut counts = [0; 5];
        (0..50_000).for_each(|_| counts[random.below(5)] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn orders_have_everything_once_and_repeat_with_their_seed() {
        let orders = |seed| {
            let mut random = Random::new(seed);
            [random.order(9), random.order(9)]
        };
        let [one, other] = orders(1);
        assert_ne!(one, other);
        assert_eq!(orders(1), [one.clone(), other]);
        let mut all = one;
        all.sort_unstable();
        assert!(all.into_iter().eq(0..9));
        assert!(Random::new(1).order(0).is_empty());
    }
}
