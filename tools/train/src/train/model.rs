//! The network during training.

use super::chunk::{CHUNK, Chunk};
use super::descent::{Step, Strip};
use super::pool::Pool;
use super::shape::{Parameters, Shape};
use super::tile::Tile;
use crate::objective::Objective;
use bulletformat::ChessBoard;
use parking_lot::RwLock;
use pulp::Arch;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Chunks per block, whose accumulators fit into the cache.
const CHUNKS: usize = 32;
/// Positions processed together.
const BLOCK: usize = CHUNK * CHUNKS;

/// Parameters and optimiser state.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimiserState {
    pub values: Parameters,
    /// Mean gradients.
    pub first: Parameters,
    /// Mean squared gradients.
    pub second: Parameters,
    pub steps: u64,
}

impl OptimiserState {
    pub fn new(values: Parameters, shape: &Shape) -> Self {
        Self { values, first: shape.zeros(), second: shape.zeros(), steps: 0 }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// Computes outputs, losses and gradients of a block; gradients are multiplied by `share`.
    Forward { objective: Objective, share: f64 },
    /// Computes the gradients of the parameters and applies a step, if any.
    Backward { step: Option<Step> },
}

/// The network, laid out for parallel training. Sums do not depend on the threads: each is computed by one thread, in order.
pub struct TrainingNetwork {
    shape: Shape,
    arch: Arch,
    tiles: Vec<RwLock<Tile>>,
    chunks: Vec<RwLock<Chunk>>,
    block: RwLock<Vec<ChessBoard>>,
    /// The next free chunk or tile.
    next: AtomicUsize,
}

impl TrainingNetwork {
    pub fn new(shape: &Shape) -> Self {
        let tiles: Vec<_> = Tile::all(shape).into_iter().map(RwLock::new).collect();
        let chunk = || RwLock::new(Chunk::new(tiles.len()));
        Self {
            shape: *shape,
            arch: Arch::new(),
            chunks: std::iter::repeat_with(chunk).take(CHUNKS).collect(),
            tiles,
            block: RwLock::default(),
            next: AtomicUsize::new(0),
        }
    }

    /// Loads parameters and optimiser state.
    pub fn load(&self, weights: &OptimiserState) {
        let OptimiserState { values, first, second, .. } = weights;
        self.tiles.iter().for_each(|tile| tile.write().load([values, first, second]));
    }

    /// Stores parameters and optimiser state.
    pub fn store(&self, weights: &mut OptimiserState) {
        let OptimiserState { values, first, second, .. } = weights;
        for tile in &self.tiles {
            tile.read().store([values, first, second]);
        }
    }

    /// Switches the use of rounded parameters, as in the engine.
    pub fn round(&self, rounds: bool) {
        self.tiles.iter().for_each(|tile| tile.write().round(rounds));
    }

    /// Work of a thread on a pass.
    pub fn work(&self, pass: Pass) {
        match pass {
            Pass::Forward { objective, share } => self.forward(&objective, share),
            Pass::Backward { step } => self.backward(step),
        }
    }

    fn forward(&self, objective: &Objective, share: f64) {
        let tiles: Vec<_> = self.tiles.iter().map(|tile| tile.read()).collect();
        let block = self.block.read();
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(positions) = block.chunks(CHUNK).nth(index) else { break };
            let mut chunk = self.chunks[index].write();
            chunk.load(positions, &self.shape.architecture);
            self.arch.dispatch(
                #[inline(always)]
                || {
                    for (index, tile) in tiles.iter().enumerate() {
                        tile.forward(index, &mut chunk);
                    }
                    chunk.finish(positions, tiles[0].output_biases(), objective, share);
                },
            );
            if share > 0.0 {
                let Chunk { positions, active, .. } = &mut *chunk;
                active.group(positions);
            }
        }
    }

    fn backward(&self, step: Option<Step>) {
        let count = self.block.read().len().div_ceil(CHUNK);
        let chunks: Vec<_> = self.chunks[..count].iter().map(|chunk| chunk.read()).collect();
        let mut neurons = Box::new([Strip::ZERO; 2 * CHUNK]);
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(tile) = self.tiles.get(index) else { break };
            let mut tile = tile.write();
            self.arch.dispatch(
                #[inline(always)]
                || {
                    for chunk in &chunks {
                        tile.backward(index, chunk, &mut neurons);
                    }
                    if let Some(step) = step {
                        tile.step(step);
                    }
                },
            );
        }
    }

    /// The gradients of [`learn`](Self::learn) without a step.
    #[cfg(test)]
    fn gradients(&self) -> Parameters {
        let mut gradients = self.shape.zeros();
        self.tiles.iter().for_each(|tile| tile.write().store_gradients(&mut gradients));
        gradients
    }

    /// Runs a pass on all threads.
    fn run(&self, pool: &Pool<Pass>, pass: Pass) {
        self.next.store(0, Ordering::Relaxed);
        pool.run(pass);
    }

    /// Runs a forward pass for up to [`BLOCK`] positions and passes its chunks to `visit`.
    fn run_forward(&self, pool: &Pool<Pass>, positions: &[ChessBoard], pass: Pass, mut visit: impl FnMut(&Chunk)) {
        let mut block = self.block.write();
        block.clear();
        block.extend_from_slice(positions);
        drop(block);
        self.run(pool, pass);
        self.chunks[..positions.len().div_ceil(CHUNK)].iter().for_each(|chunk| visit(&chunk.read()));
    }

    /// Returns the sum of the losses of positions, and their outputs in units of 400 centipawns.
    pub fn evaluate(&self, pool: &Pool<Pass>, positions: &[ChessBoard], objective: Objective) -> (f64, Vec<f32>) {
        let (mut sum, mut outputs) = (0.0, Vec::with_capacity(positions.len()));
        for block in positions.chunks(BLOCK) {
            self.run_forward(pool, block, Pass::Forward { objective, share: 0.0 }, |chunk| {
                sum += chunk.loss;
                outputs.extend_from_slice(&chunk.outputs);
            });
        }
        (sum, outputs)
    }

    /// Computes the gradients of the mean loss of a batch and applies a step. Returns the sum of its losses.
    pub fn learn(&self, pool: &Pool<Pass>, batch: &[ChessBoard], objective: Objective, step: Option<Step>) -> f64 {
        let share = 1.0 / batch.len().max(1) as f64;
        let (mut sum, mut done) = (0.0, 0);
        for block in batch.chunks(BLOCK) {
            done += block.len();
            self.run_forward(pool, block, Pass::Forward { objective, share }, |chunk| sum += chunk.loss);
            let step = step.filter(|_| done == batch.len());
            self.run(pool, Pass::Backward { step });
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::tests::sample::positions;
    use crate::train::pool;
    use crate::train::tests::{output, parameters, shape};
    use lento::internals::nnue::{Architecture, Layer};
    use std::cell::RefCell;

    const OBJECTIVE: Objective = Objective { wdl: 0.3, scale: 400.0 };

    fn with<T>(model: &TrainingNetwork, threads: usize, body: impl FnOnce(&Pool<Pass>) -> T) -> T {
        pool::with(threads, &|pass| model.work(pass), body)
    }

    fn mean_loss(values: &[f64], positions: &[(Sample, f64)], shape: &Shape, objective: &Objective) -> f64 {
        let loss = |(position, target): &(Sample, f64)| objective.of(output(values, position, shape), *target).0;
        positions.iter().map(loss).sum::<f64>() / positions.len() as f64
    }

    /// Compares gradients of a group of parameters with differences of the loss.
    fn compare(name: &str, gradients: &[f64], numeric: impl Fn(usize) -> f64, indices: Vec<usize>) {
        let max = indices.iter().map(|&index| gradients[index].abs()).fold(0.0, f64::max);
        assert!(max > 1e-5, "{name}: all gradients are small");
        let (mut significant, min) = (0, if indices.len() < 10 { 1 } else { 5 });
        for index in indices {
            let (gradient, numeric) = (gradients[index], numeric(index));
            assert!((gradient - numeric).abs() < 1e-4 * max, "{name} {index}: {gradient} {numeric}");
            significant += u32::from(gradient.abs() > 0.05 * max);
        }
        assert!(significant >= min, "{name}: {significant} significant gradients");
    }

    #[test]
    fn gradients_match_numeric_derivatives() {
        // More neurons than a tile, incomplete tiles, and more positions than a chunk.
        for shape in [shape(96, "one", 8), shape(96, "three", 2)] {
            let Architecture { hidden, kings, .. } = shape.architecture;
            let packed = positions(4, 3)[..90].to_vec();
            let objective = Objective { wdl: 0.3, scale: 200.0 };
            let decode = |packed| (Sample::new(packed, &shape.architecture), objective.target(packed));
            let decoded: Vec<_> = packed.iter().map(decode).collect();
            let model = TrainingNetwork::new(&shape);
            let mut weights = OptimiserState::new(parameters(&shape, 7), &shape);
            model.load(&weights);
            let sum = with(&model, 2, |pool| model.learn(pool, &packed, objective, None));
            model.store(&mut weights);
            let values: Vec<f64> = weights.values.iter().map(|&value| f64::from(value)).collect();
            let loss = mean_loss(&values, &decoded, &shape, &objective);
            assert!((sum / 90.0 - loss).abs() < 1e-6 && loss > 0.01, "{sum} {loss}");

            let gradients: Vec<f64> = model.gradients().iter().map(|&gradient| f64::from(gradient)).collect();
            let values = RefCell::new(values);
            let numeric = |index: usize| {
                let mut values = values.borrow_mut();
                let value = values[index];
                let mut at = |change: f64| {
                    values[index] = value + change;
                    mean_loss(&values, &decoded, &shape, &objective)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                values[index] = value;
                slope
            };
            compare("output biases", &gradients, numeric, shape.output_biases().collect());
            let in_use = |rows: std::ops::Range<usize>| {
                let all = (rows.start * hidden..rows.end * hidden).filter(|&index| gradients[index] != 0.0);
                let all: Vec<usize> = all.collect();
                all.iter().copied().step_by((all.len() / 120).max(1)).collect::<Vec<_>>()
            };
            compare("output weights", &gradients, numeric, in_use(shape.layer(Layer::Outputs)));
            compare(
                "feature biases",
                &gradients,
                numeric,
                in_use(shape.layer(Layer::Biases).start..shape.layer(Layer::Biases).start + 1),
            );
            compare("feature weights", &gradients, numeric, in_use(shape.layer(Layer::Features)));
            if kings.count() > 1 {
                compare("weights of threats", &gradients, numeric, in_use(shape.layer(Layer::Threats)));
                compare("shared weights", &gradients, numeric, in_use(shape.shared()));
            }
            let unused = (0..gradients.len()).filter(|&index| gradients[index] == 0.0).step_by(997).take(40);
            unused.for_each(|index| assert!(numeric(index).abs() < 1e-9, "{index}"));
        }
    }

    /// Parameters and losses after a few steps.
    fn learned(shape: Shape, arch: Arch, threads: usize) -> (OptimiserState, Vec<u64>) {
        let mut model = TrainingNetwork::new(&shape);
        model.arch = arch;
        let mut weights = OptimiserState::new(shape.random(5), &shape);
        model.load(&weights);
        // Batches larger than a block.
        let positions = positions(60, 9);
        let losses = with(&model, threads, |pool| {
            let batches = positions.chunks(BLOCK + 700).zip(1..);
            let learn =
                |(batch, number)| model.learn(pool, batch, OBJECTIVE, Some(Step::new(number, 0.01, 0.01))).to_bits();
            batches.map(learn).collect()
        });
        model.store(&mut weights);
        (weights, losses)
    }

    #[test]
    fn result_is_independent_of_threads_and_instruction_set() {
        let shape = shape(160, "three", 4);
        let expected = learned(shape, Arch::new(), 1);
        assert!(expected.1.len() > 1 && expected.0.values != shape.random(5));
        for threads in [2, 5] {
            assert!(learned(shape, Arch::new(), threads) == expected, "{threads} threads");
        }
        #[cfg(target_arch = "x86_64")]
        assert!(learned(shape, Arch::Scalar, 2) == expected, "without AVX");
    }

    #[test]
    fn weights_stay_within_the_range_of_integers() {
        let shape = shape(32, "three", 2);
        let model = TrainingNetwork::new(&shape);
        let mut weights = OptimiserState::new(parameters(&shape, 2), &shape);
        weights.values.iter_mut().for_each(|value| *value *= 4.0);
        model.load(&weights);
        let positions = positions(3, 4);
        with(&model, 1, |pool| model.learn(pool, &positions, OBJECTIVE, Some(Step::new(1, 0.001, 0.0))));
        model.store(&mut weights);
        let row = |index| &weights.values[shape.row(index)];
        let mut clamped = 0;
        for index in shape.layer(Layer::Features) {
            let shared = row(shape.shared().start + index % 768);
            for (own, shared) in row(index).iter().zip(shared) {
                assert!((own + shared).abs() < 1.981, "{own} {shared}");
                clamped += u32::from((own + shared).abs() > 1.979);
            }
        }
        assert!(clamped > 100, "{clamped}");
        let max = |layer| shape.layer(layer).flat_map(row).fold(0.0_f32, |max, weight| max.max(weight.abs()));
        for layer in [Layer::Threats, Layer::Outputs] {
            assert_eq!(max(layer), shape.architecture.numbers(layer).limit);
        }
    }
}
