//! One search, followed to its end.

use crate::cli::interrupt::Interrupt;
use crate::engine::{Engine, Output, Wake};
use crate::search::limits::Limits;
use crate::search::report::Outcome;
use crate::uci::hangup::output_is_gone;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// How often the line between the rows is written anew.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// What a search found.
pub struct Found {
    /// The move and the lines behind it.
    pub outcome: Outcome,
    /// The time of the whole search, the last unfinished iteration included.
    pub elapsed: Duration,
}

impl Found {
    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.outcome.lines.first().map_or(0, |line| line.nodes)
    }
}

/// Searches to the end, to Ctrl-C, or until nobody reads standard output any more, and tells what happens; nothing when only
/// time has passed.
///
/// # Errors
/// Nobody reads standard output any more, or `tell` cannot write.
pub fn search(
    engine: &mut Engine,
    limits: &Limits,
    interrupt: &mut Interrupt,
    mut tell: impl FnMut(Option<&Output>) -> io::Result<()>,
) -> Result<Found, Box<dyn Error>> {
    let start = Instant::now();
    let mut next_beat = start + HEARTBEAT;
    engine.go(limits);
    let outcome = loop {
        match engine.wait(&interrupt.channel, Some(next_beat)) {
            Wake::Output(Output::Best(outcome)) => break outcome,
            Wake::Output(output) => tell(Some(&output))?,
            Wake::Message(()) | Wake::Closed => {
                interrupt.note();
                if let Some(outcome) = engine.stop() {
                    break outcome;
                }
            }
            Wake::Timeout if output_is_gone() => return Err(Box::new(io::Error::from(ErrorKind::BrokenPipe))),
            Wake::Timeout => {
                next_beat = Instant::now() + HEARTBEAT;
                tell(None)?;
            }
        }
    };
    Ok(Found { outcome, elapsed: start.elapsed() })
}
