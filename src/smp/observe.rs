//! A thread for a search that is watched.

use super::pool::STACK_BYTES;
use crate::search::findings::Finding;
use crate::search::job::Job;
use crate::search::probe::SearchProbe;

use crate::search::worker::{Search, Worker};
use std::io;
use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Searches a job of one thread to its end, with a worker that has learned nothing, and tells a probe what the search does.
///
/// # Errors
/// The system refuses to start a thread.
pub fn observe(job: &Job, probe: impl SearchProbe + Send) -> io::Result<Finding> {
    thread::scope(|scope| {
        let search = || Search::new(&mut Worker::new(0), job, probe).deepen();
        let thread = Builder::new().name("observed".into()).stack_size(STACK_BYTES).spawn_scoped(scope, search)?;
        thread.join().or_else(|panic| resume_unwind(panic))
    })
}
