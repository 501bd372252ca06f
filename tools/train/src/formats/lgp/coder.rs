//! A range coder with carry propagation, as in LZMA.

/// Sum of both shares of a binary decision.
pub const TOTAL: u32 = 1 << 16;
/// Lower bound of the range after normalisation.
const MIN_RANGE: u32 = 1 << 24;

/// An encoder or decoder, so that models need only be written once. The encoder codes the given value and returns it; the decoder
/// ignores it and returns the value read.
pub trait Coder {
    fn range(&self) -> u32;

    /// Narrows the range to `share` units, starting at unit `start`.
    fn narrow(&mut self, unit: u32, start: u32, share: u32);

    /// Whether the code lies within the first `part` of the range.
    fn is_below(&self, part: u32, given: bool) -> bool;

    /// The unit of the code, of `total` units.
    fn place(&self, unit: u32, total: u32, given: u32) -> u32;

    /// Whether the decoder has read beyond the end, which means invalid bytes.
    fn is_beyond(&self) -> bool;

    /// Codes a binary decision; the probability of `true` is `share` / [`TOTAL`], more than 0 and less than 1.
    #[inline]
    fn bit(&mut self, share: u32, bit: bool) -> bool {
        let unit = self.range() / TOTAL;
        let bit = self.is_below(unit * share, bit);
        let (start, share) = if bit { (0, share) } else { (share, TOTAL - share) };
        self.narrow(unit, start, share);
        bit
    }

    /// Codes one of several options with shares of at least 1 and a sum of at most 2^24.
    #[inline]
    fn pick(&mut self, shares: &[u32], option: usize) -> usize {
        let total = shares.iter().sum();
        let unit = self.range() / total;
        let place = self.place(unit, total, shares[..option].iter().sum());
        let (mut option, mut start) = (0, 0);
        while start + shares[option] <= place {
            start += shares[option];
            option += 1;
        }
        self.narrow(unit, start, shares[option]);
        option
    }

    /// Codes up to 16 low bits of a number without a model.
    #[inline]
    fn raw(&mut self, bits: u32, value: u32) -> u32 {
        let unit = self.range() >> bits;
        let value = self.place(unit, 1 << bits, value & ((1 << bits) - 1));
        self.narrow(unit, value, 1);
        value
    }
}

pub struct Encoder {
    bytes: Vec<u8>,
    /// Start of the range; bit 32 is the carry.
    low: u64,
    range: u32,
    /// The last byte not yet written and the number of bytes 255 after it, all of which a carry would change.
    last: u8,
    full: usize,
}

impl Encoder {
    pub fn new() -> Self {
        Self { bytes: Vec::new(), low: 0, range: u32::MAX, last: 0, full: 0 }
    }

    /// Bytes written so far.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Flushes the encoder and returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes
    }

    /// Shifts out the top byte of `low`.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry == 0 && self.low >= 0xFF00_0000 {
            self.full += 1;
        } else {
            self.bytes.push(self.last.wrapping_add(carry));
            self.bytes.extend(std::iter::repeat_n(0xFF_u8.wrapping_add(carry), self.full));
            self.full = 0;
            self.last = (self.low >> 24) as u8;
        }
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }
}

impl Coder for Encoder {
    #[inline]
    fn range(&self) -> u32 {
        self.range
    }

    #[inline]
    fn narrow(&mut self, unit: u32, start: u32, share: u32) {
        self.low += u64::from(unit) * u64::from(start);
        self.range = unit * share;
        while self.range < MIN_RANGE {
            self.range <<= 8;
            self.shift();
        }
    }

    #[inline]
    fn is_below(&self, _: u32, given: bool) -> bool {
        given
    }

    #[inline]
    fn place(&self, _: u32, _: u32, given: u32) -> u32 {
        given
    }

    fn is_beyond(&self) -> bool {
        false
    }
}

/// A decoder. Any bytes can be decoded; reads zeros beyond the end.
pub struct Decoder {
    bytes: Vec<u8>,
    /// Position of the next byte; it may be beyond the end.
    pub read: usize,
    /// Offset of the code within the range.
    code: u32,
    range: u32,
}

impl Decoder {
    /// Decodes the bytes from an index on.
    pub fn new(bytes: Vec<u8>, start: usize) -> Self {
        let mut decoder = Self { bytes, read: start, code: 0, range: u32::MAX };
        for _ in 0..5 {
            decoder.code = decoder.code << 8 | decoder.next();
        }
        decoder
    }

    /// Whether the decoder has read exactly to the end.
    pub fn is_at_end(&self) -> bool {
        self.read == self.bytes.len()
    }

    fn next(&mut self) -> u32 {
        let byte = self.bytes.get(self.read).copied().unwrap_or(0);
        self.read += 1;
        byte.into()
    }
}

impl Coder for Decoder {
    #[inline]
    fn range(&self) -> u32 {
        self.range
    }

    #[inline]
    fn narrow(&mut self, unit: u32, start: u32, share: u32) {
        // Invalid bytes may have a code outside of the range.
        self.code = self.code.wrapping_sub(unit * start);
        self.range = unit * share;
        while self.range < MIN_RANGE {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
    }

    #[inline]
    fn is_below(&self, part: u32, _: bool) -> bool {
        self.code < part
    }

    #[inline]
    fn place(&self, unit: u32, total: u32, _: u32) -> u32 {
        (self.code / unit).min(total - 1)
    }

    fn is_beyond(&self) -> bool {
        self.read > self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_round_trip_at_their_entropy() {
        let mut random = fastrand::Rng::with_seed(3);
        let decisions: Vec<(u32, Vec<u32>, u32)> = (0..20_000)
            .map(|_| {
                let shares = (0..random.usize(1..40))
                    .map(|_| {
                        let size = random.u32(..11);
                        1 + random.u32(..1 << size)
                    })
                    .collect();
                (random.u32(1..TOTAL), shares, random.u32(..1 << 16))
            })
            .collect();
        let draw = |random: &mut fastrand::Rng, shares: &[u32]| {
            let mut place = random.u32(..shares.iter().sum::<u32>());
            shares.iter().position(|&share| place.checked_sub(share).map(|rest| place = rest).is_none()).unwrap()
        };
        let (mut encoder, mut expected, mut entropy) = (Encoder::new(), Vec::new(), 0.0);
        for (share, shares, value) in &decisions {
            let bit = random.u32(..TOTAL) < *share;
            let option = draw(&mut random, shares);
            encoder.bit(*share, bit);
            encoder.pick(shares, option);
            encoder.raw(16, *value);
            expected.push((bit, option));
            let (part, total) = (shares[option], shares.iter().sum::<u32>());
            let chance = f64::from(if bit { *share } else { TOTAL - share }) / f64::from(TOTAL);
            entropy += 16.0 - chance.log2() - (f64::from(part) / f64::from(total)).log2();
        }
        let bytes = encoder.finish();
        let bits = 8.0 * bytes.len() as f64;
        assert!((bits - entropy) / entropy < 0.001, "{bits} bits instead of {entropy}");
        let mut decoder = Decoder::new([&[9; 7][..], &bytes].concat(), 7);
        for ((share, shares, value), expected) in decisions.iter().zip(expected) {
            assert_eq!((decoder.bit(*share, false), decoder.pick(shares, 0)), expected);
            assert_eq!(decoder.raw(16, 0), *value);
        }
        assert!(decoder.is_at_end() && !decoder.is_beyond());
        decoder.raw(16, 0);
        assert!(decoder.is_beyond());
    }

    #[test]
    fn carries_propagate_through_full_bytes() {
        for ones in 1..12 {
            let mut encoder = Encoder::new();
            for _ in 0..ones {
                encoder.raw(8, 255);
            }
            encoder.bit(1, false);
            encoder.bit(1, false);
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(bytes, 0);
            assert!((0..ones).all(|_| decoder.raw(8, 0) == 255));
            assert!(!decoder.bit(1, true) && !decoder.bit(1, true) && decoder.is_at_end());
        }
    }
}
