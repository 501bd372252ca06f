//! A run with its games and journal.

use super::Args;
use super::optimiser::{GainSchedule, Spsa};
use super::parameter::chosen;
use crate::document::merged;
use crate::elo::Pentanomial;
use lento_common::inputs;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::{Arena, GamePair, Setting, texts};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

pub struct Session {
    pub spsa: Spsa,
    /// All pairs from the point of view of the plus side.
    pub pairs: Pentanomial,
    pub header: Value,
    /// Values at the start and after each iteration.
    pub values: Vec<Vec<f64>>,
    arena: Arena,
    common: Vec<Setting>,
    pairs_per_iteration: u64,
    journal: Option<Journal>,
}

impl Session {
    /// Starts a run or resumes the run of the journal.
    pub fn open(args: &Args) -> Result<Self, Box<dyn Error>> {
        let stored = args.journal.as_deref().filter(|_| args.horizon.is_none()).and_then(horizon);
        let horizon = args.horizon.or(stored).unwrap_or(args.iterations);
        let schedule = GainSchedule { horizon, r_end: args.r_end };
        let spsa = Spsa::new(chosen(&args.parameters)?, schedule, args.conditions.openings.seed);
        let header = header(args, &spsa, &schedule)?;
        let arena = args.conditions.arena(args.limit, [&args.set, &args.set])?;
        // Each iteration plays other values.
        arena.warn_of_repeats(args.pairs, [&args.set, &args.set]);
        let mut session = Self {
            pairs: Pentanomial::default(),
            header: header.clone(),
            values: vec![spsa.theta.clone()],
            arena,
            common: args.set.clone(),
            pairs_per_iteration: args.pairs,
            spsa,
            journal: None,
        };
        let restore = |_, record: &Value| session.read(record).map(|played| session.count(&played));
        session.journal = Journal::resume(args.journal.as_deref(), || Ok(header), restore)?;
        Ok(session)
    }

    /// Plays and stores the next iteration; calls `on_pair` after each pair. Returns false and stores nothing if interrupted.
    pub fn step(&mut self, stop: &Stop, on_pair: impl FnMut()) -> Result<bool, Box<dyn Error>> {
        let iteration = self.spsa.iteration;
        let Some(played) = self.play(&self.spsa.trial(), stop, on_pair)? else { return Ok(false) };
        self.count(&played);
        // Resuming needs only the pairs; the values are informative.
        let record = json!({ "iteration": iteration, "pairs": played.counts, "values": self.spsa.theta });
        keep(&mut self.journal, &record)?;
        Ok(true)
    }

    /// Plays the pairs of an iteration with the plus side as first player. Iterations do not share openings.
    fn play(
        &self,
        trial: &[Vec<i32>; 2],
        stop: &Stop,
        mut on_pair: impl FnMut(),
    ) -> Result<Option<Pentanomial>, Box<dyn Error>> {
        let players = trial.each_ref().map(|values| {
            let tuned = self.spsa.parameters.iter().zip(values).map(|(parameter, value)| Setting {
                name: parameter.tunable.name.to_owned(),
                value: value.to_string(),
            });
            self.common.iter().cloned().chain(tuned).collect::<Vec<_>>()
        });
        let first = self.spsa.iteration * self.pairs_per_iteration;
        let mut pairs = Pentanomial::default();
        let add = |pair: GamePair| {
            pairs.add(pair.half_points());
            on_pair();
            Ok(ControlFlow::Continue(()))
        };
        self.arena.run(|_| players.clone(), first..first + self.pairs_per_iteration, stop, add)?;
        Ok((pairs.pairs() == self.pairs_per_iteration).then_some(pairs))
    }

    fn count(&mut self, played: &Pentanomial) {
        self.spsa.learn(net(played));
        self.values.push(self.spsa.theta.clone());
        self.pairs.counts.iter_mut().zip(played.counts).for_each(|(sum, count)| *sum += count);
    }

    /// The pairs in the record of the next iteration.
    fn read(&self, record: &Value) -> Option<Pentanomial> {
        let counts = <[u64; 5]>::deserialize(&record["pairs"]).ok()?;
        let pairs = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count))?;
        let is_valid = pairs == self.pairs_per_iteration && record["iteration"] == self.spsa.iteration;
        is_valid.then_some(Pentanomial { counts })
    }
}

/// Net wins of the first player.
fn net(pairs: &Pentanomial) -> i64 {
    pairs.counts.iter().zip(-2..).map(|(&count, net)| count as i64 * net).sum()
}

/// The horizon in a journal header. Errors are reported when the journal is opened.
fn horizon(path: &Path) -> Option<u64> {
    const MAX_HEADER: u64 = 1 << 20;
    let mut line = String::new();
    BufReader::new(inputs::open(path).ok()?.take(MAX_HEADER)).read_line(&mut line).ok()?;
    serde_json::from_str::<Value>(&line).ok()?["horizon"].as_u64()
}

fn header(args: &Args, spsa: &Spsa, schedule: &GainSchedule) -> Result<Value, Box<dyn Error>> {
    let parameters = spsa.parameters.iter().map(|parameter| {
        let tunable = parameter.tunable;
        (tunable.name.to_owned(), json!([tunable.min, tunable.max, parameter.start, parameter.c_end]))
    });
    let mut header = merged(args.conditions.header("spsa", args.limit, &args.set)?, schedule.json());
    header["parameters"] = parameters.collect::<Map<_, _>>().into();
    header["set"] = texts(&args.set).into();
    header["pairs"] = args.pairs.into();
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;
    use lento_testing::Folder;

    fn args(line: &str) -> Args {
        let fixed = "spsa rfp_margin:c=30 lmr_pv:c=900 --limit nodes=150 --hash 1 --pairs 2 --r-end 0.05";
        parse(fixed.split(' ').chain(line.split_whitespace())).unwrap()
    }

    fn run(args: &Args) -> Session {
        let mut session = Session::open(args).unwrap();
        while session.spsa.iteration < args.iterations {
            assert!(session.step(&Stop::default(), || ()).unwrap());
        }
        session
    }

    #[test]
    fn killed_run_resumes_to_the_same_result() {
        let folder = Folder::new("spsa-resume");
        let path = folder.path().join("journal");
        let journal = format!("--journal {}", path.display());
        let whole = run(&args("--iterations 4"));
        assert_eq!(whole.pairs.games(), 16);
        assert_ne!(whole.values[0], whole.values[4], "values change");

        run(&args(&format!("--iterations 2 --horizon 4 {journal}")));
        // Killed while writing the third record.
        let text = std::fs::read_to_string(&path).unwrap() + "{\"iteration\":2,\"pa";
        std::fs::write(&path, text).unwrap();
        let resumed = run(&args(&format!("--iterations 4 --concurrency 2 {journal}")));
        assert_eq!((&resumed.values, resumed.pairs), (&whole.values, whole.pairs));
        drop(resumed);
        // Extended beyond the horizon stored in the journal.
        let longer = run(&args(&format!("--iterations 5 {journal}")));
        assert_eq!(longer.values[..5], whole.values[..]);
        assert_eq!(longer.header["horizon"], 4);
    }

    #[test]
    fn stop_discards_the_iteration() {
        let args = Args { pairs: 100, ..args("--iterations 9") };
        let mut session = Session::open(&args).unwrap();
        let stop = Stop::default();
        assert!(!session.step(&stop, || stop.request()).unwrap());
        assert_eq!((session.spsa.iteration, session.pairs.games(), session.values.len()), (0, 0, 1));
    }

    #[test]
    fn foreign_journals_and_records_are_errors() {
        let folder = Folder::new("spsa-other");
        let journal = format!("--iterations 3 --journal {}", folder.path().join("journal").display());
        drop(Session::open(&args(&journal)).unwrap());
        let error = |line: &str| Session::open(&args(line)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error(&format!("{journal} --seed 2")).contains("its seed is 1, not 2"));
        assert!(error(&format!("{journal} --horizon 5")).contains("its horizon is 3, not 5"));
        assert!(error(&format!("{journal} --set lmr_pv=9")).contains("its set is [], not [\"lmr_pv=9\"]"));
        let foreign = json!({ "iteration": 0, "pairs": [0, 0, 1, 0, 0] });
        Session::open(&args(&journal)).unwrap().journal.unwrap().append(&foreign).unwrap();
        assert!(error(&journal).contains(":2: this record does not belong"), "{}", error(&journal));
    }

    #[test]
    fn net_wins_of_pairs() {
        assert_eq!(net(&Pentanomial { counts: [1, 0, 0, 0, 0] }), -2);
        assert_eq!(net(&Pentanomial { counts: [1, 2, 9, 4, 8] }), 16);
    }

    #[test]
    fn swapped_sides_have_the_opposite_result() {
        let session = Session::open(&Args { pairs: 12, ..args("") }).unwrap();
        let mut trial = [vec![40, 1000], vec![140, -3000]];
        let mut played = 0;
        let pairs = session.play(&trial, &Stop::default(), || played += 1).unwrap().unwrap();
        assert_eq!((pairs.pairs(), played), (12, 12));
        trial.reverse();
        let mut reversed = session.play(&trial, &Stop::default(), || ()).unwrap().unwrap();
        reversed.counts.reverse();
        assert_eq!(pairs, reversed);
        assert_ne!(pairs.counts, [0, 0, 12, 0, 0], "the settings matter");
    }
}
