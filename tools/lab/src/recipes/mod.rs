//! `lento recipes`: what recipes of late move reductions do, and what they are worth.

mod figures;
mod measure;
mod page;
mod picture;
mod report;
mod session;
#[cfg(test)]
mod tests;
mod variants;

use crate::epd;
use lento::bench::{Bench, BenchError};
use lento::search::lmr;
use lento_common::draft::{self, WriteError};
use lento_common::interrupt::Stop;
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::{number, outputs, progress, summary};
use measure::Budget;
use serde_json::{Value, json};
use session::{LabPlan, Session};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use variants::{Variant, recipe_name, switched_name};

/// Deep enough to reduce, in a few milliseconds a recipe.
const SIGNATURE_DEPTH: i32 = 4;

const EXAMPLES: &str = "\
All recipes: nodes to depth 12, and 200 pairs of games each against Lento's own; a page with pictures:
  lento recipes --pairs 200 --journal lmr.jsonl --markdown docs/results/lmr.md --pictures docs/results/lmr

Every starred line of rebel switched off in turn; games only where the tree changes by 2 % or more:
  lento recipes --switches rebel --pairs 200 --against rebel --only-changed 2 --csv rebel.csv";

/// What to compare, and self.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Recipes, as the option LMR names them; without any, all. Each is compared with the first
    #[arg(value_name = "NAME", value_parser = recipe_name)]
    names: Vec<&'static str>,
    /// Compare this recipe with itself without each of its parts instead: rebel has a switch for each starred line, tuned weights
    /// that are set to 0
    #[arg(long, value_name = "NAME", conflicts_with = "names", value_parser = switched_name)]
    switches: Option<&'static str>,
    /// Positions to search on one thread with a hash table of --hash MiB, one FEN or EPD a line [default: those of the bench]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Depth to search each position to, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// Nodes for each position instead of a depth: then the depth reached is what tells variants apart
    #[arg(long, conflicts_with_all = ["depth", "only_changed"], value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Suite of problems in EPD to solve
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Nodes for each problem of the suite
    #[arg(long, value_name = "NODES", default_value_t = 100_000, requires = "suite",
        value_parser = clap::value_parser!(u64).range(1..))]
    suite_nodes: u64,
    /// Pairs of games against each opponent: one opening, each side with White once; without it no games
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// What a move may cost in games: nodes=2500 (exactly), depth=8, movetime=50ms, or a clock in seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=2500")]
    limit: Limit,
    /// Recipe to play against; may be repeated
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = recipe_name)]
    against: Vec<&'static str>,
    /// No games for variants whose nodes to depth differ from those of the first by less than this; the first plays in any
    /// case
    #[arg(long, value_name = "PERCENT", requires = "pairs", value_parser = per_cent)]
    only_changed: Option<f64>,
    /// Keep each finished piece in this file; the same command goes on where it ended, even when it was killed
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write a line of numbers for each variant, with commas between
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw pictures (SVG) into this folder: the table of each recipe, nodes, Elo
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

/// Reads a percentage.
fn per_cent(text: &str) -> Result<f64, String> {
    number::within(text, 0.0..=f64::MAX, "a number of per cent, 0 or more, such as 2.5")
}

impl Args {
    fn budget(&self) -> Budget {
        self.nodes.map_or(Budget::Depth(self.depth), Budget::Nodes)
    }

    /// All files and names turned into what they stand for.
    fn plan(&self) -> Result<LabPlan, String> {
        let against = if self.pairs.is_some() { variants::recipes(&self.against)? } else { Vec::new() };
        Ok(LabPlan {
            budget: self.budget(),
            hash: self.conditions.hash as usize,
            positions: measure::positions(self.positions.as_deref())?,
            problems: self.suite.as_deref().map_or(Ok(Vec::new()), epd::read)?,
            suite_nodes: self.suite_nodes,
            pairs: self.pairs.unwrap_or(0),
            against,
            only_changed: self.only_changed,
        })
    }

    fn variants(&self) -> Result<Vec<Variant>, String> {
        self.switches.map_or_else(|| variants::recipes(&self.names), variants::switches)
    }

    /// What is kept in the head of a journal: all that a piece depends on. Which variants and opponents there are, and how many
    /// games, may change from one run to the next.
    fn settled(&self, mut conditions: Value) -> Value {
        let name = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        conditions["budget"] = self.budget().to_string().into();
        conditions["positions"] = name(&self.positions).into();
        conditions["suite"] = name(&self.suite).into();
        conditions["suite_nodes"] = self.suite.as_ref().map(|_| self.suite_nodes).into();
        conditions
    }

    /// All that was asked, as JSON.
    fn json(&self) -> Value {
        let mut all = self.settled(self.conditions.json(self.limit));
        all["pairs"] = self.pairs.into();
        all["against"] = json!(self.against);
        all["only_changed_percent"] = self.only_changed.into();
        all
    }

    fn open(&self) -> Result<Session, Box<dyn Error>> {
        let journal = match &self.journal {
            Some(path) => {
                let mut header = self.settled(self.conditions.header("recipes", self.limit)?);
                header["recipes"] = signature()?.into();
                Some((path.as_path(), header))
            }
            None => None,
        };
        Session::open(self.plan()?, self.variants()?, journal)
    }
}

/// Nodes of a small bench under all recipes: the common mark of an engine says nothing of those that are not its default.
fn signature() -> Result<u64, BenchError> {
    let nodes = |&lmr: &&'static str| {
        let bench = Bench { depth: SIGNATURE_DEPTH, hash_mib: 1, lmr, ..Bench::default() };
        Ok(bench.run(|_| ControlFlow::Continue(()))?.map_or(0, |report| report.nodes()))
    };
    lmr::names().iter().map(nodes).sum()
}

/// Whether what is to be written can be, before hours are spent.
fn check_outputs(args: &Args) -> Result<(), WriteError> {
    if let Some(folder) = &args.pictures {
        outputs::check_folder(folder)?;
    }
    outputs::check([&args.csv, &args.markdown].into_iter().flatten())
}

/// Measures each variant, solves and plays with it, and shows the numbers. After Ctrl-C those that there are.
///
/// # Errors
/// The positions, the suite, the openings or a file are not usable, or a player cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let arena = args.conditions.arena(args.limit, [&[], &[]])?;
    check_outputs(args)?;
    let mut session = args.open()?;
    let stop = Stop::on_ctrl_c()?;
    let bar = progress::bar(Some(session.progress().1), "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]");
    bar.set_position(session.progress().0);
    // What an earlier run has done says nothing about the speed of this one.
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    session.run(&arena, &stop, &mut |session, variant| {
        let (done, all) = session.progress();
        bar.set_length(all);
        bar.set_position(done);
        bar.set_message(variant.to_owned());
    })?;
    bar.finish_and_clear();
    write(args, &session)?;
    Ok(summary::exit(session.is_complete()))
}

/// Everything that was asked for, from what there is.
fn write(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    let figures = figures::all(session);
    let mut pictures = Vec::new();
    if let Some(folder) = &args.pictures {
        pictures = picture::all(session, &figures)?;
        for picture in &pictures {
            draft::write(&folder.join(&picture.file), picture.svg.as_bytes())?;
        }
    }
    if let Some(path) = &args.csv {
        draft::write(path, report::csv(&figures).as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        draft::write(path, page::markdown(args, session, &figures, &pictures).as_bytes())?;
    }
    summary::show(args.json, || report::json(args, &figures), || report::text(&figures))?;
    Ok(())
}
