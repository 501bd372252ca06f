//! The hash that identifies networks.

/// FNV-1a (Fowler, Noll, Vo) over 64-bit words.
#[derive(Clone, Copy, Debug)]
pub struct Sum(pub u64);

impl Default for Sum {
    /// The FNV offset basis.
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Sum {
    /// Hashes another word.
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
