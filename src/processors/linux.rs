//! Linux: affinity and nice values.

use super::cpu_list::CpuSet;
use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{self, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::io;

/// CPU that the calling thread is running on, if known.
pub fn current() -> Option<usize> {
    Some(sched_getcpu())
}

/// Lowers the calling thread's priority to this nice value, unless lower already.
pub fn lower_priority(nice: i32) {
    let _ = getpriority_process(None).and_then(|now| setpriority_process(None, now.max(nice)));
}

/// Asks for short time slices, so that the calling thread runs as soon as it wakes rather than after the slices of search threads.
/// Kernels before 6.12 ignore this. Threads that it starts do not inherit it.
pub fn prefer_response() {
    const RESET_ON_FORK: u64 = 1;
    const SLICE_NANOSECONDS: u64 = 100_000;
    // SAFETY: every field is an integer.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    attributes.size = size_of::<libc::sched_attr>() as u32;
    attributes.sched_policy = libc::SCHED_OTHER as u32;
    attributes.sched_flags = RESET_ON_FORK;
    attributes.sched_nice = getpriority_process(None).unwrap_or(0);
    attributes.sched_runtime = SLICE_NANOSECONDS;
    // SAFETY: the call reads the structure, which has the size it states, and affects the calling thread alone. If refused, nothing
    // changes.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// The CPUs available to the calling thread, if known.
pub fn allowed() -> Option<CpuSet> {
    let set = sched_getaffinity(None).ok()?;
    Some((0..thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// Binds the calling thread to CPUs and returns its resulting affinity. Fails if the CPUs are unavailable.
pub fn bind(cpus: &CpuSet) -> io::Result<CpuSet> {
    let mut set = thread::CpuSet::new();
    cpus.iter().for_each(|&cpu| set.set(cpu));
    sched_setaffinity(None, &set)?;
    Ok(allowed().unwrap_or_default())
}

/// An affinity to return to.
pub type Limit = CpuSet;

/// Lets the calling thread, and threads that it starts, run on all CPUs of the hardware. Returns the earlier affinity.
pub fn lift_limit() -> io::Result<Limit> {
    let before = allowed().unwrap_or_default();
    // The kernel leaves out CPUs that do not exist or that the control group does not have.
    bind(&(0..thread::CpuSet::MAX_CPU).collect())?;
    Ok(before)
}

/// Undoes [`lift_limit`].
pub fn restore_limit(before: &Limit) {
    let _ = bind(before);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processors::count;
    use std::thread::spawn;

    #[test]
    fn only_the_calling_thread_is_bound() {
        let before = allowed().expect("Linux reports the affinity");
        let cpus = CpuSet::from_iter(before.last().copied());
        let bind_one = {
            let cpus = cpus.clone();
            move || (bind(&cpus).unwrap(), allowed().unwrap(), count(), current())
        };
        assert_eq!(spawn(bind_one).join().unwrap(), (cpus.clone(), cpus, 1, before.last().copied()));
        assert!(count() <= before.len());
        assert_eq!(allowed(), Some(before));
    }

    #[test]
    fn unavailable_cpus_are_refused() {
        let refused = spawn(|| bind(&[1023].into()).is_err() && bind(&CpuSet::new()).is_err());
        assert!(refused.join().unwrap());
    }

    #[test]
    fn a_limit_is_lifted_and_restored() {
        let before = allowed().unwrap();
        let first = CpuSet::from_iter(before.first().copied());
        let limit = first.clone();
        let seen = spawn(move || {
            bind(&limit).unwrap();
            let old = lift_limit().unwrap();
            let lifted = allowed().unwrap();
            restore_limit(&old);
            (lifted, allowed().unwrap())
        });
        let (lifted, restored) = seen.join().unwrap();
        assert!(lifted.is_superset(&before) && restored == first, "{lifted:?} {restored:?}");
    }

    #[test]
    fn lowers_only_the_calling_thread() {
        let priority = || getpriority_process(None).unwrap();
        let before = priority();
        let lowered = spawn(move || {
            lower_priority(10);
            priority()
        });
        assert_eq!(lowered.join().unwrap(), before.max(10));
        assert_eq!(priority(), before);
    }
}
