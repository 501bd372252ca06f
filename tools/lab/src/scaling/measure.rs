//! Runs searches: calibration of depths, timed searches, counting searches.

use super::Args;
use super::plan::{self, Curve};
use super::statistics::Run;
use super::visits::{VisitCounts, Visits};
use fastrand::Rng;
use lento::chess::Game;
use lento::engine::{Engine, Output};
use lento::internals::processors;
use lento::score::Bound;
use lento::search::limits::Limits;
use lento::search::report::Info;
use lento::search::worker::Instrument;
use lento_console::interrupt::Stop;
use lento_console::machine::placement;
use lento_console::progress::Progress;
use lento_console::search::{Found, search};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

/// Fraction of the time at which timed searches end; the rest is for counting.
const TIMED_UNTIL: f64 = 0.85;
/// Fraction of the time for calibration.
const CALIBRATION: f64 = 0.1;
/// A search that ends this close to the deadline was aborted by it.
const CLOSE: Duration = Duration::from_millis(5);
/// Slowdown of counting searches.
const COUNTING: f64 = 1.5;

/// A counting search.
#[derive(Serialize)]
pub struct Counted {
    pub position: usize,
    pub threads: usize,
    #[serde(flatten)]
    pub counts: VisitCounts,
}

/// A measurement. Methods fail with `Interrupted` on Ctrl-C and with `TimedOut` at the deadline.
pub struct Measuring<'a> {
    pub args: &'a Args,
    pub machine: Value,
    /// The positions with their history.
    pub positions: &'a [Game],
    pub threads: &'a [usize],
    pub engine: Engine,
    pub stop: Stop,
    /// Progress line and clock of the run.
    pub progress: Progress,
    /// Draws orders.
    pub random: Rng,
    /// Placement of threads on NUMA nodes by thread count.
    pub placements: BTreeMap<usize, Value>,
    /// Counts visits in counting searches.
    pub visits: Option<Arc<Visits>>,
    /// Depth per position.
    pub depths: Vec<i32>,
    /// Timed searches in complete blocks of a position with every thread count.
    pub runs: Vec<Run>,
    /// Counting searches in complete blocks.
    pub counted: Vec<Counted>,
}

impl Measuring<'_> {
    /// Runs all searches. Keeps complete blocks on Ctrl-C or at the deadline.
    pub fn run(&mut self) -> io::Result<()> {
        match self.measure() {
            Err(error) if !matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::TimedOut) => Err(error),
            _ => Ok(()),
        }
    }

    fn measure(&mut self) -> io::Result<()> {
        self.depths = match self.args.depth {
            Some(depth) => vec![depth; self.positions.len()],
            None => self.calibrate()?,
        };
        self.time_blocks()?;
        self.count_blocks()
    }

    /// Searches a position with empty histories.
    fn search(
        &mut self,
        position: usize,
        threads: usize,
        limits: &Limits,
        task: &str,
        mut on_info: impl FnMut(&Info),
    ) -> io::Result<Found> {
        let Self { args, engine, stop, progress, placements, visits, .. } = self;
        engine.set_threads(threads)?;
        placements.entry(threads).or_insert_with(|| placement(engine));
        engine.new_game();
        engine.game = self.positions[position].clone();
        // Threads clear their histories asynchronously; a search of one ply waits for them.
        engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        engine.set_instrument(visits.clone().map(|visits| visits as Arc<dyn Instrument>));
        let mut update_progress = || {
            // Searches to a fixed depth may end long before the deadline.
            let left = args.depth.is_none().then(|| args.time.saturating_sub(progress.elapsed()));
            progress.show(|| format!("{task}, position {}, threads {threads}", position + 1), left);
        };
        update_progress();
        let found = search(engine, limits, &[], stop, |output| {
            match output {
                Some(Output::Info(info)) => on_info(info),
                Some(_) => {}
                None => update_progress(),
            }
            Ok(())
        })?;
        if stop.is_requested() { Err(ErrorKind::Interrupted.into()) } else { Ok(found) }
    }

    /// Searches to a depth. Fails at the deadline.
    fn reach(&mut self, position: usize, threads: usize, depth: i32, task: &str) -> io::Result<Found> {
        let left = self.args.time.saturating_sub(self.progress.elapsed()).max(Duration::from_millis(1));
        let limits = Limits { depth: Some(depth), movetime: Some(left.as_millis() as i64), ..Limits::default() };
        let found = self.search(position, threads, &limits, task, |_| {})?;
        // A search may also end early.
        let reached = found.best().is_some_and(|line| line.depth >= depth) || found.elapsed + CLOSE < left;
        if reached { Ok(found) } else { Err(ErrorKind::TimedOut.into()) }
    }

    /// Chooses depths by searching each position with the first thread count. Also warms up.
    fn calibrate(&mut self) -> io::Result<Vec<i32>> {
        let share = self.args.time.mul_f64(CALIBRATION) / self.positions.len() as u32;
        let limits = Limits { movetime: Some(share.as_millis().max(1) as i64), ..Limits::default() };
        let mut curves = Vec::new();
        let (start, mut searched) = (self.progress.elapsed(), Duration::ZERO);
        for position in 0..self.positions.len() {
            // Clearing the table may take longer than the search.
            if self.progress.elapsed() > self.args.time.max(Duration::from_secs(1)) {
                return Err(ErrorKind::TimedOut.into());
            }
            let mut curve = Curve::default();
            let record = |info: &Info| {
                if info.bound == Bound::Exact && info.multipv == 1 {
                    curve.record(info.depth, info.elapsed.as_secs_f64());
                }
            };
            searched += self.search(position, self.threads[0], &limits, "calibrating depths", record)?.elapsed;
            curves.push(curve);
        }
        // Overhead per search: clearing the table and starting threads.
        let overhead = (self.progress.elapsed() - start).saturating_sub(searched).as_secs_f64() / curves.len() as f64;
        let factor = plan::factor(self.threads, processors::count());
        let left = self.args.time.mul_f64(TIMED_UNTIL).saturating_sub(self.progress.elapsed()).as_secs_f64();
        let budget = left / self.args.repeat as f64;
        Ok(plan::depths(&curves, budget, factor, overhead * self.threads.len() as f64))
    }

    /// Runs timed searches in blocks with a random order of thread counts, so that varying load affects all equally.
    fn time_blocks(&mut self) -> io::Result<()> {
        let (begin, end) = (self.progress.elapsed(), self.args.time.mul_f64(TIMED_UNTIL));
        // Calibrated depths fill the time; a fixed depth has a fixed number of repetitions.
        let repetitions = if self.args.depth.is_some() { self.args.repeat } else { usize::MAX };
        for repetition in 0..repetitions {
            let task = format!("repetition {}", repetition + 1);
            for position in self.order(self.positions.len()) {
                let (now, blocks) = (self.progress.elapsed(), self.runs.len() / self.threads.len());
                if blocks > 0 && now + (now - begin) / blocks as u32 > end {
                    return Ok(());
                }
                let mut block = Vec::new();
                for (order, at) in self.order(self.threads.len()).into_iter().enumerate() {
                    let threads = self.threads[at];
                    let found = self.reach(position, threads, self.depths[position], &task)?;
                    let (time_ms, nodes) = (found.elapsed.as_secs_f64() * 1e3, found.nodes());
                    let hashfull = found.best().map_or(0, |line| line.hashfull);
                    block.push(Run { position, repetition, order, threads, time_ms, nodes, hashfull });
                }
                self.runs.append(&mut block);
            }
        }
        Ok(())
    }

    /// Runs counting searches of positions until the deadline.
    fn count_blocks(&mut self) -> io::Result<()> {
        let max_nodes = self.runs.iter().map(|run| run.nodes).max().unwrap_or(0);
        let visits = Arc::new(Visits::new((2 * max_nodes as usize).clamp(1 << 14, 1 << 25)));
        self.visits = Some(Arc::clone(&visits));
        for position in self.order(self.positions.len()) {
            let runs = self.runs.iter().filter(|run| run.position == position && run.repetition == 0);
            let expected = Duration::from_secs_f64(runs.map(|run| run.time_ms / 1e3 * COUNTING).sum());
            if !self.counted.is_empty() && self.progress.elapsed() + expected > self.args.time {
                break;
            }
            let mut block = Vec::new();
            for &threads in self.threads {
                self.reach(position, threads, self.depths[position], "counting")?;
                // Waits for all threads.
                self.engine.set_instrument(None);
                block.push(Counted { position, threads, counts: visits.take() });
            }
            self.counted.append(&mut block);
        }
        Ok(())
    }

    /// A random permutation of 0 to `count` - 1.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.random.shuffle(&mut order);
        order
    }
}
