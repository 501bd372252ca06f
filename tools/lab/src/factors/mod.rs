//! `lento factors`: measures the effects of many settings in the same games.
//!
//! A factorial design: each factor, a new setting, is assigned at random to one of the players of every pair. Effects are estimated
//! from all pairs by logistic regression.

mod design;
mod ideas;
mod regression;
mod report;

use crate::document::merged;
use design::{Design, Factor};
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::notice::notice;
use lento_common::play::{Arena, Conditions, GamePair, Limit, Setting, texts};
use lento_common::{draft, outputs, progress, summary};
use lento_console::Done;
use regression::Regression;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

const MAX_FACTORS: usize = 200;

const EXAMPLES: &str = "\
Two parameters, and two more that are only changed together, in 2000 game pairs:
  lento factors lmr_pv=-600 iir_depth=5 rfp_depth=8,rfp_margin=90 --pairs 2000 --journal factors.jsonl

All search features switched off, in the same games:
  lento factors --ideas --pairs 4000 --journal ideas.jsonl --markdown ideas.md --svg ideas.svg";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// New settings as NAME=VALUE, an engine option or search parameter such as rfp_margin=80; commas join settings that
    /// belong together
    #[arg(value_name = "FACTOR")]
    factor: Vec<Factor>,
    /// File with more factors, one per line; comments start with #
    #[arg(long, value_name = "FILE")]
    factors: Option<PathBuf>,
    /// Search features to switch off, by a part of their names; without a part all features; may be repeated
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    ideas: Vec<String>,
    /// Only list the factors and their settings
    #[arg(long)]
    list: bool,
    /// Engine option or search parameter of both players, such as nodestime=600; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Limit per move: nodes=5000 (exactly), soft=5000 (to the end of the iteration), depth=8, movetime=50ms, or a clock in
    /// seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=5000")]
    limit: Limit,
    /// Game pairs for all factors together: one opening, each player with White once
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Store finished pairs in this file; the same command resumes the run, even after a crash, and more --pairs extend it
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write a Markdown page
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw the table as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

impl Args {
    fn design(&self) -> Result<Design, String> {
        let mut factors = self.factor.clone();
        if let Some(path) = &self.factors {
            factors.extend(design::read(path)?);
        }
        factors.extend(ideas::chosen(&self.ideas)?);
        let is_repeated = |at: &usize| factors[..*at].iter().any(|other| other.settings == factors[*at].settings);
        let repeated = (0..factors.len()).find(is_repeated).map(|at| &factors[at].name);
        let expected = "expected settings such as rfp_margin=80, --factors FILE or --ideas";
        let (common, seed) = (self.set.clone(), self.conditions.openings.seed);
        match (factors.len(), repeated) {
            (0, _) => Err(format!("no factor to measure; {expected}")),
            (1..=MAX_FACTORS, Some(name)) => Err(format!("{name:?} twice; expected each factor once")),
            (1..=MAX_FACTORS, None) => Ok(Design { factors, common, seed }),
            (many, _) => Err(format!("{many} factors; expected up to {MAX_FACTORS}")),
        }
    }
}

/// Plays and prints the effects. Ctrl-C ends the run with the pairs so far.
pub fn run(args: &Args) -> Done {
    let design = args.design()?;
    if args.list {
        write!(io::stdout(), "{}", report::list(&design.factors))?;
        return Ok(ExitCode::SUCCESS);
    }
    let arena = args.conditions.arena(args.limit, [&design.settings(), &args.set])?;
    let inputs = [&args.factors, &args.conditions.openings.book];
    outputs::check([&args.journal, &args.markdown, &args.svg].into_iter().flatten(), inputs.into_iter().flatten())?;
    // Pairs from one opening differ in the sides of the other factors.
    let repeats = args.pairs >> (design.factors.len() - 1).min(63);
    arena.warn_of_repeats(repeats, [&args.set, &args.set]);
    let stop = Stop::on_ctrl_c()?;
    let mut session = Session::open(args, design)?;
    if let Some(shared) = report::shared(&session.design) {
        notice(shared);
    }
    let template = "{bar:30} {pos}/{len} pairs {msg} [{elapsed}, {eta} left]";
    let bar = progress::resumed(Some(args.pairs), session.regression.pairs, template);
    let played = session.play(&arena, &stop, |regression| {
        bar.set_position(regression.pairs);
        // Estimates take time in proportion to the pairs.
        if !bar.is_hidden() && regression.pairs.is_multiple_of(1 + regression.pairs / 100) {
            bar.set_message(report::line(regression));
        }
    });
    bar.finish_and_clear();
    // Pairs before an error count.
    if played.is_err() && session.regression.pairs == 0 {
        return played.map(|()| ExitCode::SUCCESS);
    }
    // Printed although a file may not be writable, and the reverse.
    let shown = summary::show(args.json, || report::json(args, &session), || report::text(&session));
    if let Some(path) = &args.markdown {
        draft::write(path, report::markdown(&session).as_bytes())?;
    }
    if let Some(path) = &args.svg {
        draft::write(path, report::svg(&session)?.as_bytes())?;
    }
    shown?;
    played?;
    Ok(summary::exit(session.is_over()))
}

/// A run in progress. Pairs are counted in the order of their openings, so the result does not depend on concurrency or
/// interruptions.
struct Session {
    design: Design,
    regression: Regression,
    /// Pairs of the complete run.
    target: u64,
    journal: Option<Journal>,
}

impl Session {
    fn open(args: &Args, design: Design) -> Result<Self, Box<dyn Error>> {
        let mut regression = Regression::new(design.factors.len());
        let take = |number, record: &Value| {
            let half_points =
                record["half_points"].as_u64().filter(|points| *points <= 4 && record["pair"] == number)?;
            // An earlier run may have been longer.
            if regression.pairs < args.pairs {
                regression.add(&design.sides(number), half_points as u32);
            }
            Some(())
        };
        let journal = Journal::resume(args.journal.as_deref(), || header(args, &design), take)?;
        Ok(Self { design, regression, target: args.pairs, journal })
    }

    /// Whether all pairs have been played.
    fn is_over(&self) -> bool {
        self.regression.pairs >= self.target
    }

    /// Plays the remaining pairs. Calls `on_pair` after each.
    fn play(&mut self, arena: &Arena, stop: &Stop, mut on_pair: impl FnMut(&Regression)) -> Result<(), Box<dyn Error>> {
        let Self { design, regression, target, journal } = self;
        let rest = regression.pairs..*target;
        let add = |pair: GamePair| {
            let half_points = pair.half_points();
            keep(journal, &json!({"pair": pair.number, "half_points": half_points}))?;
            regression.add(&design.sides(pair.number), half_points);
            on_pair(regression);
            Ok(ControlFlow::Continue(()))
        };
        arena.run(|pair| design.players(pair), rest, stop, add)
    }
}

/// The journal header: everything that affects the result except the number of pairs.
fn header(args: &Args, design: &Design) -> Result<Value, Box<dyn Error>> {
    let factors: Vec<String> = design.factors.iter().map(Factor::text).collect();
    let own = json!({ "factors": factors, "set": texts(&design.common) });
    Ok(merged(args.conditions.header("factors", args.limit, &design.settings())?, own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::arena;
    use lento_common::arguments::parse;
    use lento_common::play::GamePair;
    use lento_testing::Folder;

    fn names(words: &str) -> Result<Vec<String>, String> {
        let args: Args = parse(std::iter::once("factors").chain(words.split_whitespace()))?;
        Ok(args.design()?.factors.iter().map(|factor| factor.name.clone()).collect())
    }

    #[test]
    fn reads_factors_from_arguments_files_and_features() {
        let folder = Folder::new("factors");
        let file = folder.write("list", b"# two\nrfp_margin=80 # wide\r\n\n  rfp_depth = 8, rfp_margin = 90\n");
        let listed = names(&format!("--factors {} --ideas=hindsight lmr_pv=-600", file.display())).unwrap();
        assert_eq!(listed, ["lmr_pv=-600", "rfp_margin=80", "rfp_depth=8,rfp_margin=90", "hindsight extension"]);
        assert_eq!(names("--ideas lmr_pv=-600").unwrap().len(), ideas::IDEAS.len() + 1);
    }

    #[test]
    fn errors_quote_invalid_arguments() {
        let folder = Folder::new("factors-bad");
        let invalid = folder.write("invalid", b"rfp_margin=80\nrfp_margn=80\n");
        let empty = folder.write("empty", b"# nothing\n");
        let from = |file: &PathBuf| format!("--factors {}", file.display());
        for (words, part) in [
            ("rfp_margin", "\"rfp_margin\""),
            ("rfp_margn=80", "\"rfp_margn\"; did you mean rfp_margin?"),
            ("rfp_margin=9", "rfp_margin=9"),
            ("rfp_depth=8,rfp_margin", "\"8,rfp_margin\""),
            ("rfp_margin=80,", "\"80,\""),
            ("LMR=off,lmr=tuned", "\"lmr\" twice"),
            ("--ideas=telepathy", "\"telepathy\""),
            ("", "no factor"),
            (&from(&invalid), "invalid:2: "),
            (&from(&invalid), "\"rfp_margn\""),
            (&from(&empty), "empty: no factor"),
            (&from(&empty.join("missing")), "missing"),
            (&"rfp_margin=80 ".repeat(201), "201 factors"),
            ("rfp_margin=80 rfp_margin=80", "\"rfp_margin=80\" twice"),
            ("rfp_margin=80 --pairs 0", "'0'"),
        ] {
            let error = names(words).err().unwrap_or_else(|| panic!("{words} is accepted"));
            assert!(error.contains(part), "{words}: {error}");
        }
    }

    /// Runs with arguments and stops after `max` pairs.
    fn run(words: &str, concurrency: usize, max: u64) -> Result<Regression, String> {
        let all = "factors LMR=off rfp_depth=0,probcut_depth=255 lmr_pv=-600";
        let args: Args = parse(all.split_whitespace().chain(words.split_whitespace())).unwrap();
        let mut session = Session::open(&args, args.design().unwrap()).map_err(|error| error.to_string())?;
        let stop = Stop::default();
        let play = session.play(&arena(concurrency), &stop, |regression| {
            if regression.pairs == max {
                stop.request();
            }
        });
        play.unwrap();
        Ok(session.regression)
    }

    #[test]
    fn single_factor_equals_a_match() {
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
        let elo = |regression: &Regression| format!("{:.6}", regression.effects().unwrap()[0].estimate);
        assert_eq!(elo(&session.regression), elo(&results));
    }

    #[test]
    fn interrupted_run_resumes_to_the_same_result() {
        let whole = run("--pairs 9", 2, 99).unwrap();
        assert_eq!(whole.pairs, 9);
        assert!(whole.effects().is_some_and(|effects| effects.len() == 3));
        let folder = Folder::new("factors-journal");
        let journal = folder.path().join("journal");
        let journaled = format!("--journal {} --pairs", journal.display());
        let first = run(&format!("{journaled} 9"), 1, 4).unwrap();
        assert!((4..9).contains(&first.pairs));
        // A shorter run counts only its own pairs, a longer one resumes.
        assert_eq!(run(&format!("{journaled} 3"), 1, 99).unwrap(), run("--pairs 3", 1, 99).unwrap());
        assert_eq!(run(&format!("{journaled} 9"), 3, 99).unwrap(), whole);

        let error = run(&format!("{journaled} 9 --seed 2"), 1, 99).unwrap_err();
        assert!(error.contains("its seed is 1, not 2"), "{error}");
        let error = run(&format!("{journaled} 9 iir_depth=5"), 1, 99).unwrap_err();
        assert!(error.contains("factors is") && error.contains("iir_depth=5"), "{error}");
        let error = run(&format!("{journaled} 9 --set iir_depth=5"), 1, 99).unwrap_err();
        assert!(error.contains("set is []"), "{error}");
        let args: Args = parse(["factors", "LMR=off", "rfp_depth=0,probcut_depth=255", "lmr_pv=-600"]).unwrap();
        let header = header(&args, &args.design().unwrap()).unwrap();
        Journal::open(&journal, &header).unwrap().0.append(&json!({"pair": 8, "half_points": 2})).unwrap();
        let error = run(&format!("{journaled} 9"), 1, 99).unwrap_err();
        assert!(error.contains(":11: this record does not belong to the run"), "{error}");
    }
}
