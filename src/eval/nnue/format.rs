//! Network files.
//!
//! All numbers are little-endian. The header is 128 bytes:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTONET` |
//! | 8 | 4 | format version, 1 |
//! | 12 | 4 | neurons per side |
//! | 16 | 2 | king buckets |
//! | 18 | 2 | neurons per side fed by threat inputs, or 0 |
//! | 20 | 4 | output buckets |
//! | 24 | 2 | [`QA`] |
//! | 26 | 2 | [`QB`] |
//! | 28 | 4 | [`SCALE`] |
//! | 32 | 8 | [`checksum`] of everything else |
//! | 40 | 32 | bucket of each king square |
//! | 72 | 56 | name, UTF-8, zero-padded |
//!
//! It is followed by the feature weights (i16, a row per input), threat weights (i16, -127 to 127, a shorter row per input),
//! feature biases (i16), output weights (i8; per bucket those of the side to move, then of the opponent) and output biases (i32).

use super::inputs::InputSet;
use super::inputs::features::{INPUTS, KING_SQUARES, KingBuckets};
use super::simd::LANES;
use super::units::{QA, QB, SCALE};
use crate::chess::fen::MAX_PIECES;
use std::fmt;
use thiserror::Error;

/// Most neurons per side.
pub const MAX_HIDDEN: usize = 2048;
/// Most output buckets.
pub const MAX_OUTPUTS: usize = 31;

/// Largest network file in bytes.
pub const MAX_FILE_SIZE: u64 = file_size(KING_SQUARES, MAX_HIDDEN, MAX_HIDDEN, MAX_OUTPUTS) as u64;

const MAGIC: &[u8; 8] = b"LENTONET";
const VERSION: u32 = 1;
const HEADER: usize = 128;
const CHECKSUM_AT: usize = 32;
const NAME_AT: usize = 72;

/// Why a network is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NetworkError(pub(super) String);

fn wrong(what: &str, found: usize, expected: impl fmt::Display) -> NetworkError {
    NetworkError(format!("{found} {what}, expected {expected}"))
}

/// Network architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Accumulator size per side, a multiple of [`LANES`].
    pub hidden: usize,
    /// King squares that share weights.
    pub kings: KingBuckets,
    /// The first neurons per side fed by [threat inputs](super::threats), a multiple of [`LANES`]; 0 without threat inputs.
    pub threats: usize,
    /// Output buckets, selected by the number of pieces.
    pub outputs: usize,
}

impl Architecture {
    /// Rows of feature weights.
    pub const fn inputs(&self) -> usize {
        self.kings.count() * INPUTS
    }

    /// Rows of threat weights.
    pub const fn threat_inputs(&self) -> usize {
        if self.threats > 0 { InputSet::COUNT } else { 0 }
    }

    /// The output bucket for a number of pieces: equal shares of 2 to 32.
    #[inline(always)]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        (pieces.saturating_sub(2) / 31usize.div_ceil(self.outputs)).min(self.outputs - 1)
    }

    /// Checks that all sizes are in range.
    ///
    /// # Errors
    /// A size is out of range.
    pub fn check(&self) -> Result<(), NetworkError> {
        let (hidden, outputs) = (self.hidden, self.outputs);
        if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(LANES) {
            return Err(wrong("neurons", hidden, format_args!("a multiple of {LANES} up to {MAX_HIDDEN}")));
        }
        if self.threats > hidden || !self.threats.is_multiple_of(LANES) {
            return Err(wrong(
                "neurons for threats",
                self.threats,
                format_args!("a multiple of {LANES} up to {hidden}"),
            ));
        }
        if outputs == 0 || outputs > MAX_OUTPUTS {
            return Err(wrong("output buckets", outputs, format_args!("1 to {MAX_OUTPUTS}")));
        }
        Ok(())
    }
}

const fn file_size(king_buckets: usize, hidden: usize, threats: usize, outputs: usize) -> usize {
    HEADER + 2 * (king_buckets * INPUTS + 1) * hidden + 2 * InputSet::COUNT * threats + outputs * (2 * hidden + 4)
}

/// Unpacked network parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The architecture.
    pub architecture: Architecture,
    /// Name, at most 56 bytes.
    pub name: String,
    /// Feature weights in 1/[`QA`], `hidden` per input.
    pub features: Vec<i16>,
    /// Threat weights in 1/[`QA`], -127 to 127, a row per input.
    pub threats: Vec<i16>,
    /// Feature biases in 1/[`QA`], `hidden` in total.
    pub biases: Vec<i16>,
    /// Output weights in 1/[`QB`], -127 to 127; per bucket `hidden` of the side to move, then `hidden` of the opponent.
    pub outputs: Vec<i8>,
    /// Output biases in 1/([`QA`]·[`QB`]), one per bucket.
    pub output_biases: Vec<i32>,
}

impl Parts {
    /// Parses a network file.
    ///
    /// # Errors
    /// Not a network file, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError("not a network file: does not begin with LENTONET".to_owned()));
        }
        let Some((header, mut rest)) = bytes.split_at_checked(HEADER) else {
            return Err(wrong("bytes", bytes.len(), HEADER));
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let half = |at: usize| i32::from(u16::from_le_bytes([header[at], header[at + 1]]));
        if word(8) != VERSION {
            return Err(NetworkError(format!("format version {}, expected {VERSION}", word(8))));
        }
        let units = (half(24), half(26), word(28));
        if units != (QA, QB, SCALE as u32) {
            return Err(NetworkError(format!("quantisation {units:?}, expected ({QA}, {QB}, {SCALE})")));
        }
        let map: [u8; KING_SQUARES] = std::array::from_fn(|square| header[40 + square]);
        let kings = KingBuckets::new(map).filter(|kings| kings.count() == half(16) as usize);
        let kings = kings
            .ok_or_else(|| NetworkError("king buckets are not contiguous or do not match their count".to_owned()))?;
        let architecture =
            Architecture { hidden: word(12) as usize, kings, threats: half(18) as usize, outputs: word(20) as usize };
        architecture.check()?;
        let Architecture { hidden, threats, outputs, .. } = architecture;
        let expected = file_size(kings.count(), hidden, threats, outputs);
        if bytes.len() != expected {
            return Err(wrong("bytes", bytes.len(), format_args!("{expected} for its architecture")));
        }
        let expected = u64::from_le_bytes(std::array::from_fn(|byte| header[CHECKSUM_AT + byte]));
        let found = checksum(bytes);
        if found != expected {
            return Err(NetworkError(format!("damaged: checksum is {found:016x}, expected {expected:016x}")));
        }
        let name = &header[NAME_AT..];
        let name = &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())];
        let mut take = |size: usize| {
            let (taken, left) = rest.split_at(size);
            rest = left;
            taken
        };
        let pairs = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        Ok(Self {
            architecture,
            name: String::from_utf8_lossy(name).into_owned(),
            features: pairs(take(2 * architecture.inputs() * hidden)),
            threats: pairs(take(2 * architecture.threat_inputs() * threats)),
            biases: pairs(take(2 * hidden)),
            outputs: take(outputs * 2 * hidden).iter().map(|&byte| byte as i8).collect(),
            output_biases: take(4 * outputs).as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect(),
        })
    }

    /// Serialises to the file format.
    ///
    /// # Errors
    /// Sizes do not match, or sums could overflow.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        self.check()?;
        let Architecture { hidden, kings, threats, outputs } = &self.architecture;
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, *hidden as u32, (kings.count() | threats << 16) as u32, *outputs as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((QA as u16).to_le_bytes());
        bytes.extend((QB as u16).to_le_bytes());
        bytes.extend(SCALE.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(kings.map());
        bytes.extend(self.name.as_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(
            self.features.iter().chain(&self.threats).chain(&self.biases).flat_map(|weight| weight.to_le_bytes()),
        );
        bytes.extend(self.outputs.iter().map(|&weight| weight as u8));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        Ok(bytes)
    }

    /// Checks that sizes match and no sum can overflow.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let Architecture { hidden, outputs, .. } = self.architecture;
        self.architecture.check()?;
        let lengths = [
            ("feature weights", self.features.len(), self.architecture.inputs() * hidden),
            ("threat weights", self.threats.len(), self.architecture.threat_inputs() * self.architecture.threats),
            ("feature biases", self.biases.len(), hidden),
            ("output weights", self.outputs.len(), 2 * hidden * outputs),
            ("output biases", self.output_biases.len(), outputs),
        ];
        if let Some((what, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(wrong(what, found, expected));
        }
        let longest = HEADER - NAME_AT;
        if self.name.len() > longest {
            return Err(wrong("bytes of name", self.name.len(), format_args!("at most {longest}")));
        }
        let largest = |weights: &[i16]| weights.iter().map(|&weight| i32::from(weight).abs()).max().unwrap_or(0);
        // Packed into 8 bits.
        if largest(&self.threats) > i32::from(i8::MAX) {
            return Err(NetworkError(format!("threat weight {}, expected at most 127", largest(&self.threats))));
        }
        let most = MAX_PIECES as i32 * largest(&self.features) + InputSet::MAX_ACTIVE as i32 * largest(&self.threats);
        // Bias plus one weight per active input must fit. Intermediate sums may wrap.
        if largest(&self.biases) + most > i32::from(i16::MAX) {
            return Err(NetworkError("feature weights could overflow".to_owned()));
        }
        let sums = self.outputs.chunks_exact(2 * hidden).zip(&self.output_biases).map(|(weights, &bias)| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QA * QA) + i64::from(bias).abs() * i64::from(QA)
        });
        // Activation times weight must fit into 16 bits, the sum into 32.
        if self.outputs.contains(&i8::MIN) || sums.max().is_some_and(|sum| sum > i64::from(i32::MAX)) {
            return Err(NetworkError("output weights could overflow".to_owned()));
        }
        Ok(())
    }
}

/// File checksum: [`Sum`] of the 64-bit words, zero-padded, with the checksum field taken as 0.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Sum::default();
    for (index, chunk) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        if index * 8 != CHECKSUM_AT {
            word[..chunk.len()].copy_from_slice(chunk);
        }
        sum.add(u64::from_le_bytes(word));
    }
    sum.0
}

/// FNV-1a (Fowler, Noll, Vo) over 64-bit words, which identifies networks.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chess::Color;
    use crate::eval::nnue::Network;
    use crate::eval::nnue::simd::Simd;

    /// A network with small random weights.
    pub(crate) fn random(architecture: Architecture, seed: u64) -> Parts {
        let mut state = seed;
        let mut next = |most: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % (2 * most + 1) - most
        };
        let Architecture { hidden, outputs, .. } = architecture;
        Parts {
            architecture,
            name: "random".into(),
            features: (0..architecture.inputs() * hidden).map(|_| next(90) as i16).collect(),
            threats: (0..architecture.threat_inputs() * architecture.threats).map(|_| next(70) as i16).collect(),
            biases: (0..hidden).map(|_| next(200) as i16).collect(),
            outputs: (0..2 * hidden * outputs).map(|_| next(60) as i8).collect(),
            output_biases: (0..outputs).map(|_| next(10_000) as i32).collect(),
        }
    }

    fn small() -> Parts {
        random(Architecture { hidden: 64, kings: KingBuckets::named("three").unwrap(), threats: 32, outputs: 8 }, 1)
    }

    #[test]
    fn file_round_trip() {
        let parts = small();
        let bytes = parts.to_bytes().unwrap();
        assert_eq!(bytes.len(), 128 + 2 * 64 * (3 * 768 + 1) + 2 * 32 * InputSet::COUNT + 8 * (2 * 64 + 4));
        assert_eq!(Parts::from_bytes(&bytes), Ok(parts.clone()));
        let network = Network::from_bytes(&bytes).unwrap();
        assert_eq!(network.fingerprint(), Network::from_parts(&parts).unwrap().fingerprint());
        let other = Parts { output_biases: parts.output_biases.iter().map(|bias| bias + 1).collect(), ..parts.clone() };
        assert_ne!(network.fingerprint(), Network::from_parts(&other).unwrap().fingerprint());
        assert_eq!((network.to_string().as_str(), network.lines()), ("random (3 x 768 + 86 -> 64 x 2 -> 8)", 2));
        assert_eq!(network.feature(700)[1].0, parts.features[700 * 64 + 32..][..32]);
        // Without active neurons only the bias remains.
        let none = Network::from_parts(&Parts { biases: vec![-1; 64], ..parts.clone() }).unwrap();
        let bias = none.value(Simd::best(), [&[], &[]], Color::White, &[], 5);
        assert_eq!(bias, parts.output_biases[5] * 400 / (255 * 128));
    }

    #[test]
    fn any_bit_flip_is_detected() {
        let bytes = small().to_bytes().unwrap();
        for at in (0..bytes.len()).step_by(97).chain(0..NAME_AT + 8) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Network::from_bytes(&damaged).is_err(), "byte {at}");
        }
        for size in [0, 7, 100, 127, 128, bytes.len() - 1] {
            assert!(Network::from_bytes(&bytes[..size]).is_err(), "{size} bytes");
        }
        let mut longer = bytes;
        longer.push(0);
        let error = Network::from_bytes(&longer).unwrap_err().to_string();
        assert!(error.ends_with("for its architecture"), "{error}");
    }

    #[test]
    fn rejects_weights_that_could_overflow() {
        let change = |change: fn(&mut Parts)| {
            let mut parts = small();
            change(&mut parts);
            parts.to_bytes().unwrap_err().to_string()
        };
        assert_eq!(change(|parts| parts.features[9] = 1020), "feature weights could overflow");
        assert_eq!(change(|parts| parts.threats[9] = -128), "threat weight 128, expected at most 127");
        assert_eq!(change(|parts| parts.outputs[9] = -128), "output weights could overflow");
        assert_eq!(change(|parts| parts.output_biases[2] = i32::MAX / 200), "output weights could overflow");
        assert_eq!(change(|parts| parts.biases.truncate(1)), "1 feature biases, expected 64");
        assert_eq!(change(|parts| parts.name = "x".repeat(57)), "57 bytes of name, expected at most 56");
    }

    #[test]
    fn output_buckets_split_the_piece_counts() {
        let eight = Architecture { outputs: 8, ..small().architecture };
        let buckets: Vec<usize> = (2..=32).map(|pieces| eight.output_bucket(pieces)).collect();
        assert!(buckets.is_sorted() && buckets[0] == 0 && buckets[30] == 7);
        assert_eq!(buckets.iter().filter(|&&bucket| bucket == 3).count(), 4);
        let one = Architecture { outputs: 1, ..eight };
        assert!((0..=64).all(|pieces| one.output_bucket(pieces) == 0 && eight.output_bucket(pieces) < 8));
    }
}
