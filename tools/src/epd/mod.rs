//! `lento-tools epd`: how many problems of a suite are solved, and how soon.

mod parse;
mod solve;
mod table;

use crossbeam::channel::{Receiver, bounded};
use indicatif::{ProgressBar, ProgressStyle};
use lento::engine::Engine;
use lento::search::limits::GoArgs;
use parse::Problem;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use table::Total;

/// What a program ends with when Ctrl-C has ended it.
const INTERRUPTED: u8 = 130;

/// What to solve, and how long to think.
#[derive(clap::Args)]
pub struct Args {
    /// Suites in EPD: positions with bm (best moves), am (moves to avoid) or dm (mate in so many moves)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Time for each position, with its unit: 1s, 500ms, 2m [default: 1s, unless another limit is given]
    #[arg(long, value_parser = parse_time)]
    time: Option<Duration>,
    /// Depth to search each position to, in plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    depth: Option<i32>,
    /// Nodes for each position, over all threads
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    hash: u32,
    /// Print one JSON document at the end instead of the table: the settings, the problems, the sums
    #[arg(long)]
    json: bool,
}

/// Reads a time with its unit. Without one, milliseconds and seconds would be mixed up.
fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let seconds = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        _ => f64::NAN,
    };
    number
        .parse::<f64>()
        .ok()
        .and_then(|number| Duration::try_from_secs_f64(number * seconds).ok())
        .filter(|time| (1..=86_400_000).contains(&time.as_millis()))
        .ok_or_else(|| "expected a time with its unit, such as 1s, 500ms or 2m".to_owned())
}

impl Args {
    fn limits(&self) -> GoArgs {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        let time = self.time.or(unlimited.then_some(Duration::from_secs(1)));
        GoArgs {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time.map(|time| time.as_millis() as i64),
            ..GoArgs::default()
        }
    }

    /// All problems of all files, in order.
    fn problems(&self) -> Result<Vec<Problem>, Box<dyn Error>> {
        let mut all = Vec::new();
        for file in &self.files {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let problems = parse::problems(&text);
            all.extend(problems.map_err(|(line, error)| format!("{}:{line}: {error}", file.display()))?);
        }
        Ok(all)
    }
}

/// Solves the suites and shows each result as it comes. After Ctrl-C the results so far are kept.
///
/// # Errors
/// A file cannot be read, or the engine cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let problems = args.problems()?;
    let mut engine = Engine::new();
    engine.set_threads(usize::from(args.threads))?;
    engine.set_hash(args.hash as usize)?;
    // The clock of a problem is not that of a game: nothing is kept back.
    engine.settings_mut().move_overhead = 0;
    let interrupts = interrupts()?;
    let limits = args.limits();

    let mut show = Show::new(args.json, problems.len());
    show.line(&table::header())?;
    let (mut total, mut results) = (Total::default(), Vec::new());
    for problem in &problems {
        show.next(problem, total);
        let Some(solution) = solve::solve(&mut engine, problem, &limits, &interrupts) else { break };
        total.add(&solution);
        show.line(&table::line(problem, &solution))?;
        results.push(table::json(problem, &solution));
    }
    show.line(&total.line(problems.len()))?;
    show.end();
    if args.json {
        writeln!(io::stdout(), "{:#}", document(args, &limits, total, results))?;
    }
    Ok(if total.searched < problems.len() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Everything that was asked and found.
fn document(args: &Args, limits: &GoArgs, total: Total, results: Vec<Value>) -> Value {
    json!({
        "files": args.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "time_ms": limits.movetime,
        "depth": limits.depth,
        "nodes": limits.nodes,
        "threads": args.threads,
        "hash_mib": args.hash,
        "problems": results,
        "searched": total.searched,
        "solved": total.solved,
        "total_nodes": total.nodes,
        "total_time_ms": total.elapsed.as_secs_f64() * 1e3,
    })
}

/// A channel that tells of Ctrl-C. The second Ctrl-C ends the program on the spot.
fn interrupts() -> Result<Receiver<()>, ctrlc::Error> {
    let (send, receive) = bounded(1);
    let mut asked = false;
    ctrlc::set_handler(move || {
        if asked {
            std::process::exit(i32::from(INTERRUPTED));
        }
        asked = true;
        // A closed channel means that the program is ending anyway.
        let _ = send.try_send(());
    })?;
    Ok(receive)
}

/// The table on standard output, and on a terminal the progress below it.
struct Show {
    silent: bool,
    bar: ProgressBar,
}

impl Show {
    fn new(silent: bool, count: usize) -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new(count as u64) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { silent, bar }
    }

    fn next(&self, problem: &Problem, total: Total) {
        self.bar.set_position(total.searched as u64);
        self.bar.set_message(format!("{}, {} solved", problem.id, total.solved));
        self.bar.tick();
    }

    /// A line of the table, above the progress.
    fn line(&mut self, text: &str) -> io::Result<()> {
        if self.silent {
            return Ok(());
        }
        self.bar.suspend(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}")?;
            out.flush()
        })
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, ms) in [("1s", 1000), ("500ms", 500), ("1.5s", 1500), ("2m", 120_000)] {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "1", "1000", "s", "0s", "-1s", "1h", "1 s", "ms5"] {
            assert!(parse_time(text).is_err(), "{text:?}");
        }
    }
}
