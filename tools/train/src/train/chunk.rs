//! Positions on their way through the network.

use super::descent::{LANES, Strip};
use super::objective::Objective;
use super::position::Sample;
use bulletformat::ChessBoard;
use lento::eval::nnue::Architecture;

/// Positions of a chunk at most: so many that a tile's weights are used often while they are in the cache.
pub const CHUNK: usize = 64;

/// What the neurons of both sides give to the output, in sums that run side by side.
pub type Sums = [[f32; LANES]; 2];

/// Some positions, and what the network has made of them.
pub struct Chunk {
    positions: Vec<Sample>,
    /// What the neurons of both sides hold: those of the first tile for all positions, then those of the next one.
    accumulators: Vec<[Strip; 2]>,
    sums: Vec<Sums>,
    /// The network's values in units of 400 centipawns.
    outputs: Vec<f32>,
    /// The gradient of the loss by each output.
    gradients: Vec<f32>,
    loss: f64,
}

impl Chunk {
    /// Room for a chunk of so many tiles.
    pub fn new(tiles: usize) -> Self {
        Self {
            positions: Vec::with_capacity(CHUNK),
            accumulators: vec![[Strip::ZERO; 2]; tiles * CHUNK],
            sums: Vec::with_capacity(CHUNK),
            outputs: Vec::with_capacity(CHUNK),
            gradients: Vec::with_capacity(CHUNK),
            loss: 0.0,
        }
    }

    /// Takes up to [`CHUNK`] positions.
    pub fn load(&mut self, positions: &[ChessBoard], architecture: &Architecture) {
        self.positions.clear();
        self.positions.extend(positions.iter().map(|position| Sample::new(position, architecture)));
        self.sums.clear();
        self.sums.resize(positions.len(), [[0.0; LANES]; 2]);
    }

    /// What a tile reads and writes on the way to the outputs.
    #[inline(always)]
    pub fn forward(&mut self, tile: usize) -> (&[Sample], &mut [[Strip; 2]], &mut [Sums]) {
        let count = self.positions.len();
        (&self.positions, &mut self.accumulators[tile * CHUNK..][..count], &mut self.sums)
    }

    /// What a tile reads on the way back: each position, its neurons of this tile, and the gradient of the loss by the output.
    #[inline(always)]
    pub fn backward(&self, tile: usize) -> impl Iterator<Item = (&Sample, &[Strip; 2], f32)> {
        let accumulators = &self.accumulators[tile * CHUNK..];
        self.positions
            .iter()
            .zip(accumulators)
            .zip(&self.gradients)
            .map(|((position, neurons), gradient)| (position, neurons, *gradient))
    }

    /// Adds up the outputs, and finds the loss and its gradients; these are multiplied by `share`.
    pub fn finish(&mut self, biases: &[f32], objective: &Objective, share: f64) {
        self.outputs.clear();
        self.gradients.clear();
        self.loss = 0.0;
        for (position, sums) in self.positions.iter().zip(&self.sums) {
            let side = |side: usize| sums[side].iter().sum::<f32>();
            let output = biases[position.bucket()] + side(0) + side(1);
            let (loss, gradient) = objective.of(f64::from(output), objective.target(position));
            self.outputs.push(output);
            self.gradients.push((gradient * share) as f32);
            self.loss += loss;
        }
    }

    /// The network's values in units of 400 centipawns.
    pub fn outputs(&self) -> &[f32] {
        &self.outputs
    }

    /// The sum of the losses.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// The output layer of each position, and the gradient of the loss by its output.
    pub fn output_gradients(&self) -> impl Iterator<Item = (usize, f32)> {
        self.positions.iter().map(Sample::bucket).zip(self.gradients.iter().copied())
    }
}
