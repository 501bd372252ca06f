//! How deep to search each position, so that all searches together take the time that there is.

/// How long a position takes, by depth, as one search of it has shown.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Depths in plies and the seconds after which they were finished, ascending.
    pub points: Vec<(i32, f64)>,
}

/// How much longer each further depth takes when it cannot be told, and the least and most that is believed.
const USUAL_GROWTH: f64 = 1.7;
const GROWTH: (f64, f64) = (1.3, 3.0);
/// How many depths at the end tell of the growth.
const TAIL: usize = 4;
/// No depth is chosen that lies further beyond what was seen.
const BEYOND: i32 = 6;

impl Curve {
    /// Adds that a depth was finished; a later line of the same depth counts.
    pub fn note(&mut self, depth: i32, seconds: f64) {
        self.points.retain(|&(known, _)| known < depth);
        self.points.push((depth, seconds));
    }

    /// By which factor the time grows with a ply.
    fn growth(&self) -> f64 {
        let tail = &self.points[self.points.len().saturating_sub(TAIL)..];
        let (Some(first), Some(last)) = (tail.first(), tail.last()) else { return USUAL_GROWTH };
        let plies = f64::from(last.0 - first.0);
        if plies == 0.0 || first.1 < 1e-3 {
            return USUAL_GROWTH;
        }
        (last.1 / first.1).powf(1.0 / plies).clamp(GROWTH.0, GROWTH.1)
    }

    /// Seconds to this depth, as seen or as supposed.
    pub fn seconds(&self, depth: i32) -> f64 {
        if let Some(point) = self.points.iter().find(|point| point.0 >= depth) {
            return point.1;
        }
        match self.points.last() {
            Some(&(last, seconds)) => seconds * self.growth().powi(depth - last),
            None => 0.0,
        }
    }

    /// The deepest depth that takes at most so many seconds; at least 1.
    pub fn within(&self, seconds: f64) -> i32 {
        let deepest = self.points.last().map_or(1, |last| last.0 + BEYOND).min(crate::search::MAX_DEPTH);
        (1..=deepest).rev().find(|&depth| self.seconds(depth) <= seconds).unwrap_or(1)
    }
}

/// The depths of positions that together take about `budget` seconds, none longer than it must: all of them get the same time,
/// and the deepest depth that fits into it. A search of `s` seconds costs `factor * s + overhead`.
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

/// How long searches on these numbers of threads may take together, as a multiple of one on the first number, before anything is
/// known. More threads than cores make nothing faster.
pub fn factor(threads: &[usize], cores: usize) -> f64 {
    let useful = |count: usize| count.min(cores).max(1) as f64;
    let first = useful(threads[0]);
    threads.iter().map(|&count| (first / useful(count)).powf(0.7)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(first: f64, growth: f64, depth: i32) -> Curve {
        Curve { points: (1..=depth).map(|depth| (depth, first * growth.powi(depth - 1))).collect() }
    }

    #[test]
    fn times_are_seen_and_then_supposed() {
        let curve = curve(0.002, 2.0, 10);
        assert_eq!(curve.seconds(4), 0.016);
        assert!((curve.seconds(12) - 0.002 * 2048.0).abs() < 1e-9);
        assert_eq!((curve.within(0.033), curve.within(0.0), curve.within(1e9)), (5, 1, 16));
        let mut noted = Curve::default();
        for (depth, seconds) in [(1, 0.1), (2, 0.2), (2, 0.3), (1, 0.4)] {
            noted.note(depth, seconds);
        }
        assert_eq!(noted.points, [(1, 0.4)]);
    }

    #[test]
    fn the_budget_is_met_and_not_overdrawn() {
        let curves: Vec<Curve> = (0..40).map(|nth| curve(1e-5 * f64::from(1 + nth), 1.5, 20)).collect();
        for budget in [0.5, 10.0, 100.0, 600.0] {
            let depths = depths(&curves, budget, 6.5, 0.001);
            let costs = || curves.iter().zip(&depths).map(|(curve, &depth)| (curve, depth));
            let cost: f64 = costs().map(|(curve, depth)| 6.5 * curve.seconds(depth) + 0.001).sum();
            assert!(cost <= budget && cost > budget / 1.6, "{budget}: {cost}");
            // The easier a position the deeper it is searched.
            assert!(depths.is_sorted_by(|easy, hard| easy >= hard), "{depths:?}");
        }
    }

    #[test]
    fn nothing_fits_into_no_time() {
        assert_eq!(depths(&[curve(1.0, 2.0, 3), Curve::default()], 0.0, 3.0, 0.1), [1, 1]);
    }

    #[test]
    fn more_threads_take_less_time_as_far_as_there_are_cores() {
        assert_eq!(factor(&[1], 8), 1.0);
        let four = factor(&[1, 2, 4], 4);
        assert!(four > 1.75 && four < 3.0, "{four}");
        assert_eq!(factor(&[1, 2, 4, 8], 1), 4.0);
        assert!(factor(&[4, 1], 4) > 3.0);
    }
}
