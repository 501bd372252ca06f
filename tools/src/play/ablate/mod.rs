//! `lento-tools ablate`: what each idea of the search is worth.

mod report;
mod session;

use crate::common::interrupt::Stop;
use crate::common::{draft, outputs, progress, summary};
use crate::play::conditions::Conditions;
use crate::play::ideas;
use crate::play::limit::Limit;
use session::{Session, TrialGoal};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Every idea by 400 games, those in doubt by up to 1200, and a page about it:
  lento-tools ablate --most-pairs 600 --journal ablation.jsonl --markdown ablation.md

The ideas whose names have \"null\" in them:
  lento-tools ablate null";

/// What to switch off, and how to play.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Parts of the names of ideas; without any, every idea
    #[arg(value_name = "IDEA")]
    ideas: Vec<String>,
    /// List the ideas and what switches them off, and play nothing
    #[arg(long)]
    list: bool,
    /// What a move may cost: nodes=5000 (exactly), depth=8, movetime=50ms, or a clock in seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=5000")]
    limit: Limit,
    /// Pairs of games for each idea: one opening, each side with White once
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// While 0 lies within the error bars, go on up to this many pairs [default: as --pairs]
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: Option<u64>,
    /// Keep finished pairs in this file; the same command goes on where it ended, even when it was killed
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write the table as a page in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

impl Args {
    fn goal(&self) -> TrialGoal {
        TrialGoal { pairs: self.pairs, most: self.most_pairs.unwrap_or(self.pairs).max(self.pairs) }
    }
}

/// Plays each idea against the engine without it. After Ctrl-C the table shows what there is.
///
/// # Errors
/// An idea is unknown, the openings or a file are not usable, or a player cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let chosen = ideas::chosen(&args.ideas)?;
    let mut out = io::stdout();
    if args.list {
        write!(out, "{}", report::list(&chosen))?;
        return Ok(ExitCode::SUCCESS);
    }
    let arena = args.conditions.arena(args.limit, [&[], &[]])?;
    let stop = Stop::on_ctrl_c()?;
    outputs::check(&args.markdown)?;
    let mut session = Session::open(args, &chosen)?;
    let bar = progress::bar(Some(chosen.len() as u64), "{bar:30} {pos}/{len} {msg} [{elapsed}]");
    bar.enable_steady_tick(std::time::Duration::from_secs(1));
    session.play(&arena, args.goal(), &stop, |done, trial| {
        bar.set_position(done);
        bar.set_message(format!("{} {}", trial.idea.name, report::line(trial)));
    })?;
    bar.finish_and_clear();
    if let Some(path) = &args.markdown {
        let page = report::markdown(args, session.trials());
        draft::write(path, page.as_bytes())?;
    }
    summary::show(args.json, || report::json(args, session.trials()), || report::text(session.trials()))?;
    let complete = session.trials().iter().all(|trial| args.goal().is_reached(&trial.results));
    Ok(summary::exit(complete))
}
