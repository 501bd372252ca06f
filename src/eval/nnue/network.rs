//! The weights, and the file that holds them.
//!
//! All numbers of a file are little-endian. The header takes 128 bytes:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTONET` |
//! | 8 | 4 | version of the format, 1 |
//! | 12 | 4 | neurons a side |
//! | 16 | 2 | king buckets |
//! | 18 | 2 | neurons a side that threats reach; without inputs of threats 0 |
//! | 20 | 4 | output buckets |
//! | 24 | 2 | [`QA`] |
//! | 26 | 2 | [`QB`] |
//! | 28 | 4 | [`SCALE`] |
//! | 32 | 8 | checksum of everything else ([`checksum`]) |
//! | 40 | 32 | bucket of each king square |
//! | 72 | 56 | name, UTF-8, filled up with zeros |
//!
//! Then the feature weights (i16, a row for each piece on each square), those of threats (i16, -127 to 127, a shorter row for
//! each), the feature biases (i16), the output weights (i8; for each bucket those of the side to move, then those of the other
//! side) and the output biases (i32).

pub use super::architecture::Architecture;
use super::features::{INPUTS, KING_SQUARES, KingBuckets};
use super::simd::{Line, ShortLine, Side, Simd};
use super::sum::Sum;
use super::threats::{MAX_THREATS, THREAT_INPUTS, Threats};
use crate::chess::fen::MAX_PIECES;
use crate::chess::{Board, Color};
use crate::score::Score;
use std::fmt;
use thiserror::Error;

/// Activations are in units of 1/255: a neuron is full at 255.
pub const QA: i32 = 255;
/// Output weights are in units of 1/128, so that they lie between -1 and 1.
pub const QB: i32 = 128;
/// Centipawns for an output of 1.
pub const SCALE: i32 = 400;
/// Neurons a side come in lots of this many: a 64-byte line of weights.
pub const LOT: usize = 32;
/// The most neurons a side.
pub const MAX_HIDDEN: usize = 2048;
/// The most output buckets.
pub const MAX_OUTPUTS: usize = 31;

/// The largest file of a network, in bytes.
pub const MAX_FILE_SIZE: u64 =
    Architecture { hidden: MAX_HIDDEN, kings: KingBuckets::FINEST, threats: MAX_HIDDEN, outputs: MAX_OUTPUTS }
        .file_size() as u64;

const MAGIC: &[u8; 8] = b"LENTONET";
const VERSION: u32 = 1;
const HEADER: usize = 128;
const CHECKSUM_AT: usize = 32;
const NAME_AT: usize = 72;

impl Architecture {
    const fn file_size(&self) -> usize {
        HEADER
            + 2 * (self.inputs() + 1) * self.hidden
            + 2 * THREAT_INPUTS * self.threats
            + self.outputs * (2 * self.hidden + 4)
    }
}

/// The numbers of a network, plainly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The shape.
    pub architecture: Architecture,
    /// What it is called, at most 56 bytes.
    pub name: String,
    /// Feature weights in 1/[`QA`], a row of `hidden` for each input.
    pub features: Vec<i16>,
    /// Weights of threats in 1/[`QA`], -127 to 127, a row for each input.
    pub threats: Vec<i16>,
    /// Feature biases in 1/[`QA`], `hidden` of them.
    pub biases: Vec<i16>,
    /// Output weights in 1/[`QB`], for each bucket `hidden` of the side to move and `hidden` of the other side; -128 is none.
    pub outputs: Vec<i8>,
    /// Output biases in 1/([`QA`]·[`QB`]), one for each bucket.
    pub output_biases: Vec<i32>,
}

/// Why a file is no network for this engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// It does not begin as one.
    #[error("no network file: it does not begin with LENTONET")]
    Magic,
    /// Another format.
    #[error("a network file of version {0}, expected version {VERSION}")]
    Version(u32),
    /// Other units.
    #[error("quantised by {0}, expected {QA}, {QB}, {SCALE}")]
    Units(String),
    /// The shape is none that can be used.
    #[error("{found} {what}, expected {expected}")]
    Shape {
        /// Which number.
        what: &'static str,
        /// The number.
        found: u64,
        /// What it may be.
        expected: String,
    },
    /// The buckets of the kings make no sense.
    #[error("king buckets that leave out a number or do not match their count")]
    Kings,
    /// It is too short or too long.
    #[error("{found} bytes, expected {expected} for its shape")]
    Size {
        /// The length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// It has changed since it was written.
    #[error("damaged: its checksum is {found:016x}, it says {expected:016x}")]
    Checksum {
        /// Of its content.
        found: u64,
        /// In its header.
        expected: u64,
    },
    /// A weight of threats is too large.
    #[error("a weight of threats of {0}, expected at most 127")]
    Threats(i32),
    /// Sums of its weights would not fit.
    #[error("{0} so large that sums could overflow")]
    Range(&'static str),
}

/// A network ready for use: checked, so that no sum can overflow, and laid out for the processor.
#[derive(Clone)]
pub struct Network {
    architecture: Architecture,
    name: String,
    features: Box<[Line]>,
    threats: Box<[ShortLine]>,
    biases: Box<[Line]>,
    outputs: Box<[Line]>,
    output_biases: Box<[i32]>,
}

impl fmt::Display for Network {
    /// Its name and shape: `lento-1 (768 -> 256 x 2 -> 8)`, with the number of king buckets before the inputs if there are several,
    /// and the inputs of threats after them.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Architecture { hidden, kings, threats, outputs } = &self.architecture;
        let buckets = if kings.count() > 1 { format!("{} x ", kings.count()) } else { String::new() };
        let threats = if *threats > 0 { format!(" + {THREAT_INPUTS}") } else { String::new() };
        write!(f, "{} ({buckets}{INPUTS}{threats} -> {hidden} x 2 -> {outputs})", self.name)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Network({self})")
    }
}

impl Network {
    /// Reads a file's content.
    ///
    /// # Errors
    /// It is no network file, is damaged, or does not suit this engine.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        Self::from_parts(&Parts::from_bytes(bytes)?)
    }

    /// A network of these numbers.
    ///
    /// # Errors
    /// The numbers do not fit together, or sums of them could overflow.
    pub fn from_parts(parts: &Parts) -> Result<Self, NetworkError> {
        parts.check()?;
        let short: Vec<i8> = parts.threats.iter().map(|&weight| weight as i8).collect();
        let wide: Vec<i16> = parts.outputs.iter().map(|&weight| i16::from(weight)).collect();
        Ok(Self {
            architecture: parts.architecture,
            name: parts.name.clone(),
            features: Line::pack(&parts.features),
            threats: ShortLine::pack(&short),
            biases: Line::pack(&parts.biases),
            outputs: Line::pack(&wide),
            output_biases: parts.output_biases.clone().into_boxed_slice(),
        })
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The lines of a row: `hidden` / 32.
    #[inline(always)]
    pub fn lines(&self) -> usize {
        self.biases.len()
    }

    /// The weights of all inputs, one row after the other.
    #[inline(always)]
    pub fn features(&self) -> &[Line] {
        &self.features
    }

    /// The weights of an input.
    #[inline(always)]
    pub fn feature(&self, index: usize) -> &[Line] {
        let lines = self.lines();
        &self.features[index * lines..][..lines]
    }

    /// What the neurons hold on an empty board.
    #[inline(always)]
    pub fn biases(&self) -> &[Line] {
        &self.biases
    }

    /// The lines of a row of threats.
    #[inline(always)]
    pub fn threat_lines(&self) -> usize {
        self.architecture.threats / LOT
    }

    /// What an output layer makes of the accumulators of the side to move, `side`, and of the other side, and of the threats that
    /// there are: centipawns from the view of the side to move.
    #[inline(always)]
    pub fn value(&self, simd: Simd, accumulators: [&[Line]; 2], side: Color, threats: &[u8], bucket: usize) -> Score {
        let (lines, reached) = (self.lines(), self.threat_lines());
        let (ours, theirs) = self.outputs[2 * bucket * lines..][..2 * lines].split_at(lines);
        let [us, them] = accumulators;
        let of = |neurons, weights, color| Side { neurons, weights, turn: Threats::turn(color) };
        let sides = [of(&us[..reached], ours, side), of(&them[..reached], theirs, !side)];
        let mut sum = simd.weigh_threatened(sides, &self.threats, threats);
        if reached < lines {
            sum += simd.weigh([(&us[reached..], &ours[reached..]), (&them[reached..], &theirs[reached..])]);
        }
        let output = i64::from(sum / QA) + i64::from(self.output_biases[bucket]);
        (output * i64::from(SCALE) / i64::from(QA * QB)) as Score
    }

    /// A number that two networks share only if all their weights are the same.
    pub fn fingerprint(&self) -> u64 {
        let mut sum = Sum::default();
        let Architecture { hidden, kings, threats, outputs } = &self.architecture;
        [*hidden, *outputs, *threats].iter().for_each(|&number| sum.add(number as u64));
        kings.map().iter().for_each(|&bucket| sum.add(bucket.into()));
        for line in self.features.iter().chain(&self.biases).chain(&self.outputs) {
            line.0.iter().for_each(|&weight| sum.add(weight as u64));
        }
        self.threats.iter().flat_map(|line| line.0).for_each(|weight| sum.add(weight as u64));
        self.output_biases.iter().for_each(|&bias| sum.add(bias as u64));
        sum.0
    }

    /// The output layer for a position.
    #[inline(always)]
    pub fn output_bucket(&self, board: &Board) -> usize {
        self.architecture.output_bucket(board.occupied().count() as usize)
    }
}

impl Parts {
    /// Reads a file's content.
    ///
    /// # Errors
    /// It is no network file, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError::Magic);
        }
        let Some((header, mut rest)) = bytes.split_at_checked(HEADER) else {
            return Err(NetworkError::Size { found: bytes.len(), expected: HEADER });
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let half = |at: usize| i32::from(u16::from_le_bytes([header[at], header[at + 1]]));
        if word(8) != VERSION {
            return Err(NetworkError::Version(word(8)));
        }
        let units = (half(24), half(26), word(28));
        if units != (QA, QB, SCALE as u32) {
            return Err(NetworkError::Units(format!("{}, {}, {}", units.0, units.1, units.2)));
        }
        let map: [u8; KING_SQUARES] = std::array::from_fn(|square| header[40 + square]);
        let kings = KingBuckets::new(map).filter(|kings| kings.count() == half(16) as usize);
        let kings = kings.ok_or(NetworkError::Kings)?;
        let architecture =
            Architecture { hidden: word(12) as usize, kings, threats: half(18) as usize, outputs: word(20) as usize };
        architecture.check()?;
        let expected = architecture.file_size();
        if bytes.len() != expected {
            return Err(NetworkError::Size { found: bytes.len(), expected });
        }
        let expected = u64::from_le_bytes(std::array::from_fn(|byte| header[CHECKSUM_AT + byte]));
        let found = checksum(bytes);
        if found != expected {
            return Err(NetworkError::Checksum { found, expected });
        }
        let name = &header[NAME_AT..];
        let name = &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())];
        let mut take = |size: usize| {
            let (taken, left) = rest.split_at(size);
            rest = left;
            taken
        };
        let pairs = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        let Architecture { hidden, outputs, .. } = architecture;
        Ok(Self {
            architecture,
            name: String::from_utf8_lossy(name).into_owned(),
            features: pairs(take(2 * architecture.inputs() * hidden)),
            threats: pairs(take(2 * architecture.threat_inputs() * architecture.threats)),
            biases: pairs(take(2 * hidden)),
            outputs: take(outputs * 2 * hidden).iter().map(|&byte| byte as i8).collect(),
            output_biases: take(4 * outputs).as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect(),
        })
    }

    /// The content of a file.
    ///
    /// # Errors
    /// The numbers do not fit together, or no engine could use them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        self.check()?;
        let Architecture { hidden, kings, threats, outputs } = &self.architecture;
        let mut bytes = Vec::with_capacity(self.architecture.file_size());
        bytes.extend(MAGIC);
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

    /// Whether the numbers fit together and no sum of them can overflow.
    fn check(&self) -> Result<(), NetworkError> {
        let Architecture { hidden, outputs, .. } = self.architecture;
        self.architecture.check()?;
        let lengths = [
            ("feature weights", self.features.len(), self.architecture.inputs() * hidden),
            ("weights of threats", self.threats.len(), self.architecture.threat_inputs() * self.architecture.threats),
            ("feature biases", self.biases.len(), hidden),
            ("output weights", self.outputs.len(), 2 * hidden * outputs),
            ("output biases", self.output_biases.len(), outputs),
        ];
        if let Some((what, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(NetworkError::Shape { what, found: found as u64, expected: expected.to_string() });
        }
        let longest = HEADER - NAME_AT;
        if self.name.len() > longest {
            let expected = format!("at most {longest}");
            return Err(NetworkError::Shape { what: "bytes of name", found: self.name.len() as u64, expected });
        }
        let largest = |weights: &[i16]| weights.iter().map(|&weight| i32::from(weight).abs()).max().unwrap_or(0);
        // They are kept in 8 bits.
        if largest(&self.threats) > i32::from(i8::MAX) {
            return Err(NetworkError::Threats(largest(&self.threats)));
        }
        let most = MAX_PIECES as i32 * largest(&self.features) + MAX_THREATS as i32 * largest(&self.threats);
        // An accumulator is the bias and a weight for each input that is on. That sums on the way there may overflow does no harm.
        if largest(&self.biases) + most > i32::from(i16::MAX) {
            return Err(NetworkError::Range("feature weights"));
        }
        // The product of a full neuron and its weight has to fit into 16 bits.
        if self.outputs.contains(&i8::MIN) {
            return Err(NetworkError::Range("output weights"));
        }
        let sums = self.outputs.chunks_exact(2 * hidden).zip(&self.output_biases).map(|(weights, &bias)| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QA * QA) + i64::from(bias).abs() * i64::from(QA)
        });
        if sums.max().is_some_and(|sum| sum > i64::from(i32::MAX)) {
            return Err(NetworkError::Range("output weights"));
        }
        Ok(())
    }
}

/// The checksum of a file: the [`Sum`] of its words, the last one filled up with zeros and the checksum itself taken as zero.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A network of small random weights.
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
    fn a_file_gives_back_what_was_written() {
        let parts = small();
        let bytes = parts.to_bytes().unwrap();
        assert_eq!(bytes.len(), 128 + 2 * 64 * (3 * 768 + 1) + 2 * 32 * THREAT_INPUTS + 8 * (2 * 64 + 4));
        assert_eq!(Parts::from_bytes(&bytes), Ok(parts.clone()));
        let network = Network::from_bytes(&bytes).unwrap();
        assert_eq!(network.fingerprint(), Network::from_parts(&parts).unwrap().fingerprint());
        let other = Parts { output_biases: parts.output_biases.iter().map(|bias| bias + 1).collect(), ..parts.clone() };
        assert_ne!(network.fingerprint(), Network::from_parts(&other).unwrap().fingerprint());
        assert_eq!((network.name(), network.lines()), ("random", 2));
        assert_eq!(network.feature(700)[1].0, parts.features[700 * 64 + 32..][..32]);
        // Only the bias is left where no neuron is active.
        let none = Line::pack(&[-1; 64]);
        let bias = network.value(Simd::best(), [&none, &none], Color::White, &[], 5);
        assert_eq!(bias, parts.output_biases[5] * 400 / (255 * 128));
    }

    #[test]
    fn every_bit_of_a_file_counts() {
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
        assert!(matches!(Network::from_bytes(&longer), Err(NetworkError::Size { .. })));
    }

    #[test]
    fn weights_whose_sums_could_overflow_are_refused() {
        let change = |change: fn(&mut Parts)| {
            let mut parts = small();
            change(&mut parts);
            parts.to_bytes().unwrap_err()
        };
        assert_eq!(change(|parts| parts.features[9] = 1020), NetworkError::Range("feature weights"));
        assert_eq!(change(|parts| parts.threats[9] = -128), NetworkError::Threats(128));
        assert_eq!(change(|parts| parts.outputs[9] = -128), NetworkError::Range("output weights"));
        assert_eq!(change(|parts| parts.output_biases[2] = i32::MAX / 200), NetworkError::Range("output weights"));
        assert!(matches!(change(|parts| parts.biases.truncate(1)), NetworkError::Shape { what: "feature biases", .. }));
        assert!(matches!(change(|parts| parts.name = "x".repeat(57)), NetworkError::Shape { .. }));
    }

    #[test]
    fn output_buckets_share_the_men() {
        let eight = Architecture { outputs: 8, ..small().architecture };
        let buckets: Vec<usize> = (2..=32).map(|pieces| eight.output_bucket(pieces)).collect();
        assert!(buckets.is_sorted() && buckets[0] == 0 && buckets[30] == 7);
        assert_eq!(buckets.iter().filter(|&&bucket| bucket == 3).count(), 4);
        let one = Architecture { outputs: 1, ..eight };
        assert!((0..=64).all(|pieces| one.output_bucket(pieces) == 0 && eight.output_bucket(pieces) < 8));
    }
}
