//! The checksum at the end of a table: CityHashCrc256 (Geoff Pike and Jyrki Alakuijala, version 1.0.2), hashed to 128 bits.

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K3: u64 = 0xC949_D7C7_509E_6557;

/// Bytes per block, zero-padded.
const BLOCK: usize = 240;
/// Bytes per step, six to a block.
const STEP: usize = 40;

/// The checksum of a table's bytes, at most 16 MiB, which are hashed in one piece.
pub(super) fn of(bytes: &[u8]) -> u128 {
    let [a, b, c, d] = match bytes.len() {
        ..BLOCK => {
            let mut block = [0; BLOCK];
            block[..bytes.len()].copy_from_slice(bytes);
            hash_256(&block, !(bytes.len() as u32))
        }
        _ => hash_256(bytes, 0),
    };
    let [low, high] = murmur_16([c, d], [a ^ K3, b]);
    u128::from(high) << 64 | u128::from(low)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn shift_mix(word: u64) -> u64 {
    word ^ word >> 47
}

fn mix(low: u64, high: u64) -> u64 {
    const FACTOR: u64 = 0x9DDF_EA08_EB38_2D69;
    let first = shift_mix((low ^ high).wrapping_mul(FACTOR));
    shift_mix((high ^ first).wrapping_mul(FACTOR)).wrapping_mul(FACTOR)
}

struct Hasher {
    words: [u64; 6],
    sums: [u32; 5],
}

impl Hasher {
    fn step(&mut self, bytes: &[u8], factor: u64, turn: u32) {
        let [_, b, c, d, e, t] = self.words;
        let sources = [(b, 41), (c, 27), (d, 41), (e, 33), (t, 25)];
        self.words[5] = self.words[0];
        for (index, (source, shift)) in sources.into_iter().enumerate() {
            let turned = source.rotate_right(shift ^ turn).wrapping_mul(factor);
            self.words[index] = turned.wrapping_add(word(bytes, 8 * index));
            self.sums[index] = crc32c(self.sums[index], self.words[index]);
        }
    }
}

/// Requires at least 240 bytes.
fn hash_256(bytes: &[u8], seed: u32) -> [u64; 4] {
    let length = bytes.len() as u64;
    let first = mix(word(bytes, 96).wrapping_add(K0), length);
    let second = word(bytes, 120).wrapping_mul(K0).wrapping_add(length);
    let mut state = Hasher {
        words: [
            word(bytes, 56).wrapping_add(K0),
            word(bytes, 96).wrapping_add(K0),
            first,
            second,
            word(bytes, 184).wrapping_add(seed.into()),
            first.wrapping_add(second),
        ],
        sums: [seed, 0, 0, 0, 0],
    };
    let whole = bytes.len() / BLOCK * (BLOCK / STEP);
    let steps = bytes.chunks_exact(STEP);
    let rest = steps.remainder();
    for (nth, step) in steps.enumerate() {
        if nth < whole && nth % 2 == 0 { state.step(step, 1, 1) } else { state.step(step, K0, 0) }
    }
    if !rest.is_empty() {
        state.step(&bytes[bytes.len() - STEP..], K0, 0);
    }
    finish(state, first, second)
}

fn finish(state: Hasher, first: u64, second: u64) -> [u64; 4] {
    let [a, b, c, d, e, t] = state.words;
    let [f, g, h, i, j] = state.sums.map(u64::from);
    let add = u64::wrapping_add;
    let j = add(j, i << 32);
    let a = mix(a, j);
    let h = add(h, g << 32);
    let b = add(b, h);
    let c = add(mix(c, f), i);
    let d = mix(d, add(e, first));
    let j = add(j, e);
    let i = add(i, mix(h, t));
    let e = add(mix(a, d), j);
    let f = add(mix(b, c), a);
    let g = add(mix(j, i), c);
    let r0 = add(add(e, f), add(g, h));
    let a = add(shift_mix(add(a, g).wrapping_mul(K0)).wrapping_mul(K0), b);
    let r1 = add(second, add(a, r0));
    let a = add(shift_mix(a.wrapping_mul(K0)).wrapping_mul(K0), c);
    let r2 = add(a, r1);
    let a = shift_mix(add(a, e).wrapping_mul(K0)).wrapping_mul(K0);
    [r0, r1, r2, add(a, r2)]
}

fn murmur_16([x, y]: [u64; 2], [low, high]: [u64; 2]) -> [u64; 2] {
    let a = shift_mix(low.wrapping_mul(K1)).wrapping_mul(K1);
    let short = mix(x, y.wrapping_add(16).rotate_right(16)) ^ y;
    let c = high.wrapping_mul(K1).wrapping_add(short);
    let d = shift_mix(a.wrapping_add(x));
    let (a, b) = (mix(a, c), mix(d, high));
    [a ^ b, mix(b, a)]
}

/// CRC-32C of eight bytes, lowest first, without inversions, as computed by the CPU instruction.
fn crc32c(sum: u32, word: u64) -> u32 {
    word.to_le_bytes().iter().fold(sum, |sum, &byte| sum >> 8 ^ CRC[usize::from(sum as u8 ^ byte)])
}

static CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0x82F6_3B78 } else { 0 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The published check value of CRC-32C is that of "123456789".
    #[test]
    fn crc32c_check_value() {
        let word = u64::from_le_bytes(*b"12345678");
        let sum = crc32c(!0, word);
        let last = sum >> 8 ^ CRC[usize::from(sum as u8 ^ b'9')];
        assert_eq!(!last, 0xE306_9283);
    }

    /// The tables of two bare minor pieces, in which all positions are draws.
    #[test]
    fn checksums_of_the_smallest_tables() {
        let table = |head: &[u8]| {
            let mut bytes = [0; 64];
            bytes[..head.len()].copy_from_slice(head);
            of(&bytes)
        };
        let wdl = [0x71, 0xE8, 0x23, 0x5D, 0x31, 0, 0xEE, 0x66, 0x33, 0, 0x80, 2, 0x80, 2];
        let dtz = [0xD7, 0x66, 0x0C, 0xA5, 0x31, 0, 0x0E, 6, 3, 0, 0x80];
        assert_eq!(table(&wdl).swap_bytes(), 0x4B37_EF62_3E69_EADB_6756_777C_1603_4E6F);
        assert_eq!(table(&dtz).swap_bytes(), 0x338F_272B_119C_02CA_67B0_3A45_0C37_5B2E);
    }
}
