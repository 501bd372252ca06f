//! CPU count, thread priority, and Windows processor groups.

#[cfg(windows)]
pub mod windows;

/// Number of CPUs available to the process, at least 1; on Windows over all processor groups.
pub fn count() -> usize {
    #[cfg(windows)]
    return windows::count();
    #[cfg(not(windows))]
    return num_cpus::get();
}

/// CPU the calling thread is running on, if the system reports it.
pub fn current() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// Lowers the calling thread's priority, where supported per thread: on Linux to this nice value, unless lower already, on Windows
/// to the lowest.
pub fn lower_priority(nice: i32) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::getpriority_process(None)
        .and_then(|now| rustix::process::setpriority_process(None, now.max(nice)));
    #[cfg(windows)]
    windows::lower_priority();
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::thread;

    #[test]
    fn a_bound_thread_has_one_cpu() {
        let allowed = sched_getaffinity(None).unwrap();
        let last = (0..CpuSet::MAX_CPU).rfind(|&cpu| allowed.is_set(cpu)).unwrap();
        let bound = thread::spawn(move || {
            let mut set = CpuSet::new();
            set.set(last);
            sched_setaffinity(None, &set).unwrap();
            (count(), current())
        });
        assert_eq!(bound.join().unwrap(), (1, Some(last)));
        assert!(count() <= allowed.count() as usize);
    }

    #[test]
    fn lowers_only_the_calling_thread() {
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let before = priority();
        let lowered = thread::spawn(move || {
            lower_priority(10);
            priority()
        });
        assert_eq!(lowered.join().unwrap(), before.max(10));
        assert_eq!(priority(), before);
    }
}
