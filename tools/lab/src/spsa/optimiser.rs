//! SPSA, simultaneous perturbation stochastic approximation (Spall 1992): all parameters are moved at once, each to a
//! side drawn at random, and the two opposite settings play each other. Each parameter then goes a little to the side
//! that won. The games are somebody else's business.

use super::parameter::Parameter;
use super::schedule::GainSchedule;
use fastrand::Rng;
use lento_common::mix;

/// The state of a run: a point in the space of the parameters, and how it goes on from there.
#[derive(Clone, Debug)]
pub struct Spsa {
    parameters: Vec<Parameter>,
    schedule: GainSchedule,
    seed: u64,
    iteration: u64,
    theta: Vec<f64>,
    /// See [`Spsa::won_by_higher`].
    won_by_higher: Vec<i64>,
}

/// Two opposite settings that are to play each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perturbation {
    /// The number of the iteration, from 0.
    pub iteration: u64,
    /// The value of each parameter on the one side.
    pub plus: Vec<i32>,
    /// The value of each parameter on the other side.
    pub minus: Vec<i32>,
}

impl Spsa {
    /// The start of a run. The same seed draws the same sides.
    pub fn new(parameters: Vec<Parameter>, schedule: GainSchedule, seed: u64) -> Self {
        let theta: Vec<f64> = parameters.iter().map(|parameter| parameter.clamp(parameter.start)).collect();
        let won_by_higher = vec![0; theta.len()];
        Self { parameters, schedule, seed, iteration: 0, theta, won_by_higher }
    }

    /// The parameters that are tuned.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How many iterations are done.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// The values found so far, unrounded.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// For each parameter how many more games the sides with its higher value have won than lost.
    pub fn won_by_higher(&self) -> &[i64] {
        &self.won_by_higher
    }

    /// The values found so far as the engine would get them.
    pub fn rounded(&self) -> Vec<i32> {
        self.parameters.iter().zip(&self.theta).map(|(parameter, &value)| parameter.round(value)).collect()
    }

    /// Plays one iteration: `play` gets the two settings and says how many more games `plus` won than it lost. `None`
    /// ends the iteration without a trace, as does an error.
    ///
    /// Returns whether the iteration was played.
    ///
    /// # Errors
    /// Those of `play`.
    pub fn step<E>(&mut self, play: impl FnOnce(&Perturbation) -> Result<Option<i64>, E>) -> Result<bool, E> {
        let Some(net) = play(&self.trial())? else { return Ok(false) };
        self.learn(net);
        Ok(true)
    }

    /// The two settings of the next iteration.
    ///
    /// The engine knows whole numbers only. Both sides of a parameter are rounded by one draw, `⌊value + u⌋` with the
    /// same `u` from 0 to 1: on average that is the value itself, so a fraction of a unit counts, and as the sides are
    /// at least 1 apart (`MIN_C_END` to each side) they never fall together, which rounding each by its own draw
    /// would let them do. At the edge of the range one side is cut off.
    pub fn trial(&self) -> Perturbation {
        let mut rng = self.lots();
        let mut trial = Perturbation { iteration: self.iteration, plus: Vec::new(), minus: Vec::new() };
        for (parameter, &theta) in self.parameters.iter().zip(&self.theta) {
            let distance = side(&mut rng) * self.schedule.gains(self.iteration, parameter.c_end).distance;
            let fraction = rng.f64();
            let whole = |value: f64| parameter.round((value + fraction).floor());
            trial.plus.push(whole(theta + distance));
            trial.minus.push(whole(theta - distance));
        }
        trial
    }

    /// Steps towards the side that won, by as many games as it won net, and on to the next iteration.
    pub fn learn(&mut self, net: i64) {
        let mut rng = self.lots();
        for ((parameter, theta), won) in self.parameters.iter().zip(&mut self.theta).zip(&mut self.won_by_higher) {
            let side = side(&mut rng);
            let step = side * self.schedule.gains(self.iteration, parameter.c_end).step;
            // The draw of the rounding, so that the next side is the same as in the trial.
            rng.f64();
            *theta = parameter.clamp(*theta + step * net as f64);
            *won += side as i64 * net;
        }
        self.iteration += 1;
    }

    /// The lots of this iteration, whatever was drawn before: a run that is resumed draws the same ones.
    fn lots(&self) -> Rng {
        // Another seed than that of the openings, which are drawn in the same way.
        Rng::with_seed(mix::seed(!self.seed, self.iteration))
    }
}

/// One of two opposite signs.
fn side(rng: &mut Rng) -> f64 {
    if rng.bool() { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::search::params::Tunable;
    use std::convert::Infallible;

    const SCHEDULE: GainSchedule =
        GainSchedule { horizon: 3000, r_end: 0.02, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 };

    fn parameter(name: &'static str, (min, max): (i32, i32), start: f64) -> Parameter {
        Parameter { start, ..Parameter::new(Tunable { name, min, max, default: min, off: None }) }
    }

    /// Three parameters of different scale, and where they are best.
    fn space() -> (Vec<Parameter>, [f64; 3]) {
        let list = vec![
            parameter("small", (0, 10), 9.0),
            parameter("middle", (20, 150), 30.0),
            parameter("large", (-3000, 1000), 900.0),
        ];
        (list, [3.0, 110.0, -1500.0])
    }

    /// Plays 16 games: who is nearer to the best point, in widths of the ranges, wins more often. The noise depends
    /// on the iteration only.
    fn games(parameters: &[Parameter], best: &[f64], trial: &Perturbation) -> i64 {
        let loss = |values: &[i32]| {
            let loss = |((parameter, &best), &value): ((&Parameter, &f64), &i32)| {
                let range = f64::from(parameter.tunable.max - parameter.tunable.min);
                ((f64::from(value) - best) / range).powi(2)
            };
            parameters.iter().zip(best).zip(values).map(loss).sum::<f64>()
        };
        let chance = 1.0 / (1.0 + (10.0 * (loss(&trial.plus) - loss(&trial.minus))).exp());
        let mut rng = Rng::with_seed(trial.iteration + 1000);
        (0..16).map(|_| if rng.f64() < chance { 1 } else { -1 }).sum()
    }

    fn run(spsa: &mut Spsa, best: &[f64], end: u64) {
        let parameters = spsa.parameters().to_vec();
        while spsa.iteration() < end {
            let played = spsa.step(|trial| Ok::<_, Infallible>(Some(games(&parameters, best, trial))));
            assert_eq!(played, Ok(true));
        }
    }

    #[test]
    fn a_noisy_quadratic_is_solved_from_a_poor_start() {
        let (parameters, best) = space();
        for seed in [1, 2, 3] {
            let mut spsa = Spsa::new(parameters.clone(), SCHEDULE, seed);
            run(&mut spsa, &best, SCHEDULE.horizon);
            for ((parameter, &theta), best) in parameters.iter().zip(spsa.theta()).zip(best) {
                let range = f64::from(parameter.tunable.max - parameter.tunable.min);
                let (before, after) = ((parameter.start - best).abs() / range, (theta - best).abs() / range);
                let name = parameter.tunable.name;
                assert!(before > 0.5 && after < 0.1, "{name}, seed {seed}: {before:.2} before, {after:.2} after");
            }
        }
    }

    #[test]
    fn an_interrupted_run_ends_where_one_in_one_go_does() {
        let (parameters, best) = space();
        let mut whole = Spsa::new(parameters.clone(), SCHEDULE, 7);
        let mut nets = Vec::new();
        for _ in 0..300 {
            let net = games(&parameters, &best, &whole.trial());
            nets.push(net);
            whole.learn(net);
        }
        // All that has to be kept is the results.
        let mut resumed = Spsa::new(parameters, SCHEDULE, 7);
        nets[..123].iter().for_each(|&net| resumed.learn(net));
        let before = resumed.clone();
        assert_eq!(resumed.step(|_| Ok::<_, Infallible>(None)), Ok(false));
        assert_eq!(resumed.step(|_| Err("out of memory")), Err("out of memory"));
        assert_eq!((resumed.theta(), resumed.iteration()), (before.theta(), 123), "nothing happened");
        run(&mut resumed, &best, 300);
        assert_eq!(resumed.theta(), whole.theta());
        assert_eq!(resumed.trial(), whole.trial());
    }

    #[test]
    fn values_stay_in_range() {
        let (parameters, _) = space();
        let mut spsa = Spsa::new(parameters, GainSchedule { r_end: 1.0, ..SCHEDULE }, 5);
        let mut touched = false;
        for iteration in 0..500_i64 {
            let trial = spsa.trial();
            let pairs = trial.plus.iter().zip(&trial.minus).zip(spsa.theta());
            for (parameter, ((&plus, &minus), &theta)) in spsa.parameters().iter().zip(pairs) {
                let Tunable { min, max, .. } = parameter.tunable;
                assert!((min..=max).contains(&plus) && (min..=max).contains(&minus));
                assert!(theta >= f64::from(min) && theta <= f64::from(max));
                touched |= theta == f64::from(min) || theta == f64::from(max);
            }
            spsa.learn(if iteration % 3 == 0 { 16 } else { -16 });
        }
        assert!(touched, "steps as long as these reach the edges");
    }

    #[test]
    fn both_sides_differ_and_their_mean_is_the_value() {
        let start = 42.3;
        let mut fine = parameter("fine", (0, 100), start);
        fine.c_end = super::super::parameter::MIN_C_END;
        // Held at the distance of the end, where rounding matters most.
        let mut spsa = Spsa::new(vec![fine], GainSchedule { horizon: 1, ..SCHEDULE }, 9);
        let (mut sum, count) = (0, 20_000);
        for _ in 0..count {
            let trial = spsa.trial();
            assert_eq!((trial.plus[0] - trial.minus[0]).abs(), 1);
            sum += trial.plus[0] + trial.minus[0];
            spsa.learn(0);
        }
        let mean = f64::from(sum) / f64::from(2 * count);
        assert!((mean - start).abs() < 0.02, "{mean}");
    }

    #[test]
    fn what_wins_is_told_from_what_does_not() {
        let parameters = ["decides", "idles"].map(|name| parameter(name, (0, 1000), 500.0)).to_vec();
        let mut spsa = Spsa::new(parameters, SCHEDULE, 4);
        for _ in 0..400 {
            let trial = spsa.trial();
            spsa.learn(if trial.plus[0] > trial.minus[0] { 1 } else { -1 });
        }
        assert_eq!(spsa.won_by_higher()[0], 400);
        // Four standard deviations of 400 coins.
        assert!(spsa.won_by_higher()[1].abs() < 80, "{:?}", spsa.won_by_higher());
    }

    #[test]
    fn sides_are_drawn_evenly_and_apart() {
        let parameters = vec![parameter("a", (0, 1000), 500.0), parameter("b", (0, 1000), 500.0)];
        let mut spsa = Spsa::new(parameters.clone(), SCHEDULE, 1);
        let mut sums = [0; 4];
        let mut last = 1;
        for _ in 0..4000 {
            let trial = spsa.trial();
            let [a, b] = [0, 1].map(|at| (trial.plus[at] - trial.minus[at]).signum());
            for (sum, sign) in sums.iter_mut().zip([a, b, a * b, a * last]) {
                *sum += sign;
            }
            last = a;
            spsa.learn(0);
        }
        // Four standard deviations of 4000 coins.
        assert!(sums.iter().all(|sum: &i32| sum.abs() < 253), "{sums:?}");
        let other = Spsa::new(parameters, SCHEDULE, 2);
        assert!((0..64).any(|_| other.trial().plus != spsa.trial().plus));
    }
}
