//! The course of an ablation: one idea after the other.

use super::Args;
use crate::common::elo::Pentanomial;
use crate::common::interrupt::Stop;
use crate::common::journal::{Journal, keep};
use crate::play::arena::Arena;
use crate::play::ideas::Idea;
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;

/// How many games an idea gets.
#[derive(Clone, Copy, Debug)]
pub struct TrialGoal {
    /// Pairs in any case.
    pub pairs: u64,
    /// Pairs while its worth is in doubt.
    pub most: u64,
}

impl TrialGoal {
    /// Whether there are enough games: the difference is clear, or the most have been played.
    pub fn is_reached(self, results: &Pentanomial) -> bool {
        let estimate = results.elo();
        let clear = estimate.elo.abs() > estimate.error;
        results.pairs() >= self.most || results.pairs() >= self.pairs && clear
    }
}

/// An idea and what the games say.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The idea.
    pub idea: &'static Idea,
    /// Results of the engine without it.
    pub results: Pentanomial,
}

/// All trials.
pub struct Session {
    trials: Vec<Trial>,
    journal: Option<Journal>,
}

impl Session {
    /// Takes up what the journal holds.
    ///
    /// # Errors
    /// The journal cannot be read or is that of another run.
    pub fn open(args: &Args, ideas: &[&'static Idea]) -> Result<Self, Box<dyn Error>> {
        let mut trials: Vec<Trial> =
            ideas.iter().map(|&idea| Trial { idea, results: Pentanomial::default() }).collect();
        let Some(path) = &args.journal else { return Ok(Self { trials, journal: None }) };
        let header = args.conditions.header("ablate", args.limit)?;
        let (journal, records) = Journal::open(path, &header)?;
        for (number, record) in records.iter().enumerate() {
            let (name, half_points) = from_record(record)
                .ok_or_else(|| format!("{}:{}: not the record of a pair", path.display(), number + 2))?;
            // Ideas that are not asked for this time stay in the journal.
            if let Some(trial) = trials.iter_mut().find(|trial| trial.idea.name == name) {
                trial.results.add(half_points);
            }
        }
        Ok(Self { trials, journal: Some(journal) })
    }

    /// The trials in the order of the ideas.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Plays each idea's games. `on_pair` is told how many ideas are done and how the one being played stands.
    ///
    /// # Errors
    /// A player cannot be set up, or the journal cannot be written.
    pub fn play(
        &mut self,
        arena: &Arena,
        goal: TrialGoal,
        stop: &Stop,
        mut on_pair: impl FnMut(u64, &Trial),
    ) -> Result<(), Box<dyn Error>> {
        for (done, trial) in (0..).zip(&mut self.trials) {
            if goal.is_reached(&trial.results) {
                continue;
            }
            let without = trial.idea.settings()?;
            let journal = &mut self.journal;
            let mut written = Ok(());
            on_pair(done, trial);
            arena.run([&without, &[]], trial.results.pairs()..goal.most, stop, |pair| {
                written = keep(journal, &to_record(trial.idea, pair.half_points()));
                trial.results.add(pair.half_points());
                on_pair(done, trial);
                if written.is_err() || goal.is_reached(&trial.results) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
            written?;
            if stop.asked() {
                break;
            }
        }
        Ok(())
    }
}

/// A pair as a line of the journal.
fn to_record(idea: &Idea, half_points: u32) -> Value {
    json!({"idea": idea.name, "half_points": half_points})
}

fn from_record(record: &Value) -> Option<(&str, u32)> {
    let half_points = u32::try_from(record["half_points"].as_u64()?).ok().filter(|points| *points <= 4)?;
    Some((record["idea"].as_str()?, half_points))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::arguments::parse;
    use crate::play::arena::tests::arena;
    use crate::play::ideas::IDEAS;

    #[test]
    fn doubt_gets_more_games() {
        let goal = TrialGoal { pairs: 10, most: 40 };
        let of = |counts| Pentanomial { counts };
        assert!(!goal.is_reached(&of([0, 0, 0, 0, 9])));
        assert!(goal.is_reached(&of([0, 0, 1, 1, 8])));
        assert!(!goal.is_reached(&of([3, 5, 12, 5, 3])));
        assert!(goal.is_reached(&of([5, 8, 14, 8, 5])));
    }

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_result() {
        let path = std::env::temp_dir().join(format!("lento-ablate-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let args = parse(["ablate", "--journal", path.to_str().unwrap()]).unwrap();
        let ideas = [&IDEAS[0], &IDEAS[13]];
        let goal = TrialGoal { pairs: 3, most: 3 };
        let results = |session: &Session| session.trials().iter().map(|trial| trial.results).collect::<Vec<_>>();

        let stop = Stop::default();
        let mut first = Session::open(&args, &ideas).unwrap();
        let mut heard = 0;
        first
            .play(&arena(1), goal, &stop, |_, _| {
                heard += 1;
                if heard == 6 {
                    stop.ask();
                }
            })
            .unwrap();
        assert!((4..6).contains(&results(&first).iter().map(Pentanomial::pairs).sum::<u64>()));
        drop(first);
        let mut second = Session::open(&args, &ideas).unwrap();
        second.play(&arena(2), goal, &Stop::default(), |_, _| {}).unwrap();
        let resumed = results(&second);
        drop(second);
        std::fs::remove_file(&path).unwrap();

        let mut whole = Session::open(&args, &ideas).unwrap();
        whole.play(&arena(2), goal, &Stop::default(), |_, _| {}).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(resumed, results(&whole));
        assert_eq!(results(&whole).iter().map(Pentanomial::pairs).collect::<Vec<_>>(), [3, 3]);
    }
}
