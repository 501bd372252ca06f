//! `lento match`: two configurations of the engine against each other.

mod pgn;
mod report;
mod session;
mod tally;

use crate::elo::{EloModel, Sprt};
use indicatif::ProgressBar;
use lento_common::interrupt::Stop;
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::play::setting::Setting;
use lento_common::progress;
use lento_common::summary;
use serde_json::Value;
use session::{Goal, Session};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Pairs of games when nothing else ends a match.
const PAIRS: u64 = 200;

/// So many pairs lie between two lines of `--verbose`.
const LINE_EVERY: u64 = 10;

const EXAMPLES: &str = "\
Is a margin of 80 better than the one built in? Play until that is clear, and go on after any interruption:
  lento match --new rfp_margin=80 --sprt 0,5 --journal margin.jsonl

What are late move reductions worth, by 400 games of 5000 nodes a move?
  lento match --old LMR=off --pairs 200 --pgn lmr.pgn";

/// Who plays, how, and how long.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Option of the new player: one of the engine, or a number of its search, such as rfp_margin=80; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    new: Vec<Setting>,
    /// Option of the old player
    #[arg(long, value_name = "NAME=VALUE")]
    old: Vec<Setting>,
    /// What a move may cost: nodes=5000 (exactly), soft=5000 (to the end of the iteration), depth=8, movetime=50ms, or a
    /// clock in seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=5000")]
    limit: Limit,
    /// Pairs of games: one opening, each player with White once; with --sprt the most that are played [default: 200;
    /// with --sprt no end]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Keep finished pairs in this file; the same command goes on where it ended, even when it was killed
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Save the games in this file, which is written anew
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    /// Write a line to standard error after every ten pairs
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    test: TestArgs,
    #[command(flatten)]
    conditions: Conditions,
}

/// When games suffice, on the command line.
#[derive(clap::Args)]
#[command(next_help_heading = "Sequential test")]
struct TestArgs {
    /// End when the games show whether the new player is rather ELO0 (H0) or rather ELO1 (H1) stronger
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = hypotheses)]
    sprt: Option<(f64, f64)>,
    /// How often H1 may be accepted though H0 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// How often H0 may be accepted though H1 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// What Elo means in the test
    #[arg(long, value_enum, default_value_t = EloModel::Normalized, requires = "sprt")]
    model: EloModel,
}

/// Reads the two hypotheses of a test.
fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let pair = text.split_once(',').and_then(|(elo0, elo1)| Some((elo0.parse().ok()?, elo1.parse().ok()?)));
    pair.ok_or_else(|| "expected two numbers with a comma between, such as 0,5".to_owned())
}

impl Args {
    fn goal(&self) -> Result<Goal, Box<dyn Error>> {
        let TestArgs { sprt, alpha, beta, model } = self.test;
        let sprt = sprt.map(|(elo0, elo1)| Sprt::new(elo0, elo1, alpha, beta, model)).transpose()?;
        let default = if sprt.is_some() { u64::MAX } else { PAIRS };
        Ok(Goal { pairs: self.pairs.unwrap_or(default), sprt })
    }

    /// The players as they are called in PGN.
    fn names(&self) -> [String; 2] {
        [("new", &self.new), ("old", &self.old)].map(|(name, settings)| {
            let words = settings.iter().map(Setting::to_string);
            [format!("Lento {name}")].into_iter().chain(words).collect::<Vec<_>>().join(" ")
        })
    }
}

/// The players and all rules.
fn json(args: &Args, mut conditions: Value) -> Value {
    let settings = |settings: &[Setting]| settings.iter().map(Setting::to_string).collect::<Vec<_>>();
    conditions["new"] = settings(&args.new).into();
    conditions["old"] = settings(&args.old).into();
    conditions
}

/// The head of a journal: a match goes on only under the same conditions and with the same engine.
fn header(args: &Args) -> Result<Value, Box<dyn Error>> {
    Ok(json(args, args.conditions.header("match", args.limit)?))
}

/// Plays the match and tells its result. After Ctrl-C that of the games so far.
///
/// # Errors
/// The test, the openings or a file are not usable, or a player cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let (goal, arena) = (args.goal()?, args.conditions.arena(args.limit, [&args.new, &args.old])?);
    let journal = match &args.journal {
        Some(path) => Some((path.as_path(), header(args)?)),
        None => None,
    };
    let pgn = args.pgn.as_ref().map(|path| (path.as_path(), args.names()));
    let stop = Stop::on_ctrl_c()?;
    let mut session = Session::open(goal, journal, pgn)?;
    let show = MatchProgress::new(&session, args.verbose);
    session.play(&arena, [&args.new, &args.old], &stop, |session| show.pair(session))?;
    show.bar.finish_and_clear();

    summary::show(args.json, || report::json(args, &session), || report::text(args, &session))?;
    Ok(summary::exit(session.is_over()))
}

/// Progress: on a terminal the bar, with `--verbose` lines.
struct MatchProgress {
    bar: ProgressBar,
    verbose: bool,
}

impl MatchProgress {
    fn new(session: &Session, verbose: bool) -> Self {
        let pairs = session.goal().pairs;
        let bar = if pairs == u64::MAX {
            progress::bar(None, "{spinner} {pos} games {msg} [{elapsed}]")
        } else {
            progress::bar(Some(2 * pairs), "{bar:30} {pos}/{len} games {msg} [{elapsed}, {eta} left]")
        };
        bar.set_position(session.tally().games());
        bar.set_message(report::line(session));
        // What an earlier run has played says nothing about the speed of this one.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, verbose }
    }

    /// One more pair has been played.
    fn pair(&self, session: &Session) {
        let games = session.tally().games();
        self.bar.set_position(games);
        if !self.bar.is_hidden() {
            self.bar.set_message(report::line(session));
        }
        if self.verbose && games.is_multiple_of(2 * LINE_EVERY) {
            // That nobody listens is no reason to end.
            let _ = self.bar.suspend(|| writeln!(io::stderr(), "{games} games {}", report::line(session)));
        }
    }
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
    fn a_match_has_an_end_unless_a_test_ends_it() {
        let goal = |words: &str| args(words).unwrap().goal().unwrap();
        assert_eq!((goal("").pairs, goal("").sprt), (200, None));
        assert_eq!(goal("--pairs 7").pairs, 7);
        let tested = goal("--sprt -3,1.5 --alpha 0.1 --model logistic");
        let sprt = Sprt::new(-3.0, 1.5, 0.1, 0.05, EloModel::Logistic).unwrap();
        assert_eq!((tested.pairs, tested.sprt), (u64::MAX, Some(sprt)));
        assert_eq!(goal("--sprt 0,5 --pairs 90").pairs, 90);
    }

    #[test]
    fn what_cannot_be_is_quoted() {
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
        let error = args("--sprt 5,0").unwrap().goal().unwrap_err().to_string();
        assert!(error.contains("SPRT of 5 against 0"), "{error}");
    }

    #[test]
    fn players_are_named_by_what_is_changed() {
        let names = args("--new rfp_margin=80 --new LMR=off").unwrap().names();
        assert_eq!(names, ["Lento new rfp_margin=80 LMR=off", "Lento old"]);
    }
}
