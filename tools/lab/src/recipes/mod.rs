//! `lento recipes`: compares recipes of late move reductions.

mod measure;
mod picture;
mod report;
mod session;
#[cfg(test)]
mod tests;
mod variants;

use lento::engine::Engine;
use lento::internals::bench;
use lento::named::Named;
use lento::search::lmr::RecipeName;
use lento::tt::TtError;
use lento_common::interrupt::Stop;
use lento_common::play::{Conditions, Limit};
use lento_common::{draft, outputs, progress, summary, table};
use lento_console::Done;
use picture::Picture;
use serde_json::Value;
use session::Session;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use variants::{Variant, switched_name};

/// Detects most changes to reductions within milliseconds.
const SIGNATURE_DEPTH: i32 = 4;

const EXAMPLES: &str = "\
All recipes: nodes to depth 12, 200 game pairs each against the default, and a page with pictures:
  lento recipes --pairs 200 --journal lmr.jsonl --markdown docs/results/lmr.md --pictures docs/results/lmr

Each starred line of rebel switched off in turn:
  lento recipes --switches rebel --pairs 200 --against rebel --journal rebel.jsonl";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Values of the option LMR, each compared with the first [default: all]
    #[arg(value_name = "NAME", value_parser = RecipeName::from_name)]
    names: Vec<RecipeName>,
    /// Compare a recipe with itself without each part: rebel without each starred line, tuned with each weight set to 0
    #[arg(long, value_name = "NAME", conflicts_with = "names", value_parser = switched_name)]
    switches: Option<RecipeName>,
    /// File of positions to search on one thread with a hash table of --hash MiB, one FEN or EPD per line [default: bench positions]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Depth per position in plies
    #[arg(long, value_name = "PLIES", default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// Nodes per position instead of a depth, to compare the depth reached
    #[arg(long, conflicts_with = "depth", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Test suite in EPD to solve
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Nodes per problem of the suite
    #[arg(long, value_name = "NODES", default_value_t = 100_000, requires = "suite",
        value_parser = clap::value_parser!(u64).range(1..))]
    suite_nodes: u64,
    /// Game pairs against each opponent: one opening, each side with White once [default: no games]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Limit per move in games: nodes=2500 (exactly), depth=8, movetime=50ms, or a clock in seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=2500")]
    limit: Limit,
    /// Recipe of the opponent; may be repeated
    #[arg(long, value_name = "NAME", default_value = RecipeName::default().name(), requires = "pairs", value_parser = RecipeName::from_name)]
    against: Vec<RecipeName>,
    /// Store finished parts in this file; the same command resumes the run, even after a crash
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write a Markdown page
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw SVG pictures into this folder: the table of each recipe, nodes, Elo
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

impl Args {
    fn budget(&self) -> Limit {
        self.nodes.map_or(Limit::Depth(self.depth), Limit::Nodes)
    }

    fn fixed_depth(&self) -> bool {
        self.nodes.is_none()
    }

    fn variants(&self) -> Result<Vec<Variant>, String> {
        self.switches.map_or_else(|| variants::recipes(&self.names), variants::switches)
    }

    /// Adds everything that affects a part. Variants, opponents and the number of games may differ between runs.
    fn with_settings(&self, mut conditions: Value) -> Value {
        let name = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        conditions["budget"] = self.budget().to_string().into();
        conditions["positions"] = name(&self.positions).into();
        conditions["suite"] = name(&self.suite).into();
        conditions["suite_nodes"] = self.suite.as_ref().map(|_| self.suite_nodes).into();
        conditions
    }

    fn json(&self) -> Value {
        let mut all = self.with_settings(self.conditions.json(self.limit));
        all["pairs"] = self.pairs.into();
        all["against"] = self.against.iter().map(|recipe| recipe.name()).collect();
        all
    }

    fn header(&self) -> Result<Value, Box<dyn Error>> {
        let mut header = self.with_settings(self.conditions.header("recipes", self.limit, [])?);
        header["recipes"] = signature()?.into();
        Ok(header)
    }
}

/// Nodes of a small bench of all recipes, as the bench in the header uses only the default recipe. Cached.
fn signature() -> Result<u64, TtError> {
    static NODES: OnceLock<u64> = OnceLock::new();
    if let Some(&nodes) = NODES.get() {
        return Ok(nodes);
    }
    let nodes = |&(_, lmr): &(_, RecipeName)| {
        let mut engine = Engine::new();
        engine.set_hash(1)?;
        engine.settings.lmr.main = lmr;
        Ok(bench::run(&mut engine, SIGNATURE_DEPTH)?.map(|entry| entry.nodes).sum::<u64>())
    };
    let nodes = RecipeName::ALL.iter().map(nodes).sum::<Result<_, TtError>>()?;
    Ok(*NODES.get_or_init(|| nodes))
}

/// Searches, solves and plays with each variant, and prints the results. Ctrl-C ends the run with the parts so far.
pub fn run(args: &Args) -> Done {
    let arena = args.conditions.arena(args.limit, [&[], &[]])?;
    args.pictures.as_deref().map_or(Ok(()), outputs::check_folder)?;
    let inputs = [&args.positions, &args.suite, &args.conditions.openings.book];
    outputs::check([&args.journal, &args.markdown].into_iter().flatten(), inputs.into_iter().flatten())?;
    arena.warn_of_repeats(args.pairs.unwrap_or(0), [&[], &[]]);
    let mut session = Session::open(args)?;
    let stop = Stop::on_ctrl_c()?;
    let (done, all) = session.progress();
    let bar = progress::resumed(Some(all), done, "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]");
    let ran = session.run(&arena, &stop, &mut |session, variant| {
        let (done, all) = session.progress();
        bar.set_length(all);
        bar.set_position(done);
        bar.set_message(variant.to_owned());
    });
    bar.finish_and_clear();
    // Parts before an error count.
    if ran.is_ok() || session.progress().0 > 0 {
        write(args, &session)?;
    }
    ran?;
    Ok(summary::exit(session.is_complete()))
}

fn write(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    let shown = summary::show(args.json, || report::json(session), || table::text(&report::table(session)));
    let pictures = if args.pictures.is_some() { picture::all(session)? } else { Vec::new() };
    for Picture { file, svg, .. } in &pictures {
        draft::write(&args.pictures.as_deref().unwrap_or(Path::new("")).join(file), svg.as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        draft::write(path, report::markdown(session, &pictures)?.as_bytes())?;
    }
    Ok(shown?)
}
