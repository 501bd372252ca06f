//! Network files, intact and damaged.

use super::{cases, ours, position};
use lento::eval::nnue::Network;
use lento::eval::nnue::features::KingBuckets;
use lento::internals::nnue::{Architecture, Layer, Parts, Simd, Trace, checksum};
use lento_testing::Random;
use proptest::prelude::*;

/// Offset of the checksum in the header.
const CHECKSUM: std::ops::Range<usize> = 32..40;
const HEADER: usize = 128;

/// A small network with random weights, the extremes included.
fn parts() -> impl Strategy<Value = Parts> {
    let kings = prop::sample::select(KingBuckets::NAMES.to_vec());
    (kings, (1..4_usize, 0..4_usize), 1..=31_usize, any::<u64>(), "\\PC{0,14}").prop_map(
        |(kings, units, outputs, seed, name)| {
            let (units, threat_units) = (units.0, units.1.min(units.0));
            let kings = KingBuckets::named(kings).expect("a known layout");
            let architecture = Architecture { hidden: 32 * units, kings, threats: 32 * threat_units, outputs };
            let mut random = Random::new(seed);
            let (largest, threat) = *random.pick(&[(1, 127), (740, 127), (1000, 1)]);
            let mut weight = |max: i64| (random.word() % (2 * max as u64 + 1)) as i64 - max;
            let layers = Layer::ALL.map(|layer| {
                let max = match layer {
                    Layer::Features => largest,
                    Layer::Threats => threat,
                    Layer::Biases => 700,
                    Layer::Outputs => 127,
                    Layer::OutputBiases => 1_000_000,
                };
                (0..architecture.numbers(layer).count()).map(|_| weight(max) as i32).collect()
            });
            Parts { architecture, name, layers }
        },
    )
}

/// Writes the correct checksum.
fn seal(bytes: &mut [u8]) {
    let sum = checksum(bytes);
    bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn network_files_round_trip(parts in parts(), position in position()) {
        let bytes = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let read = Parts::from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(read == parts);
        let network = Network::from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let board = ours(&position);
        let [best, scalar] = [Simd::best(), Simd::named("scalar").expect("always available")]
            .map(|simd| Trace::new(&network, simd, &board).buckets);
        prop_assert_eq!(best, scalar);
    }

    /// Flipped bits, truncation and trailing bytes are detected.
    #[test]
    fn damage_is_detected(parts in parts(), seed: u64) {
        let intact = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mut bytes = intact.clone();
            for _ in 0..=random.below(3) {
                let range = if random.once_in(2) { HEADER } else { bytes.len() };
                bytes[random.below(range)] ^= 1 << random.below(8);
            }
            prop_assert!(bytes == intact || Network::from_bytes(&bytes).is_err());
            prop_assert!(Network::from_bytes(&intact[..random.below(intact.len())]).is_err());
            let mut longer = intact.clone();
            longer.extend(vec![0; 1 + random.below(100)]);
            let error = Network::from_bytes(&longer).map_or_else(|error| error.to_string(), |_| String::new());
            prop_assert!(error.contains(" bytes, expected "), "{}", error);
        }
    }

    /// A foreign header with a valid checksum is refused, or gives a usable network.
    #[test]
    fn foreign_headers_are_refused_or_usable(parts in parts(), seed: u64, position in position()) {
        let intact = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let board = ours(&position);
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mut bytes = intact.clone();
            for _ in 0..=random.below(3) {
                let range = if random.once_in(4) { bytes.len() } else { HEADER };
                let byte = [0, 1, 2, 0x7f, 0x80, 0xff, random.word() as u8][random.below(7)];
                bytes[random.below(range)] = byte;
            }
            if random.once_in(8) {
                bytes.truncate(HEADER + random.below(intact.len() - HEADER));
            }
            seal(&mut bytes);
            if let Ok(network) = Network::from_bytes(&bytes) {
                Trace::new(&network, Simd::best(), &board);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), has_magic: bool) {
        let mut bytes = bytes;
        if has_magic {
            bytes.splice(..8.min(bytes.len()), *b"LENTONET");
        }
        prop_assert!(Network::from_bytes(&bytes).is_err());
    }
}
