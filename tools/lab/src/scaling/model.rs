//! Extrapolates to more threads with two fitted laws.
//!
//! Nodes per second follow the Universal Scalability Law, with contention between threads and coherence costs; without
//! coherence it is Amdahl's law. (N. J. Gunther, "Guerrilla Capacity Planning", 2007.) The speed-up of the time to
//! depth is a power of the number of threads.

use super::bootstrap::{Bootstrap, Interval};
use super::runs::{Block, Figures, Run, figures, groups};
use lento_common::cholesky::Cholesky;

/// Extrapolated thread counts, if beyond the measured ones.
const BEYOND: [usize; 2] = [128, 512];

/// `rate · n / (1 + contention · (n - 1) + coherence · n · (n - 1))` nodes per second with n threads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Throughput {
    rate: f64,
    contention: f64,
    coherence: f64,
}

impl Throughput {
    /// Least-squares fit of relative errors to (threads, nodes per second), with non-negative parameters. Two thread
    /// counts determine one parameter besides the rate, three both.
    fn fit(points: &[(f64, f64)]) -> Self {
        // n / nodes per second is linear in 1, n - 1 and n (n - 1); weighted so that every row should sum to 1.
        let terms = |&(threads, nps): &(f64, f64)| {
            let weight = nps / threads;
            [weight, weight * (threads - 1.0), weight * threads * (threads - 1.0)]
        };
        let rows: Vec<[f64; 3]> = points.iter().map(terms).collect();
        let kinds: &[&[usize]] =
            if points.len() < 3 { &[&[0], &[0, 1]] } else { &[&[0], &[0, 1], &[0, 2], &[0, 1, 2]] };
        let candidates = kinds.iter().filter_map(|kinds| {
            let [base, contention, coherence] = least_squares(&rows, kinds)?;
            let possible = base > 0.0 && contention >= 0.0 && coherence >= 0.0;
            let error = |row: &[f64; 3]| (row[0] * base + row[1] * contention + row[2] * coherence - 1.0).powi(2);
            let law = Self { rate: base.recip(), contention: contention / base, coherence: coherence / base };
            possible.then(|| (rows.iter().map(error).sum::<f64>(), law))
        });
        // The first candidate is always feasible.
        candidates.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, law)| law).expect("threads search nodes")
    }

    fn nps(&self, threads: f64) -> f64 {
        self.rate * threads / (1.0 + self.contention * (threads - 1.0) + self.coherence * threads * (threads - 1.0))
    }
}

/// Least-squares coefficients of the chosen columns with target 1; the others are zero. `None` if singular.
fn least_squares(rows: &[[f64; 3]], chosen: &[usize]) -> Option<[f64; 3]> {
    let product =
        |row: usize, column: usize| rows.iter().map(|values| values[chosen[row]] * values[chosen[column]]).sum();
    let sums: Vec<f64> = chosen.iter().map(|&column| rows.iter().map(|row| row[column]).sum()).collect();
    let solution = Cholesky::of(chosen.len(), product)?.solve(&sums);
    let mut found = [0.0; 3];
    chosen.iter().zip(solution).for_each(|(&column, number)| found[column] = number);
    Some(found)
}

/// The exponent of the speed-up, which is 1 at the first point.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let first = points[0].0.ln();
    let logarithms = points.iter().map(|(threads, speedup)| (threads.ln() - first, speedup.ln()));
    let (products, squares) = logarithms.fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x * y, sum.1 + x * x));
    products / squares
}

/// The extrapolation to a thread count.
#[derive(Clone, Debug)]
pub struct Projection {
    pub threads: usize,
    /// Nodes per second.
    pub nps: Interval,
    /// Speed-up over the first thread count.
    pub speedup: Interval,
}

/// The fitted laws and their extrapolations. Intervals cover only measurement errors, not the validity of the laws.
#[derive(Clone, Debug)]
pub struct Model {
    /// Nodes per second of one thread.
    pub rate: Interval,
    /// The contention parameter.
    pub contention: Interval,
    /// The coherence parameter.
    pub coherence: Interval,
    /// The exponent of the speed-up.
    pub exponent: Interval,
    /// The extrapolations.
    pub projections: Vec<Projection>,
}

/// Fits the laws. `None` with fewer than two thread counts.
pub fn model(runs: &[Run], threads: &[usize], bootstrap: Bootstrap) -> Option<Model> {
    let most = *threads.iter().max()?;
    let groups = groups(runs, threads);
    if groups.is_empty() || threads.iter().all(|&count| count == most) {
        return None;
    }
    let beyond: Vec<usize> = BEYOND.into_iter().filter(|&count| count > most).collect();
    let statistics = |groups: &[Vec<&Block>]| -> Vec<f64> {
        let figures = figures(groups, threads.len());
        let points = |of: fn(&Figures) -> f64| -> Vec<(f64, f64)> {
            threads.iter().zip(&figures).map(|(&count, figures)| (count as f64, of(figures))).collect()
        };
        let law = Throughput::fit(&points(|figures| figures.nps));
        let power = exponent(&points(|figures| figures.speedup));
        let first = threads[0] as f64;
        let projected = beyond.iter().flat_map(|&count| [law.nps(count as f64), (count as f64 / first).powf(power)]);
        [law.rate, law.contention, law.coherence, power].into_iter().chain(projected).collect()
    };
    let intervals = bootstrap.intervals(&groups, statistics);
    let projection = |(&threads, of): (&usize, &[Interval])| Projection { threads, nps: of[0], speedup: of[1] };
    Some(Model {
        rate: intervals[0],
        contention: intervals[1],
        coherence: intervals[2],
        exponent: intervals[3],
        projections: beyond.iter().zip(intervals[4..].chunks(2)).map(projection).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::runs::tests::synthetic;

    fn points(law: Throughput, threads: &[usize]) -> Vec<(f64, f64)> {
        threads.iter().map(|&count| (count as f64, law.nps(count as f64))).collect()
    }

    #[test]
    fn exact_data_is_fitted() {
        for (contention, coherence) in [(0.0, 0.0), (0.02, 0.0), (0.0, 0.0005), (0.05, 0.0001)] {
            let law = Throughput { rate: 1.5e6, contention, coherence };
            for threads in [&[1, 2, 4, 8, 16][..], &[2, 4, 12], &[4, 1, 2]] {
                let found = Throughput::fit(&points(law, threads));
                for many in [1.0, 128.0, 512.0] {
                    let ratio = found.nps(many) / law.nps(many);
                    assert!((ratio - 1.0).abs() < 1e-6, "{law:?} {threads:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn parameters_are_not_negative() {
        // Superlinear scaling, and curvature of the wrong sign.
        for points in [&[(1.0, 1e6), (2.0, 2.2e6)][..], &[(1.0, 1e6), (2.0, 1.7e6), (4.0, 3.9e6)]] {
            let found = Throughput::fit(points);
            assert!(found.rate > 0.0 && found.contention >= 0.0 && found.coherence >= 0.0, "{found:?}");
        }
    }

    #[test]
    fn projections_extrapolate() {
        let threads = [1, 2, 4];
        let runs = synthetic(&threads, |count| (count as f64).powf(0.7), 3);
        let bootstrap = Bootstrap { resamples: 100, seed: 1 };
        let model = model(&runs, &threads, bootstrap).unwrap();
        assert!((model.exponent.estimate - 0.7).abs() < 0.05, "{model:?}");
        assert_eq!(model.projections.iter().map(|of| of.threads).collect::<Vec<_>>(), BEYOND);
        let last = &model.projections[1];
        assert!(last.speedup.low <= last.speedup.estimate && last.speedup.estimate <= last.speedup.high);
        assert!((last.nps.estimate / (9e5 * 512.0) - 1.0).abs() < 0.05, "{model:?}");
        assert!(super::model(&runs, &[2], bootstrap).is_none() && super::model(&[], &threads, bootstrap).is_none());
    }
}
