//! Linux: affinity and nice values.

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::collections::BTreeSet;
use std::io;

/// Number of CPUs available to the process, at least 1.
pub fn count() -> usize {
    num_cpus::get()
}

/// CPU that the calling thread is running on, if known.
pub fn current() -> Option<usize> {
    Some(sched_getcpu())
}

/// Lowers the calling thread's priority to this nice value, unless lower already.
pub fn lower_priority(nice: i32) {
    let _ = getpriority_process(None).and_then(|now| setpriority_process(None, now.max(nice)));
}

/// The CPUs available to the calling thread, if known.
pub fn allowed() -> Option<BTreeSet<usize>> {
    let set = sched_getaffinity(None).ok()?;
    Some((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// Binds the calling thread to CPUs and returns its resulting affinity.
///
/// # Errors
/// The system refuses, for example because the CPUs are unavailable.
pub fn bind(cpus: &BTreeSet<usize>) -> io::Result<BTreeSet<usize>> {
    let mut set = CpuSet::new();
    cpus.iter().for_each(|&cpu| set.set(cpu));
    sched_setaffinity(None, &set)?;
    Ok(allowed().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn only_the_calling_thread_is_bound() {
        let before = allowed().expect("Linux reports the affinity");
        let cpus = BTreeSet::from_iter(before.last().copied());
        let bind_one = {
            let cpus = cpus.clone();
            move || (bind(&cpus).unwrap(), allowed().unwrap(), count(), current())
        };
        assert_eq!(thread::spawn(bind_one).join().unwrap(), (cpus.clone(), cpus, 1, before.last().copied()));
        assert!(count() <= before.len());
        assert_eq!(allowed(), Some(before));
    }

    #[test]
    fn unavailable_cpus_are_refused() {
        let refused = thread::spawn(|| bind(&[1023].into()).is_err() && bind(&BTreeSet::new()).is_err());
        assert!(refused.join().unwrap());
    }

    #[test]
    fn lowers_only_the_calling_thread() {
        let priority = || getpriority_process(None).unwrap();
        let before = priority();
        let lowered = thread::spawn(move || {
            lower_priority(10);
            priority()
        });
        assert_eq!(lowered.join().unwrap(), before.max(10));
        assert_eq!(priority(), before);
    }
}
