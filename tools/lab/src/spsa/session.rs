//! A run with its games and its checkpoints.

use super::Args;
use super::chart::{Curves, svg};
use super::games::{Games, Pairs, net};
use super::optimiser::Spsa;
use super::parameter::chosen;
use super::schedule::GainSchedule;
use lento_common::draft;
use lento_common::inputs;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::setting::Setting;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A run under way.
pub struct Session {
    /// The optimiser, as far as it has come.
    pub spsa: Spsa,
    /// All pairs so far, from the view of the plus sides.
    pub pairs: Pairs,
    /// What decides the result, as the journal's first line says it.
    pub header: Value,
    /// The values at the start and after each iteration.
    values: Vec<Vec<f64>>,
    games: Games,
    journal: Option<Journal>,
}

impl Session {
    /// Begins a run, or goes on with that of the journal.
    ///
    /// # Errors
    /// A parameter's start or distance does not fit it; the openings cannot be read; the journal cannot be read, or is that of another run.
    pub fn open(args: &Args) -> Result<Self, Box<dyn Error>> {
        let kept = args.journal.as_deref().filter(|_| args.horizon.is_none()).and_then(horizon);
        let schedule = GainSchedule {
            horizon: args.horizon.or(kept).unwrap_or(args.iterations),
            r_end: args.r_end,
            alpha: args.alpha,
            gamma: args.gamma,
            a_ratio: args.a_ratio,
        };
        let spsa = Spsa::new(chosen(&args.parameters)?, schedule, args.conditions.openings.seed);
        let mut session = Self {
            pairs: Pairs::default(),
            header: header(args, &spsa, &schedule)?,
            values: vec![spsa.theta().to_vec()],
            games: Games {
                arena: args.conditions.arena(args.limit, [&args.set, &args.set])?,
                names: spsa.parameters().iter().map(|parameter| parameter.tunable.name).collect(),
                common: args.set.clone(),
                pairs: args.pairs,
            },
            spsa,
            journal: None,
        };
        if let Some(path) = &args.journal {
            let (journal, records) = Journal::open(path, &session.header)?;
            for (index, record) in records.iter().enumerate() {
                let played = session.read(record);
                let line = index + 2;
                let played = played.ok_or_else(|| format!("{}:{line}: no record of an iteration", path.display()))?;
                session.spsa.learn(net(&played));
                session.note(played);
            }
            session.journal = Some(journal);
        }
        Ok(session)
    }

    /// Games of all iterations.
    pub fn games(&self) -> u64 {
        2 * self.pairs.iter().sum::<u64>()
    }

    /// Plays the next iteration, and keeps it; `on_pair` is called for each pair. Returns false if it was interrupted: then
    /// nothing of it is kept.
    ///
    /// # Errors
    /// A player cannot be set up, or the journal cannot be written.
    pub fn step(&mut self, stop: &Stop, on_pair: impl FnMut()) -> Result<bool, Box<dyn Error>> {
        let (games, iteration, mut played) = (&self.games, self.spsa.iteration(), Pairs::default());
        let finished = self.spsa.step(|trial| {
            let pairs = games.play(trial, stop, on_pair)?;
            played = pairs.unwrap_or(played);
            Ok::<_, Box<dyn Error>>(pairs.as_ref().map(net))
        })?;
        if !finished {
            return Ok(false);
        }
        self.note(played);
        // The results are what a run is resumed from; the values are for readers.
        keep(&mut self.journal, &json!({ "iteration": iteration, "pairs": played, "values": self.spsa.theta() }))?;
        Ok(true)
    }

    /// Takes what an iteration came to into the sums.
    fn note(&mut self, played: Pairs) {
        self.values.push(self.spsa.theta().to_vec());
        self.pairs.iter_mut().zip(played).for_each(|(sum, count)| *sum += count);
    }

    /// What a record of the journal says about the next iteration.
    fn read(&self, record: &Value) -> Option<Pairs> {
        let counts = record["pairs"].as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>()?;
        let pairs = Pairs::try_from(counts).ok()?;
        let whole = pairs.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count)) == Some(self.games.pairs);
        (whole && record["iteration"].as_u64() == Some(self.spsa.iteration())).then_some(pairs)
    }

    /// Draws the curves so far.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn draw(&self, path: &Path, iterations: u64) -> Result<(), Box<dyn Error>> {
        let (parameters, values) = (self.spsa.parameters(), self.values.as_slice());
        let picture = svg(&Curves { parameters, values, iterations, games: self.games() })?;
        Ok(draft::write(path, picture.as_bytes())?)
    }
}

/// The horizon that a journal was begun with. What is wrong with the file is told when it is opened.
fn horizon(path: &Path) -> Option<u64> {
    let mut line = String::new();
    BufReader::new(inputs::open(path).ok()?).read_line(&mut line).ok()?;
    serde_json::from_str::<Value>(&line).ok()?["horizon"].as_u64()
}

/// All that decides what comes out. How many games run at once does not, at fixed nodes.
fn header(args: &Args, spsa: &Spsa, schedule: &GainSchedule) -> Result<Value, Box<dyn Error>> {
    let parameters = spsa.parameters().iter().map(|parameter| {
        let tunable = parameter.tunable;
        (tunable.name.to_owned(), json!([tunable.min, tunable.max, parameter.start, parameter.c_end]))
    });
    let mut header = args.conditions.header("spsa", args.limit)?;
    header["parameters"] = parameters.collect::<serde_json::Map<_, _>>().into();
    header["set"] = args.set.iter().map(Setting::to_string).collect::<Vec<_>>().into();
    header["pairs"] = args.pairs.into();
    header["horizon"] = schedule.horizon.into();
    header["r_end"] = schedule.r_end.into();
    header["alpha"] = schedule.alpha.into();
    header["gamma"] = schedule.gamma.into();
    header["a_ratio"] = schedule.a_ratio.into();
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::path::PathBuf;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &str) -> Args {
        let fixed = "spsa rfp_margin:c=30 lmr_pv:c=900 --limit nodes=150 --hash 1 --pairs 2 --r-end 0.05";
        Line::parse_from(fixed.split(' ').chain(line.split(' ').filter(|word| !word.is_empty()))).args
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("lento-spsa-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn run(args: &Args) -> Session {
        let mut session = Session::open(args).unwrap();
        while session.spsa.iteration() < args.iterations {
            assert!(session.step(&Stop::default(), || ()).unwrap());
        }
        session
    }

    #[test]
    fn a_killed_run_goes_on_to_the_same_end() {
        let path = scratch("resume");
        let journal = format!("--journal {}", path.display());
        let whole = run(&args("--iterations 4"));
        assert_eq!(whole.games(), 16);
        assert_ne!(whole.values[0], whole.values[4], "something was learnt");

        run(&args(&format!("--iterations 2 --horizon 4 {journal}")));
        // Killed while it wrote the third record.
        let text = std::fs::read_to_string(&path).unwrap() + "{\"iteration\":2,\"pa";
        std::fs::write(&path, text).unwrap();
        let resumed = run(&args(&format!("--iterations 4 --concurrency 2 {journal}")));
        assert_eq!((&resumed.values, resumed.pairs), (&whole.values, whole.pairs));
        drop(resumed);
        // Prolonged beyond the horizon, which the journal keeps.
        let longer = run(&args(&format!("--iterations 5 {journal}")));
        assert_eq!(longer.values[..5], whole.values[..]);
        assert_eq!(longer.header["horizon"], 4);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_stop_leaves_no_trace_of_the_iteration() {
        let args = Args { pairs: 100, ..args("--iterations 9") };
        let mut session = Session::open(&args).unwrap();
        let stop = Stop::default();
        assert!(!session.step(&stop, || stop.ask()).unwrap());
        assert_eq!((session.spsa.iteration(), session.games(), session.values.len()), (0, 0, 1));
    }

    #[test]
    fn other_runs_and_odd_records_are_refused() {
        let path = scratch("other");
        let journal = format!("--iterations 3 --journal {}", path.display());
        drop(Session::open(&args(&journal)).unwrap());
        let error = |line: &str| Session::open(&args(line)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error(&format!("{journal} --seed 2")).contains("seed is 1, here 2"));
        assert!(error(&format!("{journal} --horizon 5")).contains("horizon is 3, here 5"));
        assert!(error(&format!("{journal} --set lmr_pv=9")).contains("set is [], here [\"lmr_pv=9\"]"));
        let odd = json!({ "iteration": 0, "pairs": [0, 0, 1, 0, 0] });
        Session::open(&args(&journal)).unwrap().journal.unwrap().append(&odd).unwrap();
        assert!(error(&journal).contains(":2: no record of an iteration"), "{}", error(&journal));
        std::fs::remove_file(&path).unwrap();
    }
}
