//! `lento gold make`.

use super::checksum;
use super::harvest::{Crop, Hands};
use crate::formats::packed::RECORD;
use crate::report::Report;
use indicatif::HumanCount;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::notice::notice;
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::play::setting::{Setting, texts};
use lento_common::{draft, number, ordered, outputs, progress};
use serde_json::Value;
use std::collections::HashSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Write the set into this file (bulletformat, *.bf), which appears when it is whole
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Keep what each game has given in this file, and go on from there when it exists
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
    /// Positions of the set
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = number::count::<usize>)]
    positions: usize,
    /// The most positions of one game
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::count::<usize>)]
    each: usize,
    /// What the search that gives a position its score may cost: nodes, such as 50000, or as in --limit
    #[arg(long, value_name = "LIMIT", default_value = "50000", value_parser = label)]
    label: Limit,
    /// What a move of the games may cost: soft=1000 (nodes, to the end of the iteration), nodes=5000, depth=8
    #[arg(long, default_value = "soft=1000", value_parser = Limit::repeatable)]
    limit: Limit,
    /// An option or number of the player, such as LMR=off; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

/// Consecutive games without a position after which the run fails.
const BARREN: u64 = 200;

/// Makes the set. After Ctrl-C, or any other end, the journal keeps the finished games, and the same command resumes.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let arena = args.conditions.arena(args.limit, [&args.set, &args.set])?;
    outputs::check([&args.output, &args.journal], &args.conditions.openings.book)?;
    // Fails before the journal is created.
    Hands::new(&args.set, arena.hash)?;
    let stop = Stop::on_ctrl_c()?;
    let header = header(args)?;
    let mut making = Making::default();
    let mut journal = Journal::resume(
        Some(&args.journal),
        || Ok(header.clone()),
        |number, record| {
            making.add(Crop::from_json(record).filter(|crop| crop.number == number)?);
            Some(())
        },
    )?;
    let (start, before) = (Instant::now(), making.records.len());
    let template = "{bar:30} {pos}/{len} positions, {msg} [{elapsed}, {eta} left]";
    let bar = progress::resumed(Some(args.positions as u64), before as u64, template);

    if before < args.positions {
        let set_up = || Hands::new(&args.set, arena.hash);
        let work = |hands: &mut Hands, number, stops: [&Stop; 2]| {
            Ok(hands.harvest(args.each, args.label, &arena, number, stops))
        };
        ordered::run(arena.concurrency, making.games..u64::MAX, &stop, set_up, work, |crop| {
            keep(&mut journal, &crop.to_json())?;
            making.add(crop);
            bar.set_position(making.records.len().min(args.positions) as u64);
            bar.set_message(format!("{} games", HumanCount(making.games)));
            if making.barren >= BARREN {
                return Err(format!("the last {BARREN} games gave no position for the set").into());
            }
            let is_full = making.records.len() >= args.positions;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    bar.finish_and_clear();
    let set = &making.records[..args.positions.min(making.records.len())];
    let finished = set.len() == args.positions;
    if finished {
        draft::write(&args.output, set.as_flattened())?;
    } else {
        notice(format_args!("interrupted; the same command resumes from {}", args.journal.display()));
    }
    let rate = (making.records.len() - before) as f64 / start.elapsed().as_secs_f64().max(1e-3);
    let mut report = making.report(set);
    report.row("positions a second", format!("{rate:.1}"), "in this run");
    report.field("settings", header);
    report.field("time_s", start.elapsed().as_secs_f64());
    Ok(report.show(args.json, finished)?)
}

/// The settings that must be the same to resume: all that decide the positions of a game.
fn header(args: &Args) -> Result<Value, Box<dyn Error>> {
    let mut header = args.conditions.header("gold make", args.limit)?;
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

/// A growing set without duplicates, and the games that it is made of.
#[derive(Default)]
struct Making {
    records: Vec<[u8; RECORD]>,
    /// Pieces and squares of all positions.
    seen: HashSet<[u8; 24]>,
    games: u64,
    /// Consecutive games without a position.
    barren: u64,
    nodes: u64,
}

impl Making {
    /// Adds the positions of a game, except those with the pieces of another one.
    fn add(&mut self, crop: Crop) {
        self.games += 1;
        self.nodes += crop.nodes;
        self.barren = if crop.records.is_empty() { self.barren + 1 } else { 0 };
        let placement = |record: &[u8; RECORD]| std::array::from_fn(|index| record[index]);
        self.records.extend(crop.records.into_iter().filter(|record| self.seen.insert(placement(record))));
    }

    fn report(&self, set: &[[u8; RECORD]]) -> Report {
        let mut report = Report::default();
        report.count("games", "games", self.games, "");
        report.count("positions", "positions", set.len() as u64, "");
        let each = self.nodes as f64 / self.records.len().max(1) as f64;
        report.count("nodes", "nodes", self.nodes, &format!("{each:.0} a position"));
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
    use lento_common::play::record::GameResult;

    fn record(board: &Board, score: i32, result: GameResult, origin: Origin) -> [u8; RECORD] {
        let mut position = packed::pack(board, score, result);
        position.extra[0] = origin as u8;
        packed::to_bytes(&position)
    }

    #[test]
    fn a_position_comes_once_and_says_where_it_comes_from() {
        let board = Board::start();
        let other = board.after(board.legal_moves()[3]);
        let mut making = Making::default();
        let mut add = |records| making.add(Crop { records, ..Crop::default() });
        add(vec![record(&board, 31, GameResult::Draw, Origin::Game)]);
        add(vec![
            record(&board, 90, GameResult::WhiteWins, Origin::Search),
            record(&other, 20, GameResult::WhiteWins, Origin::Search),
        ]);
        let read: Vec<_> = making.records.iter().map(|record| packed::from_bytes(record).unwrap()).collect();
        assert_eq!(read.iter().map(Origin::of).collect::<Vec<_>>(), Origin::ALL);
        // The second is seen by Black.
        assert_eq!(
            read.iter().map(|position| (position.score, position.result)).collect::<Vec<_>>(),
            [(31, 1), (-20, 0)]
        );
    }
}
