//! A thread pool.

use crossbeam::channel::{Sender, bounded};
use crossbeam::sync::WaitGroup;
use std::thread;

/// Threads that all work on each job.
pub struct Pool<'a, J> {
    work: &'a (dyn Fn(J) + Sync),
    /// The other threads. Each drops its part of the group when it has finished the job.
    others: Vec<Sender<(J, WaitGroup)>>,
}

impl<J: Copy + Send> Pool<'_, J> {
    /// Runs a job on all threads, including this one, and waits until all are done.
    pub fn run(&self, job: J) {
        let running = WaitGroup::new();
        for other in &self.others {
            other.send((job, running.clone())).expect("the thread receives jobs");
        }
        (self.work)(job);
        running.wait();
    }
}

/// Runs `body` with a pool of threads that includes this one.
pub fn with<J: Copy + Send, T>(threads: usize, work: &(dyn Fn(J) + Sync), body: impl FnOnce(&Pool<J>) -> T) -> T {
    thread::scope(|scope| {
        let start = |_| {
            let (sender, jobs) = bounded(1);
            scope.spawn(move || jobs.into_iter().for_each(|(job, _running)| work(job)));
            sender
        };
        body(&Pool { work, others: (1..threads).map(start).collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn all_threads_finish_a_job_before_the_next() {
        for threads in [1, 2, 5] {
            let (sum, last) = (AtomicU64::new(0), AtomicU64::new(0));
            let work = |job: u64| {
                assert!(last.fetch_max(job, Ordering::SeqCst) <= job);
                sum.fetch_add(job, Ordering::SeqCst);
            };
            with(threads, &work, |pool| {
                for job in 1..=100 {
                    pool.run(job);
                    assert_eq!(sum.load(Ordering::SeqCst), threads as u64 * job * (job + 1) / 2);
                }
            });
        }
    }

    #[test]
    fn panics_propagate() {
        let caller = thread::current().id();
        let work = |_: ()| assert!(thread::current().id() == caller, "only the caller succeeds");
        let run = || with(3, &work, |pool| pool.run(()));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}
