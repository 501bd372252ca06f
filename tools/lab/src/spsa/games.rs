//! The games of an iteration.

use super::optimiser::Perturbation;
use lento_common::interrupt::Stop;
use lento_common::play::arena::Arena;
use lento_common::play::setting::Setting;
use std::error::Error;
use std::ops::ControlFlow;

/// Pairs by half points of the first player, 0 to 4.
pub type Pairs = [u64; 5];

/// How the two sides of a trial play each other.
pub struct Games {
    /// Where they play.
    pub arena: Arena,
    /// The names of the parameters.
    pub names: Vec<&'static str>,
    /// What is set for both sides beside them.
    pub common: Vec<Setting>,
    /// Pairs in each iteration.
    pub pairs: u64,
}

impl Games {
    /// Plays all pairs of an iteration, the plus side as first player; no two iterations share an opening's number.
    /// `on_pair` is called for each pair. Nothing comes back if it was interrupted.
    ///
    /// # Errors
    /// A player cannot be set up.
    pub fn play(
        &self,
        trial: &Perturbation,
        stop: &Stop,
        mut on_pair: impl FnMut(),
    ) -> Result<Option<Pairs>, Box<dyn Error>> {
        let [plus, minus] = [&trial.plus, &trial.minus].map(|values| self.settings(values));
        let first = trial.iteration * self.pairs;
        let mut pairs = Pairs::default();
        self.arena.run(
            |_| [plus.clone(), minus.clone()],
            first..first + self.pairs,
            stop,
            |pair| {
                pairs[pair.half_points() as usize] += 1;
                on_pair();
                Ok(ControlFlow::Continue(()))
            },
        )?;
        Ok((pairs.iter().sum::<u64>() == self.pairs).then_some(pairs))
    }

    fn settings(&self, values: &[i32]) -> Vec<Setting> {
        let setting = |(name, value): (&&str, &i32)| Setting { name: (*name).to_owned(), value: value.to_string() };
        self.common.iter().cloned().chain(self.names.iter().zip(values).map(setting)).collect()
    }
}

/// How many more games the first player won than it lost.
pub fn net(pairs: &Pairs) -> i64 {
    pairs.iter().zip(-2..).map(|(&count, net)| count as i64 * net).sum()
}

/// How far chance moves [`net`]: its standard deviation if no side is the better one.
pub fn deviation(pairs: &Pairs) -> f64 {
    pairs.iter().zip(-2_i32..).map(|(&count, net)| count as f64 * f64::from(net * net)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::arena;

    #[test]
    fn net_wins_follow_from_pairs() {
        assert_eq!(net(&[1, 0, 0, 0, 0]), -2);
        assert_eq!(net(&[1, 2, 9, 4, 8]), 16);
        assert_eq!((deviation(&[0, 0, 7, 0, 0]), deviation(&[2, 5, 9, 4, 2])), (0.0, 5.0));
    }

    #[test]
    fn sides_keep_their_results_when_exchanged() {
        let games = Games { arena: arena(2), names: vec!["lmr_quiet_base", "null_base"], common: vec![], pairs: 12 };
        let trial = Perturbation { iteration: 3, plus: vec![2048, 2], minus: vec![800, 4] };
        let mut heard = 0;
        let pairs = games.play(&trial, &Stop::default(), || heard += 1).unwrap().unwrap();
        assert_eq!((pairs.iter().sum::<u64>(), heard), (12, 12));
        let turned = Perturbation { plus: trial.minus.clone(), minus: trial.plus.clone(), ..trial };
        let mut mirrored = games.play(&turned, &Stop::default(), || ()).unwrap().unwrap();
        mirrored.reverse();
        assert_eq!(pairs, mirrored, "the same games with the names exchanged");
        assert_ne!(pairs, [0, 0, 12, 0, 0], "the settings make a difference");
    }
}
