//! `lento-tools doubt`: how often each pruning or reduction rule of the search is wrong.

mod every;
mod examine;
mod fact;
mod positions;
mod report;
mod tally;
#[cfg(test)]
mod tests;

use crate::common::interrupt::Stop;
use crate::common::threads::Threads;
use crate::common::{draft, mix, ordered, outputs, progress, summary};
use crate::play::setting::Setting;
use every::Every;
use examine::{Examined, Examiner};
use fact::Breakdown;
use lento::engine::Engine;
use lento::search::doubt::{Rule, Sampling};
use lento::search::limits::Limits;
use positions::Positions;
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tally::Found;

const EXAMPLES: &str = "\
All rules, in positions of 300 games:
  lento-tools doubt --games 300

Reverse futility with a narrow margin: how far could it be narrowed, and at which depth?
  lento-tools doubt --games 300 --rule reverse-futility --every 50 --set rfp_margin=30 --by depth+margin

Reductions in nodes of depth 8 and more:
  lento-tools doubt --games 300 --rule reduction --from-depth 8 --every 100 --nodes 500000";

/// What is searched, what is doubted, and how it is shown.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Positions to search, one FEN or EPD a line [default: those of the bench]
    #[arg(long, value_name = "FILE", conflicts_with = "games")]
    positions: Option<PathBuf>,
    /// Search one position of each of so many games of the engine against itself, from random openings
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Nodes for each position; those of doubts do not count [default: 100000, unless a depth is given]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth to search each position to, in plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..))]
    depth: Option<i32>,
    /// Only this rule; may be repeated
    #[arg(long, value_name = "RULE", value_parser = every::rule)]
    rule: Vec<Rule>,
    /// Doubt one cut of so many, in the mean; RULE=N for one rule; may be repeated [default: a number for each rule, fewer where cuts
    /// are many]
    #[arg(long, value_name = "N")]
    every: Vec<Every>,
    /// Neither doubt nor count cuts in nodes of less depth, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..))]
    from_depth: i32,
    /// Most nodes for one search of what was cut; beyond that it counts as unfinished
    #[arg(long, value_name = "NODES", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    most_nodes: u64,
    /// Break down by this, or by several things at once, as in depth+margin; may be repeated [default: each of them alone]
    #[arg(long, value_name = "FACT")]
    by: Vec<Breakdown>,
    /// An option of the engine or a number of its search; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=Engine::MOST_HASH as i64))]
    hash: u32,
    /// Number that decides everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// Write the tables as a page in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Print one JSON document at the end instead of the tables
    #[arg(long)]
    json: bool,
}

impl Args {
    fn limits(&self) -> Limits {
        let nodes = self.nodes.or(self.depth.is_none().then_some(100_000));
        Limits { depth: self.depth, nodes, ..Limits::default() }
    }

    /// The rules asked for.
    fn rules(&self) -> Vec<Rule> {
        let wanted = |rule: &Rule| self.rule.is_empty() || self.rule.contains(rule);
        Rule::ALL.into_iter().filter(wanted).collect()
    }

    /// Which cuts are doubted in the position with this number.
    fn sampling(&self, position: u64) -> Sampling {
        Sampling {
            every: every::table(&self.every, &self.rules()),
            least_depth: self.from_depth,
            most_nodes: self.most_nodes,
            seed: mix::seed(self.seed, position),
        }
    }

    /// What the tables are broken down by.
    fn breakdowns(&self) -> Vec<Breakdown> {
        if self.by.is_empty() { Breakdown::each() } else { self.by.clone() }
    }

    /// All that was asked, as JSON.
    fn json(&self) -> Value {
        let limits = self.limits();
        let every = every::table(&self.every, &self.rules());
        let every: serde_json::Map<String, Value> =
            self.rules().into_iter().map(|rule| (rule.name().to_owned(), every[rule as usize].into())).collect();
        json!({
            "positions": self.positions.as_ref().map(|path| path.display().to_string()),
            "games": self.games,
            "nodes": limits.nodes,
            "depth": limits.depth,
            "every": every,
            "from_depth": self.from_depth,
            "most_nodes": self.most_nodes,
            "settings": self.set.iter().map(Setting::to_string).collect::<Vec<_>>(),
            "hash_mib": self.hash,
            "seed": self.seed,
        })
    }

    /// The command that repeats the run.
    fn command(&self) -> String {
        let mut words = vec!["lento-tools doubt".to_owned()];
        let file = self.positions.as_ref().and_then(|path| path.file_name());
        words.extend(file.map(|name| format!("--positions {}", name.display())));
        words.extend(self.games.map(|games| format!("--games {games}")));
        words.extend(self.limits().nodes.map(|nodes| format!("--nodes {nodes}")));
        words.extend(self.depth.map(|depth| format!("--depth {depth}")));
        words.extend(self.rule.iter().map(|rule| format!("--rule {}", rule.name())));
        words.extend(self.every.iter().map(|every| format!("--every {every}")));
        words.push(format!("--from-depth {} --most-nodes {}", self.from_depth, self.most_nodes));
        words.extend(self.by.iter().map(|by| format!("--by {by}")));
        words.extend(self.set.iter().map(|setting| format!("--set '{setting}'")));
        words.push(format!("--hash {} --seed {}", self.hash, self.seed));
        words.join(" ")
    }
}

/// Searches the positions, doubts, and shows what was found; after Ctrl-C in the positions that were finished.
///
/// # Errors
/// The positions or a file are not usable, or the engine cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let positions = Positions::of(args)?;
    outputs::check(&args.markdown)?;
    let stop = Stop::on_ctrl_c()?;
    let bar = progress::bar(Some(positions.count()), "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]");
    bar.enable_steady_tick(Duration::from_secs(1));
    let found = examine_all(args, &positions, &stop, |found| {
        bar.set_position(found.positions);
        bar.set_message(format!("{} cuts doubted", found.doubted.len()));
    })?;
    bar.finish_and_clear();
    if let Some(path) = &args.markdown {
        draft::write(path, report::markdown(args, &found).as_bytes())?;
    }
    summary::show(args.json, || report::json(args, &found), || report::text(args, &found))?;
    Ok(summary::exit(found.positions == positions.count()))
}

/// What is found in the positions, in their order; where it is stopped, in those that were finished.
fn examine_all(
    args: &Args,
    positions: &Positions,
    stop: &Stop,
    mut on_position: impl FnMut(&Found),
) -> Result<Found, String> {
    let mut found = Found::default();
    let set_up = || Examiner::new(args);
    let work = |examiner: &mut Examiner, number, stops: [&Stop; 2]| {
        let game = positions.get(number, examiner, stops)?;
        examiner.examine(game, &args.limits(), &args.sampling(number), stops)
    };
    ordered::run(args.threads.count(), 0..positions.count(), stop, set_up, work, |examined: Examined| {
        found.add(examined);
        on_position(&found);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
