//! `lento datagen`: games of the engine against itself, every position with its score.

mod factory;
mod shards;

use crate::formats::game::check_material;
use indicatif::{HumanCount, ProgressBar};
use lento::chess::Board;
use lento::processors;
use lento_common::interrupt::Stop;
use lento_common::journal::Journal;
use lento_common::part::{Part, part};
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::play::record::Record;
use lento_common::play::setting::Setting;
use lento_common::{progress, summary};
use serde_json::{Value, json};
use shards::ShardWriter;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What to generate.
#[derive(clap::Args)]
pub struct Args {
    /// Folder for the shards (viriformat, packed with --pack); made if it is not there, continued if it is
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// Games in all, those of earlier runs included
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// What a move may cost: soft=1000 (nodes, to the end of the iteration), soft=1000,hard=1500 (the same, but never more than 1500),
    /// nodes=5000, depth=8
    #[arg(long, default_value = "soft=1000", value_parser = Limit::repeatable)]
    limit: Limit,
    /// An option or number of the player, such as Evaluation=classical; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Games in a shard
    #[arg(long, value_name = "GAMES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    shard: u64,
    /// Pack each shard when it is full (*.lgp): less than a third of the bytes, scores rounded to multiples of 2 centipawns. A folder may be
    /// continued with or without it; full shards that are not packed are packed then
    #[arg(long)]
    pack: bool,
    /// Only part K of N of the games, for one of several machines; each part has a folder of its own
    #[arg(long, value_name = "K/N", value_parser = part)]
    part: Option<Part>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

/// Generates until there are enough games. After Ctrl-C, or any other end, the games that are finished are kept, and the same
/// command goes on.
///
/// # Errors
/// The folder belongs to another run or cannot be written, or the book cannot be read.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let arena = args.conditions.arena(args.limit, [&args.set, &args.set])?;
    let stop = Stop::on_ctrl_c()?;
    for fen in arena.openings.book() {
        let no_data = |problem| format!("--book: data do not begin with \"{fen}\": {problem}");
        check_material(&Board::from_fen(fen)?).map_err(no_data)?;
    }

    std::fs::create_dir_all(&args.output).map_err(|error| format!("{}: {error}", args.output.display()))?;
    let header = header(args)?;
    // Whoever has the journal has the folder.
    let _journal = Journal::open(&args.output.join("run.json"), &header)?;
    let (mut shards, before) = ShardWriter::open(&args.output, args.shard, args.pack)?;
    let numbers = args.part.unwrap_or(Part::WHOLE).of(args.games);
    let games = numbers.end - numbers.start;
    let bar = progress::bar(Some(games), "{bar:30} {pos}/{len} games, {msg} [{elapsed}, {eta} left]");
    bar.set_position(before);
    bar.reset_eta();

    let mut sum = Sum::new(arena.concurrency);
    factory::run(&arena, &args.set, numbers.start + before..numbers.end, &stop, |game| {
        let bytes = shards.append(game)?;
        sum.add(game, bytes);
        sum.show(&bar);
        Ok(())
    })?;
    bar.finish_and_clear();
    summary::show(args.json, || sum.json(&header, before), || sum.text(before))?;
    Ok(summary::exit(before + sum.games >= games))
}

/// What must be the same for a run to go on: all that decides which games are played and where they are kept.
fn header(args: &Args) -> Result<Value, Box<dyn Error>> {
    let mut header = args.conditions.header("datagen", args.limit)?;
    header["shard"] = args.shard.into();
    if let Some(part) = args.part {
        // Which games it has depends on how many there are in all.
        (header["part"], header["games"]) = (part.to_string().into(), args.games.into());
    }
    header["set"] = args.set.iter().map(Setting::to_string).collect::<Vec<_>>().into();
    Ok(header)
}

/// What this run has made.
struct Sum {
    start: Instant,
    concurrency: usize,
    games: u64,
    positions: u64,
    nodes: u64,
    bytes: u64,
    /// White's wins, draws, Black's wins.
    results: [u64; 3],
}

impl Sum {
    fn new(concurrency: usize) -> Self {
        Self { start: Instant::now(), concurrency, games: 0, positions: 0, nodes: 0, bytes: 0, results: [0; 3] }
    }

    fn add(&mut self, record: &Record, bytes: usize) {
        self.games += 1;
        self.positions += record.plies.len() as u64;
        self.nodes += record.plies.iter().map(|ply| ply.nodes).sum::<u64>();
        self.bytes += bytes as u64;
        self.results[record.result.index()] += 1;
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed().max(Duration::from_millis(1))
    }

    /// Positions per second, and that for each game that runs at the same time on a core of its own.
    fn rates(&self) -> [f64; 2] {
        let rate = self.positions as f64 / self.elapsed().as_secs_f64();
        [rate, rate / self.concurrency.min(processors::count()) as f64]
    }

    fn show(&self, bar: &ProgressBar) {
        let [rate, per_core] = self.rates();
        bar.inc(1);
        bar.set_message(format!(
            "{} positions, {rate:.0} a second, {per_core:.0} a second and core",
            HumanCount(self.positions)
        ));
    }

    fn text(&self, before: u64) -> String {
        let [rate, per_core] = self.rates();
        let [white, draws, black] = self.results;
        let earlier = if before > 0 { format!("Games before    {before:>12}\n") } else { String::new() };
        format!(
            "{earlier}\
             Games           {:>12}   +{white} ={draws} -{black} for White\n\
             Positions       {:>12}   {:.1} a game\n\
             Nodes           {:>12}   {:.0} a position\n\
             Bytes           {:>12}\n\
             Time            {:>10.1} s\n\
             Positions/s     {rate:>12.0}   {per_core:.0} a core\n",
            self.games,
            self.positions,
            self.positions as f64 / self.games.max(1) as f64,
            self.nodes,
            self.nodes_each(),
            self.bytes,
            self.elapsed().as_secs_f64(),
        )
    }

    fn nodes_each(&self) -> f64 {
        self.nodes as f64 / self.positions.max(1) as f64
    }

    fn json(&self, settings: &Value, before: u64) -> Value {
        let [rate, per_core] = self.rates();
        let [white, draws, black] = self.results;
        json!({
            "settings": settings,
            "games_before": before,
            "games": self.games,
            "white_wins": white,
            "draws": draws,
            "black_wins": black,
            "positions": self.positions,
            "nodes": self.nodes,
            "bytes": self.bytes,
            "time_s": self.elapsed().as_secs_f64(),
            "positions_per_second": rate,
            "positions_per_second_and_core": per_core,
        })
    }
}
