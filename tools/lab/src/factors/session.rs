//! The course of a run: pairs played, counted and kept.

use super::Args;
use super::design::Design;
use super::factor::Factor;
use super::regression::Regression;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::arena::Arena;
use lento_common::play::setting::Setting;
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;

/// A run in progress. Pairs count in the order of their openings, so the result depends neither on how many games run at the
/// same time nor on interruptions.
pub struct Session {
    design: Design,
    regression: Regression,
    wanted: u64,
    journal: Option<Journal>,
}

impl Session {
    /// Takes up what the journal holds.
    ///
    /// # Errors
    /// The journal cannot be read or is that of another run.
    pub fn open(args: &Args, design: Design) -> Result<Self, Box<dyn Error>> {
        let regression = Regression::new(design.factors().len());
        let mut session = Self { design, regression, wanted: args.pairs, journal: None };
        if let Some(path) = &args.journal {
            let (journal, records) = Journal::open(path, &header(args, &session.design)?)?;
            for (number, record) in (0..).zip(&records) {
                let half_points = from_record(record, number).ok_or_else(|| {
                    format!("{}:{}: not the record of pair {}", path.display(), number + 2, number + 1)
                })?;
                // An earlier run may have been longer.
                if !session.is_over() {
                    session.count(number, half_points);
                }
            }
            session.journal = Some(journal);
        }
        Ok(session)
    }

    /// Who has which factor.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// What the pairs say.
    pub fn regression(&self) -> &Regression {
        &self.regression
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.regression.pairs()
    }

    /// How many there are to be.
    pub fn wanted(&self) -> u64 {
        self.wanted
    }

    /// Whether all pairs have been played.
    pub fn is_over(&self) -> bool {
        self.pairs() >= self.wanted
    }

    /// Whether finished pairs are kept for a later run.
    pub fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// Plays what is left. `on_pair` is called for each pair that has been counted.
    ///
    /// # Errors
    /// A player cannot be set up, or the journal cannot be written.
    pub fn play(&mut self, arena: &Arena, stop: &Stop, mut on_pair: impl FnMut(&Self)) -> Result<(), Box<dyn Error>> {
        if self.is_over() {
            return Ok(());
        }
        let design = self.design.clone();
        arena.run(
            |number| design.players(number),
            self.pairs()..self.wanted,
            stop,
            |pair| {
                let half_points = pair.half_points();
                keep(&mut self.journal, &json!({"pair": pair.number, "half_points": half_points}))?;
                self.count(pair.number, half_points);
                on_pair(self);
                Ok(ControlFlow::Continue(()))
            },
        )
    }

    fn count(&mut self, number: u64, half_points: u32) {
        self.regression.add(&self.design.sides(number), half_points);
    }
}

/// All that decides what comes out, but for how many pairs are played.
fn header(args: &Args, design: &Design) -> Result<Value, Box<dyn Error>> {
    let mut header = args.conditions.header("factors", args.limit)?;
    header["factors"] = design.factors().iter().map(Factor::text).collect::<Vec<_>>().into();
    header["set"] = design.common().iter().map(Setting::to_string).collect::<Vec<_>>().into();
    Ok(header)
}

/// The first player's half points, from the line of the journal for the pair with this number.
fn from_record(record: &Value, number: u64) -> Option<u32> {
    let half_points = record["half_points"].as_u64().and_then(|points| u32::try_from(points).ok());
    half_points.filter(|points| *points <= 4 && record["pair"] == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::arena;
    use lento_common::arguments::parse;
    use lento_common::play::arena::GamePair;
    use lento_common::scratch::Folder;

    /// The state after pairs of a run with these words, where Ctrl-C comes after so many.
    fn run(words: &str, concurrency: usize, enough: u64) -> Result<Regression, String> {
        let all = "factors LMR=off rfp_depth=0,probcut_depth=255 lmr_pv=-600";
        let args: Args = parse(all.split_whitespace().chain(words.split_whitespace())).unwrap();
        let mut session = Session::open(&args, args.design().unwrap()).map_err(|error| error.to_string())?;
        let stop = Stop::default();
        let play = session.play(&arena(concurrency), &stop, |session| {
            if session.pairs() == enough {
                stop.ask();
            }
        });
        play.unwrap();
        Ok(session.regression.clone())
    }

    #[test]
    fn a_factor_alone_has_the_results_of_a_match() {
        let args: Args = parse(["factors", "LMR=off", "--pairs", "8"]).unwrap();
        let mut session = Session::open(&args, args.design().unwrap()).unwrap();
        session.play(&arena(2), &Stop::default(), |_| ()).unwrap();
        let mut results = Regression::new(1);
        let new: Setting = "LMR=off".parse().unwrap();
        let on_pair = |pair: GamePair| {
            results.add(&[true], pair.half_points());
            Ok(ControlFlow::Continue(()))
        };
        arena(2).run(|_| [vec![new.clone()], vec![]], 0..8, &Stop::default(), on_pair).unwrap();
        assert_eq!(session.regression, results);
    }

    #[test]
    fn an_interrupted_run_goes_on_to_the_same_result() {
        let whole = run("--pairs 9", 2, 99).unwrap();
        assert_eq!(whole.pairs(), 9);
        assert!(whole.effects().is_some_and(|effects| effects.len() == 3));
        let folder = Folder::new("factors-journal");
        let journal = folder.path().join("journal");
        let kept = format!("--journal {} --pairs", journal.display());
        let first = run(&format!("{kept} 9"), 1, 4).unwrap();
        assert!((4..9).contains(&first.pairs()));
        // A shorter run counts only its own pairs, a longer one goes on.
        assert_eq!(run(&format!("{kept} 3"), 1, 99).unwrap(), run("--pairs 3", 1, 99).unwrap());
        assert_eq!(run(&format!("{kept} 9"), 3, 99).unwrap(), whole);

        let error = run(&format!("{kept} 9 --seed 2"), 1, 99).unwrap_err();
        assert!(error.contains("seed is 1, here 2"), "{error}");
        let error = run(&format!("{kept} 9 iir_depth=5"), 1, 99).unwrap_err();
        assert!(error.contains("factors is") && error.contains("iir_depth=5"), "{error}");
        let error = run(&format!("{kept} 9 --set iir_depth=5"), 1, 99).unwrap_err();
        assert!(error.contains("set is []"), "{error}");
        let args: Args = parse(["factors", "LMR=off", "rfp_depth=0,probcut_depth=255", "lmr_pv=-600"]).unwrap();
        let header = header(&args, &args.design().unwrap()).unwrap();
        Journal::open(&journal, &header).unwrap().0.append(&json!({"pair": 8, "half_points": 2})).unwrap();
        let error = run(&format!("{kept} 9"), 1, 99).unwrap_err();
        assert!(error.contains(":11: not the record of pair 10"), "{error}");
    }
}
