//! `lento speedtest`: search speed in positions of real games.

pub mod games;
mod report;

use super::interrupt::Stop;
use super::machine::Machine;
use super::progress::Progress;
use super::search::{Found, search};
use super::{Done, amounts};
use crate::chess::Game;
use crate::engine::Engine;
use crate::processors;
use crate::search::limits::Limits;
use report::{Repetition, Report};
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
    #[arg(value_parser = amounts::threads)]
    pub threads: Option<usize>,
    /// Hash table in MiB [default: 128 per thread, at most half of the free memory]
    #[arg(value_name = "MIB", value_parser = amounts::hash)]
    pub hash: Option<usize>,
    /// Total search time over all repetitions: 150, 30s, 2m
    #[arg(value_name = "SECONDS", default_value = "150", value_parser = amounts::positive_time)]
    pub seconds: Duration,
    /// Number of repetitions of all positions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = amounts::repetitions)]
    pub repeat: usize,
    /// Print one JSON document instead; see `--help` for its fields
    #[arg(long)]
    pub json: bool,
}

/// Default hash size in MiB.
pub fn default_hash(per_thread: u64, threads: usize, available_mib: Option<u64>) -> usize {
    let wanted = per_thread * threads as u64;
    wanted.min(available_mib.unwrap_or(u64::MAX) / 2).clamp(1, Engine::MAX_HASH as u64) as usize
}

/// Searches every position for its share of the time and reports. Ctrl-C keeps complete repetitions.
pub fn run(args: &Args) -> Done {
    let machine = Machine::here();
    let threads = args.threads.unwrap_or_else(processors::count).min(Engine::MAX_THREADS);
    let mut engine = Engine::new();
    engine.set_threads(threads)?;
    let usual = || default_hash(HASH_PER_THREAD, threads, machine.available_mib);
    engine.set_hash(args.hash.unwrap_or_else(usual))?;
    // There is no GUI to allow for.
    engine.settings_mut().search.move_overhead = 0;

    let mut test = Test {
        engine,
        games: games::games(),
        stop: Stop::on_ctrl_c()?,
        progress: Progress::start(),
        total: args.seconds,
    };
    let repetitions = test.run(args.repeat)?;
    test.progress.clear();
    let report = Report {
        machine,
        threads,
        hash_mib: test.engine.hash_mib(),
        positions: test.games.iter().map(Vec::len).sum(),
        games: test.games.len(),
        repetitions,
        interrupted: test.stop.asked(),
    };
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{:#}", report.json())?
    } else {
        write!(out, "{}", report.text())?
    }
    Ok(test.stop.exit_code())
}

/// A running speedtest.
struct Test {
    engine: Engine,
    games: Vec<Vec<Game>>,
    stop: Stop,
    progress: Progress,
    /// Total search time.
    total: Duration,
}

impl Test {
    /// Warms up and runs the repetitions. If interrupted in the first one, returns it incomplete.
    fn run(&mut self, repeat: usize) -> io::Result<Vec<Repetition>> {
        let each = self.total / repeat as u32;
        let positions: usize = self.games.iter().map(Vec::len).sum();
        let share = each / positions as u32;
        let first = self.games[0][0].clone();
        // CPU frequency, page faults, and the network in cache.
        self.think(first, each / WARM_UP, || "warming up".into())?;
        let mut whole = Vec::new();
        for number in 1..=repeat {
            let mut repetition = Repetition::default();
            for game in self.games.clone() {
                self.engine.new_game();
                for position in game {
                    let doing = || format!("repetition {number} of {repeat}, position {}", repetition.positions + 1);
                    let Some(found) = self.think(position, share, doing)? else {
                        if whole.is_empty() && repetition.positions > 0 {
                            whole.push(repetition);
                        }
                        return Ok(whole);
                    };
                    repetition.add(&found);
                }
            }
            whole.push(repetition);
        }
        Ok(whole)
    }

    /// Searches a position. `None` after Ctrl-C.
    fn think(&mut self, position: Game, time: Duration, doing: impl Fn() -> String) -> io::Result<Option<Found>> {
        self.engine.set_game(position);
        let limits = Limits { movetime: Some(time.as_millis().max(1) as i64), ..Limits::default() };
        let Self { engine, stop, progress, total, .. } = self;
        let mut show = || {
            let left = total.saturating_sub(progress.elapsed());
            progress.show(&doing, left);
        };
        show();
        let found = search(engine, &limits, stop, |news| {
            if news.is_none() {
                show();
            }
            Ok(())
        })?;
        Ok((!stop.asked()).then_some(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_grows_with_threads_up_to_half_of_memory() {
        assert_eq!(default_hash(128, 4, None), 512);
        assert_eq!(default_hash(128, 4, Some(10_000)), 512);
        assert_eq!(default_hash(128, 64, Some(10_000)), 5_000);
        assert_eq!(default_hash(128, 1, Some(0)), 1);
    }
}
