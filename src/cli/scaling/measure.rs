//! The searches of a run: first those that say how deep to go, then those that are timed, then those that are counted.

use super::plan::{self, Curve};
use super::runs::{Counted, Run};
use crate::chess::Game;
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::Progress;
use crate::cli::timed::{self, Timed};
use crate::engine::Engine;
use crate::processors;
use crate::score::Bound;
use crate::search::limits::Limits;
use crate::search::report::Info;
use fastrand::Rng;
use std::io;
use std::time::Duration;

/// The part of the time by whose end all searches that are timed have ended; what is left is for those that are counted.
const TIMED_UNTIL: f64 = 0.85;
/// The part that says how deep to search.
const CALIBRATION: f64 = 0.1;
/// A search that ends so near to the end of all time was ended by it.
const CLOSE: Duration = Duration::from_millis(5);
/// How many positions are tried with all numbers of threads, to see what the others cost.
const TRIED: usize = 5;
/// How much slower a search is that is counted.
const COUNTING: f64 = 1.5;

/// What is to be measured.
pub struct Task {
    /// The positions, each with what came before.
    pub positions: Vec<Game>,
    /// The numbers of threads.
    pub threads: Vec<usize>,
    /// The depth of all searches, if it is not to be found.
    pub depth: Option<i32>,
    /// How often to go through all positions; as often as the time allows when the depths are found.
    pub repetitions: usize,
    /// For everything.
    pub time: Duration,
    /// Of the orders.
    pub seed: u64,
}

/// What was measured.
#[derive(Default)]
pub struct Measured {
    /// The depth of each position.
    pub depths: Vec<i32>,
    /// The searches that were timed: only whole blocks, which are a position with each number of threads.
    pub runs: Vec<Run>,
    /// The searches that were counted, in whole blocks.
    pub counted: Vec<Counted>,
    /// Whether the time was over before every position was searched so often as was asked for.
    pub cut_short: bool,
}

/// The engine and those who watch it.
pub struct Measuring {
    /// Searches.
    pub engine: Engine,
    /// Ctrl-C.
    pub interrupt: Interrupt,
    /// The line on the terminal, whose time is that of the run.
    pub progress: Progress,
    /// When the run is supposed to end, since its start; it is told on the terminal.
    pub end: Duration,
}

/// `None` after Ctrl-C.
type Maybe<T> = io::Result<Option<T>>;

/// Whether a depth was reached before the time was over.
enum Reached {
    In(Timed),
    No,
}

impl Measuring {
    /// Everything. Ctrl-C ends it, and so does the time; blocks that are whole are kept.
    ///
    /// # Errors
    /// Threads cannot be had, or nobody reads standard output any more.
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

    /// A search of a position on so many threads that know nothing.
    fn search(
        &mut self,
        task: &Task,
        position: usize,
        threads: usize,
        limits: &Limits,
        doing: &str,
        on_info: impl FnMut(&Info),
    ) -> Maybe<Timed> {
        let Self { engine, interrupt, progress, end } = self;
        engine.set_threads(threads)?;
        engine.new_game();
        engine.set_game(task.positions[position].clone());
        // Threads forget on their own time. A search of one ply, and waiting for all of them, leaves them ready.
        engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        engine.take_visits();
        let mut beat = || {
            let left = end.saturating_sub(progress.elapsed());
            progress.show(|| format!("{doing}, position {}, threads {threads}", position + 1), left);
        };
        beat();
        timed::search(engine, limits, interrupt, on_info, beat)
    }

    /// How long searches on all numbers of threads take together, as a multiple of one on the first: tried with a few positions.
    fn try_all(&mut self, task: &Task, curves: &[Curve], share: Duration) -> Maybe<f64> {
        let (mut first, mut all) = (0.0, 0.0);
        for position in order(&mut Rng::with_seed(task.seed), curves.len()).into_iter().take(TRIED) {
            let depth = curves[position].within(share.as_secs_f64() / 2.0);
            for (at, &threads) in task.threads.iter().enumerate() {
                let tried = self.reach(task, position, threads, depth, "trying numbers of threads")?;
                let Some(reached) = tried else { return Ok(None) };
                let Reached::In(timed) = reached else { break };
                let seconds = timed.elapsed.as_secs_f64();
                first += if at == 0 { seconds } else { 0.0 };
                all += seconds;
            }
        }
        let supposed = plan::factor(&task.threads, processors::count());
        // What is too short to be timed tells nothing, and one busy moment not everything.
        Ok(Some(if first < 0.005 { supposed } else { (all / first).clamp(supposed / 3.0, supposed * 3.0) }))
    }

    /// A search of a position to a depth. It ends with the time of the whole run at the latest, and then is none.
    fn reach(&mut self, task: &Task, position: usize, threads: usize, depth: i32, doing: &str) -> Maybe<Reached> {
        let left = task.time.saturating_sub(self.progress.elapsed()).max(Duration::from_millis(1));
        let limits = Limits { depth: Some(depth), movetime: Some(left.as_millis() as i64), ..Limits::default() };
        let found = self.search(task, position, threads, &limits, doing, |_| {})?;
        // A search may also end before its depth by itself.
        let done = |timed: &Timed| timed.depth >= depth || timed.elapsed + CLOSE < left;
        let reached = |timed: Timed| if done(&timed) { Reached::In(timed) } else { Reached::No };
        Ok(found.map(reached))
    }

    /// Finds the depths: each position is searched for a while on the first number of threads, which also warms up.
    fn calibrate(&mut self, task: &Task) -> Maybe<Vec<i32>> {
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
                Some(timed) => searched += timed.elapsed,
                None => return Ok(None),
            }
            curves.push(curve);
        }
        // What a search costs beside its time: the table is emptied, threads begin.
        let beside = (self.progress.elapsed() - start).saturating_sub(searched).as_secs_f64() / curves.len() as f64;
        let Some(factor) = self.try_all(task, &curves, share)? else { return Ok(None) };
        let left = task.time.mul_f64(TIMED_UNTIL).saturating_sub(self.progress.elapsed()).as_secs_f64();
        let budget = left / task.repetitions as f64;
        Ok(Some(plan::depths(&curves, budget, factor, beside * task.threads.len() as f64)))
    }

    /// The searches that are timed: block by block, each number of threads in an order that is drawn, so that a load that comes
    /// and goes meets all of them alike. `None` after Ctrl-C.
    fn time_blocks(&mut self, task: &Task, measured: &mut Measured, random: &mut Rng) -> Maybe<()> {
        let end = task.time.mul_f64(TIMED_UNTIL);
        let (mut costs, begin) = (vec![None; task.positions.len()], self.progress.elapsed());
        for repetition in 0.. {
            // Depths that were found are meant to use the time; with one that was given so many repetitions are asked for.
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
                    let Reached::In(timed) = reached else {
                        measured.cut_short = repetition < task.repetitions;
                        return Ok(Some(()));
                    };
                    block.push(Run {
                        position,
                        repetition,
                        order,
                        threads,
                        seconds: timed.elapsed.as_secs_f64(),
                        nodes: timed.nodes,
                        hashfull: timed.hashfull,
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

    /// The searches that are counted, as many positions as the time allows.
    fn count_blocks(&mut self, task: &Task, measured: &mut Measured, random: &mut Rng) -> Maybe<()> {
        let most = measured.runs.iter().map(|run| run.nodes).max().unwrap_or(0);
        self.engine.count_visits(Some((2 * most as usize).clamp(1 << 14, 1 << 25)));
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
                let counts = self.engine.take_visits().unwrap_or_default();
                block.push(Counted { position, threads, counts });
            }
            measured.counted.append(&mut block);
        }
        self.engine.count_visits(None);
        Ok(Some(()))
    }
}

/// The numbers from 0 to below `count` in an order of chance.
fn order(random: &mut Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    random.shuffle(&mut order);
    order
}
