//! Results for tests, drawn from a known model.

use super::counts::{Counts, Limits};
use lento::eval::wdl::{Model, RANGE};

/// Which positions count in tests.
pub const LIMITS: Limits = Limits { max_score: 1000, min_ply: 0 };

/// Nothing counted.
pub fn empty() -> Counts {
    Counts::new(LIMITS)
}

/// Results of this many positions with all material and scores up to 600.
pub fn counts(model: &Model, positions: usize, seed: u64) -> Counts {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut counts = empty();
    for _ in 0..positions {
        let (material, score) = (random.i32(RANGE), random.i32(-600..=600));
        let [win, draw, _] = model.chances(score, material);
        let place = random.f64();
        counts.add(score, material, usize::from(place >= win) + usize::from(place >= win + draw));
    }
    counts
}
