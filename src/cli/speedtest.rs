//! `lento speedtest`: the speed of a fixed amount of work, with a checksum of what was computed.

use super::interrupt::Stop;
use super::progress::Progress;
use super::search::search;
use super::setup::{self, EvaluatorArgs};
use super::{Done, machine, units};
use crate::chess::Game;
use crate::engine::Engine;
use crate::engine::numa::NumaPolicy;
use crate::eval::nnue::Sum;
use crate::processors;
use crate::search::limits::Limits;
use crate::tt::{TtError, memory};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, Write};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

/// JSON fields, for the help.
const FIELDS: &str = "\
Speed is one search with all threads. Rate is one search of one thread for each of them,
all at the same time.

With --json one document is printed at the end:
  version, machine      program and machine, as in docs/scaling.md
  work                  {threads, nodes, hash_mib, positions}
  speed, rate           {checksum, nodes, time_ms, nps}, or null; that of rate is the
                        checksum of one thread
  interrupted           whether Ctrl-C ended it";

/// Arguments of `lento speedtest`.
#[derive(clap::Args)]
#[command(after_long_help = FIELDS)]
pub struct Args {
    /// Threads [default: all cores]
    #[arg(value_parser = setup::threads)]
    threads: Option<usize>,
    /// Nodes per thread and position
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    nodes: u64,
    /// Hash table in MiB per thread
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = setup::hash)]
    hash: usize,
    /// Search only the first N of the 40 positions
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..=40))]
    positions: u64,
    /// Measure speed only
    #[arg(long, conflicts_with = "rate")]
    speed: bool,
    /// Measure rate only
    #[arg(long)]
    rate: bool,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    json: bool,
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

/// What engines that search the same at the same time have achieved.
struct Figure {
    checksum: String,
    nodes: u64,
    time: Duration,
    nps: f64,
}

impl Figure {
    fn json(&self) -> Value {
        let Self { checksum, nodes, time, nps } = self;
        json!({ "checksum": checksum, "nodes": nodes, "time_ms": time.as_secs_f64() * 1e3, "nps": nps })
    }
}

/// An engine, with the checksum of its settings and results so far.
struct Copy {
    engine: Engine,
    sum: Sum,
    nodes: u64,
}

impl Copy {
    fn new(args: &Args, threads: usize, policy: NumaPolicy) -> Result<Self, String> {
        let mut engine = Engine::new();
        engine.set_numa_policy(policy)?;
        engine.set_threads(threads).map_err(|error| error.to_string())?;
        engine.set_hash(args.hash * threads).map_err(|error| error.to_string())?;
        engine.set_evaluation(args.evaluator.evaluation()?);
        engine.settings.search.deterministic = true;
        let mut sum = Sum::default();
        let settings = [threads as u64, args.nodes, args.hash as u64, args.positions];
        settings.into_iter().chain([engine.identity().fingerprint]).for_each(|word| sum.add(word));
        Ok(Self { engine, sum, nodes: 0 })
    }

    /// Searches the positions of a game, once the other engines are `ready`, too, and returns the time.
    fn play(&mut self, game: &[Game], nodes: u64, ready: &Barrier, stop: &Stop) -> io::Result<Duration> {
        self.engine.new_game();
        self.engine.game = game[0].clone();
        // The threads clear their histories asynchronously: wait for them with a search of one ply.
        self.engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        ready.wait();
        let limits = Limits { nodes: Some(nodes * self.engine.threads() as u64), ..Limits::default() };
        let mut time = Duration::ZERO;
        for position in game {
            self.engine.game = position.clone();
            let found = search(&mut self.engine, &limits, stop, |_| Ok(()))?;
            time += found.elapsed;
            self.nodes += found.nodes();
            let line = found.best().map_or([0; 2], |line| [line.depth as u64, line.score as u64]);
            let best = found.outcome.best.map_or(0, |mv| mv.word().into());
            [found.nodes(), line[0], line[1], best].into_iter().for_each(|word| self.sum.add(word));
        }
        let table = self.engine.lend_table_to_save().map_err(io::Error::other)?;
        self.sum.add(table.checksum());
        Ok(time)
    }
}

/// Runs a task for each item, on a thread of its own.
fn together<T: Send, R: Send>(items: impl IntoIterator<Item = T>, task: impl Fn(T) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let task = &task;
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || task(item))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a panic aborts the program")).collect()
    })
}

/// Searches the same on each of these engines at the same time; `None` after Ctrl-C.
fn measure(
    args: &Args,
    engines: usize,
    threads: usize,
    stop: &Stop,
    progress: &mut Progress,
) -> Result<Option<Figure>, Box<dyn Error>> {
    // Copies are left to the system to spread.
    let policy = if engines > 1 { NumaPolicy::None } else { NumaPolicy::default() };
    let copies = together(0..engines, |_| Copy::new(args, threads, policy.clone()));
    let mut copies = copies.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (mut left, mut time) = (args.positions as usize, Duration::ZERO);
    for game in games() {
        let game = &game[..left.min(game.len())];
        left -= game.len();
        progress.show(|| format!("{engines} searches of {threads} threads, {left} positions left"), None);
        let ready = Barrier::new(engines);
        let times = together(&mut copies, |copy| copy.play(game, args.nodes, &ready, stop));
        // The last one ends the game.
        time += times.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or_default();
        if stop.asked() {
            return Ok(None);
        }
        if left == 0 {
            break;
        }
    }
    let checksums: Vec<String> = copies.iter().map(|copy| format!("{:016x}", copy.sum.0)).collect();
    if let Some(other) = checksums.iter().find(|&other| *other != checksums[0]) {
        let differ = format!("two copies of the same search have the checksums {} and {other}", checksums[0]);
        return Err(format!("{differ}: this machine does not compute reliably, or Lento has a defect").into());
    }
    let nodes: u64 = copies.iter().map(|copy| copy.nodes).sum();
    let nps = nodes as f64 / time.as_secs_f64().max(1e-9);
    Ok(Some(Figure { checksum: checksums[0].clone(), nodes, time, nps }))
}

/// Measures and reports.
pub fn run(args: &Args) -> Done {
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
    let asked = args.hash * threads;
    if let Some(largest) = memory::available().map(memory::largest_mib).filter(|&largest| asked as u64 > largest) {
        return Err(TtError::Memory { asked, largest }.into());
    }
    let (machine, stop, mut progress) = (machine::here(), Stop::on_ctrl_c()?, Progress::start());
    let mut figure = |wanted: bool, engines: usize, threads: usize| {
        if wanted && !stop.asked() { measure(args, engines, threads, &stop, &mut progress) } else { Ok(None) }
    };
    let (speed, rate) = (figure(!args.rate, 1, threads)?, figure(!args.speed, threads, 1)?);
    progress.clear();
    let mut out = io::stdout();
    if args.json {
        let document = json!({
            "version": machine::version(),
            "machine": machine,
            "work": { "threads": threads, "nodes": args.nodes, "hash_mib": args.hash, "positions": args.positions },
            "speed": speed.as_ref().map(Figure::json),
            "rate": rate.as_ref().map(Figure::json),
            "interrupted": stop.asked(),
        });
        writeln!(out, "{document:#}")?;
        return Ok(stop.exit_code());
    }
    let of = |figure: &Option<Figure>, text: fn(&Figure) -> String| figure.as_ref().map(text).unwrap_or_default();
    let (checksum, nps) = (|of: &Figure| of.checksum.clone(), |of: &Figure| format!("{:.0} nodes/s", of.nps));
    let rows = [
        ("threads", threads.to_string()),
        ("positions", format!("{}, {} nodes per thread each", args.positions, units::grouped(args.nodes))),
        ("hash", format!("{} MiB per thread", args.hash)),
        ("interrupted", if stop.asked() { "incomplete, without a checksum".into() } else { String::new() }),
        ("speed checksum", of(&speed, checksum)),
        ("rate checksum", of(&rate, checksum)),
        ("speed", of(&speed, nps)),
        ("rate", of(&rate, nps)),
    ];
    write!(out, "{}", machine::table(&machine, &rows))?;
    Ok(stop.exit_code())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions per game.
    const IN_A_ROW: usize = 8;

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
