//! `lento datagen`: generates self-play games with scores.

mod shards;

use crate::formats::check_material;
use crate::report::Report;
use indicatif::{HumanCount, ProgressBar};
use lento::chess::Board;
use lento::internals::processors;
use lento_common::interrupt::Stop;
use lento_common::journal::Journal;
use lento_common::part::{Part, part};
use lento_common::play::{Arena, Book, Conditions, Limit, Openings, Player, Record, Setting, play, texts};
use lento_common::{ordered, outputs, progress};
use lento_console::Done;
use serde_json::Value;
use shards::ShardWriter;
use std::error::Error;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Folder of shards (viriformat, packed with --pack); created if missing, else continued
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// Total games, including those of earlier runs
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Limit per move: soft=1000 (nodes, to the end of the iteration), soft=1000,hard=1500 (the same, but at most 1500), nodes=5000,
    /// depth=8
    #[arg(long, default_value = "soft=1000", value_parser = Limit::repeatable)]
    limit: Limit,
    /// Engine option or search parameter, such as LMR=off; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Games per shard
    #[arg(long, value_name = "GAMES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    shard: u64,
    /// Pack full shards (*.lgp) to less than a third of the size, with scores rounded to multiples of 2 centipawns. A continued folder
    /// may change this; unpacked full shards are packed then
    #[arg(long)]
    pack: bool,
    /// Play only part K of N of the games, to use several machines; each part needs its own folder
    #[arg(long, value_name = "K/N", value_parser = part)]
    part: Option<Part>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

/// Generates games. An interrupted run keeps finished games, and the same command resumes it.
pub fn run(args: &Args) -> Done {
    let arena = args.conditions.arena(args.limit, [&args.set, &args.set])?;
    arena.warn_of_repeats(args.games, [&args.set, &args.set]);
    let stop = Stop::on_ctrl_c()?;
    if let Book::Positions(fens) = &arena.openings.book {
        for fen in fens {
            let invalid = |problem| format!("--book: data cannot start from \"{fen}\": {problem}");
            check_material(&Board::from_fen(fen)?).map_err(invalid)?;
        }
    }

    outputs::check_folder(&args.output)?;
    let header = header(args)?;
    // The journal locks the folder.
    let _journal = Journal::open(&args.output.join("run.json"), &header)?;
    let mut shards = ShardWriter::open(&args.output, args.shard, args.pack)?;
    let before = shards.games;
    let numbers = args.part.map_or(0..args.games, |part| part.of(args.games));
    let games = numbers.end - numbers.start;
    let bar = progress::resumed(Some(games), before, "{bar:30} {pos}/{len} games, {msg} [{elapsed}, {eta} left]");

    let mut sum = Sum::new(arena.concurrency);
    play_games(&arena, &args.set, numbers.start + before..numbers.end, &stop, |game| {
        let bytes = shards.append(game)?;
        sum.add(game, bytes);
        sum.show(&bar);
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(sum.report(header, before).show(args.json, before + sum.games >= games)?)
}

/// Settings that must be the same to resume: all that affect the games and their places.
fn header(args: &Args) -> Result<Value, Box<dyn Error>> {
    let mut header = args.conditions.header("datagen", args.limit, &args.set)?;
    header["shard"] = args.shard.into();
    if let Some(part) = args.part {
        // The games of a part depend on their total number.
        (header["part"], header["games"]) = (part.to_string().into(), args.games.into());
    }
    header["set"] = texts(&args.set).into();
    Ok(header)
}

/// Plays the games with these numbers in parallel and passes them to `on_game` in order. A game depends only on its number.
fn play_games(
    arena: &Arena,
    settings: &[Setting],
    numbers: Range<u64>,
    stop: &Stop,
    mut on_game: impl FnMut(&Record) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let set_up = || Ok((Player::of_limit(settings, arena.hash, arena.limit)?, Openings::checker()?));
    let work = |(player, checker): &mut (Player, Player), number, stops: [&Stop; 2]| {
        let opening = arena.openings.get(number, checker);
        Ok(play(&mut [player], &opening, arena.limit, &arena.rules, stops))
    };
    let on_done = |game| on_game(&game).map(ControlFlow::Continue);
    ordered::run(arena.concurrency, numbers, stop, set_up, work, on_done)
}

/// The output of this run.
struct Sum {
    start: Instant,
    concurrency: usize,
    games: u64,
    positions: u64,
    nodes: u64,
    bytes: u64,
    /// White wins, draws, Black wins.
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

    /// Number of cores in use.
    fn cores(&self) -> f64 {
        self.concurrency.min(processors::count()) as f64
    }

    fn show(&self, bar: &ProgressBar) {
        let per_core = self.start.elapsed().as_secs_f64().max(1e-3) * self.cores();
        let [positions, nodes] = [self.positions, self.nodes].map(|count| HumanCount((count as f64 / per_core) as u64));
        bar.inc(1);
        bar.set_message(format!(
            "{} positions; per second and core {positions} positions, {nodes} nodes",
            HumanCount(self.positions)
        ));
    }

    fn report(&self, settings: Value, before: u64) -> Report {
        let [white, draws, black] = self.results;
        let each = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let mut report = Report::default();
        report.field("settings", settings);
        report.count("games before", "games_before", before, "");
        report.count("games", "games", self.games, &format!("+{white} ={draws} -{black} for White"));
        for (key, count) in [("white_wins", white), ("draws", draws), ("black_wins", black)] {
            report.field(key, count);
        }
        let note = format!("{:.1} per game", each(self.positions, self.games));
        report.count("positions", "positions", self.positions, &note);
        report.count("nodes", "nodes", self.nodes, &format!("{:.0} per position", each(self.nodes, self.positions)));
        report.count("bytes", "bytes", self.bytes, "");
        let time = self.start.elapsed();
        for (items, count) in [("positions", self.positions), ("nodes", self.nodes)] {
            report.speed(items, count, time);
            let per_core = count as f64 / time.as_secs_f64().max(1e-3) / self.cores();
            report.row("  per core", HumanCount(per_core as u64), "");
            report.field(&format!("{items}_per_second_and_core"), per_core);
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;
    use lento_common::play::{Limit, OpeningArgs};

    fn arena(concurrency: usize) -> Arena {
        let args = OpeningArgs { dfrc: 0.3, seed: 9, ..parse(["openings"]).unwrap() };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::soft(60), rules: parse(["rules"]).unwrap(), hash: 1, concurrency }
    }

    fn games(numbers: Range<u64>, concurrency: usize) -> Vec<String> {
        let mut games = Vec::new();
        let keep = |record: &Record| {
            let moves: Vec<u16> = record.plies.iter().map(|ply| ply.mv.word()).collect();
            games.push(format!("{} {moves:?} {:?}", record.start.fen(true), record.result));
            Ok(())
        };
        play_games(&arena(concurrency), &[], numbers, &Stop::default(), keep).unwrap();
        games
    }

    #[test]
    fn games_depend_only_on_their_number() {
        let all = games(0..12, 1);
        assert_eq!(all.len(), 12);
        assert_eq!(all, games(0..12, 3));
        assert_eq!(all[7..], games(7..12, 2));
    }

    #[test]
    fn error_ends_the_run() {
        let mut count = 0;
        let fail = |_: &Record| {
            count += 1;
            Err("the disk is full".into())
        };
        let error = play_games(&arena(2), &[], 0..u64::MAX, &Stop::default(), fail).unwrap_err();
        assert_eq!((error.to_string().as_str(), count), ("the disk is full", 1));
    }
}
