//! A search between `go` and its answer.

use crate::search::job::Job;
use crate::search::limits::GoArgs;
use crate::search::report::{Info, Outcome};
use crate::search::root::Report;
use crate::smp::vote;
use std::sync::Arc;

/// A search between `go` and its answer.
pub(super) struct Running {
    /// `None` when there was nothing to search.
    pub(super) job: Option<Arc<Job>>,
    depth_limited: bool,
    /// The answer must wait for `stop` (or `ponderhit`).
    pub(super) held: bool,
    pub(super) infinite: bool,
    /// The answer was asked for before there was one.
    pub(super) answer_due: bool,
    pub(super) outcome: Option<Outcome>,
}

impl Running {
    /// A search that has not begun.
    pub(super) fn new(args: &GoArgs) -> Self {
        Self {
            job: None,
            depth_limited: args.depth.is_some(),
            held: args.infinite || args.ponder,
            infinite: args.infinite,
            answer_due: false,
            outcome: None,
        }
    }

    /// Ends the search, with the answer from what has been published if there is anything yet.
    pub(super) fn cut_short(&mut self) {
        if let Some(job) = &self.job {
            job.request_stop();
        }
        self.answer_due = true;
        self.conclude(None);
    }

    /// Picks the result, from the main thread's last report or what it has published, and from what the helpers have.
    pub(super) fn conclude(&mut self, last: Option<Report>) {
        let Some(job) = self.job.as_ref().filter(|_| self.outcome.is_none()) else { return };
        let reports = match (job.findings(), last) {
            (None, None) => return,
            (None, Some(last)) => vec![last],
            (Some(findings), None) => findings,
            (Some(mut findings), Some(last)) => {
                findings[0] = last;
                findings
            }
        };
        let main = &reports[0];
        let by_main = self.depth_limited || main.lines.len() > 1 || job.params.vote == 0;
        let chosen = if by_main { main } else { vote::elect(&reports).unwrap_or(main) };
        let (nodes, elapsed) = (job.nodes(), job.start.elapsed());
        let lines: Vec<Info> = chosen.lines.iter().map(|line| Info { nodes, elapsed, ..line.clone() }).collect();
        self.outcome = Some(Outcome::new(lines));
        // The engine lets go of the job: once the threads have done so too, the table is its own again.
        self.job = None;
    }
}
