//! `lento gold make`: makes a gold set.

use super::checksum;
use super::sampler::{GamePositions, Sampler};
use crate::formats::packed::RECORD;
use crate::report::Report;
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::notice::notice;
use lento_common::play::{Conditions, Limit, Setting, texts};
use lento_common::{draft, number, ordered, outputs, progress};
use lento_console::Done;
use serde_json::Value;
use std::collections::HashSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
// Other games than those of `datagen`.
#[command(mut_arg("seed", |arg| arg.default_value("314159")))]
pub struct Args {
    /// Write the set to this file (bulletformat, *.bf), which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Store the positions of each game in this file; the same command resumes the run
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
    /// Positions of the set
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = number::count::<usize>)]
    positions: usize,
    /// Maximum positions per game
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::count::<usize>)]
    each: usize,
    /// Limit of the searches that score positions: nodes, such as 50000, or as in --limit
    #[arg(long, value_name = "LIMIT", default_value = "50000", value_parser = label)]
    label: Limit,
    /// Limit per move of the games: soft=1000 (nodes, to the end of the iteration), nodes=5000, depth=8
    #[arg(long, default_value = "soft=1000", value_parser = Limit::repeatable)]
    limit: Limit,
    /// Engine option or search parameter, such as LMR=off; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

/// Consecutive games without new positions after which the run fails.
const MAX_USELESS_GAMES: u64 = 200;

/// Makes a set. An interrupted run keeps finished games in the journal, and the same command resumes it.
pub fn run(args: &Args) -> Done {
    let arena = args.conditions.arena(args.limit, [&args.set, &args.set])?;
    outputs::check([&args.output, &args.journal], &args.conditions.openings.book)?;
    // Games with fewer positions than --each need more openings.
    arena.warn_of_repeats(args.positions.div_ceil(args.each) as u64, [&args.set, &args.set]);
    // Fails before the journal is created.
    Sampler::new(&args.set, &arena)?;
    let stop = Stop::on_ctrl_c()?;
    let header = header(args)?;
    let mut gold = GoldSet::default();
    let take = |number, record: &Value| {
        gold.add(GamePositions::from_json(record).filter(|positions| positions.number == number)?);
        Some(())
    };
    let mut journal = Journal::resume(Some(&args.journal), || Ok(header.clone()), take)?;
    let (start, before) = (Instant::now(), gold.records.len());
    let template = "{bar:30} {pos}/{len} positions, {msg} [{elapsed}, {eta} left]";
    let bar = progress::resumed(Some(args.positions as u64), before as u64, template);

    if before < args.positions {
        let set_up = || Sampler::new(&args.set, &arena);
        let work = |sampler: &mut Sampler, number, stops: [&Stop; 2]| {
            Ok(sampler.sample_game(args.each, args.label, &arena, number, stops))
        };
        ordered::run(arena.concurrency, gold.games..u64::MAX, &stop, set_up, work, |positions| {
            keep(&mut journal, &positions.to_json())?;
            gold.add(positions);
            bar.set_position(gold.records.len().min(args.positions) as u64);
            bar.set_message(format!("{} games", HumanCount(gold.games)));
            if gold.useless_games >= MAX_USELESS_GAMES {
                return Err(format!("the last {MAX_USELESS_GAMES} games had no new position for the set").into());
            }
            let is_full = gold.records.len() >= args.positions;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    bar.finish_and_clear();
    let set = &gold.records[..args.positions.min(gold.records.len())];
    let finished = set.len() == args.positions;
    if finished {
        draft::write(&args.output, set.as_flattened())?;
    } else {
        notice(format_args!("interrupted; the same command resumes from {}", args.journal.display()));
    }
    let rate = (gold.records.len() - before) as f64 / start.elapsed().as_secs_f64().max(1e-3);
    let mut report = gold.report(set);
    report.row("positions per second", format!("{rate:.1}"), "in this run");
    report.field("settings", header);
    report.field("time_s", start.elapsed().as_secs_f64());
    Ok(report.show(args.json, finished)?)
}

/// Settings that must be the same to resume: all that affect the positions of a game.
fn header(args: &Args) -> Result<Value, Box<dyn Error>> {
    let mut header = args.conditions.header("gold make", args.limit, &args.set)?;
    let label = if let Limit::Nodes(nodes) = args.label { nodes.into() } else { args.label.to_string().into() };
    (header["each"], header["label"]) = (args.each.into(), label);
    header["set"] = texts(&args.set).into();
    Ok(header)
}

fn label(text: &str) -> Result<Limit, String> {
    let nodes = text.parse().ok().filter(|&nodes| nodes > 0).map(Limit::Nodes);
    nodes
        .or_else(|| Limit::repeatable(text).ok())
        .ok_or_else(|| "expected nodes, such as 50000, or soft=2500, soft=2500,hard=5000 or depth=8".into())
}

/// A growing set without duplicates, with statistics of its games.
#[derive(Default)]
struct GoldSet {
    records: Vec<[u8; RECORD]>,
    /// Piece placements of all positions.
    seen: HashSet<[u8; 24]>,
    games: u64,
    /// Consecutive games without new positions.
    useless_games: u64,
    nodes: u64,
}

impl GoldSet {
    /// Adds the positions of a game, except those with a known piece placement.
    fn add(&mut self, positions: GamePositions) {
        self.games += 1;
        self.nodes += positions.nodes;
        let before = self.records.len();
        let placement = |record: &[u8; RECORD]| std::array::from_fn(|index| record[index]);
        self.records.extend(positions.records.into_iter().filter(|record| self.seen.insert(placement(record))));
        self.useless_games = if self.records.len() == before { self.useless_games + 1 } else { 0 };
    }

    fn report(&self, set: &[[u8; RECORD]]) -> Report {
        let mut report = Report::default();
        report.count("games", "games", self.games, "");
        report.count("positions", "positions", set.len() as u64, "");
        let each = self.nodes as f64 / self.records.len().max(1) as f64;
        report.count("nodes", "nodes", self.nodes, &format!("{each:.0} per position"));
        report.row("checksum (crc32)", checksum(set), "");
        report.field("crc32", checksum(set));
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use crate::gold::Origin;
    use lento::chess::Board;
    use lento_common::arguments::parse;
    use lento_common::play::{GameResult, OpeningArgs};

    fn record(board: &Board, score: i32, result: GameResult, origin: Origin) -> [u8; RECORD] {
        let mut position = packed::pack(board, score, result);
        position.extra[0] = origin as u8;
        packed::to_bytes(&position)
    }

    #[test]
    fn default_games_are_not_those_of_datagen() {
        let gold: Args = parse(["make", "--output", "a", "--journal", "b"]).unwrap();
        let openings: OpeningArgs = parse(["openings"]).unwrap();
        assert_ne!(gold.conditions.openings.seed, openings.seed);
    }

    #[test]
    fn positions_are_unique_and_store_their_origin() {
        let board = Board::start();
        let other = board.after(board.legal_moves()[3]);
        let mut gold = GoldSet::default();
        let mut add = |records| gold.add(GamePositions { records, ..GamePositions::default() });
        add(vec![record(&board, 31, GameResult::Draw, Origin::Game)]);
        add(vec![
            record(&board, 90, GameResult::WhiteWins, Origin::Search),
            record(&other, 20, GameResult::WhiteWins, Origin::Search),
        ]);
        let read: Vec<_> = gold.records.iter().map(|record| packed::from_bytes(record).unwrap()).collect();
        assert_eq!(read.iter().map(Origin::of).collect::<Vec<_>>(), Origin::ALL);
        // The second is from Black's point of view.
        assert_eq!(
            read.iter().map(|position| (position.score, position.result)).collect::<Vec<_>>(),
            [(31, 1), (-20, 0)]
        );
    }
}
