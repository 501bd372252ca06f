//! The searches of a run: calibration of depths, timed searches, counting searches.

use super::plan::{self, Curve};
use super::runs::{Counted, Run};
use super::visits::Visits;
use fastrand::Rng;
use lento::chess::Game;
use lento::cli::interrupt::Stop;
use lento::cli::progress::Progress;
use lento::cli::search::{Found, search};
use lento::engine::{Engine, Output};
use lento::processors;
use lento::score::Bound;
use lento::search::limits::Limits;
use lento::search::observer::Instrument;
use lento::search::report::Info;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Fraction of the time by which timed searches end; the rest is for counting.
const TIMED_UNTIL: f64 = 0.85;
/// Fraction of the time for calibration.
const CALIBRATION: f64 = 0.1;
/// A search that ends this close to the deadline was cut off by it.
const CLOSE: Duration = Duration::from_millis(5);
/// Number of positions tried with all thread counts to estimate their cost.
const TRIED: usize = 5;
/// Slowdown of a counting search.
const COUNTING: f64 = 1.5;

/// What to measure.
pub struct Task {
    /// The positions with their history.
    pub positions: Vec<Game>,
    /// The thread counts.
    pub threads: Vec<usize>,
    /// The depth of all searches, unless calibrated.
    pub depth: Option<i32>,
    /// Repetitions of all positions; a minimum if depths are calibrated.
    pub repetitions: usize,
    /// Total time.
    pub time: Duration,
    /// Random seed for orders.
    pub seed: u64,
}

/// The measurements.
#[derive(Default)]
pub struct Measured {
    /// The depth per position.
    pub depths: Vec<i32>,
    /// Timed searches in complete blocks: a position with every thread count.
    pub runs: Vec<Run>,
    /// Counting searches in complete blocks.
    pub counted: Vec<Counted>,
    /// Whether time ran out before all requested repetitions.
    pub cut_short: bool,
}

/// The engine and its observers.
pub struct Measuring {
    pub engine: Engine,
    /// Ctrl-C handling.
    pub stop: Stop,
    /// The progress line, which also times the run.
    pub progress: Progress,
    /// Expected end since the start, for the progress line.
    pub end: Duration,
    /// Counts visits, in counting searches.
    pub visits: Option<Arc<Visits>>,
}

/// `None` after Ctrl-C.
type Interruptible<T> = io::Result<Option<T>>;

/// Whether a depth was reached in time.
enum Reached {
    In(Found),
    No,
}

impl Measuring {
    /// Runs everything. Ctrl-C or the time limit ends it, keeping complete blocks.
    ///
    /// # Errors
    /// Threads cannot be started, or standard output has been closed.
    pub fn run(&mut self, task: &Task) -> io::Result<Measured> {
        let mut random = Rng::with_seed(task.seed);
        let mut measured = Measured::default();
        let found = match task.depth {
            Some(depth) => Some(vec![depth; task.positions.len()]),
            None => self.calibrate(task)?,
        };
        let Some(depths) = found else { return Ok(measured) };
        measured.depths = depths;
        if self.time_blocks(task, &mut measured, &mut random)?.is_some() {
            self.count_blocks(task, &mut measured, &mut random)?;
        }
        Ok(measured)
    }

    /// Searches a position with empty histories.
    fn search(
        &mut self,
        task: &Task,
        position: usize,
        threads: usize,
        limits: &Limits,
        doing: &str,
        mut on_info: impl FnMut(&Info),
    ) -> Interruptible<Found> {
        let Self { engine, stop, progress, end, visits } = self;
        engine.set_threads(threads)?;
        engine.new_game();
        engine.set_game(task.positions[position].clone());
        // Threads clear their histories asynchronously: wait for them with a search of one ply.
        engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        engine.set_instrument(visits.clone().map(|visits| visits as Arc<dyn Instrument>));
        let mut beat = || {
            let left = end.saturating_sub(progress.elapsed());
            progress.show(|| format!("{doing}, position {}, threads {threads}", position + 1), left);
        };
        beat();
        let found = search(engine, limits, stop, |news| {
            match news {
                Some(Output::Info(info)) => on_info(info),
                Some(_) => {}
                None => beat(),
            }
            Ok(())
        })?;
        Ok((!stop.asked()).then_some(found))
    }

    /// Estimates the cost of all thread counts as a multiple of the first, from a few positions.
    fn try_all(&mut self, task: &Task, curves: &[Curve], share: Duration) -> Interruptible<f64> {
        let (mut first, mut all) = (0.0, 0.0);
        for position in order(&mut Rng::with_seed(task.seed), curves.len()).into_iter().take(TRIED) {
            let depth = curves[position].within(share.as_secs_f64() / 2.0);
            for (at, &threads) in task.threads.iter().enumerate() {
                let tried = self.reach(task, position, threads, depth, "trying numbers of threads")?;
                let Some(reached) = tried else { return Ok(None) };
                let Reached::In(found) = reached else { break };
                let seconds = found.elapsed.as_secs_f64();
                first += if at == 0 { seconds } else { 0.0 };
                all += seconds;
            }
        }
        let supposed = plan::factor(&task.threads, processors::count());
        // Ignore searches too short to time, and limit the effect of outliers.
        Ok(Some(if first < 0.005 { supposed } else { (all / first).clamp(supposed / 3.0, supposed * 3.0) }))
    }

    /// Searches to a depth, or until the run's deadline.
    fn reach(
        &mut self,
        task: &Task,
        position: usize,
        threads: usize,
        depth: i32,
        doing: &str,
    ) -> Interruptible<Reached> {
        let left = task.time.saturating_sub(self.progress.elapsed()).max(Duration::from_millis(1));
        let limits = Limits { depth: Some(depth), movetime: Some(left.as_millis() as i64), ..Limits::default() };
        let found = self.search(task, position, threads, &limits, doing, |_| {})?;
        // A search may also end early by itself.
        let depth_of = |found: &Found| found.best().map_or(0, |line| line.depth);
        let done = |found: &Found| depth_of(found) >= depth || found.elapsed + CLOSE < left;
        let reached = |found: Found| if done(&found) { Reached::In(found) } else { Reached::No };
        Ok(found.map(reached))
    }

    /// Calibrates depths by searching each position on the first thread count, which also warms up.
    fn calibrate(&mut self, task: &Task) -> Interruptible<Vec<i32>> {
        let share = task.time.mul_f64(CALIBRATION) / task.positions.len() as u32;
        let limits = Limits { movetime: Some(share.as_millis().max(1) as i64), ..Limits::default() };
        let mut curves = Vec::new();
        let (start, mut searched) = (self.progress.elapsed(), Duration::ZERO);
        for position in 0..task.positions.len() {
            let mut curve = Curve::default();
            let note = |info: &Info| {
                if info.bound == Bound::Exact && info.multipv == 1 {
                    curve.note(info.depth, info.elapsed.as_secs_f64());
                }
            };
            match self.search(task, position, task.threads[0], &limits, "looking for depths", note)? {
                Some(found) => searched += found.elapsed,
                None => return Ok(None),
            }
            curves.push(curve);
        }
        // Overhead per search: clearing the table and starting threads.
        let beside = (self.progress.elapsed() - start).saturating_sub(searched).as_secs_f64() / curves.len() as f64;
        let Some(factor) = self.try_all(task, &curves, share)? else { return Ok(None) };
        let left = task.time.mul_f64(TIMED_UNTIL).saturating_sub(self.progress.elapsed()).as_secs_f64();
        let budget = left / task.repetitions as f64;
        Ok(Some(plan::depths(&curves, budget, factor, beside * task.threads.len() as f64)))
    }

    /// Timed searches in blocks with a random order of thread counts, so that varying load affects all alike. `None`
    /// after Ctrl-C.
    fn time_blocks(&mut self, task: &Task, measured: &mut Measured, random: &mut Rng) -> Interruptible<()> {
        let end = task.time.mul_f64(TIMED_UNTIL);
        let (mut costs, begin) = (vec![None; task.positions.len()], self.progress.elapsed());
        for repetition in 0.. {
            // Calibrated depths use up the time; a given depth has a fixed number of repetitions.
            if repetition >= task.repetitions && task.depth.is_some() {
                break;
            }
            for position in order(random, task.positions.len()) {
                let begun = self.progress.elapsed();
                let known = || costs.iter().flatten();
                let usual = known().sum::<Duration>() / known().count().max(1) as u32;
                let expected = costs[position].unwrap_or(usual);
                if begun + expected > end && !measured.runs.is_empty() {
                    measured.cut_short = repetition < task.repetitions;
                    return Ok(Some(()));
                }
                let mut block = Vec::new();
                for (order, at) in order(random, task.threads.len()).into_iter().enumerate() {
                    let doing = format!("repetition {}", repetition + 1);
                    let (threads, depth) = (task.threads[at], measured.depths[position]);
                    let Some(reached) = self.reach(task, position, threads, depth, &doing)? else { return Ok(None) };
                    let Reached::In(found) = reached else {
                        measured.cut_short = repetition < task.repetitions;
                        return Ok(Some(()));
                    };
                    block.push(Run {
                        position,
                        repetition,
                        order,
                        threads,
                        seconds: found.elapsed.as_secs_f64(),
                        nodes: found.nodes(),
                        hashfull: found.hashfull(),
                    });
                }
                measured.runs.append(&mut block);
                costs[position] = Some(self.progress.elapsed() - begun);
                if task.depth.is_some() {
                    let done = measured.runs.len() / task.threads.len();
                    let all = task.positions.len() as f64 * (task.repetitions as f64 + COUNTING);
                    let each = (self.progress.elapsed() - begin).as_secs_f64() / done as f64;
                    self.end = task.time.min(begin + Duration::from_secs_f64(each * all));
                }
            }
        }
        Ok(Some(()))
    }

    /// Counting searches of as many positions as time allows.
    fn count_blocks(&mut self, task: &Task, measured: &mut Measured, random: &mut Rng) -> Interruptible<()> {
        let most = measured.runs.iter().map(|run| run.nodes).max().unwrap_or(0);
        let visits = Arc::new(Visits::new((2 * most as usize).clamp(1 << 14, 1 << 25)));
        self.visits = Some(Arc::clone(&visits));
        for position in order(random, task.positions.len()) {
            let runs = measured.runs.iter().filter(|run| run.position == position && run.repetition == 0);
            let expected: f64 = runs.map(|run| run.seconds * COUNTING).sum();
            let begun = self.progress.elapsed();
            if !measured.counted.is_empty() && begun + Duration::from_secs_f64(expected) > task.time {
                break;
            }
            let mut block = Vec::new();
            for at in order(random, task.threads.len()) {
                let (threads, depth) = (task.threads[at], measured.depths[position]);
                match self.reach(task, position, threads, depth, "counting")? {
                    None => return Ok(None),
                    Some(Reached::No) => return Ok(Some(())),
                    Some(Reached::In(_)) => {}
                }
                // Waits for all threads.
                self.engine.set_instrument(None);
                let counts = visits.take();
                block.push(Counted { position, threads, counts });
            }
            measured.counted.append(&mut block);
        }
        self.visits = None;
        Ok(Some(()))
    }
}

/// A random permutation of 0 to `count` - 1.
fn order(random: &mut Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    random.shuffle(&mut order);
    order
}
