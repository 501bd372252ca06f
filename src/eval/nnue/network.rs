//! Networks ready for inference: the embedded one, and those of files.

use super::architecture::{Architecture, Layer, NetworkError};
use super::format::{Parts, checksum, largest_file};
use super::inputs::InputSet;
use super::inputs::features::INPUTS;
use super::output::{Perspective, ScreluDot};
use super::simd::{CacheLine, HalfLine, Isa, Kernel, Simd};
use super::units::{QA, QB, SCALE};
use crate::chess::{Board, Color};
use crate::files;
use crate::huge_pages::HugeBox;
use crate::score::Score;
use std::fmt;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// `nets/default.lnn` (see `docs/nnue.md`) unless overridden at build time.
static FILE: &[u8] = include_bytes!(env!("LENTO_NETWORK"));

static NETWORK: LazyLock<Arc<Network>> =
    LazyLock::new(|| Arc::new(Network::from_bytes(FILE).expect("the embedded network is valid")));

/// The embedded network, shared by all users.
pub fn embedded() -> Arc<Network> {
    Arc::clone(&NETWORK)
}

/// Loads a network file.
///
/// # Errors
/// The file cannot be read or is not a usable network.
pub fn load(path: &Path) -> Result<Arc<Network>, NetworkError> {
    let bytes = files::open_regular(path, OpenOptions::new().read(true))
        .and_then(|file| files::read(file, largest_file()))
        .map_err(|error| NetworkError(format!("cannot be read: {error}")))?;
    let network = Network::from_bytes(&bytes);
    network.map(Arc::new).map_err(|error| NetworkError(format!("not a usable network: {error}")))
}

/// A network ready for inference: validated against overflow and packed into cache lines.
#[derive(Clone)]
pub struct Network {
    fingerprint: u64,
    architecture: Architecture,
    name: String,
    features: HugeBox<[CacheLine]>,
    /// Threat weights, `hidden` per input.
    threats: HugeBox<[HalfLine]>,
    biases: HugeBox<[CacheLine]>,
    outputs: HugeBox<[CacheLine]>,
    output_biases: Box<[i32]>,
}

impl fmt::Display for Network {
    /// Name and architecture, e.g. `lento-1 (768 -> 256 x 2 -> 8)`; king buckets and threat inputs only if present.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Architecture { hidden, kings, threats, outputs } = &self.architecture;
        let buckets = if kings.count() > 1 { format!("{} x ", kings.count()) } else { String::new() };
        let threats = if *threats > 0 { format!(" + {}", InputSet::COUNT) } else { String::new() };
        write!(f, "{} ({buckets}{INPUTS}{threats} -> {hidden} x 2 -> {outputs})", self.name)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Network({self})")
    }
}

impl Network {
    /// Parses a network file.
    ///
    /// # Errors
    /// Not a network file, damaged, or unsupported.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let parts = Parts::from_bytes(bytes)?;
        parts.check()?;
        Ok(Self::pack(&parts, checksum(bytes)))
    }

    /// Packs network parameters.
    ///
    /// # Errors
    /// Sizes do not match, or sums could overflow.
    pub fn from_parts(parts: &Parts) -> Result<Self, NetworkError> {
        let bytes = parts.to_bytes()?;
        Ok(Self::pack(parts, checksum(&bytes)))
    }

    fn pack(parts: &Parts, fingerprint: u64) -> Self {
        let Architecture { hidden, threats, .. } = parts.architecture;
        // Zeros for the neurons that threats do not reach.
        let padded =
            |row: &[i32]| (0..hidden).map(|neuron| row.get(neuron).copied().unwrap_or(0) as i8).collect::<Vec<_>>();
        let short: Vec<i8> = parts[Layer::Threats].chunks(threats.max(1)).flat_map(padded).collect();
        let lines = short.as_chunks().0;
        Self {
            fingerprint,
            architecture: parts.architecture,
            name: parts.name.clone(),
            features: CacheLine::pack(&parts[Layer::Features]),
            threats: HugeBox::from_fn(lines.len(), |line| HalfLine(lines[line])),
            biases: CacheLine::pack(&parts[Layer::Biases]),
            outputs: CacheLine::pack(&parts[Layer::Outputs]),
            output_biases: parts[Layer::OutputBiases].clone().into_boxed_slice(),
        }
    }

    /// The architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Cache lines per row: `hidden` / 32.
    #[inline(always)]
    pub fn lines(&self) -> usize {
        self.biases.len()
    }

    /// Feature weights, row by row.
    #[inline(always)]
    pub fn features(&self) -> &[CacheLine] {
        &self.features
    }

    /// The row of an input.
    #[inline(always)]
    pub fn feature(&self, index: usize) -> &[CacheLine] {
        let lines = self.lines();
        &self.features[index * lines..][..lines]
    }

    /// Feature biases: the accumulator of an empty board.
    #[inline(always)]
    pub fn biases(&self) -> &[CacheLine] {
        &self.biases
    }

    /// Output in centipawns from the view of `side`, the side to move, whose inputs come first.
    pub fn value(&self, simd: Simd, inputs: [&[u16]; 2], side: Color, threats: &[u8], bucket: usize) -> Score {
        simd.run(FromInputs { network: self, inputs, side, threats, bucket })
    }

    /// Output in centipawns from the view of `side`, the side to move. Its accumulator comes first; `threats` are the active inputs.
    #[inline(always)]
    pub(super) fn output<I: Isa>(
        &self,
        isa: I,
        accumulators: [&[CacheLine]; 2],
        side: Color,
        threats: &[u8],
        bucket: usize,
    ) -> Score {
        let lines = self.lines();
        let threats = if self.threats.is_empty() { &[] } else { threats };
        let (ours, theirs) = self.outputs[2 * bucket * lines..][..2 * lines].split_at(lines);
        // All of the same length, so that bounds checks can be elided.
        let [us, them] = accumulators.map(|neurons| &neurons[..lines]);
        let of = |neurons, weights, color| Perspective { neurons, weights, flip: InputSet::flip(color) };
        let sides = [of(us, ours, side), of(them, theirs, !side)];
        let sum = isa.in_blocks(ScreluDot { sides, rows: &self.threats, active: threats });
        let output = i64::from(sum / QA) + i64::from(self.output_biases[bucket]);
        (output * i64::from(SCALE) / i64::from(QA * QB)) as Score
    }

    /// Checksum of the network file.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The output bucket of a position.
    #[inline(always)]
    pub fn output_bucket(&self, board: &Board) -> usize {
        self.architecture.output_bucket(board.occupied().count() as usize)
    }
}

/// Arguments of [`Network::value`].
struct FromInputs<'a> {
    network: &'a Network,
    inputs: [&'a [u16]; 2],
    side: Color,
    threats: &'a [u8],
    bucket: usize,
}

impl Kernel for FromInputs<'_> {
    type Output = Score;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Score {
        let network = self.network;
        let [us, them] = self.inputs.map(|inputs| {
            let mut row = network.biases.to_vec();
            isa.apply(&mut row, &network.features, inputs, &[]);
            row
        });
        network.output(isa, [&us, &them], self.side, self.threats, self.bucket)
    }
}
