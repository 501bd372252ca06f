//! Observed and expected results by score.

use super::counts::{Cell, Results};
use lento::eval::wdl::Model;

/// Positions with about the same score.
#[derive(Clone, Debug, PartialEq)]
pub struct Frequency {
    /// The lowest score.
    pub start: i32,
    /// One more than the highest score.
    pub end: i32,
    pub results: Results,
    /// The results that the model expects of these positions, in positions.
    pub expected: [f64; 3],
}

impl Frequency {
    pub fn positions(&self) -> u64 {
        self.results.iter().sum()
    }

    /// The shares of won, drawn and lost positions.
    pub fn observed(&self) -> [f64; 3] {
        self.results.map(|count| count as f64 / self.positions().max(1) as f64)
    }

    /// The shares that the model expects.
    pub fn predicted(&self) -> [f64; 3] {
        self.expected.map(|count| count / self.positions().max(1) as f64)
    }

    pub fn middle(&self) -> f64 {
        f64::from(self.start + self.end - 1) / 2.0
    }
}

/// Frequencies by score, in ranges of this width around zero; only scores that occurred.
pub fn frequencies(cells: &[Cell], model: &Model, width: i32) -> Vec<Frequency> {
    let mut all: Vec<Frequency> = Vec::new();
    let mut cells = cells.to_vec();
    cells.sort_by_key(|cell| cell.score);
    for Cell { material, score, results } in cells {
        let start = (score + width / 2).div_euclid(width) * width - width / 2;
        if all.last().is_none_or(|last| last.start != start) {
            all.push(Frequency { start, end: start + width, results: [0; 3], expected: [0.0; 3] });
        }
        let Some(frequency) = all.last_mut() else { continue };
        let positions = results.iter().sum::<u64>() as f64;
        for (index, chance) in model.chances(score, material).into_iter().enumerate() {
            frequency.results[index] += results[index];
            frequency.expected[index] += positions * chance;
        }
    }
    all
}

/// The mean error of the share of won games over the positions.
pub fn error(frequencies: &[Frequency]) -> f64 {
    let positions: u64 = frequencies.iter().map(Frequency::positions).sum();
    let off = |frequency: &Frequency| (frequency.results[0] as f64 - frequency.expected[0]).abs();
    frequencies.iter().map(off).sum::<f64>() / positions.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::counts::tests as sample;
    use super::*;

    const MODEL: Model = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };

    #[test]
    fn positions_are_gathered_by_score() {
        let mut counts = sample::empty();
        for (score, material, outcome) in
            [(-25, 20, 2), (-26, 20, 1), (24, 70, 0), (25, 20, 0), (74, 78, 1), (0, 20, 1)]
        {
            counts.add(score, material, outcome);
        }
        let all = frequencies(&counts.cells(), &MODEL, 50);
        let found: Vec<_> = all.iter().map(|f| (f.start, f.end, f.results)).collect();
        assert_eq!(found, [(-75, -25, [0, 1, 0]), (-25, 25, [1, 1, 1]), (25, 75, [1, 1, 0])]);
        let chances = MODEL.chances(25, 20).into_iter().zip(MODEL.chances(74, 78));
        for (predicted, (one, other)) in all[2].predicted().into_iter().zip(chances) {
            assert!((predicted - (one + other) / 2.0).abs() < 1e-12);
        }
        assert_eq!((all[2].observed(), all[1].middle()), ([0.5, 0.5, 0.0], -0.5));
        assert!(frequencies(&[], &MODEL, 50).is_empty() && error(&[]) == 0.0);
    }

    #[test]
    fn the_true_model_is_hardly_off_and_another_is() {
        let cells = sample::counts(&MODEL, 300_000, 81).cells();
        let off = |model| error(&frequencies(&cells, model, 50));
        assert!(off(&MODEL) < 0.004, "{}", off(&MODEL));
        let other = Model { a: [60.0, 0.0, 0.0, 0.0], ..MODEL };
        assert!(off(&other) > 0.03, "{}", off(&other));
    }
}
