//! Linux: affinity and nice values.

use super::cpu_list::CpuSet;
use std::io;
use std::mem::zeroed;

/// CPUs that a set can hold.
const MAX_CPU: usize = libc::CPU_SETSIZE as usize;

/// CPU that the calling thread is running on, if known.
pub fn current() -> Option<usize> {
    // SAFETY: the call reads no memory.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

fn nice() -> i32 {
    // SAFETY: the call reads no memory. It fails only for a thread that does not exist.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
}

/// Lowers the calling thread's priority to this nice value, unless already lower.
pub fn lower_priority(to: i32) {
    // SAFETY: the call reads no memory and affects only the calling thread. On failure nothing changes.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, to.max(nice())) };
}

/// Requests short time slices, so that the calling thread runs as soon as it wakes and not after the slices of search threads.
/// Kernels before 6.12 ignore this. Child threads inherit neither the slices nor a negative nice value. Does nothing with such a
/// value, or under another policy, such as that of `chrt --idle`.
pub fn prefer_response() {
    const RESET_ON_FORK: u64 = 1;
    const SLICE_NANOSECONDS: u64 = 100_000;
    // The function of musl always fails.
    // SAFETY: the call reads no memory.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    // Older Android ends programs that call `sched_setattr`.
    if nice() < 0 || policy != libc::SCHED_OTHER as libc::c_long || std::env::var_os("ANDROID_ROOT").is_some() {
        return;
    }
    // SAFETY: every field is an integer.
    let mut attributes: libc::sched_attr = unsafe { zeroed() };
    attributes.size = size_of::<libc::sched_attr>() as u32;
    attributes.sched_policy = libc::SCHED_OTHER as u32;
    attributes.sched_flags = RESET_ON_FORK;
    attributes.sched_nice = nice();
    attributes.sched_runtime = SLICE_NANOSECONDS;
    // SAFETY: the call reads the structure, which has the stated size, and affects only the calling thread. On failure nothing
    // changes.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// The CPUs available to the calling thread, if known.
pub fn allowed() -> Option<CpuSet> {
    // SAFETY: a set of bits, none of which is set.
    let mut set: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: the call writes at most the given size to the set.
    let found = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    // SAFETY: the set has a bit for each of these CPUs.
    (found == 0).then(|| (0..MAX_CPU).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect())
}

/// Binds the calling thread to CPUs and returns its resulting affinity. Fails if the CPUs are unavailable.
pub fn bind(cpus: &CpuSet) -> io::Result<CpuSet> {
    // SAFETY: a set of bits, none of which is set.
    let mut set: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: the set has a bit for each of these CPUs.
    cpus.iter().filter(|&&cpu| cpu < MAX_CPU).for_each(|&cpu| unsafe { libc::CPU_SET(cpu, &mut set) });
    // SAFETY: the call reads the given size of the set.
    match unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) } {
        0 => Ok(allowed().unwrap_or_default()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// An affinity to restore.
pub type Limit = CpuSet;

/// Lets the calling thread and its future child threads run on all CPUs of the hardware. Returns the previous affinity.
pub fn lift_limit() -> io::Result<Limit> {
    let before = allowed().unwrap_or_default();
    // The kernel ignores CPUs that do not exist or are not in the control group.
    bind(&(0..MAX_CPU).collect())?;
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
    fn unavailable_cpus_are_rejected() {
        let refused = spawn(|| bind(&[1023].into()).is_err() && bind(&CpuSet::new()).is_err());
        assert!(refused.join().unwrap());
    }

    #[test]
    fn limits_are_lifted_and_restored() {
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
        let before = nice();
        let lowered = spawn(move || {
            lower_priority(10);
            nice()
        });
        assert_eq!(lowered.join().unwrap(), before.max(10));
        assert_eq!(nice(), before);
    }
}
