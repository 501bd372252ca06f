//! Initial weights from a checkpoint or a network of the engine.

use super::run::Run;
use super::shape::{Parameters, Shape};
use lento::eval::nnue::{Layer, Numbers, Parts};
use lento_common::inputs;
use std::error::Error;
use std::path::Path;

#[derive(Clone, Debug)]
pub struct Origin {
    pub shape: Shape,
    pub values: Parameters,
}

impl Origin {
    /// Reads a checkpoint, or a network file (`*.lnn`), whose weights are rounded.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        if path.extension().is_none_or(|extension| extension != "lnn") {
            let Run { shape, weights, .. } = Run::read(path)?;
            return Ok(Self { shape, values: weights.values });
        }
        let bytes = inputs::read(path)?;
        let parts = Parts::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self::from(&parts))
    }

    /// The same network in this shape, which may have more neurons, threats, and king buckets if the network has one, and deep layers. Its
    /// values do not change: buckets start with the same weights, threats with zeros, new neurons and deep layers with random input
    /// and zero output weights. `None` if the network does not fit.
    pub fn grown(&self, shape: &Shape, seed: u64) -> Option<Parameters> {
        let (old, new) = (self.shape.architecture, shape.architecture);
        if old == new {
            return Some(self.values.clone());
        }
        let same_kings = old.kings == new.kings;
        let fits = old.hidden <= new.hidden && old.outputs == new.outputs && old.threats <= new.threats;
        let fits = fits && old.deep <= new.deep;
        if !same_kings && old.kings.count() > 1 || !fits {
            return None;
        }
        let mut values = shape.random(seed);
        let (rows, head) = values.split_at_mut(shape.head().start);
        let old_head = &self.values[self.shape.head()];
        let mut silent = shape.layer(Layer::Outputs);
        if old.deep {
            silent.end = shape.rows();
            head.copy_from_slice(old_head);
        } else {
            head[shape.head_layer(Layer::Third)].fill(0.0);
            head[..new.outputs].copy_from_slice(old_head);
        }
        rows[silent.start * new.hidden..silent.end * new.hidden].fill(0.0);
        let layer =
            |layer| (self.shape.layer(layer), shape.layer(layer), self.shape.architecture.numbers(layer).columns);
        let moved = [
            (
                self.shape.layer(Layer::Features),
                if same_kings { shape.layer(Layer::Features) } else { shape.shared() },
                old.hidden,
            ),
            layer(Layer::Threats),
            (self.shape.shared(), shape.shared(), old.hidden),
            layer(Layer::Biases),
            layer(Layer::Outputs),
            layer(Layer::Pairs),
        ];
        for (from, to, count) in moved {
            for (from, to) in from.zip(to) {
                rows[shape.row(to)][..count].copy_from_slice(&self.values[self.shape.row(from)][..count]);
            }
        }
        Some(values)
    }
}

impl From<&Parts> for Origin {
    fn from(parts: &Parts) -> Self {
        let shape = Shape { architecture: parts.architecture };
        let mut values = shape.zeros();
        for layer in Layer::ALL {
            let Numbers { columns, unit, .. } = shape.architecture.numbers(layer);
            let exact = parts[layer].iter().map(|&number| number as f32 / unit as f32).collect::<Vec<_>>();
            for (row, numbers) in shape.layer(layer).zip(exact.chunks(columns.max(1))) {
                values[shape.row(row)][..columns].copy_from_slice(numbers);
            }
            let head = shape.head_layer(layer);
            if !head.is_empty() {
                values[shape.head()][head].copy_from_slice(&exact);
            }
        }
        Self { shape, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::tests::sample::positions;
    use crate::train::export::quantise;
    use crate::train::tests::{deep, output, parameters, shape};

    #[test]
    fn a_network_comes_back_as_it_was() {
        for shape in [shape(32, "one", 4), shape(32, "six", 4), deep(shape(64, "one", 4))] {
            let mut values = parameters(&shape, 7);
            values.iter_mut().for_each(|value| *value *= 0.3);
            let parts = quantise(&values, &shape, "sample");
            let origin = Origin::from(&parts);
            assert_eq!(quantise(&origin.values, &origin.shape, "sample"), parts);
        }
    }

    #[test]
    fn a_network_that_has_grown_says_the_same() {
        let grow = |from: Shape, to: Shape| {
            let values = parameters(&from, 8);
            let grown = Origin { shape: from, values: values.clone() }.grown(&to, 9)?;
            for packed in positions(3, 10) {
                let says = [(&values, &from), (&grown, &to)].map(|(values, shape)| {
                    let exact: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
                    output(&exact, &Sample::new(&packed, &shape.architecture), shape)
                });
                assert!((says[0] - says[1]).abs() < 1e-9, "{says:?}");
            }
            Some(grown)
        };
        for (from, to) in [("one", "one"), ("one", "six"), ("three", "three")] {
            grow(shape(32, from, 4), shape(64, to, 4)).unwrap();
            grow(shape(32, from, 4), deep(shape(64, to, 4))).unwrap();
        }
        grow(deep(shape(64, "one", 2)), deep(shape(128, "one", 2))).unwrap();
        // The new neurons differ, or they would learn the same.
        let wider = shape(96, "one", 2);
        let grown = grow(shape(32, "one", 2), wider).unwrap();
        let row = &grown[wider.row(5)];
        assert!(row[32] != 0.0 && row[32] != row[33]);
        for (from, to) in [
            (shape(64, "one", 4), shape(32, "one", 4)),
            (shape(32, "six", 4), shape(32, "three", 4)),
            (shape(32, "six", 4), shape(32, "one", 4)),
            (shape(32, "one", 4), shape(32, "one", 8)),
            (deep(shape(64, "one", 4)), shape(64, "one", 4)),
        ] {
            assert!(grow(from, to).is_none());
        }
    }
}
