//! Numbers that tell data apart.

use lento_common::mix::{GOLDEN, mix};

/// What a row of words begins with.
const START: u64 = 0x243F_6A88_85A3_08D3;

/// A number that differs, as good as certainly, where the bytes differ.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(START ^ bytes.len() as u64, add)
}

/// Adds a word to the number of those before it.
pub fn add(hash: u64, word: u64) -> u64 {
    mix((hash.rotate_left(23) ^ word).wrapping_add(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_and_the_length_count() {
        let bytes = [7; 30];
        let mut seen = std::collections::BTreeSet::from([of_bytes(&bytes), of_bytes(&bytes[..29]), of_bytes(&[])]);
        for bit in 0..240 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(of_bytes(&changed)), "bit {bit}");
        }
        assert!(seen.insert(of_bytes(&[7, 0])) && seen.insert(of_bytes(&[7])));
    }
}
