//! Runs a search to its end.

use super::interrupt::Stop;
use lento::chess::Move;
use lento::engine::{Engine, Output};
use lento::search::limits::Limits;
use lento::search::report::{Info, Outcome};
use lento_uci::run::output_is_gone;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Interval of status updates and checks of standard output.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// The result of a search.
pub struct Found {
    /// The best move and lines.
    pub outcome: Outcome,
    /// Total time, including the last, incomplete iteration.
    pub elapsed: Duration,
}

impl Found {
    /// The best line, unless the game is over.
    pub fn best(&self) -> Option<&Info> {
        self.outcome.lines.first()
    }

    /// Nodes over all threads.
    pub fn nodes(&self) -> u64 {
        self.best().map_or(0, |line| line.nodes)
    }
}

/// Searches these root moves, or all if there are none, to the end or to Ctrl-C. Calls `on_output` with each output, and with `None`
/// for status updates. Fails with `on_output`, and when standard output has been closed.
pub fn search(
    engine: &mut Engine,
    limits: &Limits,
    moves: &[Move],
    stop: &Stop,
    mut on_output: impl FnMut(Option<&Output>) -> io::Result<()>,
) -> io::Result<Found> {
    let start = Instant::now();
    let mut next_beat = start + HEARTBEAT;
    let mut result = Ok(());
    let outcome = engine.search_until(limits, moves, |_, output| {
        result = match output {
            Some(output) => on_output(Some(&output)),
            None if Instant::now() < next_beat => Ok(()),
            None if output_is_gone() => Err(ErrorKind::BrokenPipe.into()),
            None => {
                next_beat = Instant::now() + HEARTBEAT;
                on_output(None)
            }
        };
        if result.is_err() { ControlFlow::Break(()) } else { stop.check() }
    });
    result?;
    Ok(Found { outcome, elapsed: start.elapsed() })
}

/// Like [`search`], but without limits on the first iteration if they would end it. `None` after Ctrl-C in the first iteration.
pub fn search_with_score(
    engine: &mut Engine,
    limits: &Limits,
    moves: &[Move],
    stop: &Stop,
    mut on_output: impl FnMut(Option<&Output>) -> io::Result<()>,
) -> io::Result<Option<Found>> {
    for limits in [limits, &Limits { depth: Some(1), ..Limits::default() }] {
        let found = search(engine, limits, moves, stop, &mut on_output)?;
        if found.best().is_none_or(|line| line.depth > 0 || line.pv.is_empty()) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
