//! `lento epd`: how many problems of a suite are solved, and how soon.

mod parse;
pub mod record;
mod skipped;
pub mod solve;
mod table;

pub use parse::Problem;
pub use table::Total;

use indicatif::ProgressBar;
use lento::engine::Engine;
use lento::search::limits::Limits;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::part::{Part, part};
use lento_common::{inputs, progress, summary};
use serde_json::{Value, json};
use skipped::Skipped;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use table::Layout;

/// What to solve, and how long to think.
#[derive(clap::Args)]
pub struct Args {
    /// Suites in EPD or FEN, one position a line: those with bm (best moves), am (moves to avoid), dm (mate in so many
    /// moves) or points for moves (c0 "f5=10, Be5+=2", or c8 with c9 or c7) count; others are searched as well. Lines that
    /// are neither are skipped
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
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=Engine::MAX_THREADS as i64))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=Engine::MAX_HASH as i64))]
    hash: u32,
    /// Only part K of N of all lines together, for one of several machines
    #[arg(long, value_name = "K/N", value_parser = part)]
    part: Option<Part>,
    /// Keep each result in this file, and go on from there when it exists
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
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
    fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        let time = self.time.or(unlimited.then_some(Duration::from_secs(1)));
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time.map(|time| time.as_millis() as i64),
            ..Limits::default()
        }
    }

    /// The problems of each file.
    fn suites(&self) -> Result<Vec<Suite<'_>>, String> {
        let mut suites = Vec::new();
        for file in &self.files {
            let (problems, skipped) = skipped::read(file)?;
            suites.push(Suite { file, problems, skipped, total: Total::default() });
        }
        if let Some(part) = self.part {
            let wanted = part.of(suites.iter().map(|suite| suite.problems.len() as u64).sum());
            let mut numbers = 0..;
            let mut is_wanted = |_: &Problem| numbers.next().is_some_and(|number: u64| wanted.contains(&number));
            suites.iter_mut().for_each(|suite| suite.problems.retain(&mut is_wanted));
        }
        Ok(suites)
    }

    /// All that was asked, as JSON.
    fn json(&self) -> Value {
        let limits = self.limits();
        let mut asked = json!({
            "files": self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
            "time_ms": limits.movetime,
            "depth": limits.depth,
            "nodes": limits.nodes,
            "threads": self.threads,
            "hash_mib": self.hash,
        });
        if let Some(part) = self.part {
            asked["part"] = part.to_string().into();
        }
        asked
    }
}

/// The problems of a file, which holds nothing else.
///
/// # Errors
/// The file cannot be read, or a line of it is no problem.
pub fn read(file: &Path) -> Result<Vec<Problem>, String> {
    let text = inputs::read_text(file).map_err(|error| format!("{}: {error}", file.display()))?;
    parse::problems(&text).map_err(|(line, error)| format!("{}:{line}: {error}", file.display()))
}

/// A file of problems, and how it went.
struct Suite<'a> {
    file: &'a Path,
    problems: Vec<Problem>,
    skipped: Vec<Skipped>,
    total: Total,
}

/// Solves the suites and shows each result as it comes. After Ctrl-C the results so far are kept.
///
/// # Errors
/// A file cannot be read or holds no position, or the engine cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut suites = args.suites()?;
    skipped::tell(suites.iter().map(|suite| (suite.file, suite.skipped.as_slice())), &mut io::stderr());
    let mut solver = Solver::new(args, Stop::on_ctrl_c()?)?;
    let count = suites.iter().map(|suite| suite.problems.len()).sum();
    let layout = Layout::of(suites.iter().flat_map(|suite| &suite.problems));
    let mut show = SuiteProgress::new(args.json, count);
    show.line(&layout.header())?;
    let (mut total, mut results) = (Total::default(), Vec::new());
    'all: for suite in &mut suites {
        for problem in &suite.problems {
            show.next(problem, total);
            let Some(solution) = solver.solve(problem)? else { break 'all };
            suite.total.add(problem, &solution);
            total.add(problem, &solution);
            show.line(&layout.line(problem, &solution))?;
            results.push(table::json(problem, &solution));
        }
    }
    for suite in suites.iter().filter(|_| suites.len() > 1) {
        let line = suite.total.line(suite.problems.len()) + &skipped::count(suite.skipped.len());
        show.line(&format!("{}: {line}", suite.file.display()))?;
    }
    let skipped = suites.iter().map(|suite| suite.skipped.len()).sum();
    show.line(&(total.line(count) + &skipped::count(skipped)))?;
    show.end();
    summary::show(args.json, || document(args, &suites, total, results), String::new)?;
    Ok(summary::exit(total.searched == count))
}

/// Everything that was asked and found.
fn document(args: &Args, suites: &[Suite], total: Total, results: Vec<Value>) -> Value {
    let mut document = args.json();
    let merge = |document: &mut Value, sums: Value| {
        if let (Some(all), Value::Object(sums)) = (document.as_object_mut(), sums) {
            all.extend(sums);
        }
    };
    merge(&mut document, total.json());
    let totals = suites.iter().map(|suite| {
        let mut sums = json!({ "file": suite.file.display().to_string(), "problems": suite.problems.len() });
        sums["lines_skipped"] = suite.skipped.len().into();
        merge(&mut sums, suite.total.json());
        sums
    });
    document["totals"] = totals.collect();
    document["problems"] = results.into();
    let skipped = suites.iter().flat_map(|suite| suite.skipped.iter().map(|line| line.to_json(suite.file)));
    document["skipped"] = skipped.collect();
    document["lines_skipped"] = suites.iter().map(|suite| suite.skipped.len()).sum::<usize>().into();
    document
}

/// Who solves: the journal what it knows, the engine the rest.
struct Solver {
    engine: Engine,
    limits: Limits,
    stop: Stop,
    journal: Option<Journal>,
    /// Where the journal lies, for messages.
    name: String,
    known: std::iter::Enumerate<std::vec::IntoIter<Value>>,
}

impl Solver {
    fn new(args: &Args, stop: Stop) -> Result<Self, Box<dyn Error>> {
        let mut engine = Engine::new();
        engine.set_threads(usize::from(args.threads))?;
        engine.set_hash(args.hash as usize)?;
        // The clock of a problem is not that of a game: nothing is kept back.
        engine.settings_mut().search.move_overhead = 0;
        let (mut journal, mut known, mut name) = (None, Vec::new(), String::new());
        if let Some(path) = &args.journal {
            let (file, records) = Journal::open(path, &args.json())?;
            (journal, known, name) = (Some(file), records, path.display().to_string());
        }
        Ok(Self { engine, limits: args.limits(), stop, journal, name, known: known.into_iter().enumerate() })
    }

    /// Solves the next problem, or says how it was solved before. `None` if it was interrupted.
    fn solve(&mut self, problem: &Problem) -> Result<Option<solve::Solution>, Box<dyn Error>> {
        if let Some((index, known)) = self.known.next() {
            let solution = record::read(problem, &known);
            let (line, id) = (index + 2, &problem.id);
            return Ok(Some(solution.ok_or_else(|| format!("{}:{line}: no record of '{id}'", self.name))?));
        }
        if self.stop.asked() {
            return Ok(None);
        }
        let Some(solution) = solve::solve(&mut self.engine, problem, &self.limits, &self.stop) else { return Ok(None) };
        keep(&mut self.journal, &record::write(problem, &solution))?;
        Ok(Some(solution))
    }
}

/// The table on standard output, and on a terminal the progress below it.
struct SuiteProgress {
    silent: bool,
    bar: ProgressBar,
}

impl SuiteProgress {
    fn new(silent: bool, count: usize) -> Self {
        let bar = progress::bar(Some(count as u64), "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]");
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

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &str) -> Args {
        <Line as clap::Parser>::parse_from(line.split(' ')).args
    }

    #[test]
    fn what_the_journal_knows_is_not_searched_again() {
        let folder = std::env::temp_dir().join(format!("lento-epd-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (suite, journal) = (folder.join("suite.epd"), folder.join("journal"));
        let text = "6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;\n6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#; c0 \"Ra2=3\";\n";
        std::fs::write(&suite, text).unwrap();
        let line = format!("epd {} --hash 1 --journal {}", suite.display(), journal.display());
        let solver = |depth| Solver::new(&args(&format!("{line} --depth {depth}")), Stop::default());
        let given = args(&format!("{line} --depth 3"));
        let problems = given.suites().unwrap().remove(0).problems;
        let first = solver(3).unwrap().solve(&problems[0]).unwrap();
        assert!(first.as_ref().is_some_and(|first| first.solved));

        // Stopped before it begins, it only knows what was found before.
        let mut again = solver(3).unwrap();
        again.stop.ask();
        assert_eq!(again.solve(&problems[0]).unwrap(), first);
        assert_eq!(again.solve(&problems[1]).unwrap(), None);
        drop(again);
        assert!(solver(3).unwrap().solve(&problems[1]).unwrap_err().to_string().contains(":2: no record of 'line 2'"));
        assert!(solver(4).err().is_some_and(|error| error.to_string().contains("depth is 3, here 4")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn sums_of_every_file_and_of_all() {
        let given = args("epd one.epd two.epd --nodes 100");
        let problems = parse::problems("4k3/8/8/8/8/8/8/R3K3 w Q - c0 \"Ra8+=10, Ra7=3\";").unwrap();
        let played = problems[0].board.parse_san("Ra7");
        let elapsed = Duration::from_millis(10);
        let solution = solve::Solution { played, solved: false, since: None, score: 30, depth: 9, nodes: 500, elapsed };
        let mut suites = Vec::new();
        let mut total = Total::default();
        for file in &given.files {
            let mut suite = Suite { file, problems: problems.clone(), skipped: Vec::new(), total: Total::default() };
            suite.total.add(&problems[0], &solution);
            total.add(&problems[0], &solution);
            suites.push(suite);
        }
        let document = document(&given, &suites, total, Vec::new());
        assert_eq!((&document["points"], &document["points_possible"]), (&json!(6), &json!(20)));
        assert_eq!((&document["searched"], &document["nodes"]), (&json!(2), &json!(100)));
        assert_eq!(document["totals"][1]["file"], "two.epd");
        assert_eq!((&document["totals"][1]["points"], &document["totals"][1]["problems"]), (&json!(3), &json!(1)));
    }
}
