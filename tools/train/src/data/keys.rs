//! Random sort keys.

use lento_common::mix::{GOLDEN, mix};

/// Keys without end, of which no two are the same: a counter, mixed without loss. Sorting by them shuffles.
#[derive(Clone, Debug)]
pub struct Keys(u64);

impl Keys {
    /// The keys of a seed. Seeds that follow each other give unrelated keys.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The next key.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn keys_are_those_of_splitmix64() {
        // The first numbers of the published generator for seed 0.
        let mut keys = Keys(0);
        assert_eq!([keys.next(), keys.next()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
        let mut keys = Keys::new(1);
        let all: HashSet<u64> = (0..100_000).map(|_| keys.next()).collect();
        assert_eq!(all.len(), 100_000);
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut seen: HashMap<[usize; 4], u32> = HashMap::new();
        for seed in 0..4800 {
            let mut keys = Keys::new(seed);
            let keys: [u64; 4] = std::array::from_fn(|_| keys.next());
            let mut order = [0, 1, 2, 3];
            order.sort_unstable_by_key(|&index: &usize| keys[index]);
            *seen.entry(order).or_default() += 1;
        }
        assert_eq!(seen.len(), 24);
        // Chi square with 23 degrees of freedom is above 49.7 in one of a thousand cases.
        let chi: f64 = seen.values().map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0).sum();
        assert!(chi < 49.7, "{chi}");
    }
}
