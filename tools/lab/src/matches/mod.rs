//! `lento match`: plays two configurations of the engine against each other.

mod pgn;
mod report;
mod session;

use crate::document::merged;
use crate::elo::{EloModel, Sprt};
use lento_common::interrupt::Stop;
use lento_common::play::{Conditions, Limit, Setting, texts};
use lento_common::{outputs, progress, summary};
use lento_console::Done;
use serde_json::{Value, json};
use session::{Goal, Session};
use std::path::PathBuf;

/// Default pairs without a test.
const PAIRS: u64 = 200;

/// Heading of test options.
const TEST: &str = "Sequential test";

const EXAMPLES: &str = "\
Is a margin of 80 better than the default? Play until that is decided; can be interrupted and resumed:
  lento match --new rfp_margin=80 --sprt 0,5 --journal margin.jsonl

What are late move reductions worth, in 400 games at 5000 nodes per move?
  lento match --old LMR=off --pairs 200 --pgn lmr.pgn";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Engine option or search parameter of the new player, such as rfp_margin=80; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    new: Vec<Setting>,
    /// Engine option or search parameter of the old player; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    old: Vec<Setting>,
    /// Limit per move: nodes=5000 (exactly), soft=5000 (to the end of the iteration), depth=8, movetime=50ms, or a clock in
    /// seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=5000")]
    limit: Limit,
    /// Game pairs: one opening, each player with White once; the maximum with --sprt [default: 200, or none with --sprt]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=u32::MAX.into()))]
    pairs: Option<u64>,
    /// Store finished pairs in this file; the same command resumes the run, even after a crash
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Save the games in this file; overwrites it
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    /// Stop when the games decide whether the new player is stronger by ELO0 (H0) or ELO1 (H1)
    #[arg(long, value_name = "ELO0,ELO1", help_heading = TEST, allow_hyphen_values = true, value_parser = hypotheses)]
    sprt: Option<(f64, f64)>,
    /// Probability of accepting H1 when H0 is true
    #[arg(long, value_name = "RATE", help_heading = TEST, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability of accepting H0 when H1 is true
    #[arg(long, value_name = "RATE", help_heading = TEST, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Meaning of Elo in the test
    #[arg(long, help_heading = TEST, value_enum, default_value_t = EloModel::Normalized, requires = "sprt")]
    model: EloModel,
    #[command(flatten)]
    conditions: Conditions,
}

fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let pair = text.split_once(',').and_then(|(elo0, elo1)| Some((elo0.parse().ok()?, elo1.parse().ok()?)));
    pair.ok_or_else(|| "expected two numbers separated by a comma, such as 0,5".to_owned())
}

impl Args {
    fn goal(&self) -> Result<Goal, String> {
        let Self { sprt, alpha, beta, model, .. } = *self;
        let sprt = sprt.map(|(elo0, elo1)| Sprt::new(elo0, elo1, alpha, beta, model)).transpose()?;
        let default = if sprt.is_some() { u64::MAX } else { PAIRS };
        Ok(Goal { pairs: self.pairs.unwrap_or(default), sprt })
    }

    /// The player names in PGN.
    fn names(&self) -> [String; 2] {
        [("Lento new", &self.new), ("Lento old", &self.old)]
            .map(|(name, settings)| [vec![name.to_owned()], texts(settings)].concat().join(" "))
    }

    /// Adds the players to the conditions.
    fn json(&self, conditions: Value) -> Value {
        merged(conditions, json!({ "new": texts(&self.new), "old": texts(&self.old) }))
    }
}

/// Plays the match and prints its result. Ctrl-C ends it with the games so far.
pub fn run(args: &Args) -> Done {
    let (goal, arena) = (args.goal()?, args.conditions.arena(args.limit, [&args.new, &args.old])?);
    let pgn = args.pgn.as_ref().map(|path| (path.as_path(), args.names()));
    outputs::check([&args.journal, &args.pgn].into_iter().flatten(), &args.conditions.openings.book)?;
    arena.warn_of_repeats(goal.pairs, [&args.new, &args.old]);
    let stop = Stop::on_ctrl_c()?;
    let header = || Ok(args.json(args.conditions.header("match", args.limit, args.new.iter().chain(&args.old))?));
    let mut session = Session::open(goal, args.journal.as_deref(), header, pgn)?;
    let (len, template) = match goal.pairs {
        u64::MAX => (None, "{spinner} {pos} games {msg} [{elapsed}]"),
        pairs => (Some(2 * pairs), "{bar:30} {pos}/{len} games {msg} [{elapsed}, {eta} left]"),
    };
    let bar = progress::resumed(len, session.tally.results.games(), template);
    bar.set_message(report::line(&session));
    let played = session.play(&arena, &[args.new.clone(), args.old.clone()], &stop, |session| {
        bar.set_position(session.tally.results.games());
        if !bar.is_hidden() {
            bar.set_message(report::line(session));
        }
    });
    bar.finish_and_clear();
    // Games before an error count.
    if played.is_ok() || session.tally.results.games() > 0 {
        let row = report::row(args, &session);
        summary::show(args.json, || row.json(), || row.labelled())?;
    }
    played?;
    Ok(summary::exit(session.is_over()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;

    fn args(words: &str) -> Result<Args, String> {
        let words = std::iter::once("match").chain(words.split_whitespace());
        parse(words)
    }

    #[test]
    fn pairs_are_unlimited_only_with_a_test() {
        let goal = |words: &str| args(words).unwrap().goal().unwrap();
        assert_eq!((goal("").pairs, goal("").sprt), (200, None));
        assert_eq!(goal("--pairs 7").pairs, 7);
        let tested = goal("--sprt -3,1.5 --alpha 0.1 --model logistic");
        let sprt = Sprt::new(-3.0, 1.5, 0.1, 0.05, EloModel::Logistic).unwrap();
        assert_eq!((tested.pairs, tested.sprt), (u64::MAX, Some(sprt)));
        assert_eq!(goal("--sprt 0,5 --pairs 90").pairs, 90);
    }

    #[test]
    fn errors_quote_invalid_arguments() {
        for (words, part) in [
            ("--sprt 5", "'5'"),
            ("--sprt 0;5", "expected two numbers"),
            ("--alpha 0.1", "--sprt"),
            ("--new rfp_margin", "NAME=VALUE"),
            ("--new rfp_margin=9", "rfp_margin=9"),
            ("--limit 5000", "5000"),
            ("--pairs 0", "'0'"),
        ] {
            let error = args(words).err().unwrap_or_else(|| panic!("{words} is accepted"));
            assert!(error.contains(part), "{words}: {error}");
        }
        let error = args("--sprt 5,0").unwrap().goal().unwrap_err();
        assert!(error.contains("SPRT of 5 against 0"), "{error}");
    }

    #[test]
    fn players_are_named_by_their_settings() {
        let names = args("--new rfp_margin=80 --new LMR=off").unwrap().names();
        assert_eq!(names, ["Lento new rfp_margin=80 LMR=off", "Lento old"]);
    }
}
