//! Chooses depths so that all searches fit into the time.

/// Time by depth of a position, from one search.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Depths in plies and seconds until completion, ascending.
    pub points: Vec<(i32, f64)>,
}

/// Default growth factor per ply, and its plausible range.
const DEFAULT_GROWTH: f64 = 1.7;
const GROWTH: (f64, f64) = (1.3, 3.0);
/// Last depths used to estimate growth.
const TAIL: usize = 4;
/// Maximum extrapolation in plies.
const MAX_EXTRAPOLATION: i32 = 6;

impl Curve {
    /// Records a completed depth. Replaces earlier lines of the same or a higher depth.
    pub fn record(&mut self, depth: i32, seconds: f64) {
        self.points.retain(|&(known, _)| known < depth);
        self.points.push((depth, seconds));
    }

    fn growth(&self) -> f64 {
        let tail = &self.points[self.points.len().saturating_sub(TAIL)..];
        let (Some(first), Some(last)) = (tail.first(), tail.last()) else { return DEFAULT_GROWTH };
        let plies = f64::from(last.0 - first.0);
        if plies == 0.0 || first.1 < 1e-3 {
            return DEFAULT_GROWTH;
        }
        (last.1 / first.1).powf(1.0 / plies).clamp(GROWTH.0, GROWTH.1)
    }

    /// Seconds to a depth, measured or extrapolated.
    pub fn seconds(&self, depth: i32) -> f64 {
        if let Some(point) = self.points.iter().find(|point| point.0 >= depth) {
            return point.1;
        }
        match self.points.last() {
            Some(&(last, seconds)) => seconds * self.growth().powi(depth - last),
            None => 0.0,
        }
    }

    /// The maximum depth within `seconds`, at least 1.
    pub fn within(&self, seconds: f64) -> i32 {
        let deepest = self.points.last().map_or(1, |last| last.0 + MAX_EXTRAPOLATION).min(lento::search::MAX_DEPTH);
        (1..=deepest).rev().find(|&depth| self.seconds(depth) <= seconds).unwrap_or(1)
    }
}

/// Depths that together take up to `budget` seconds, with equal time per position. A search of `s` seconds costs
/// `factor * s + overhead`.
pub fn depths(curves: &[Curve], budget: f64, factor: f64, overhead: f64) -> Vec<i32> {
    let cost =
        |share: f64| -> f64 { curves.iter().map(|curve| factor * curve.seconds(curve.within(share)) + overhead).sum() };
    let (mut low, mut high) = (0.0, budget.max(1e-3));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if cost(middle) <= budget { low = middle } else { high = middle }
    }
    curves.iter().map(|curve| curve.within(low)).collect()
}

/// Estimated cost of all thread counts relative to the first. Threads beyond the cores do not count.
pub fn factor(threads: &[usize], cores: usize) -> f64 {
    let useful = |count: usize| count.min(cores).max(1) as f64;
    threads.iter().map(|&count| (useful(threads[0]) / useful(count)).powf(0.7)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(first: f64, growth: f64, depth: i32) -> Curve {
        Curve { points: (1..=depth).map(|depth| (depth, first * growth.powi(depth - 1))).collect() }
    }

    #[test]
    fn times_are_measured_or_extrapolated() {
        let curve = curve(0.002, 2.0, 10);
        assert_eq!(curve.seconds(4), 0.016);
        assert!((curve.seconds(12) - 0.002 * 2048.0).abs() < 1e-9);
        assert_eq!((curve.within(0.033), curve.within(0.0), curve.within(1e9)), (5, 1, 16));
        let mut recorded = Curve::default();
        for (depth, seconds) in [(1, 0.1), (2, 0.2), (2, 0.3), (1, 0.4)] {
            recorded.record(depth, seconds);
        }
        assert_eq!(recorded.points, [(1, 0.4)]);
    }

    #[test]
    fn budget_is_used_but_not_exceeded() {
        let curves: Vec<Curve> = (0..40).map(|nth| curve(1e-5 * f64::from(1 + nth), 1.5, 20)).collect();
        for budget in [0.5, 10.0, 100.0, 600.0] {
            let depths = depths(&curves, budget, 6.5, 0.001);
            let costs = || curves.iter().zip(&depths).map(|(curve, &depth)| (curve, depth));
            let cost: f64 = costs().map(|(curve, depth)| 6.5 * curve.seconds(depth) + 0.001).sum();
            assert!(cost <= budget && cost > budget / 1.6, "{budget}: {cost}");
            // Easier positions are searched deeper.
            assert!(depths.is_sorted_by(|easy, hard| easy >= hard), "{depths:?}");
        }
    }

    #[test]
    fn zero_time_gives_depth_one() {
        assert_eq!(depths(&[curve(1.0, 2.0, 3), Curve::default()], 0.0, 3.0, 0.1), [1, 1]);
    }

    #[test]
    fn threads_up_to_the_cores_reduce_the_cost() {
        assert_eq!(factor(&[1], 8), 1.0);
        let four = factor(&[1, 2, 4], 4);
        assert!(four > 1.75 && four < 3.0, "{four}");
        assert_eq!(factor(&[1, 2, 4, 8], 1), 4.0);
        assert!(factor(&[4, 1], 4) > 3.0);
    }
}
