//! `lento epd`: solves test suites.

mod parse;
mod solve;
mod table;

pub use parse::{Problem, read};
pub use solve::{Solution, solve};
pub use table::Total;

use crate::document::merged;
use lento::engine::Engine;
use lento::search::limits::Limits;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::notice::{notice, printable};
use lento_common::part::{Part, part};
use lento_common::play::signature;
use lento_common::table::line;
use lento_common::{progress, summary};
use lento_console::{Done, setup};
use parse::{Skipped, messages, read_some};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::{row, widths};

#[derive(clap::Args)]
pub struct Args {
    /// Suites in EPD or FEN, one position per line, with bm (best moves), am (moves to avoid), dm (mate in N moves) or
    /// points for moves (c0 "f5=10, Be5+=2", or c8 with c9 or c7). Other positions are only searched. Skips invalid lines
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Time per position with its unit: 1s, 500ms, 2m [default: 1s, unless there is another limit]
    #[arg(long, value_parser = parse_time)]
    time: Option<Duration>,
    /// Depth per position in plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    depth: Option<i32>,
    /// Nodes per position over all threads
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=Engine::MAX_THREADS as i64))]
    threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=Engine::MAX_HASH as i64))]
    hash: u32,
    /// Solve only part K of N of all positions, to use several machines
    #[arg(long, value_name = "K/N", value_parser = part)]
    part: Option<Part>,
    /// Store results in this file; the same command resumes the run
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Print a JSON document with settings, problems and totals instead of the table
    #[arg(long)]
    json: bool,
}

/// Parses a time. Requires a unit, to prevent confusion of milliseconds and seconds.
fn parse_time(text: &str) -> Result<Duration, String> {
    let is_valid = |time: &Duration| text.ends_with(['s', 'm']) && (1..=86_400_000).contains(&time.as_millis());
    let time = setup::positive_time(text).ok().filter(is_valid);
    time.ok_or_else(|| "expected a time with its unit, such as 1s, 500ms or 2m".to_owned())
}

impl Args {
    fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        let time = self.time.or(unlimited.then_some(Duration::from_secs(1)));
        let movetime = time.map(|time| time.as_millis() as i64);
        Limits { depth: self.depth, nodes: self.nodes, movetime, ..Limits::default() }
    }

    /// The suites with the problems of this part.
    fn suites(&self) -> Result<Vec<Suite<'_>>, String> {
        let mut suites = Vec::new();
        for file in &self.files {
            let (problems, skipped) = read_some(file)?;
            suites.push(Suite { file, problems, skipped });
        }
        if let Some(part) = self.part {
            let chosen = part.of(suites.iter().map(|suite| suite.problems.len() as u64).sum());
            let mut numbers = 0..;
            let mut is_in_part = |_: &Problem| numbers.next().is_some_and(|number: u64| chosen.contains(&number));
            suites.iter_mut().for_each(|suite| suite.problems.retain(&mut is_in_part));
        }
        Ok(suites)
    }

    fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let mut engine = Engine::new();
        engine.set_threads(usize::from(self.threads))?;
        engine.set_hash(self.hash as usize)?;
        // Search for the whole time.
        engine.settings.search.move_overhead = 0;
        Ok(engine)
    }

    /// Opens the journal, if any, and returns its solutions, which are those of the first problems.
    fn resume(&self, problems: &[&Problem]) -> Result<(Option<Journal>, Vec<Solution>), Box<dyn Error>> {
        let mut stored = Vec::new();
        let take = |index, record: &Value| {
            stored.push(Solution::from_record(problems.get(index as usize)?, record)?);
            Some(())
        };
        let header = || {
            let mut header = self.json();
            header["bench"] = signature()?.into();
            Ok(header)
        };
        let journal = Journal::resume(self.journal.as_deref(), header, take)?;
        Ok((journal, stored))
    }

    fn json(&self) -> Value {
        let limits = self.limits();
        json!({
            "files": self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
            "time_ms": limits.movetime,
            "depth": limits.depth,
            "nodes": limits.nodes,
            "threads": self.threads,
            "hash_mib": self.hash,
            "part": self.part.map(|part| part.to_string()),
        })
    }
}

struct Suite<'a> {
    file: &'a Path,
    problems: Vec<Problem>,
    skipped: Vec<Skipped>,
}

/// Solves the suites and prints each result immediately.
pub fn run(args: &Args) -> Done {
    let suites = args.suites()?;
    suites.iter().flat_map(|suite| messages(suite.file, &suite.skipped)).for_each(notice);
    let problems: Vec<&Problem> = suites.iter().flat_map(|suite| &suite.problems).collect();
    let stop = Stop::on_ctrl_c()?;
    let mut engine = args.engine()?;
    let (mut journal, stored) = args.resume(&problems)?;
    let mut stored = stored.into_iter();
    let widths = widths(&problems);
    let template = "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]";
    let bar = progress::bar(Some(problems.len() as u64), template);
    let print = |text: &str| {
        if args.json {
            return Ok(());
        }
        bar.suspend(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}")?;
            out.flush()
        })
    };
    let mut solutions: Vec<Solution> = Vec::new();
    for problem in &problems {
        let solved = solutions.iter().filter(|solution| solution.solved).count();
        bar.set_message(format!("{}, {solved} solved", printable(&problem.id)));
        bar.tick();
        let solution = match stored.next() {
            Some(stored) => stored,
            None => {
                let Some(solution) = solve(&mut engine, problem, &args.limits(), &stop) else { break };
                keep(&mut journal, &solution.to_record(problem))?;
                solution
            }
        };
        let row = row(problem, &solution);
        if solutions.is_empty() {
            print(&line(&row.heads(), &widths))?;
        }
        print(&line(&row.texts(), &widths))?;
        solutions.push(solution);
        bar.inc(1);
    }
    let totals = totals(&suites, &solutions);
    for (suite, total) in suites.iter().zip(&totals).filter(|_| suites.len() > 1) {
        let line = total.line(suite.problems.len()) + &skipped_text(suite.skipped.len());
        print(&format!("{}: {line}", suite.file.display()))?;
    }
    let skipped = suites.iter().map(|suite| suite.skipped.len()).sum();
    let total = Total::of(problems.iter().copied().zip(&solutions));
    print(&(total.line(problems.len()) + &skipped_text(skipped)))?;
    bar.finish_and_clear();
    summary::show(args.json, || document(args, &suites, &solutions), String::new)?;
    Ok(summary::exit(solutions.len() == problems.len()))
}

fn skipped_text(lines: usize) -> String {
    match lines {
        0 => String::new(),
        1 => ", 1 line skipped".to_owned(),
        many => format!(", {many} lines skipped"),
    }
}

/// The totals per suite. The solutions belong to the first problems.
fn totals(suites: &[Suite], solutions: &[Solution]) -> Vec<Total> {
    let mut solutions = solutions.iter();
    suites.iter().map(|suite| Total::of(suite.problems.iter().zip(&mut solutions))).collect()
}

fn document(args: &Args, suites: &[Suite], solutions: &[Solution]) -> Value {
    let solved = || suites.iter().flat_map(|suite| &suite.problems).zip(solutions);
    let mut document = merged(args.json(), Total::of(solved()).json());
    let totals = suites.iter().zip(totals(suites, solutions)).map(|(suite, total)| {
        let (file, problems) = (suite.file.display().to_string(), suite.problems.len());
        merged(json!({ "file": file, "problems": problems, "lines_skipped": suite.skipped.len() }), total.json())
    });
    document["totals"] = totals.collect();
    document["problems"] = solved().map(|(problem, solution)| row(problem, solution).json()).collect();
    let skipped = suites.iter().flat_map(|suite| {
        let file = suite.file.display().to_string();
        suite.skipped.iter().map(move |line| merged(json!(line), json!({ "file": file })))
    });
    let skipped: Vec<Value> = skipped.collect();
    document["lines_skipped"] = skipped.len().into();
    document["skipped"] = skipped.into();
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;
    use lento_testing::Folder;

    #[test]
    fn times_require_units() {
        for (text, ms) in [("1s", 1000), ("500ms", 500), ("1.5s", 1500), ("2m", 120_000)] {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "1", "1000", "s", "0s", "-1s", "1h", "ms5"] {
            assert!(parse_time(text).is_err(), "{text:?}");
        }
    }

    fn args(words: &str) -> Args {
        parse(words.split_whitespace()).unwrap()
    }

    #[test]
    fn run_resumes_from_the_journal() {
        let folder = Folder::new("epd");
        let text = b"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;\n6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#; c0 \"Ra2=3\";\n";
        let (suite, journal) = (folder.write("suite.epd", text), folder.path().join("journal"));
        let line = format!("epd {} --hash 1 --journal {}", suite.display(), journal.display());
        let run_args = args(&format!("{line} --depth 3"));
        let suites = run_args.suites().unwrap();
        let problems: Vec<&Problem> = suites[0].problems.iter().collect();
        let (mut journal, stored) = run_args.resume(&problems).unwrap();
        assert!(stored.is_empty());
        let first = solve(&mut run_args.engine().unwrap(), problems[0], &run_args.limits(), &Stop::default()).unwrap();
        assert!(first.solved);
        keep(&mut journal, &first.to_record(problems[0])).unwrap();
        drop(journal);

        assert_eq!(run_args.resume(&problems).unwrap().1, [first]);
        let error = |args: &Args, problems: &[&Problem]| args.resume(problems).err().unwrap().to_string();
        assert!(error(&run_args, &problems[1..]).contains(":2: this record does not belong to the run"));
        assert!(error(&args(&format!("{line} --depth 4")), &problems).contains("its depth is 3, not 4"));
    }

    #[test]
    fn totals_per_file_and_overall() {
        let run_args = args("epd one.epd two.epd --nodes 100");
        let problems = parse::problems("4k3/8/8/8/8/8/8/R3K3 w Q - c0 \"Ra8+=10, Ra7=3\";").unwrap();
        let played = problems[0].board.parse_san("Ra7");
        let elapsed = Duration::from_millis(10);
        let solution = Solution { played, solved: false, since: None, score: 30, depth: 9, nodes: 500, elapsed };
        let suite = |file| Suite { file, problems: problems.clone(), skipped: Vec::new() };
        let suites: Vec<Suite> = run_args.files.iter().map(|file| suite(file)).collect();
        let document = document(&run_args, &suites, &[solution.clone(), solution]);
        assert_eq!((&document["points"], &document["points_possible"]), (&json!(6), &json!(20)));
        assert_eq!((&document["searched"], &document["nodes"]), (&json!(2), &json!(100)));
        assert_eq!(document["totals"][1]["file"], "two.epd");
        assert_eq!((&document["totals"][1]["points"], &document["totals"][1]["problems"]), (&json!(3), &json!(1)));
    }
}
