//! A chunk: positions on their way through the network.

use super::descent::{LANES, Strip};
use super::head::Head;
use crate::objective::Objective;
use crate::sample::Sample;
use bulletformat::ChessBoard;
use lento::internals::nnue::{Architecture, FIRST};

/// The most positions of a chunk: many enough that a tile's weights are used often while they are in the cache.
pub const CHUNK: usize = 64;

/// Some positions and their values in the network.
#[derive(Default)]
pub struct Chunk {
    pub positions: Vec<Sample>,
    /// The neurons of both sides: those of the first tile for all positions, then those of the next one.
    pub accumulators: Vec<[Strip; 2]>,
    pub active: Active,
    /// The sums for the output of the neurons of both sides.
    pub sums: Vec<[[f32; LANES]; 2]>,
    /// The sums of products with weights for the deep layers, then the gradients of the loss by them.
    pub deep: Vec<[f32; FIRST]>,
    /// The gradients of the head, summed over the positions.
    pub head: Vec<f32>,
    /// In units of 400 centipawns.
    pub outputs: Vec<f32>,
    /// The gradient of the loss by each output.
    pub gradients: Vec<f32>,
    /// The sum of the losses.
    pub loss: f64,
}

impl Chunk {
    pub fn new(tiles: usize) -> Self {
        Self { accumulators: vec![[Strip::ZERO; 2]; tiles * CHUNK], ..Self::default() }
    }

    /// Loads up to [`CHUNK`] positions.
    pub fn load(&mut self, positions: &[ChessBoard], architecture: &Architecture) {
        self.positions.clear();
        self.positions.extend(positions.iter().map(|position| Sample::new(position, architecture)));
        self.sums.clear();
        self.sums.resize(positions.len(), [[0.0; LANES]; 2]);
        self.deep.clear();
        self.deep.resize(positions.len(), [0.0; FIRST]);
    }

    /// Computes the outputs, the loss and its gradients; `share` is a factor of the gradients.
    #[inline(always)]
    pub fn finish(&mut self, head: &Head, objective: &Objective, share: f64) {
        self.outputs.clear();
        self.gradients.clear();
        self.head.clear();
        self.head.resize(head.values.len(), 0.0);
        self.loss = 0.0;
        for ((position, sums), deep) in self.positions.iter().zip(&self.sums).zip(&mut self.deep) {
            let bucket = position.bucket();
            let side = |side: usize| sums[side].iter().sum::<f32>();
            let direct = head.values[bucket] + side(0) + side(1);
            let layers = head.shape.architecture.deep.then(|| head.forward(bucket, deep));
            let output = direct + layers.map_or(0.0, |(_, output)| output);
            let (loss, gradient) = objective.of(f64::from(output), objective.target(position));
            let gradient = (gradient * share) as f32;
            if let Some((neurons, _)) = layers.filter(|_| share > 0.0) {
                *deep = head.backward(&mut self.head, bucket, &neurons, gradient);
            }
            self.outputs.push(output);
            self.gradients.push(gradient);
            self.loss += loss;
        }
    }
}

/// The inputs that are active in a chunk, each with the places where it is.
#[derive(Default)]
pub struct Active {
    /// The inputs, and where their places end.
    inputs: Vec<(u16, u16)>,
    places: Vec<u8>,
    /// For each input, its number of places, then where the next one goes; zero between two groupings.
    next: Vec<u16>,
}

impl Active {
    /// Groups the active inputs of the positions.
    pub fn group(&mut self, positions: &[Sample]) {
        const { assert!(2 * CHUNK <= 1 << u8::BITS) };
        let Self { inputs, places, next } = self;
        inputs.clear();
        let occurrences = || {
            let sides = positions.iter().flat_map(|position| [0, 1].map(|side| position.features(side)));
            (0..).zip(sides).flat_map(|(place, features)| features.iter().map(move |&input| (input, place)))
        };
        for (input, _) in occurrences() {
            if next.len() <= usize::from(input) {
                next.resize(usize::from(input) + 1, 0);
            }
            let count = &mut next[usize::from(input)];
            if *count == 0 {
                inputs.push((input, 0));
            }
            *count += 1;
        }
        let mut end = 0;
        for (input, ends) in inputs.iter_mut() {
            let start = end;
            end += std::mem::replace(&mut next[usize::from(*input)], start);
            *ends = end;
        }
        places.resize(usize::from(end), 0);
        for (input, place) in occurrences() {
            let at = &mut next[usize::from(input)];
            places[usize::from(*at)] = place;
            *at += 1;
        }
        inputs.iter().for_each(|(input, _)| next[usize::from(*input)] = 0);
    }

    /// Each input that is active in the chunk, with its places: twice the number of the position, plus the side.
    #[inline(always)]
    pub fn inputs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut start = 0;
        self.inputs.iter().map(move |&(input, end)| {
            let places = &self.places[usize::from(std::mem::replace(&mut start, end))..usize::from(end)];
            (usize::from(input), places)
        })
    }
}
