//! `lento speedtest`: the speed of a fixed amount of work, with a checksum of the results.

mod figure;
mod meter;

use figure::{Figure, Pass, mismatch};
use lento::chess::Game;
use lento::engine::Engine;
use lento::engine::numa::NumaPolicy;
use lento::internals::memory;
use lento::internals::nnue::Sum;
use lento::internals::processors;
use lento::search::limits::{Determinism, Limits};
use lento::tt::TtError;
use lento_console::interrupt::Stop;
use lento_console::search::search;
use lento_console::setup::{self, EvaluatorArgs};
use lento_console::{Done, machine, units};
use meter::Meter;
use serde_json::json;
use std::error::Error;
use std::io::{self, Write};
use std::iter::{once, repeat_with};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

/// Maximum nodes per thread and position in the warm-up.
const MAX_WARM_UP_NODES: u64 = 25_000;

/// JSON fields, for the help.
const FIELDS: &str = "\
Speed is one search with all threads. Rate is one search per thread, all at the same time.
A short warm-up before them is not measured.

With --json one document is printed at the end:
  version, machine      program and machine, as in docs/schema.md
  settings              {time_ms}: --time, or null
  work                  {threads, nodes, hash_mib, positions} of a round
  speed, rate           null, or
    checksum            the same in all rounds; for rate, of one thread
    nodes               per round
    time_ms, nps        median over the rounds
    spread              standard deviation of the round times divided by time_ms;
                        null with one round
    rounds_ms           time of each round
    slowest_nps, fastest_nps
                        of the searches, each by its own time (in rate, one per
                        thread); medians over the rounds
    placement           {policy, unbound: why threads are not bound to NUMA nodes,
                        or null, nodes: list of {cpus, memory_nodes, threads,
                        bound: number of bound threads}}
  interrupted           whether Ctrl-C ended the test";

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
    /// Repeat the work in complete rounds, at least one, while another one fits into this time: 30s, 2m [default: one round]
    #[arg(long, value_parser = setup::positive_time)]
    time: Option<Duration>,
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

impl Args {
    /// The figures to measure, in order.
    fn kinds(&self) -> Vec<Kind> {
        let wanted = |kind: &Kind| if *kind == Kind::Speed { !self.rate } else { !self.speed };
        [Kind::Speed, Kind::Rate].into_iter().filter(wanted).collect()
    }
}

/// Self-play games from opening to endgame, as positions with their history.
pub fn games() -> Vec<Vec<Game>> {
    include_str!("speedtest.txt").lines().map(positions).collect()
}

/// The positions of a game, from a line with the ply of the first one and the moves.
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

/// The two figures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// One search with all threads.
    Speed,
    /// One search per thread, all at the same time.
    Rate,
}

/// The positions to search.
struct Work {
    /// Positions of each game.
    games: Vec<Vec<Game>>,
    /// Nodes per thread and position.
    nodes: u64,
}

impl Work {
    fn new(positions: u64, nodes: u64) -> Self {
        let mut left = positions as usize;
        let take = |mut game: Vec<Game>| {
            game.truncate(left);
            left -= game.len();
            game
        };
        let games = games().into_iter().map(take).filter(|game| !game.is_empty()).collect();
        Self { games, nodes }
    }

    /// The work before the measurement: about a twentieth of the measured work, less with many nodes per position.
    fn warm_up(args: &Args) -> Self {
        Self::new(args.positions.div_ceil(5), (args.nodes / 4).clamp(1, MAX_WARM_UP_NODES))
    }

    fn positions(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }
}

/// An engine, and the checksum of its settings and results so far.
struct Copy {
    engine: Engine,
    sum: Sum,
    nodes: u64,
    time: Duration,
}

impl Copy {
    fn new(args: &Args, threads: usize, policy: NumaPolicy) -> Result<Self, String> {
        let mut engine = Engine::new();
        engine.set_numa_policy(policy)?;
        engine.set_threads(threads).map_err(|error| error.to_string())?;
        engine.set_hash(args.hash * threads).map_err(|error| error.to_string())?;
        engine.set_evaluation(args.evaluator.evaluation()?);
        engine.settings.search.deterministic = Determinism::Rounds;
        let mut sum = Sum::default();
        let settings = [threads as u64, args.nodes, args.hash as u64, args.positions];
        settings.into_iter().chain([engine.identity().fingerprint]).for_each(|word| sum.add(word));
        Ok(Self { engine, sum, nodes: 0, time: Duration::ZERO })
    }

    /// Searches the positions of a game once all engines are `ready`. Returns the time.
    fn play(
        &mut self,
        game: &[Game],
        nodes: u64,
        ready: &Barrier,
        stop: &Stop,
        mut meter: Option<&mut Meter>,
    ) -> io::Result<Duration> {
        self.engine.new_game();
        self.engine.game = game[0].clone();
        // The threads clear their histories asynchronously: wait for them with a search of one ply.
        self.engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        ready.wait();
        let limits = Limits { nodes: Some(nodes * self.engine.threads() as u64), ..Limits::default() };
        let mut time = Duration::ZERO;
        for position in game {
            self.engine.game = position.clone();
            let found = search(&mut self.engine, &limits, &[], stop, |output| {
                if let (None, Some(meter)) = (output, &mut meter) {
                    meter.show();
                }
                Ok(())
            })?;
            time += found.elapsed;
            self.nodes += found.nodes();
            if let Some(meter) = &mut meter {
                meter.position_done();
            }
            let line = found.best().map_or([0; 2], |line| [line.depth as u64, line.score as u64]);
            let best = found.outcome.best.map_or(0, |mv| mv.word().into());
            [found.nodes(), line[0], line[1], best].into_iter().for_each(|word| self.sum.add(word));
        }
        let table = self.engine.lend_table_to_save().map_err(io::Error::other)?;
        self.sum.add(table.checksum());
        self.time += time;
        Ok(time)
    }
}

/// Runs a task for each item, each on its own thread.
fn parallel<T: Send, R: Send>(items: impl IntoIterator<Item = T>, task: impl Fn(T) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let task = &task;
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || task(item))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a panic aborts the program")).collect()
    })
}

/// Measures a figure once; `None` after Ctrl-C.
fn measure(
    args: &Args,
    kind: Kind,
    work: &Work,
    threads: usize,
    stop: &Stop,
    meter: &mut Meter,
) -> Result<Option<Pass>, Box<dyn Error>> {
    let (engines, threads) = if kind == Kind::Speed { (1, threads) } else { (threads, 1) };
    // The system distributes the engines.
    let policy = if engines > 1 { NumaPolicy::None } else { NumaPolicy::default() };
    meter.begin(kind, work.positions());
    let copies = parallel(0..engines, |_| Copy::new(args, threads, policy.clone()));
    let mut copies = copies.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut time = Duration::ZERO;
    for game in &work.games {
        let ready = Barrier::new(engines);
        // The first copy reports for all.
        let meters = once(Some(&mut *meter)).chain(repeat_with(|| None));
        let times =
            parallel(copies.iter_mut().zip(meters), |(copy, meter)| copy.play(game, work.nodes, &ready, stop, meter));
        // The slowest engine determines the time of the game.
        time += times.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or_default();
        if stop.is_requested() {
            return Ok(None);
        }
    }
    let checksums: Vec<String> = copies.iter().map(|copy| format!("{:016x}", copy.sum.0)).collect();
    if let Some(other) = checksums.iter().find(|&other| *other != checksums[0]) {
        return Err(mismatch("copies", &checksums[0], other).into());
    }
    let nps = copies.iter().map(|copy| copy.nodes as f64 / copy.time.as_secs_f64().max(1e-9));
    Ok(Some(Pass {
        checksum: checksums[0].clone(),
        nodes: copies.iter().map(|copy| copy.nodes).sum(),
        time,
        engines: [nps.clone().fold(f64::INFINITY, f64::min), nps.fold(0.0, f64::max)],
        placement: machine::placement(&mut copies[0].engine),
    }))
}

/// Measures speed and rate after a warm-up, in one round or all that fit into `--time`. Ctrl-C keeps complete measurements.
fn rounds(args: &Args, threads: usize, stop: &Stop) -> Result<[Option<Figure>; 2], Box<dyn Error>> {
    let kinds = args.kinds();
    let mut meter = Meter::start(args.time);
    let work = Work::warm_up(args);
    for &kind in &kinds {
        if measure(args, kind, &work, threads, stop, &mut meter)?.is_none() {
            return Ok([None, None]);
        }
    }
    let work = Work::new(args.positions, args.nodes);
    let mut figures = [None, None];
    while meter.begin_round() {
        for &kind in &kinds {
            let Some(pass) = measure(args, kind, &work, threads, stop, &mut meter)? else { return Ok(figures) };
            Figure::add(&mut figures[kind as usize], pass)?;
        }
    }
    Ok(figures)
}

/// Measures and reports.
pub fn run(args: &Args) -> Done {
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
    let requested = args.hash * threads;
    if let Some(largest) = memory::available().map(memory::largest_mib).filter(|&largest| requested as u64 > largest) {
        return Err(TtError::Memory { requested, largest }.into());
    }
    let (machine, stop) = (machine::here(), Stop::on_ctrl_c()?);
    let [speed, rate] = rounds(args, threads, &stop)?;
    let mut out = io::stdout();
    if args.json {
        let document = json!({
            "version": machine::version(),
            "machine": machine,
            "settings": { "time_ms": args.time.map(|time| time.as_secs_f64() * 1e3) },
            "work": { "threads": threads, "nodes": args.nodes, "hash_mib": args.hash, "positions": args.positions },
            "speed": speed.as_ref().map(Figure::json),
            "rate": rate.as_ref().map(Figure::json),
            "interrupted": stop.is_requested(),
        });
        writeln!(out, "{document:#}")?;
        return Ok(stop.exit_code());
    }
    let of = |figure: &Option<Figure>, text: fn(&Figure) -> String| figure.as_ref().map(text).unwrap_or_default();
    let checksum = |figure: &Figure| figure.0[0].checksum.clone();
    let engines = |figure: &Figure| {
        let [slowest, fastest] = figure.engines();
        format!("{slowest:.0} to {fastest:.0} nodes/s, from slowest to fastest")
    };
    let cpus = processors::count();
    let surplus = if threads > cpus { format!(", sharing {cpus} CPUs") } else { String::new() };
    let figures = [&speed, &rate];
    let rounds =
        args.kinds().iter().map(|kind| figures[*kind as usize].as_ref().map_or(0, |figure| figure.0.len())).min();
    let rounds = rounds.unwrap_or(0);
    let interrupted = match rounds {
        _ if !stop.is_requested() => String::new(),
        _ if figures.iter().all(|figure| figure.is_none()) => "incomplete, without a checksum".into(),
        rounds => format!("in round {}; only complete measurements count", rounds + 1),
    };
    let repeated = match args.time {
        Some(_) if rounds > 1 => format!("{rounds}; ± is the standard deviation of their times"),
        Some(time) if rounds == 1 && !stop.is_requested() => {
            format!("1, as a second does not fit into {}", units::time(time))
        }
        _ => String::new(),
    };
    let rows = [
        ("threads", format!("{threads}{surplus}")),
        ("positions", format!("{}, {} nodes per thread each", args.positions, units::grouped(args.nodes))),
        ("hash", format!("{} MiB per thread", args.hash)),
        ("rounds", repeated),
        ("interrupted", interrupted),
        ("rate per thread", of(&rate, engines)),
        ("speed checksum", of(&speed, checksum)),
        ("rate checksum", of(&rate, checksum)),
        ("speed", of(&speed, Figure::text)),
        ("rate", of(&rate, Figure::text)),
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
