//! Network files.
//!
//! All numbers are little-endian. The header is 128 bytes:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTONET` |
//! | 8 | 4 | format version: 1 |
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

use super::architecture::{Architecture, Layer, MAX_HIDDEN, MAX_OUTPUTS, NetworkError, wrong};
use super::inputs::InputSet;
use super::inputs::features::{KING_SQUARES, KingBuckets};
use super::units::{QA, QB, SCALE};
use crate::chess::fen::MAX_PIECES;
use std::ops::{Index, IndexMut};

const MAGIC: &[u8; 8] = b"LENTONET";
const VERSION: u32 = 1;
const HEADER: usize = 128;
const CHECKSUM_AT: usize = 32;
const NAME_AT: usize = 72;
/// Bytes of a name.
pub const MAX_NAME: usize = HEADER - NAME_AT;

/// Unpacked network parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The architecture.
    pub architecture: Architecture,
    /// Name, at most 56 bytes.
    pub name: String,
    /// The numbers of each layer, row by row.
    pub layers: [Vec<i32>; Layer::ALL.len()],
}

impl Index<Layer> for Parts {
    type Output = Vec<i32>;

    fn index(&self, layer: Layer) -> &Vec<i32> {
        &self.layers[layer as usize]
    }
}

impl IndexMut<Layer> for Parts {
    fn index_mut(&mut self, layer: Layer) -> &mut Vec<i32> {
        &mut self.layers[layer as usize]
    }
}

/// Maximum file size in bytes.
pub(super) fn largest_file() -> u64 {
    let kings = KingBuckets::new(std::array::from_fn(|square| square as u8)).expect("contiguous");
    let largest = Architecture { hidden: MAX_HIDDEN, kings, threats: MAX_HIDDEN, outputs: MAX_OUTPUTS };
    file_size(&largest) as u64
}

/// Size of a file in bytes.
fn file_size(architecture: &Architecture) -> usize {
    let bytes = |layer| {
        let numbers = architecture.numbers(layer);
        numbers.count() * numbers.bytes
    };
    HEADER + Layer::ALL.map(bytes).iter().sum::<usize>()
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
        let expected = file_size(&architecture);
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
        let layers = Layer::ALL.map(|layer| {
            let numbers = architecture.numbers(layer);
            let (taken, left) = rest.split_at(numbers.count() * numbers.bytes);
            rest = left;
            taken.chunks_exact(numbers.bytes).map(signed).collect()
        });
        Ok(Self { architecture, name: String::from_utf8_lossy(name).into_owned(), layers })
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
        for layer in Layer::ALL {
            let width = self.architecture.numbers(layer).bytes;
            bytes.extend(self[layer].iter().flat_map(|number| number.to_le_bytes().into_iter().take(width)));
        }
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        Ok(bytes)
    }

    /// Checks that sizes match and no sum can overflow.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        self.architecture.check()?;
        for layer in Layer::ALL {
            let expected = self.architecture.numbers(layer).count();
            if self[layer].len() != expected {
                return Err(wrong(layer.name(), self[layer].len(), expected));
            }
        }
        if self.name.len() > MAX_NAME {
            return Err(wrong("bytes of name", self.name.len(), format_args!("at most {MAX_NAME}")));
        }
        let largest = |layer| self[layer].iter().map(|&number| i64::from(number).abs()).max().unwrap_or(0);
        // Packed into 8 bits.
        if largest(Layer::Threats) > i8::MAX.into() {
            return Err(NetworkError(format!("threat weight {}, expected at most 127", largest(Layer::Threats))));
        }
        let max = MAX_PIECES as i64 * largest(Layer::Features) + InputSet::MAX_ACTIVE as i64 * largest(Layer::Threats);
        // Bias plus one weight per active input must fit. Intermediate sums may wrap.
        if largest(Layer::Biases) + max > i16::MAX.into() {
            return Err(NetworkError("feature weights could overflow".to_owned()));
        }
        let buckets = self[Layer::Outputs].chunks_exact(2 * self.architecture.hidden);
        let sums = buckets.zip(&self[Layer::OutputBiases]).map(|(weights, &bias)| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QA * QA) + i64::from(bias).abs() * i64::from(QA)
        });
        // Activation times weight must fit into 16 bits, the sum into 32.
        if largest(Layer::Outputs) > i8::MAX.into() || sums.max().is_some_and(|sum| sum > i32::MAX.into()) {
            return Err(NetworkError("output weights could overflow".to_owned()));
        }
        Ok(())
    }
}

/// A signed number, little-endian.
fn signed(bytes: &[u8]) -> i32 {
    let unused = 32 - 8 * bytes.len() as u32;
    let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    (number << unused) as i32 >> unused
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
        let mut next = |max: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % (2 * max + 1) - max
        };
        let layers = Layer::ALL.map(|layer| {
            let max = [90, 70, 200, 60, 10_000][layer as usize];
            (0..architecture.numbers(layer).count()).map(|_| next(max) as i32).collect()
        });
        Parts { architecture, name: "random".into(), layers }
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
        let mut other = parts.clone();
        other[Layer::OutputBiases].iter_mut().for_each(|bias| *bias += 1);
        assert_ne!(network.fingerprint(), Network::from_parts(&other).unwrap().fingerprint());
        assert_eq!((network.to_string().as_str(), network.lines()), ("random (3 x 768 + 86 -> 64 x 2 -> 8)", 2));
        assert_eq!(network.feature(700)[1].0.map(i32::from), parts[Layer::Features][700 * 64 + 32..][..32]);
        // Without active neurons only the bias remains.
        let mut none = parts;
        none[Layer::Biases].fill(-1);
        let bias = Network::from_parts(&none).unwrap().value(Simd::best(), [&[], &[]], Color::White, &[], 5);
        assert_eq!(bias, none[Layer::OutputBiases][5] * 400 / (255 * 128));
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
        assert_eq!(change(|parts| parts[Layer::Features][9] = 1020), "feature weights could overflow");
        assert_eq!(change(|parts| parts[Layer::Threats][9] = -128), "threat weight 128, expected at most 127");
        assert_eq!(change(|parts| parts[Layer::Outputs][9] = -128), "output weights could overflow");
        assert_eq!(change(|parts| parts[Layer::OutputBiases][2] = i32::MAX / 200), "output weights could overflow");
        assert_eq!(change(|parts| parts[Layer::Biases].truncate(1)), "1 feature biases, expected 64");
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
