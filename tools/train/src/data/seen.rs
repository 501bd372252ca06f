//! Which positions have come before.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// The keys of positions so far. Each takes at most 31 bytes of memory: a table of nine bytes a place is at least 7/16 full,
/// and for a moment there are two of them when it grows.
#[derive(Debug, Default)]
pub struct Seen(HashSet<u64, BuildHasherDefault<KeyHasher>>);

/// Takes a key for its own hash: it consists of random numbers already.
#[derive(Debug, Default)]
pub struct KeyHasher(u64);

impl Seen {
    /// Remembers a key; false if it had come before.
    pub fn insert(&mut self, key: u64) -> bool {
        self.0.insert(key)
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_for_the_first_time_once() {
        let mut seen = Seen::default();
        let keys: Vec<u64> = (0..1000).map(|_| fastrand::u64(..)).collect();
        assert!(keys.iter().all(|&key| seen.insert(key)));
        assert!(!keys.iter().any(|&key| seen.insert(key)));
        assert!(seen.insert(!keys[0]));
    }
}
