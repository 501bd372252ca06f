//! Maximum likelihood fit of the polynomials to results of games.
//!
//! With `u = (score - a) / b` and `v = (-score - a) / b` the probabilities are `W = s(u)`, `L = s(v)` and `D = 1 - W - L`, where `s` is
//! the logistic function. This is an ordered logit model (McCullagh, 1980) with thresholds that depend on the material. Uses Fisher
//! scoring: Newton's method with the expected curvature, whose direction always increases the likelihood.

use super::counts::Cell;
use crate::objective::expectation;
use lento::eval::wdl::{Coefficients, Model, RANGE, abscissa};
use lento_common::cholesky::Cholesky;

pub const MAX_DEGREE: usize = 3;
/// Coefficients of both polynomials.
const COEFFICIENTS: usize = 2 * (MAX_DEGREE + 1);
const MAX_STEPS: usize = 200;
/// The fit ends when the expected gain in log-likelihood is smaller.
const TOLERANCE: f64 = 1e-7;

#[derive(Clone, Copy, Debug)]
pub struct Fit {
    pub model: Model,
    pub steps: usize,
    pub converged: bool,
}

pub fn fit(cells: &[Cell], degree: usize) -> Fit {
    let start = Model { a: [150.0, 0.0, 0.0, 0.0], b: [75.0, 0.0, 0.0, 0.0] };
    let mut fit = Fit { model: start, steps: 0, converged: false };
    // Each degree starts from the fit of the lower one.
    for degree in 0..=degree.min(MAX_DEGREE) {
        let next = maximise(cells, degree, fit.model);
        fit = Fit { steps: fit.steps + next.steps, ..next };
    }
    fit
}

/// Steps until convergence.
fn maximise(cells: &[Cell], degree: usize, start: Model) -> Fit {
    let mut fit = Fit { model: start, steps: 0, converged: false };
    let mut likelihood = log_likelihood(cells, &fit.model);
    while fit.steps < MAX_STEPS {
        let derivatives = derivatives(cells, &fit.model);
        let Some(step) = solve(&derivatives, degree) else { break };
        let gain: f64 = step.iter().zip(&derivatives.gradient).map(|(step, gradient)| step * gradient).sum();
        if gain <= TOLERANCE {
            fit.converged = true;
            break;
        }
        // Halves steps that lower the likelihood or lead to invalid probabilities.
        let is_better = |(model, reached): &(Model, f64)| is_valid(model) && *reached >= likelihood;
        let halved = (0..40).map(|halvings| {
            let model = moved(&fit.model, &step, 0.5_f64.powi(halvings));
            (model, log_likelihood(cells, &model))
        });
        let Some((model, reached)) = halved.into_iter().find(is_better) else { break };
        (fit.model, likelihood) = (model, reached);
        fit.steps += 1;
    }
    fit
}

/// Whether both polynomials are above their minimum for all material.
pub fn is_valid(model: &Model) -> bool {
    RANGE.into_iter().all(|material| model.a(material) > Model::MIN && model.b(material) > Model::MIN)
}

fn moved(model: &Model, step: &[f64; COEFFICIENTS], length: f64) -> Model {
    let (a, b) = step.split_at(COEFFICIENTS / 2);
    let add = |old: &Coefficients, step: &[f64]| std::array::from_fn(|index| old[index] + length * step[index]);
    Model { a: add(&model.a, a), b: add(&model.b, b) }
}

/// Log-likelihood of all results in nats.
pub fn log_likelihood(cells: &[Cell], model: &Model) -> f64 {
    let of_cell = |cell: &Cell| {
        let logs = log_chances(f64::from(cell.score), model.a(cell.material), model.b(cell.material));
        logs.iter().zip(cell.results).map(|(log, count)| if count > 0 { log * count as f64 } else { 0.0 }).sum::<f64>()
    };
    cells.iter().map(of_cell).sum()
}

/// Logarithms of the probabilities to win, draw and lose; exact also for tiny ones.
fn log_chances(score: f64, a: f64, b: f64) -> [f64; 3] {
    let (u, v) = ((score - a) / b, (-score - a) / b);
    let drawn = (-(u + v).exp_m1()).ln() - softplus(u) - softplus(v);
    [-softplus(-u), drawn, -softplus(-v)]
}

/// `ln(1 + e^x)`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Derivatives of the log-likelihood with respect to the coefficients of `a`, then `b`.
struct Derivatives {
    gradient: [f64; COEFFICIENTS],
    /// Fisher information: the expected negative second derivatives.
    information: [[f64; COEFFICIENTS]; COEFFICIENTS],
}

fn derivatives(cells: &[Cell], model: &Model) -> Derivatives {
    let mut derivatives =
        Derivatives { gradient: [0.0; COEFFICIENTS], information: [[0.0; COEFFICIENTS]; COEFFICIENTS] };
    for cell in cells {
        let (gradient, information) = derivatives_of_cell(cell, model.a(cell.material), model.b(cell.material));
        let x = abscissa(cell.material);
        let powers: [f64; COEFFICIENTS] = std::array::from_fn(|index| x.powi((index % (COEFFICIENTS / 2)) as i32));
        let of = |index: usize| index / (COEFFICIENTS / 2);
        for i in 0..COEFFICIENTS {
            derivatives.gradient[i] += gradient[of(i)] * powers[i];
            for j in 0..COEFFICIENTS {
                derivatives.information[i][j] += information[of(i)][of(j)] * powers[i] * powers[j];
            }
        }
    }
    derivatives
}

/// Gradient and information of a cell with respect to a and b.
fn derivatives_of_cell(cell: &Cell, a: f64, b: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    let (mut gradient, mut information) = ([0.0; 2], [[0.0; 2]; 2]);
    let score = f64::from(cell.score);
    let (u, v) = ((score - a) / b, (-score - a) / b);
    let (win, loss) = (expectation(u), expectation(v));
    let draw = (1.0 - win - loss).max(0.0);
    let q = 1.0 / (-(u + v)).exp_m1();
    // Derivatives of the log probability of each result with respect to u and v, then a and b.
    let changes = [(1.0 - win, 0.0), (-q - win, -q - loss), (0.0, 1.0 - loss)]
        .map(|(du, dv)| [-(du + dv) / b, -(u * du + v * dv) / b]);
    let positions = cell.results.iter().sum::<u64>() as f64;
    for ((change, count), chance) in changes.iter().zip(cell.results).zip([win, draw, loss]) {
        for i in 0..2 {
            gradient[i] += count as f64 * change[i];
            for j in 0..2 {
                information[i][j] += positions * chance * change[i] * change[j];
            }
        }
    }
    (gradient, information)
}

/// The step for polynomials of a degree: solves information · step = gradient. `None` if the data do not determine a coefficient.
fn solve(derivatives: &Derivatives, degree: usize) -> Option<[f64; COEFFICIENTS]> {
    let free: Vec<usize> = (0..COEFFICIENTS).filter(|index| index % (COEFFICIENTS / 2) <= degree).collect();
    let information = Cholesky::of(free.len(), |i, j| derivatives.information[free[i]][free[j]])?;
    let gradient: Vec<f64> = free.iter().map(|&index| derivatives.gradient[index]).collect();
    let mut step = [0.0; COEFFICIENTS];
    for (index, x) in free.into_iter().zip(information.solve(&gradient)) {
        step[index] = x;
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::super::counts::tests as sample;
    use super::*;

    const TRUE: Model = Model { a: [90.0, 60.0, -20.0, 35.0], b: [30.0, 45.0, 10.0, -12.0] };

    #[test]
    fn recovers_known_coefficients() {
        let counts = sample::counts(&TRUE, 1_500_000, 71);
        let cells = counts.cells();
        let fit = fit(&cells, 3);
        assert!(fit.converged && fit.steps < 60, "{fit:?}");
        for material in RANGE {
            let (a, b) = (TRUE.a(material), TRUE.b(material));
            assert!(
                (fit.model.a(material) / a - 1.0).abs() < 0.02,
                "a with {material}: {} for {a}",
                fit.model.a(material)
            );
            assert!(
                (fit.model.b(material) / b - 1.0).abs() < 0.03,
                "b with {material}: {} for {b}",
                fit.model.b(material)
            );
        }
        // The fit is more likely than the truth, but not significantly.
        let ahead = log_likelihood(&cells, &fit.model) - log_likelihood(&cells, &TRUE);
        assert!((0.0..20.0).contains(&ahead), "{ahead}");
    }

    #[test]
    fn lower_degrees_have_zero_powers_and_lower_likelihood() {
        let cells = sample::counts(&TRUE, 200_000, 72).cells();
        let mut before = f64::NEG_INFINITY;
        for degree in 0..=MAX_DEGREE {
            let fit = fit(&cells, degree);
            assert!(fit.converged && is_valid(&fit.model), "{fit:?}");
            assert!(
                [fit.model.a, fit.model.b].iter().all(|powers| powers[degree + 1..].iter().all(|&power| power == 0.0))
            );
            let likelihood = log_likelihood(&cells, &fit.model);
            assert!(likelihood >= before, "degree {degree}: {likelihood} after {before}");
            before = likelihood;
        }
    }

    /// The gradient matches numeric derivatives and vanishes at the maximum.
    #[test]
    fn gradient_matches_numeric_derivatives() {
        let cells = sample::counts(&TRUE, 20_000, 73).cells();
        let model = Model { a: [120.0, 30.0, 5.0, -4.0], b: [60.0, -8.0, 9.0, 3.0] };
        let derivatives = derivatives(&cells, &model);
        for index in 0..COEFFICIENTS {
            let mut step = [0.0; COEFFICIENTS];
            step[index] = 1e-3;
            let likelihood = |length| log_likelihood(&cells, &moved(&model, &step, length));
            let expected = (likelihood(1.0) - likelihood(-1.0)) / 2e-3;
            let error = (derivatives.gradient[index] - expected).abs();
            assert!(error <= 1e-5 * expected.abs().max(1.0), "{index}: {} for {expected}", derivatives.gradient[index]);
        }
        let top = fit(&cells, 3).model;
        let at_maximum = super::derivatives(&cells, &top).gradient;
        assert!(
            at_maximum.iter().zip(&derivatives.gradient).all(|(max, other)| max.abs() < 1e-4 * other.abs().max(1.0))
        );
    }

    /// The information is the mean curvature for the true model.
    #[test]
    fn information_is_the_expected_curvature() {
        let cells = sample::counts(&TRUE, 400_000, 74).cells();
        let information = derivatives(&cells, &TRUE).information;
        for index in [0, 4] {
            let mut step = [0.0; COEFFICIENTS];
            step[index] = 0.1;
            let at = |length| derivatives(&cells, &moved(&TRUE, &step, length)).gradient[index];
            let curvature = (at(-1.0) - at(1.0)) / 0.2;
            let ratio = information[index][index] / curvature;
            assert!((0.97..1.03).contains(&ratio), "{index}: {ratio}");
        }
    }

    #[test]
    fn log_chances_match_the_engine_and_are_finite() {
        for material in [10, 30, 78] {
            for score in [-700, -90, 0, 5, 300] {
                let logs = log_chances(f64::from(score), TRUE.a(material), TRUE.b(material));
                for (log, chance) in logs.iter().zip(TRUE.chances(score, material)) {
                    assert!((log.exp() - chance).abs() < 1e-12, "{score} with {material}");
                }
            }
        }
        assert!(log_chances(5000.0, 100.0, 2.0).iter().all(|log| log.is_finite()));
        assert!((log_chances(5000.0, 100.0, 2.0)[2] + 2550.0).abs() < 1e-9);
    }

    #[test]
    fn undetermined_coefficients_prevent_convergence() {
        // A single amount of material determines no polynomial.
        let mut counts = sample::empty();
        for (score, outcome) in [(200, 0), (10, 1), (-30, 1), (60, 0), (-70, 2), (-10, 0), (5, 2), (90, 1)] {
            counts.add(score, 40, outcome);
        }
        let cells = counts.cells();
        assert!(fit(&cells, 0).converged);
        let cubic = fit(&cells, 3);
        assert!(!cubic.converged && is_valid(&cubic.model));
    }
}
