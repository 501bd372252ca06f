//! Maximum likelihood: the polynomials under which the games most likely end as they did.
//!
//! With `u = (score - a) / b` and `v = (-score - a) / b` the chances are `W = s(u)`, `L = s(v)` and `D = 1 - W - L`, where
//! `s` is the logistic function. This is an ordered logit model (McCullagh, 1980) with thresholds that depend on the
//! material. Steps are those of Fisher's scoring: Newton's method with the expected curvature, which always leads uphill.

use super::counts::{MaterialRow, Results};
use lento::eval::wdl::{Coefficients, Model, RANGE, abscissa};
use lento_common::cholesky::Cholesky;

/// The highest power in the polynomials.
pub const MAX_DEGREE: usize = 3;
/// Coefficients of both polynomials.
const UNKNOWNS: usize = 2 * (MAX_DEGREE + 1);
/// More steps are not made.
const MAX_STEPS: usize = 200;
/// A step that promises no more than this, as logarithm of the likelihood, is not worth making.
const TOLERANCE: f64 = 1e-7;

/// What was found.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// The polynomials.
    pub model: Model,
    /// Steps it took.
    pub steps: usize,
    /// Whether there is nothing more to gain.
    pub converged: bool,
}

/// Fits polynomials of this degree.
pub fn fit(rows: &[MaterialRow], degree: usize) -> Fit {
    let start = Model { a: constant(150.0), b: constant(75.0) };
    let mut fit = Fit { model: start, steps: 0, converged: false };
    // What the powers below have explained is a good place to start from.
    for degree in 0..=degree.min(MAX_DEGREE) {
        let next = climb(rows, degree, fit.model);
        fit = Fit { steps: fit.steps + next.steps, ..next };
    }
    fit
}

fn constant(value: f64) -> Coefficients {
    let mut coefficients = [0.0; MAX_DEGREE + 1];
    coefficients[0] = value;
    coefficients
}

/// Goes uphill until it gets no further.
fn climb(rows: &[MaterialRow], degree: usize, start: Model) -> Fit {
    let mut fit = Fit { model: start, steps: 0, converged: false };
    let mut height = log_likelihood(rows, &fit.model);
    while fit.steps < MAX_STEPS {
        let derivatives = derivatives(rows, &fit.model);
        let Some(step) = solve(&derivatives, degree) else { break };
        let gain: f64 = step.iter().zip(&derivatives.gradient).map(|(step, gradient)| step * gradient).sum();
        if gain <= TOLERANCE {
            fit.converged = true;
            break;
        }
        // A step that is too long, and leads down or to where chances mean nothing, is halved.
        let rises = |(model, reached): &(Model, f64)| is_sound(model) && *reached >= height;
        let tries = (0..40).map(|halvings| {
            let model = moved(&fit.model, &step, 0.5_f64.powi(halvings));
            (model, log_likelihood(rows, &model))
        });
        let Some((model, reached)) = tries.into_iter().find(rises) else { break };
        (fit.model, height) = (model, reached);
        fit.steps += 1;
    }
    fit
}

/// Whether both polynomials stay above their least with all material.
pub fn is_sound(model: &Model) -> bool {
    RANGE.into_iter().all(|material| model.a(material) > Model::MIN && model.b(material) > Model::MIN)
}

fn moved(model: &Model, step: &[f64; UNKNOWNS], length: f64) -> Model {
    let (a, b) = step.split_at(UNKNOWNS / 2);
    let add = |old: &Coefficients, step: &[f64]| std::array::from_fn(|index| old[index] + length * step[index]);
    Model { a: add(&model.a, a), b: add(&model.b, b) }
}

/// The logarithm of the likelihood of all results, in nats.
pub fn log_likelihood(rows: &[MaterialRow], model: &Model) -> f64 {
    let of_row = |row: &MaterialRow| -> f64 {
        let (a, b) = (model.a(row.material), model.b(row.material));
        let of_cell = |score, results: Results| {
            let logs = log_chances(f64::from(score), a, b);
            logs.iter().zip(results).map(|(log, count)| if count > 0 { log * count as f64 } else { 0.0 }).sum::<f64>()
        };
        row.cells.iter().map(|cell| of_cell(cell.score, cell.results)).sum()
    };
    rows.iter().map(of_row).sum()
}

/// The logarithms of the chances to win, draw and lose; exact also where a chance is next to nothing.
fn log_chances(score: f64, a: f64, b: f64) -> [f64; 3] {
    let (u, v) = ((score - a) / b, (-score - a) / b);
    let drawn = (-(u + v).exp_m1()).ln() - softplus(u) - softplus(v);
    [-softplus(-u), drawn, -softplus(-v)]
}

/// `ln(1 + e^x)`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// How the log likelihood changes with the coefficients: first those of `a`, then those of `b`.
struct Derivatives {
    gradient: [f64; UNKNOWNS],
    /// Fisher's information, which stands for the negative of the second derivatives.
    information: [[f64; UNKNOWNS]; UNKNOWNS],
}

fn derivatives(rows: &[MaterialRow], model: &Model) -> Derivatives {
    let mut derivatives = Derivatives { gradient: [0.0; UNKNOWNS], information: [[0.0; UNKNOWNS]; UNKNOWNS] };
    let power = |x: f64, index: usize| x.powi((index % (UNKNOWNS / 2)) as i32);
    for row in rows {
        let x = abscissa(row.material);
        let (gradient, information) = derivatives_of_row(row, model.a(row.material), model.b(row.material));
        for i in 0..UNKNOWNS {
            let of = |index: usize| index / (UNKNOWNS / 2);
            derivatives.gradient[i] += gradient[of(i)] * power(x, i);
            for j in 0..UNKNOWNS {
                derivatives.information[i][j] += information[of(i)][of(j)] * power(x, i) * power(x, j);
            }
        }
    }
    derivatives
}

/// Gradient and information of one row with respect to its a and b.
fn derivatives_of_row(row: &MaterialRow, a: f64, b: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (mut gradient, mut information) = ([0.0; 2], [[0.0; 2]; 2]);
    for cell in &row.cells {
        let score = f64::from(cell.score);
        let (u, v) = ((score - a) / b, (-score - a) / b);
        let (win, loss) = (logistic(u), logistic(v));
        let draw = (1.0 - win - loss).max(0.0);
        let q = 1.0 / (-(u + v)).exp_m1();
        // By result: how its log chance changes with u and with v, and from there with a and with b.
        let changes = [(1.0 - win, 0.0), (-q - win, -q - loss), (0.0, 1.0 - loss)]
            .map(|(du, dv)| [-(du + dv) / b, -(u * du + v * dv) / b]);
        let chances = [win, draw, loss];
        let positions = cell.results.iter().sum::<u64>() as f64;
        for (index, change) in changes.iter().enumerate() {
            for i in 0..2 {
                gradient[i] += cell.results[index] as f64 * change[i];
                for j in 0..2 {
                    information[i][j] += positions * chances[index] * change[i] * change[j];
                }
            }
        }
    }
    (gradient, information)
}

/// The step for polynomials of this degree: information times step is the gradient. `None` where the data say nothing about
/// some coefficient.
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
        let rows = counts.rows();
        let fit = fit(&rows, 3);
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
        let ahead = log_likelihood(&rows, &fit.model) - log_likelihood(&rows, &TRUE);
        assert!((0.0..20.0).contains(&ahead), "{ahead}");
    }

    #[test]
    fn lower_degrees_leave_powers_out_and_explain_less() {
        let rows = sample::counts(&TRUE, 200_000, 72).rows();
        let mut before = f64::NEG_INFINITY;
        for degree in 0..=MAX_DEGREE {
            let fit = fit(&rows, degree);
            assert!(fit.converged && is_sound(&fit.model), "{fit:?}");
            assert!(
                [fit.model.a, fit.model.b].iter().all(|powers| powers[degree + 1..].iter().all(|&power| power == 0.0))
            );
            let height = log_likelihood(&rows, &fit.model);
            assert!(height >= before, "degree {degree}: {height} after {before}");
            before = height;
        }
    }

    /// The derivatives is that of the likelihood, and is gone at the top.
    #[test]
    fn gradients_are_those_of_the_likelihood() {
        let rows = sample::counts(&TRUE, 20_000, 73).rows();
        let model = Model { a: [120.0, 30.0, 5.0, -4.0], b: [60.0, -8.0, 9.0, 3.0] };
        let derivatives = derivatives(&rows, &model);
        for index in 0..UNKNOWNS {
            let mut step = [0.0; UNKNOWNS];
            step[index] = 1e-3;
            let height = |length| log_likelihood(&rows, &moved(&model, &step, length));
            let expected = (height(1.0) - height(-1.0)) / 2e-3;
            let error = (derivatives.gradient[index] - expected).abs();
            assert!(error <= 1e-5 * expected.abs().max(1.0), "{index}: {} for {expected}", derivatives.gradient[index]);
        }
        let top = fit(&rows, 3).model;
        let there = super::derivatives(&rows, &top).gradient;
        assert!(there.iter().zip(&derivatives.gradient).all(|(there, here)| there.abs() < 1e-4 * here.abs().max(1.0)));
    }

    /// The information is what the curvature is on average where the model is right.
    #[test]
    fn information_is_the_expected_curvature() {
        let rows = sample::counts(&TRUE, 400_000, 74).rows();
        let information = derivatives(&rows, &TRUE).information;
        for index in [0, 4] {
            let mut step = [0.0; UNKNOWNS];
            step[index] = 0.1;
            let at = |length| derivatives(&rows, &moved(&TRUE, &step, length)).gradient[index];
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
        let rows = counts.rows();
        assert!(fit(&rows, 0).converged);
        let cubic = fit(&rows, 3);
        assert!(!cubic.converged && is_sound(&cubic.model));
    }
}
