//! Maximum likelihood fit of the polynomials to the results of games.
//!
//! With `u = (score - a) / b` and `v = (-score - a) / b` the chances are `W = s(u)`, `L = s(v)` and `D = 1 - W - L`, where
//! `s` is the logistic function. This is an ordered logit model (McCullagh, 1980) with thresholds that depend on the
//! material. Steps are those of Fisher's scoring: Newton's method with the expected curvature, which always increases the likelihood.

use super::counts::Cell;
use crate::objective::expectation;
use lento::eval::wdl::{Coefficients, Model, RANGE, abscissa};
use lento_common::cholesky::Cholesky;

pub const MAX_DEGREE: usize = 3;
/// Coefficients of both polynomials.
const UNKNOWNS: usize = 2 * (MAX_DEGREE + 1);
const MAX_STEPS: usize = 200;
/// The fit ends when a step promises a smaller gain of the log likelihood.
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
    // The fit of each degree begins with that of the one below.
    for degree in 0..=degree.min(MAX_DEGREE) {
        let next = climb(cells, degree, fit.model);
        fit = Fit { steps: fit.steps + next.steps, ..next };
    }
    fit
}

/// Makes steps until there is nothing to gain.
fn climb(cells: &[Cell], degree: usize, start: Model) -> Fit {
    let mut fit = Fit { model: start, steps: 0, converged: false };
    let mut height = log_likelihood(cells, &fit.model);
    while fit.steps < MAX_STEPS {
        let derivatives = derivatives(cells, &fit.model);
        let Some(step) = solve(&derivatives, degree) else { break };
        let gain: f64 = step.iter().zip(&derivatives.gradient).map(|(step, gradient)| step * gradient).sum();
        if gain <= TOLERANCE {
            fit.converged = true;
            break;
        }
        // Halves a step that lowers the likelihood or leads to invalid chances.
        let rises = |(model, reached): &(Model, f64)| is_sound(model) && *reached >= height;
        let tries = (0..40).map(|halvings| {
            let model = moved(&fit.model, &step, 0.5_f64.powi(halvings));
            (model, log_likelihood(cells, &model))
        });
        let Some((model, reached)) = tries.into_iter().find(rises) else { break };
        (fit.model, height) = (model, reached);
        fit.steps += 1;
    }
    fit
}

/// Whether both polynomials stay above their minimum for all material.
pub fn is_sound(model: &Model) -> bool {
    RANGE.into_iter().all(|material| model.a(material) > Model::MIN && model.b(material) > Model::MIN)
}

fn moved(model: &Model, step: &[f64; UNKNOWNS], length: f64) -> Model {
    let (a, b) = step.split_at(UNKNOWNS / 2);
    let add = |old: &Coefficients, step: &[f64]| std::array::from_fn(|index| old[index] + length * step[index]);
    Model { a: add(&model.a, a), b: add(&model.b, b) }
}

/// The logarithm of the likelihood of all results, in nats.
pub fn log_likelihood(cells: &[Cell], model: &Model) -> f64 {
    let of_cell = |cell: &Cell| {
        let logs = log_chances(f64::from(cell.score), model.a(cell.material), model.b(cell.material));
        logs.iter().zip(cell.results).map(|(log, count)| if count > 0 { log * count as f64 } else { 0.0 }).sum::<f64>()
    };
    cells.iter().map(of_cell).sum()
}

/// The logarithms of the chances to win, draw and lose; exact also for tiny chances.
fn log_chances(score: f64, a: f64, b: f64) -> [f64; 3] {
    let (u, v) = ((score - a) / b, (-score - a) / b);
    let drawn = (-(u + v).exp_m1()).ln() - softplus(u) - softplus(v);
    [-softplus(-u), drawn, -softplus(-v)]
}

/// `ln(1 + e^x)`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Derivatives of the log likelihood by the coefficients: those of `a`, then those of `b`.
struct Derivatives {
    gradient: [f64; UNKNOWNS],
    /// Fisher's information: the expected negative second derivatives.
    information: [[f64; UNKNOWNS]; UNKNOWNS],
}

fn derivatives(cells: &[Cell], model: &Model) -> Derivatives {
    let mut derivatives = Derivatives { gradient: [0.0; UNKNOWNS], information: [[0.0; UNKNOWNS]; UNKNOWNS] };
    for cell in cells {
        let (gradient, information) = derivatives_of_cell(cell, model.a(cell.material), model.b(cell.material));
        let x = abscissa(cell.material);
        let powers: [f64; UNKNOWNS] = std::array::from_fn(|index| x.powi((index % (UNKNOWNS / 2)) as i32));
        let of = |index: usize| index / (UNKNOWNS / 2);
        for i in 0..UNKNOWNS {
            derivatives.gradient[i] += gradient[of(i)] * powers[i];
            for j in 0..UNKNOWNS {
                derivatives.information[i][j] += information[of(i)][of(j)] * powers[i] * powers[j];
            }
        }
    }
    derivatives
}

/// Gradient and information of a cell by a and b.
fn derivatives_of_cell(cell: &Cell, a: f64, b: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    let (mut gradient, mut information) = ([0.0; 2], [[0.0; 2]; 2]);
    let score = f64::from(cell.score);
    let (u, v) = ((score - a) / b, (-score - a) / b);
    let (win, loss) = (expectation(u), expectation(v));
    let draw = (1.0 - win - loss).max(0.0);
    let q = 1.0 / (-(u + v)).exp_m1();
    // The derivatives of the log chance of each result by u and v, and from these by a and b.
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

/// The step for polynomials of this degree: information times step is the gradient. `None` if the data do not determine some
/// coefficient.
fn solve(derivatives: &Derivatives, degree: usize) -> Option<[f64; UNKNOWNS]> {
    let free: Vec<usize> = (0..UNKNOWNS).filter(|index| index % (UNKNOWNS / 2) <= degree).collect();
    let information = Cholesky::of(free.len(), |i, j| derivatives.information[free[i]][free[j]])?;
    let gradient: Vec<f64> = free.iter().map(|&index| derivatives.gradient[index]).collect();
    let mut step = [0.0; UNKNOWNS];
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
    fn known_coefficients_are_found_again() {
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
        // The fit explains the data better than the truth does, but not by more than chance allows.
        let ahead = log_likelihood(&cells, &fit.model) - log_likelihood(&cells, &TRUE);
        assert!((0.0..20.0).contains(&ahead), "{ahead}");
    }

    #[test]
    fn lower_degrees_leave_powers_out_and_explain_less() {
        let cells = sample::counts(&TRUE, 200_000, 72).cells();
        let mut before = f64::NEG_INFINITY;
        for degree in 0..=MAX_DEGREE {
            let fit = fit(&cells, degree);
            assert!(fit.converged && is_sound(&fit.model), "{fit:?}");
            assert!(
                [fit.model.a, fit.model.b].iter().all(|powers| powers[degree + 1..].iter().all(|&power| power == 0.0))
            );
            let height = log_likelihood(&cells, &fit.model);
            assert!(height >= before, "degree {degree}: {height} after {before}");
            before = height;
        }
    }

    /// The gradient is that of the likelihood, and vanishes at the maximum.
    #[test]
    fn gradients_are_those_of_the_likelihood() {
        let cells = sample::counts(&TRUE, 20_000, 73).cells();
        let model = Model { a: [120.0, 30.0, 5.0, -4.0], b: [60.0, -8.0, 9.0, 3.0] };
        let derivatives = derivatives(&cells, &model);
        for index in 0..UNKNOWNS {
            let mut step = [0.0; UNKNOWNS];
            step[index] = 1e-3;
            let height = |length| log_likelihood(&cells, &moved(&model, &step, length));
            let expected = (height(1.0) - height(-1.0)) / 2e-3;
            let error = (derivatives.gradient[index] - expected).abs();
            assert!(error <= 1e-5 * expected.abs().max(1.0), "{index}: {} for {expected}", derivatives.gradient[index]);
        }
        let top = fit(&cells, 3).model;
        let there = super::derivatives(&cells, &top).gradient;
        assert!(there.iter().zip(&derivatives.gradient).all(|(there, here)| there.abs() < 1e-4 * here.abs().max(1.0)));
    }

    /// The information is the mean curvature if the model is right.
    #[test]
    fn information_is_the_expected_curvature() {
        let cells = sample::counts(&TRUE, 400_000, 74).cells();
        let information = derivatives(&cells, &TRUE).information;
        for index in [0, 4] {
            let mut step = [0.0; UNKNOWNS];
            step[index] = 0.1;
            let at = |length| derivatives(&cells, &moved(&TRUE, &step, length)).gradient[index];
            let curvature = (at(-1.0) - at(1.0)) / 0.2;
            let ratio = information[index][index] / curvature;
            assert!((0.97..1.03).contains(&ratio), "{index}: {ratio}");
        }
    }

    #[test]
    fn log_chances_are_logs_of_the_engine_s_chances_and_finite_far_out() {
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
    fn what_the_data_do_not_say_is_not_made_up() {
        // One material only: no polynomial can be told.
        let mut counts = sample::empty();
        for (score, outcome) in [(200, 0), (10, 1), (-30, 1), (60, 0), (-70, 2), (-10, 0), (5, 2), (90, 1)] {
            counts.add(score, 40, outcome);
        }
        let cells = counts.cells();
        assert!(fit(&cells, 0).converged);
        let cubic = fit(&cells, 3);
        assert!(!cubic.converged && is_sound(&cubic.model));
    }
}
