//! Simultaneous perturbation stochastic approximation (Spall 1992): all parameters are perturbed at once, each in a random
//! direction, and the two opposite settings play each other. Each parameter then takes a small step towards the winner.

use super::parameter::Parameter;
use fastrand::Rng;
use lento_common::mix;
use serde_json::{Value, json};

/// Gain sequences of Spall (1992), defined by their final values as usual for chess engines: with `N` iterations and
/// `A = A_RATIO · N`, iteration `k` has the distance `c_k = c_end · (N / k)^GAMMA` and the step `a_k / c_k` per net win, where
/// `a_k = r_end · c_end² · ((A + N) / (A + k))^ALPHA`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSchedule {
    /// `N`: iterations over which the gains decrease; later they are constant.
    pub horizon: u64,
    /// Final learning rate: step per net win, in units of c.
    pub r_end: f64,
}

/// Exponent of the steps.
const ALPHA: f64 = 0.602;
/// Exponent of the distances.
const GAMMA: f64 = 0.101;
/// Share of the horizon added to the iteration number to damp the first steps.
const A_RATIO: f64 = 0.1;

impl GainSchedule {
    pub fn json(&self) -> Value {
        let Self { horizon, r_end } = self;
        json!({ "horizon": horizon, "r_end": r_end, "alpha": ALPHA, "gamma": GAMMA, "a_ratio": A_RATIO })
    }

    /// Distance of the two sides from the value and step per net win in an iteration, from 0, for a parameter with final distance
    /// `c_end`.
    fn gains(&self, iteration: u64, c_end: f64) -> (f64, f64) {
        let end = self.horizon.max(1);
        let (k, n) = ((iteration + 1).min(end) as f64, end as f64);
        let damping = A_RATIO * n;
        let distance = c_end * (n / k).powf(GAMMA);
        let a = self.r_end * c_end * c_end * ((damping + n) / (damping + k)).powf(ALPHA);
        (distance, a / distance)
    }
}

#[derive(Clone, Debug)]
pub struct Spsa {
    pub parameters: Vec<Parameter>,
    schedule: GainSchedule,
    seed: u64,
    pub iteration: u64,
    pub theta: Vec<f64>,
    /// Net wins of the side with the higher value, per parameter.
    pub won_by_higher: Vec<i64>,
    /// Sum of the squared net wins of the iterations, the variance of these under chance.
    pub variance: i64,
}

impl Spsa {
    /// Starts a run. The seed determines the perturbations.
    pub fn new(parameters: Vec<Parameter>, schedule: GainSchedule, seed: u64) -> Self {
        let theta: Vec<f64> = parameters.iter().map(|parameter| parameter.clamp(parameter.start)).collect();
        let won_by_higher = vec![0; theta.len()];
        Self { parameters, schedule, seed, iteration: 0, theta, won_by_higher, variance: 0 }
    }

    pub fn rounded(&self) -> Vec<i32> {
        self.parameters.iter().zip(&self.theta).map(|(parameter, &value)| parameter.round(value)).collect()
    }

    /// The two settings of the next iteration.
    ///
    /// The engine takes integers. Both sides are rounded stochastically as `⌊value + u⌋` with the same uniform `u` from 0 to 1. The
    /// mean is the value, so fractions count, and the sides always differ, as they are at least 1 apart (twice `MIN_C_END`).
    /// Sides beyond the range are clamped.
    pub fn trial(&self) -> [Vec<i32>; 2] {
        let mut rng = self.draws();
        let mut trial = [Vec::new(), Vec::new()];
        for (parameter, &theta) in self.parameters.iter().zip(&self.theta) {
            let distance = side(&mut rng) * self.schedule.gains(self.iteration, parameter.c_end).0;
            let fraction = rng.f64();
            for (values, distance) in trial.iter_mut().zip([distance, -distance]) {
                values.push(parameter.round((theta + distance + fraction).floor()));
            }
        }
        trial
    }

    /// Moves the values towards the winner in proportion to its net wins, and starts the next iteration.
    pub fn learn(&mut self, net: i64) {
        let mut rng = self.draws();
        for ((parameter, theta), won) in self.parameters.iter().zip(&mut self.theta).zip(&mut self.won_by_higher) {
            let side = side(&mut rng);
            let step = side * self.schedule.gains(self.iteration, parameter.c_end).1;
            // Skips the draw for rounding.
            rng.f64();
            *theta = parameter.clamp(*theta + step * net as f64);
            *won += side as i64 * net;
        }
        self.variance += net * net;
        self.iteration += 1;
    }

    /// The generator of an iteration, the same in a resumed run.
    fn draws(&self) -> Rng {
        // Independent of the openings, which are drawn from `seed`.
        Rng::with_seed(mix::seed(!self.seed, self.iteration))
    }
}

fn side(rng: &mut Rng) -> f64 {
    if rng.bool() { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::search::params::Tunable;

    const SCHEDULE: GainSchedule = GainSchedule { horizon: 3000, r_end: 0.02 };

    fn parameter(name: &'static str, (min, max): (i32, i32), start: f64) -> Parameter {
        Parameter { start, ..Parameter::new(Tunable { name, min, max, default: min, off: None }) }
    }

    /// Three parameters of different scale, and their optima.
    fn space() -> (Vec<Parameter>, [f64; 3]) {
        let list = vec![
            parameter("small", (0, 10), 9.0),
            parameter("middle", (20, 150), 30.0),
            parameter("large", (-3000, 1000), 900.0),
        ];
        (list, [3.0, 110.0, -1500.0])
    }

    /// Net wins in 16 simulated games: the side closer to the optimum, in widths of the ranges, wins more often. The noise depends
    /// only on the iteration.
    fn games(spsa: &Spsa, best: &[f64]) -> i64 {
        let loss = |values: &[i32]| {
            let loss = |((parameter, &best), &value): ((&Parameter, &f64), &i32)| {
                let range = f64::from(parameter.tunable.max - parameter.tunable.min);
                ((f64::from(value) - best) / range).powi(2)
            };
            spsa.parameters.iter().zip(best).zip(values).map(loss).sum::<f64>()
        };
        let [plus, minus] = spsa.trial();
        let chance = 1.0 / (1.0 + (10.0 * (loss(&plus) - loss(&minus))).exp());
        let mut rng = Rng::with_seed(spsa.iteration + 1000);
        (0..16).map(|_| if rng.f64() < chance { 1 } else { -1 }).sum()
    }

    fn run(spsa: &mut Spsa, best: &[f64], end: u64) {
        while spsa.iteration < end {
            spsa.learn(games(spsa, best));
        }
    }

    #[test]
    fn minimises_a_noisy_quadratic() {
        let (parameters, best) = space();
        for seed in [1, 2, 3] {
            let mut spsa = Spsa::new(parameters.clone(), SCHEDULE, seed);
            run(&mut spsa, &best, SCHEDULE.horizon);
            for ((parameter, &theta), best) in parameters.iter().zip(&spsa.theta).zip(best) {
                let range = f64::from(parameter.tunable.max - parameter.tunable.min);
                let (before, after) = ((parameter.start - best).abs() / range, (theta - best).abs() / range);
                let name = parameter.tunable.name;
                assert!(before > 0.5 && after < 0.1, "{name}, seed {seed}: {before:.2} before, {after:.2} after");
            }
        }
    }

    #[test]
    fn resumed_run_has_the_same_result() {
        let (parameters, best) = space();
        let mut whole = Spsa::new(parameters.clone(), SCHEDULE, 7);
        let mut nets = Vec::new();
        for _ in 0..300 {
            let net = games(&whole, &best);
            nets.push(net);
            whole.learn(net);
        }
        // The results determine the run.
        let mut resumed = Spsa::new(parameters, SCHEDULE, 7);
        nets[..123].iter().for_each(|&net| resumed.learn(net));
        run(&mut resumed, &best, 300);
        assert_eq!(resumed.theta, whole.theta);
        assert_eq!(resumed.trial(), whole.trial());
    }

    #[test]
    fn values_stay_in_range() {
        let (parameters, _) = space();
        let mut spsa = Spsa::new(parameters, GainSchedule { r_end: 1.0, ..SCHEDULE }, 5);
        let mut clamped = false;
        for iteration in 0..500_i64 {
            let [plus, minus] = spsa.trial();
            let pairs = plus.iter().zip(&minus).zip(&spsa.theta);
            for (parameter, ((&plus, &minus), &theta)) in spsa.parameters.iter().zip(pairs) {
                let Tunable { min, max, .. } = parameter.tunable;
                assert!((min..=max).contains(&plus) && (min..=max).contains(&minus));
                assert!(theta >= f64::from(min) && theta <= f64::from(max));
                clamped |= theta == f64::from(min) || theta == f64::from(max);
            }
            spsa.learn(if iteration % 3 == 0 { 16 } else { -16 });
        }
        assert!(clamped, "large steps reach the bounds");
    }

    #[test]
    fn sides_differ_and_their_mean_is_the_value() {
        let start = 42.3;
        let mut fine = parameter("fine", (0, 100), start);
        fine.c_end = super::super::parameter::MIN_C_END;
        // At the final distance, where rounding matters most.
        let mut spsa = Spsa::new(vec![fine], GainSchedule { horizon: 1, ..SCHEDULE }, 9);
        let (mut sum, count) = (0, 20_000);
        for _ in 0..count {
            let [plus, minus] = spsa.trial();
            assert_eq!((plus[0] - minus[0]).abs(), 1);
            sum += plus[0] + minus[0];
            spsa.learn(0);
        }
        let mean = f64::from(sum) / f64::from(2 * count);
        assert!((mean - start).abs() < 0.02, "{mean}");
    }

    #[test]
    fn counts_net_wins_of_the_higher_value() {
        let parameters = ["decisive", "irrelevant"].map(|name| parameter(name, (0, 1000), 500.0)).to_vec();
        let mut spsa = Spsa::new(parameters, SCHEDULE, 4);
        for _ in 0..400 {
            let [plus, minus] = spsa.trial();
            spsa.learn(if plus[0] > minus[0] { 1 } else { -1 });
        }
        assert_eq!(spsa.won_by_higher[0], 400);
        // Four standard deviations of 400 coin flips.
        assert!(spsa.won_by_higher[1].abs() < 80, "{:?}", spsa.won_by_higher);
    }

    #[test]
    fn sides_are_even_and_independent() {
        let parameters = vec![parameter("a", (0, 1000), 500.0), parameter("b", (0, 1000), 500.0)];
        let mut spsa = Spsa::new(parameters.clone(), SCHEDULE, 1);
        let mut sums = [0; 4];
        let mut last = 1;
        for _ in 0..4000 {
            let [plus, minus] = spsa.trial();
            let [a, b] = [0, 1].map(|at| (plus[at] - minus[at]).signum());
            for (sum, sign) in sums.iter_mut().zip([a, b, a * b, a * last]) {
                *sum += sign;
            }
            last = a;
            spsa.learn(0);
        }
        // Four standard deviations of 4000 coin flips.
        assert!(sums.iter().all(|sum: &i32| sum.abs() < 253), "{sums:?}");
        let other = Spsa::new(parameters, SCHEDULE, 2);
        assert!((0..64).any(|_| other.trial() != spsa.trial()));
    }

    const TYPICAL: GainSchedule = GainSchedule { horizon: 1000, r_end: 0.002 };

    #[test]
    fn gains_end_at_their_final_values() {
        let end = TYPICAL.gains(999, 8.0);
        assert!((end.0 - 8.0).abs() < 1e-12);
        assert!((end.1 - 0.002 * 8.0).abs() < 1e-12);
        assert_eq!(TYPICAL.gains(5000, 8.0), end, "constant after the horizon");
    }

    #[test]
    fn first_gains_match_manual_computation() {
        let start = TYPICAL.gains(0, 8.0);
        // 1000^0.101 = 2.00909; (1100 / 101)^0.602 = 4.21034.
        assert!((start.0 - 8.0 * 2.009_09).abs() < 1e-4, "{start:?}");
        assert!((start.1 - 0.002 * 64.0 * 4.210_34 / (8.0 * 2.009_09)).abs() < 1e-6, "{start:?}");
    }

    #[test]
    fn distances_and_rates_decrease() {
        for k in 1..1000 {
            let [before, after] = [k - 1, k].map(|k| TYPICAL.gains(k, 3.0));
            assert!(after.0 < before.0, "iteration {k}");
            assert!(after.1 * after.0 < before.1 * before.0, "iteration {k}");
        }
    }
}
