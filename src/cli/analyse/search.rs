//! Runs a search to its end.

use crate::cli::interrupt::Interrupt;
use crate::engine::{Engine, Output, Wake};
use crate::search::limits::Limits;
use crate::search::report::Outcome;
use crate::uci::hangup::output_is_gone;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Interval of status updates.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// The result of a search.
pub struct Found {
    /// The best move and lines.
    pub outcome: Outcome,
    /// Total time including the last, incomplete iteration.
    pub elapsed: Duration,
}

impl Found {
    /// Nodes over all threads.
    pub fn nodes(&self) -> u64 {
        self.outcome.lines.first().map_or(0, |line| line.nodes)
    }
}

/// Searches to the end or to Ctrl-C, passing output to `on_output`, or `None` for a status update.
///
/// # Errors
/// Standard output has been closed, or `on_output` fails.
pub fn search(
    engine: &mut Engine,
    limits: &Limits,
    interrupt: &mut Interrupt,
    mut on_output: impl FnMut(Option<&Output>) -> io::Result<()>,
) -> Result<Found, Box<dyn Error>> {
    let start = Instant::now();
    let mut next_beat = start + HEARTBEAT;
    engine.go(limits);
    let outcome = loop {
        match engine.wait(&interrupt.channel, Some(next_beat)) {
            Wake::Output(Output::Best(outcome)) => break outcome,
            Wake::Output(output) => on_output(Some(&output))?,
            Wake::Message(()) | Wake::Closed => {
                interrupt.set();
                if let Some(outcome) = engine.stop() {
                    break outcome;
                }
            }
            Wake::Timeout if output_is_gone() => return Err(Box::new(io::Error::from(ErrorKind::BrokenPipe))),
            Wake::Timeout => {
                next_beat = Instant::now() + HEARTBEAT;
                on_output(None)?;
            }
        }
    };
    Ok(Found { outcome, elapsed: start.elapsed() })
}
