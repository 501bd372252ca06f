//! Network files, whole and damaged.

use super::{both, cases, position};
use lento::eval::nnue::Network;
use lento::eval::nnue::features::KingBuckets;
use lento::internals::nnue::{Architecture, Layer, Parts, Simd, Trace, checksum};
use lento_testing::Random;
use proptest::prelude::*;

/// Where the header keeps its checksum.
const CHECKSUM: std::ops::Range<usize> = 32..40;
const HEADER: usize = 128;

/// A small network of random weights, among them the largest that may be.
fn parts() -> impl Strategy<Value = Parts> {
    let kings = prop::sample::select(KingBuckets::NAMES.to_vec());
    (kings, (1..4_usize, 0..4_usize), 1..=31_usize, any::<u64>(), "\\PC{0,14}").prop_map(
        |(kings, lots, outputs, seed, name)| {
            let (lots, reached) = (lots.0, lots.1.min(lots.0));
            let kings = KingBuckets::named(kings).expect("a known layout");
            let architecture =
                Architecture { hidden: 32 * lots, kings, threats: 32 * reached, outputs, deep: lots == 2 };
            let mut random = Random::new(seed);
            let (largest, threat) = *random.pick(&[(1, 127), (740, 127), (1000, 1)]);
            let mut weight = |most: i64| (random.word() % (2 * most as u64 + 1)) as i64 - most;
            let layers = Layer::ALL.map(|layer| {
                let most = match layer {
                    Layer::Features => largest,
                    Layer::Threats => threat,
                    Layer::Biases => 700,
                    Layer::Outputs => 127,
                    Layer::OutputBiases => 1_000_000,
                    _ => (architecture.numbers(layer).limit * architecture.numbers(layer).unit as f32).round() as i64,
                };
                (0..architecture.numbers(layer).count()).map(|_| weight(most) as i32).collect()
            });
            Parts { architecture, name, layers }
        },
    )
}

fn seal(bytes: &mut [u8]) {
    let sum = checksum(bytes);
    bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_file_gives_back_what_was_written(parts in parts(), position in position()) {
        let bytes = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let read = Parts::from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(read == parts);
        let network = Network::from_bytes(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let board = both(&position);
        let [best, scalar] = [Simd::best(), Simd::named("scalar").expect("always available")]
            .map(|simd| Trace::new(&network, simd, &board).buckets);
        prop_assert_eq!(best, scalar);
    }

    /// No damage goes unnoticed: neither bits that flip, nor a file that is cut or goes on.
    #[test]
    fn damage_is_noticed(parts in parts(), seed: u64) {
        let whole = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let among = if random.once_in(2) { HEADER } else { bytes.len() };
                bytes[random.below(among)] ^= 1 << random.below(8);
            }
            prop_assert!(bytes == whole || Network::from_bytes(&bytes).is_err());
            prop_assert!(Network::from_bytes(&whole[..random.below(whole.len())]).is_err());
            let mut longer = whole.clone();
            longer.extend(vec![0; 1 + random.below(100)]);
            let error = Network::from_bytes(&longer).map_or_else(|error| error.to_string(), |_| String::new());
            prop_assert!(error.contains(" bytes, expected "), "{}", error);
        }
    }

    /// A header that somebody else has written, with a checksum that is right: refused, or a network that can be used.
    #[test]
    fn strange_headers_with_good_checksums(parts in parts(), seed: u64, position in position()) {
        let whole = parts.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
        let board = both(&position);
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let among = if random.once_in(4) { bytes.len() } else { HEADER };
                let byte = [0, 1, 2, 0x7f, 0x80, 0xff, random.word() as u8][random.below(7)];
                bytes[random.below(among)] = byte;
            }
            if random.once_in(8) {
                bytes.truncate(HEADER + random.below(whole.len() - HEADER));
            }
            seal(&mut bytes);
            if let Ok(network) = Network::from_bytes(&bytes) {
                Trace::new(&network, Simd::best(), &board);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), named: bool) {
        let mut bytes = bytes;
        if named {
            bytes.splice(..8.min(bytes.len()), *b"LENTONET");
        }
        prop_assert!(Network::from_bytes(&bytes).is_err());
    }
}
