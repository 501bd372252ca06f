//! `lento speedtest`: search speed in positions of real games.

use super::interrupt::Stop;
use super::machine::{self, Machine};
use super::progress::Progress;
use super::search::search;
use super::{Done, amounts, units};
use crate::chess::Game;
use crate::engine::Engine;
use crate::processors;
use crate::search::limits::Limits;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// JSON fields, for the help.
const FIELDS: &str = "\
With --json one document is printed at the end:
  version, machine      program and machine, as in docs/scaling.md
  threads, hash_mib     settings
  positions             positions per repetition
  repetitions           {positions, nodes, time_ms, nps, hashfull} of each complete one, or
                        the incomplete first one
  nodes, time_ms        of all repetitions
  nps                   {median, min, max, mad} over the repetitions; mad is the
                        median absolute deviation
  hashfull              maximum, per mille
  interrupted           whether Ctrl-C ended it";

/// Default MiB of hash per thread, if memory allows.
const HASH_PER_THREAD: u64 = 128;
/// Fraction of a repetition's time spent warming up: one in this many.
const WARM_UP: u32 = 20;

/// Arguments of `lento speedtest`.
#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Threads [default: all cores]
    #[arg(value_parser = amounts::threads)]
    threads: Option<usize>,
    /// Hash table in MiB [default: 128 per thread, at most half of the free memory]
    #[arg(value_name = "MIB", value_parser = amounts::hash)]
    hash: Option<usize>,
    /// Total search time over all repetitions: 150, 30s, 2m
    #[arg(value_name = "SECONDS", default_value = "150", value_parser = amounts::positive_time)]
    seconds: Duration,
    /// Number of repetitions of all positions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = amounts::repetitions)]
    repeat: usize,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// Default hash size in MiB.
pub fn default_hash(per_thread: u64, threads: usize, available_mib: Option<u64>) -> usize {
    let wanted = per_thread * threads as u64;
    wanted.min(available_mib.unwrap_or(u64::MAX) / 2).clamp(1, Engine::MAX_HASH as u64) as usize
}

/// Self-play games from opening to endgame, each as its positions with history.
pub fn games() -> Vec<Vec<Game>> {
    include_str!("speedtest.txt").lines().map(positions).collect()
}

/// The positions of a game, given as the ply of the first one and the moves.
fn positions(line: &str) -> Vec<Game> {
    let mut words = line.split(' ');
    let first: usize = words.next().and_then(|ply| ply.parse().ok()).expect("a ply");
    let (mut game, mut found) = (Game::start(), Vec::new());
    for (ply, text) in words.enumerate() {
        if ply >= first && (ply - first).is_multiple_of(2) {
            found.push(game.clone());
        }
        game.play(game.board().parse_uci(text, false).expect("a legal move"));
    }
    found.push(game);
    found
}

/// Totals of a pass over all positions.
#[derive(Clone, Copy, Default)]
struct Repetition {
    positions: usize,
    nodes: u64,
    time: Duration,
    hashfull: u32,
}

impl Repetition {
    fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.time += other.time;
        self.hashfull = self.hashfull.max(other.hashfull);
    }

    fn nps(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn ms(&self) -> f64 {
        self.time.as_secs_f64() * 1e3
    }

    fn json(&self) -> Value {
        let Self { positions, nodes, hashfull, .. } = *self;
        let (ms, nps) = (self.ms(), self.nps());
        json!({ "positions": positions, "nodes": nodes, "time_ms": ms, "nps": nps, "hashfull": hashfull })
    }
}

/// The median; 0 without numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let Some(last) = numbers.len().checked_sub(1) else { return 0.0 };
    (numbers[last / 2] + numbers[numbers.len() / 2]) / 2.0
}

/// A result: label and text in the table, where an empty text is left out, and field and value in JSON.
struct Row {
    label: &'static str,
    text: String,
    field: &'static str,
    value: Value,
}

/// A running speedtest.
struct Test {
    engine: Engine,
    games: Vec<Vec<Game>>,
    stop: Stop,
    progress: Progress,
    /// Total search time.
    total: Duration,
    repetitions: Vec<Repetition>,
}

/// Searches every position for its share of the time and reports. Ctrl-C keeps complete repetitions.
pub fn run(args: &Args) -> Done {
    let machine = Machine::here();
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
    let mut engine = Engine::new();
    engine.set_threads(threads)?;
    let usual = || default_hash(HASH_PER_THREAD, threads, machine.available_mib);
    engine.set_hash(args.hash.unwrap_or_else(usual))?;
    // There is no GUI to allow for.
    engine.settings_mut().search.move_overhead = 0;

    let (stop, progress, repetitions) = (Stop::on_ctrl_c()?, Progress::start(), Vec::new());
    let mut test = Test { engine, games: games(), stop, progress, total: args.seconds, repetitions };
    test.run(args.repeat)?;
    test.progress.clear();
    let mut out = io::stdout();
    let rows = test.rows();
    if args.json {
        let mut document = json!({ "version": machine::version(), "machine": machine.json });
        rows.into_iter().for_each(|row| document[row.field] = row.value);
        writeln!(out, "{document:#}")?;
    } else {
        let rows: Vec<_> = rows.into_iter().map(|row| (row.label, row.text)).collect();
        write!(out, "{}", machine.table(&rows))?;
    }
    Ok(test.stop.exit_code())
}

impl Test {
    fn positions(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }

    /// Warms up and runs the repetitions. Keeps the first one even if interrupted.
    fn run(&mut self, repeat: usize) -> io::Result<()> {
        let each = self.total / repeat as u32;
        let share = each / self.positions() as u32;
        // CPU frequency, page faults, and the network in cache.
        self.think(self.games[0][0].clone(), each / WARM_UP, || "warming up".into())?;
        for number in 1..=repeat {
            let mut repetition = Repetition::default();
            for game in self.games.clone() {
                self.engine.new_game();
                for position in game {
                    let doing = || format!("repetition {number} of {repeat}, position {}", repetition.positions + 1);
                    let Some(searched) = self.think(position, share, doing)? else {
                        if self.repetitions.is_empty() && repetition.positions > 0 {
                            self.repetitions.push(repetition);
                        }
                        return Ok(());
                    };
                    repetition.add(&searched);
                }
            }
            self.repetitions.push(repetition);
        }
        Ok(())
    }

    /// Searches a position. `None` after Ctrl-C.
    fn think(&mut self, position: Game, time: Duration, doing: impl Fn() -> String) -> io::Result<Option<Repetition>> {
        self.engine.set_game(position);
        let limits = Limits { movetime: Some(time.as_millis().max(1) as i64), ..Limits::default() };
        let Self { engine, stop, progress, total, .. } = self;
        let mut show = || {
            let left = total.saturating_sub(progress.elapsed());
            progress.show(&doing, left);
        };
        show();
        let found = search(engine, &limits, stop, |news| {
            if news.is_none() {
                show();
            }
            Ok(())
        })?;
        let (nodes, hashfull) = (found.nodes(), found.hashfull());
        Ok((!stop.asked()).then_some(Repetition { positions: 1, nodes, time: found.elapsed, hashfull }))
    }

    /// The results, in the order of the table.
    fn rows(&self) -> Vec<Row> {
        let row = |label, text, field, value| Row { label, text, field, value };
        let (threads, hash, positions) = (self.engine.threads(), self.engine.hash_mib(), self.positions());
        let mut sum = Repetition::default();
        self.repetitions.iter().for_each(|one| sum.add(one));
        let repetitions: Vec<Value> = self.repetitions.iter().map(Repetition::json).collect();
        let asked = self.stop.asked();
        let interrupted = if asked { format!("after {} positions", sum.positions) } else { String::new() };

        let all: Vec<f64> = self.repetitions.iter().map(Repetition::nps).collect();
        let middle = median(all.clone());
        let min = all.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let max = all.iter().copied().reduce(f64::max).unwrap_or(0.0);
        let mad = median(all.iter().map(|nps| (nps - middle).abs()).collect());
        let number = |nps: f64| units::grouped(nps.round() as u64);
        let percent = 100.0 * mad / middle.max(1e-9);
        let spread = format!("{} to {} nodes/s, median absolute deviation {percent:.2} %", number(min), number(max));
        let nps = json!({ "median": middle, "min": min, "max": max, "mad": mad });
        vec![
            row("threads", threads.to_string(), "threads", threads.into()),
            row("hash", format!("{hash} MiB"), "hash_mib", hash.into()),
            row("positions", format!("{positions} of {} games", self.games.len()), "positions", positions.into()),
            row("repetitions", repetitions.len().to_string(), "repetitions", repetitions.into()),
            row("nodes", units::grouped(sum.nodes), "nodes", sum.nodes.into()),
            row("time", units::time(sum.time), "time_ms", sum.ms().into()),
            row(
                "hashfull",
                format!("{:.1} % at most", f64::from(sum.hashfull) / 10.0),
                "hashfull",
                sum.hashfull.into(),
            ),
            row("interrupted", interrupted, "interrupted", asked.into()),
            row("spread", spread, "nps", nps.clone()),
            row("nodes/s", number(middle), "nps", nps),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions per game.
    const IN_A_ROW: usize = 8;

    #[test]
    fn hash_grows_with_threads_up_to_half_of_memory() {
        assert_eq!(default_hash(128, 4, None), 512);
        assert_eq!(default_hash(128, 4, Some(10_000)), 512);
        assert_eq!(default_hash(128, 64, Some(10_000)), 5_000);
        assert_eq!(default_hash(128, 1, Some(0)), 1);
    }

    #[test]
    fn medians_of_odd_and_even_lists() {
        let numbers = [vec![], vec![5.0], vec![4.0, 1.0], vec![10.0, 11.0, 9.0, 12.0, 1000.0]];
        assert_eq!(numbers.map(median), [0.0, 5.0, 2.5, 11.0]);
    }

    #[test]
    fn positions_of_games_are_distinct() {
        let mut keys = Vec::new();
        for positions in games() {
            assert_eq!(positions.len(), IN_A_ROW);
            assert!(positions.iter().all(|game| game.verdict().is_none()));
            keys.extend(positions.iter().map(|game| game.board().key()));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5 * IN_A_ROW);
    }
}
