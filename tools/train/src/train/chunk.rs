//! A chunk of positions in the network.

use super::descent::{LANES, Strip};
use crate::objective::Objective;
use crate::sample::Sample;
use bulletformat::ChessBoard;
use lento::internals::nnue::Architecture;

/// Maximum positions of a chunk, large enough to reuse the weights of a tile while they are cached.
pub const CHUNK: usize = 64;

/// Positions and their values in the network.
#[derive(Default)]
pub struct Chunk {
    pub positions: Vec<Sample>,
    /// Neurons of both sides, by tile and position.
    pub accumulators: Vec<[Strip; 2]>,
    pub active: Active,
    /// Output sums of the neurons of both sides.
    pub sums: Vec<[[f32; LANES]; 2]>,
    /// Outputs in units of 400 centipawns.
    pub outputs: Vec<f32>,
    /// Gradients of the outputs.
    pub gradients: Vec<f32>,
    /// Sum of the losses.
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
    }

    /// Computes outputs, loss and gradients, which are multiplied by `share`, of the loaded positions.
    #[inline(always)]
    pub fn finish(&mut self, positions: &[ChessBoard], biases: &[f32], objective: &Objective, share: f64) {
        self.outputs.clear();
        self.gradients.clear();
        self.loss = 0.0;
        for ((sample, sums), position) in self.positions.iter().zip(&self.sums).zip(positions) {
            let side = |side: usize| sums[side].iter().sum::<f32>();
            let output = biases[sample.bucket()] + side(0) + side(1);
            let (loss, gradient) = objective.of(f64::from(output), objective.target(position));
            self.outputs.push(output);
            self.gradients.push((gradient * share) as f32);
            self.loss += loss;
        }
    }
}

/// The active inputs of a chunk with their places.
#[derive(Default)]
pub struct Active {
    /// Inputs with the end of their places.
    inputs: Vec<(u16, u16)>,
    places: Vec<u8>,
    /// For each input, the number of its places, then the index of the next one; 0 between calls of `group`.
    next: Vec<u16>,
}

impl Active {
    /// Groups the active inputs of positions.
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

    /// The active inputs with their places: twice the index of the position plus the side.
    #[inline(always)]
    pub fn inputs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut start = 0;
        self.inputs.iter().map(move |&(input, end)| {
            let places = &self.places[usize::from(std::mem::replace(&mut start, end))..usize::from(end)];
            (usize::from(input), places)
        })
    }
}
