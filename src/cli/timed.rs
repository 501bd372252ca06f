//! Timed searches.

use super::interrupt::Interrupt;
use crate::engine::{Engine, Output, Wake};
use crate::search::limits::Limits;
use crate::search::report::Info;
use crate::uci::hangup::output_is_gone;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Interval of progress updates.
const BEAT: Duration = Duration::from_millis(200);

/// The result of a completed search.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// From start to result.
    pub elapsed: Duration,
    /// Completed depth in plies.
    pub depth: i32,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Hash table use of this search, per mille.
    pub hashfull: u32,
}

/// Searches the engine's position, with callbacks for lines of play and for progress. `None` after Ctrl-C.
///
/// # Errors
/// Standard output has been closed.
pub fn search(
    engine: &mut Engine,
    limits: &Limits,
    interrupt: &mut Interrupt,
    mut on_info: impl FnMut(&Info),
    mut on_beat: impl FnMut(),
) -> io::Result<Option<Timed>> {
    if interrupt.is_set() {
        return Ok(None);
    }
    let start = Instant::now();
    engine.go(limits);
    let mut beat = start + BEAT;
    loop {
        match engine.wait(&interrupt.channel, Some(beat)) {
            Wake::Output(Output::Best(outcome)) => {
                let elapsed = start.elapsed();
                let of = |line: &Info| Timed { elapsed, depth: line.depth, nodes: line.nodes, hashfull: line.hashfull };
                let nothing = Timed { elapsed, depth: 0, nodes: 0, hashfull: 0 };
                return Ok(Some(outcome.lines.first().map_or(nothing, of)));
            }
            Wake::Output(Output::Info(info)) => on_info(&info),
            Wake::Output(Output::Progress(_) | Output::Note(_)) => {}
            Wake::Message(()) | Wake::Closed => {
                interrupt.set();
                engine.stop();
                return Ok(None);
            }
            Wake::Timeout if output_is_gone() => return Err(ErrorKind::BrokenPipe.into()),
            Wake::Timeout => {
                beat = Instant::now() + BEAT;
                on_beat();
            }
        }
    }
}
