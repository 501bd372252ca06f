//! `lento throughput`: repeats `lento speedtest` until the figures are precise.

mod chart;
mod compare;
mod file;
mod report;
mod system;

use crate::child;
use lento::internals::files::Draft;
use lento::internals::processors;
use lento_common::inputs::in_file;
use lento_common::quantile::{median_interval, quantile, sorted};
use lento_common::{number, summary};
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::progress::Progress;
use lento_console::{Done, setup};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use system::{Observed, System};

pub const CONFIDENCE: f64 = 0.95;
/// Exit code of an unstable result.
const UNSTABLE: u8 = 3;
/// Interval of checks for the end of a pass.
const POLL: Duration = Duration::from_millis(20);
/// Checks per sample of clock rates and pages.
const SAMPLE_CHECKS: u32 = 25;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_help_heading = "Tasks", subcommand_value_name = "TASK")]
pub struct Args {
    #[command(subcommand)]
    task: Option<Other>,
    /// Threads [default: all cores]
    #[arg(value_parser = setup::threads)]
    threads: Option<usize>,
    /// Nodes per thread and position [default: as speedtest]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Hash table in MiB per thread
    #[arg(long, value_name = "MIB", value_parser = setup::hash)]
    hash: Option<usize>,
    /// Search only the first N positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Target half width of the intervals, in percent of the median
    #[arg(long, value_name = "PERCENT", default_value_t = 0.5,
        value_parser = |text: &str| number::within(text, 1e-3..=100.0, "a percentage, such as 0.5"))]
    within: f64,
    /// Maximum time, then exit code 3: 15m, 1h, 90s
    #[arg(long, default_value = "15m", value_parser = setup::positive_time)]
    time: Duration,
    /// Player to measure [default: lento, next to this program or in PATH]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Write a JSON document (docs/schema.md) to a file; `-` prints it instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Other {
    /// Compare two machines or builds by their --json files
    Compare(compare::Args),
}

#[derive(Clone, Debug, Serialize)]
pub struct Pass {
    /// Time since the start of the run.
    pub start_ms: f64,
    /// Nodes per second.
    pub speed: f64,
    pub rate: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Median {
    pub median: f64,
    /// Interval; `None` with too few passes.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Median {
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let numbers = sorted(numbers);
        let (low, high) = median_interval(&numbers, CONFIDENCE).unzip();
        Self { median: quantile(&numbers, 0.5), low, high }
    }

    fn read(document: &Value, name: &str) -> Self {
        Self::deserialize(&document["results"][name]).unwrap_or_default()
    }

    /// Half width of the interval on its wider side, relative to the median.
    pub fn error(&self) -> Option<f64> {
        Some((self.high? / self.median - 1.0).max(1.0 - self.low? / self.median))
    }
}

/// The passes of a run.
struct Measuring<'a> {
    args: &'a Args,
    engine: PathBuf,
    stop: Stop,
    progress: Progress,
    system: System,
    observed: Observed,
    /// The document of the first pass.
    first: Value,
    passes: Vec<Pass>,
}

impl Measuring<'_> {
    /// Whether both intervals are narrow enough.
    fn is_precise(&self) -> bool {
        let precise = |figure: Median| figure.error().is_some_and(|error| error <= self.args.within / 100.0);
        self.figures().into_iter().all(precise)
    }

    /// Speed and rate so far.
    fn figures(&self) -> [Median; 2] {
        [|pass: &Pass| pass.speed, |pass: &Pass| pass.rate].map(|of| Median::of(self.passes.iter().map(of)))
    }

    /// Runs passes until the figures are precise, the time is up or Ctrl-C is pressed.
    fn run(&mut self) -> Result<(), Box<dyn Error>> {
        loop {
            let start = self.progress.elapsed();
            let Some(document) = self.pass()? else { return Ok(()) };
            self.add(start, document)?;
            let elapsed = self.progress.elapsed();
            if self.is_precise() || elapsed + elapsed / self.passes.len() as u32 > self.args.time {
                return Ok(());
            }
        }
    }

    /// Adds the document of a pass.
    fn add(&mut self, start: Duration, document: Value) -> Result<(), String> {
        let engine = self.engine.display();
        let nps = |name: &str| {
            let nps = document[name]["nps"].as_f64().filter(|nps| *nps > 0.0);
            nps.ok_or_else(|| format!("{engine}: expected nodes per second of {name} in the document of speedtest"))
        };
        self.passes.push(Pass { start_ms: start.as_secs_f64() * 1e3, speed: nps("speed")?, rate: nps("rate")? });
        if self.passes.len() == 1 {
            self.first = document;
            return Ok(());
        }
        for name in ["speed", "rate"] {
            let [first, other] = [&self.first, &document].map(|document| &document[name]["checksum"]);
            if first != other {
                return Err(format!(
                    "the checksum of {name} is {first} in the first pass and {other} in pass {} of the same search: \
                     this machine does not compute reliably, or Lento has a bug",
                    self.passes.len()
                ));
            }
        }
        Ok(())
    }

    fn show(&mut self) {
        let (passes, figures) = (self.passes.len(), self.figures());
        let left = self.args.time.saturating_sub(self.progress.elapsed());
        self.progress.line(|_| {
            let errors =
                figures.map(|figure| figure.error().map_or("?".into(), |error| format!("{:.2}", 100.0 * error)));
            let left = lento_console::units::time(left);
            format!("{passes} passes, speed ± {} %, rate ± {} %, at most {left} left", errors[0], errors[1])
        });
    }

    /// Runs the player once and returns its document; `None` on Ctrl-C.
    fn pass(&mut self) -> Result<Option<Value>, Box<dyn Error>> {
        let mut child = self.command().spawn().map_err(|error| in_file(&self.engine, error))?;
        let mut checks = 0_u32;
        while child.try_wait()?.is_none() {
            if checks % SAMPLE_CHECKS == SAMPLE_CHECKS / 5 {
                self.show();
                let threads = self.args.threads.unwrap_or_else(processors::count);
                // Huge pages are counted only in the first pass.
                let process = self.passes.is_empty().then(|| child.id());
                self.observed.sample(&self.system, process, threads);
            }
            checks += 1;
            // Waits unless Ctrl-C disconnects the channel.
            let waited = self.stop.waiter().recv_timeout(POLL);
            if waited.is_err_and(|error| !error.is_timeout()) {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(in_file(&self.engine, format_args!("{}: {}", output.status, reason.trim_end())).into());
        }
        let document = serde_json::from_slice(&output.stdout);
        Ok(Some(document.map_err(|error| in_file(&self.engine, format_args!("{error} in the document of speedtest")))?))
    }

    fn command(&self) -> Command {
        let mut command = child::command(&self.engine);
        let Args { threads, nodes, hash, positions, .. } = self.args;
        let options = [("--nodes", *nodes), ("--hash", hash.map(|hash| hash as u64)), ("--positions", *positions)];
        command.args(["speedtest", "--json"]).args(threads.map(|threads| threads.to_string()));
        for (name, value) in options {
            command.args(value.map(|value| format!("{name}={value}")));
        }
        // The progress line of the player would overwrite that of this program.
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

/// Measures and prints the results. Ctrl-C keeps complete passes.
pub fn run(args: &Args) -> Done {
    if let Some(Other::Compare(args)) = &args.task {
        return compare::run(args);
    }
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    let json = args.json.as_deref().filter(|_| !to_stdout).map(Draft::create).transpose()?;
    let mut measuring = Measuring {
        args,
        engine: child::player(args.engine.as_deref())?,
        stop: Stop::on_ctrl_c()?,
        progress: Progress::start(),
        system: System::below("/"),
        observed: Observed::default(),
        first: Value::Null,
        passes: Vec::new(),
    };
    let before = measuring.system.counters();
    let result = measuring.run();
    let elapsed = measuring.progress.elapsed();
    measuring.progress.clear();
    result?;
    if measuring.passes.is_empty() {
        notice("interrupted before the end of the first pass");
        return Ok(measuring.stop.exit_code());
    }
    let observed = measuring.observed.between(&before, &measuring.system.counters(), elapsed.as_secs_f64());
    let document = report::document(&measuring, elapsed, observed);
    let shown = summary::show(to_stdout, || document.clone(), || report::text(&document));
    if let Some(draft) = json {
        draft.finish(format!("{:#}\n", document).as_bytes())?;
    }
    shown?;
    Ok(if document["unstable"] == true { ExitCode::from(UNSTABLE) } else { measuring.stop.exit_code() })
}
