//! `lento speedtest`: search speed in positions of real games.

use super::interrupt::Stop;
use super::machine;
use super::progress::Progress;
use super::search::search;
use super::setup;
use super::{Done, units};
use crate::chess::Game;
use crate::engine::Engine;
use crate::processors;
use crate::search::limits::Limits;
use crate::tt::memory::{self, MIB};
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
    #[arg(value_parser = setup::threads)]
    threads: Option<usize>,
    /// Hash table in MiB [default: 128 per thread, at most half of the free memory]
    #[arg(value_name = "MIB", value_parser = setup::hash)]
    hash: Option<usize>,
    /// Total search time over all repetitions: 150, 30s, 2m
    #[arg(value_name = "SECONDS", default_value = "150", value_parser = setup::positive_time)]
    seconds: Duration,
    /// Number of repetitions of all positions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = setup::repetitions)]
    repeat: usize,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
}

/// Default hash size in MiB, at most half of the available memory.
pub fn default_hash(per_thread: u64, threads: usize) -> usize {
    hash_within(per_thread * threads as u64, memory::available().map(|bytes| bytes / MIB))
}

fn hash_within(wanted: u64, available_mib: Option<u64>) -> usize {
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

    fn json(&self) -> Value {
        let Self { positions, nodes, hashfull, .. } = *self;
        let nps = self.nps();
        json!({ "positions": positions, "nodes": nodes, "time_ms": ms(self.time), "nps": nps, "hashfull": hashfull })
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median; 0 without numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let Some(last) = numbers.len().checked_sub(1) else { return 0.0 };
    (numbers[last / 2] + numbers[numbers.len() / 2]) / 2.0
}

/// Searches every position for its share of the time and reports. Ctrl-C keeps complete repetitions.
pub fn run(args: &Args) -> Done {
    let machine = machine::here();
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
    let hash = args.hash.unwrap_or_else(|| default_hash(HASH_PER_THREAD, threads));
    let mut engine = Engine::new();
    engine.set_threads(threads)?;
    engine.set_hash(hash)?;
    // There is no GUI to allow for.
    engine.settings.search.move_overhead = 0;

    let (games, stop) = (games(), Stop::on_ctrl_c()?);
    let positions: usize = games.iter().map(Vec::len).sum();
    let repetitions = measure(&mut engine, &games, &stop, args)?;
    let mut sum = Repetition::default();
    repetitions.iter().for_each(|one| sum.add(one));
    let all: Vec<f64> = repetitions.iter().map(Repetition::nps).collect();
    let middle = median(all.clone());
    let mad = median(all.iter().map(|nps| (nps - middle).abs()).collect());
    let min = all.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let max = all.iter().copied().reduce(f64::max).unwrap_or(0.0);
    let mut out = io::stdout();
    if args.json {
        let document = json!({
            "version": machine::version(),
            "machine": machine,
            "threads": threads,
            "hash_mib": hash,
            "positions": positions,
            "repetitions": repetitions.iter().map(Repetition::json).collect::<Vec<_>>(),
            "nodes": sum.nodes,
            "time_ms": ms(sum.time),
            "nps": { "median": middle, "min": min, "max": max, "mad": mad },
            "hashfull": sum.hashfull,
            "interrupted": stop.asked(),
        });
        writeln!(out, "{document:#}")?;
        return Ok(stop.exit_code());
    }
    let number = |nps: f64| units::grouped(nps.round() as u64);
    let deviation = format!("median absolute deviation {:.2} %", 100.0 * mad / middle.max(1e-9));
    let interrupted = stop.asked().then(|| format!("after {} positions", sum.positions));
    let rows = [
        ("threads", threads.to_string()),
        ("hash", format!("{hash} MiB")),
        ("positions", format!("{positions} of {} games", games.len())),
        ("repetitions", repetitions.len().to_string()),
        ("nodes", units::grouped(sum.nodes)),
        ("time", units::time(sum.time)),
        ("hashfull", format!("{:.1} % at most", f64::from(sum.hashfull) / 10.0)),
        ("interrupted", interrupted.unwrap_or_default()),
        ("spread", format!("{} to {} nodes/s, {deviation}", number(min), number(max))),
        ("nodes/s", number(middle)),
    ];
    write!(out, "{}", machine::table(&machine, &rows))?;
    Ok(stop.exit_code())
}

/// Warms up and runs the repetitions. Keeps the first one even if interrupted.
fn measure(engine: &mut Engine, games: &[Vec<Game>], stop: &Stop, args: &Args) -> io::Result<Vec<Repetition>> {
    let mut progress = Progress::start();
    // `None` after Ctrl-C.
    let mut think = |engine: &mut Engine, position: &Game, time: Duration, doing: &str| {
        let mut show = || {
            let left = args.seconds.saturating_sub(progress.elapsed());
            progress.show(|| doing.into(), left);
        };
        show();
        engine.game = position.clone();
        let limits = Limits { movetime: Some(time.as_millis().max(1) as i64), ..Limits::default() };
        let found = search(engine, &limits, stop, |news| {
            if news.is_none() {
                show();
            }
            Ok(())
        })?;
        let (nodes, hashfull) = (found.nodes(), found.hashfull());
        Ok::<_, io::Error>((!stop.asked()).then_some(Repetition { positions: 1, nodes, time: found.elapsed, hashfull }))
    };
    let each = args.seconds / args.repeat as u32;
    let share = each / games.iter().map(Vec::len).sum::<usize>() as u32;
    // CPU frequency, page faults, and the network in cache.
    think(engine, &games[0][0], each / WARM_UP, "warming up")?;
    let mut repetitions = Vec::new();
    for number in 1..=args.repeat {
        let mut repetition = Repetition::default();
        for (index, position) in games.iter().flat_map(|game| game.iter().enumerate()) {
            if index == 0 {
                engine.new_game();
            }
            let doing = format!("repetition {number} of {}, position {}", args.repeat, repetition.positions + 1);
            let Some(searched) = think(engine, position, share, &doing)? else {
                if repetitions.is_empty() && repetition.positions > 0 {
                    repetitions.push(repetition);
                }
                return Ok(repetitions);
            };
            repetition.add(&searched);
        }
        repetitions.push(repetition);
    }
    Ok(repetitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions per game.
    const IN_A_ROW: usize = 8;

    #[test]
    fn hash_grows_with_threads_up_to_half_of_memory() {
        assert_eq!(hash_within(512, None), 512);
        assert_eq!(hash_within(512, Some(10_000)), 512);
        assert_eq!(hash_within(8192, Some(10_000)), 5_000);
        assert_eq!(hash_within(128, Some(0)), 1);
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
