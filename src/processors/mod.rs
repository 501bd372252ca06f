//! CPU count, thread priority, and Windows processor groups.

pub mod priority;
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

#[cfg(test)]
mod tests {
    #[test]
    fn count_is_positive() {
        assert!(super::count() > 0);
    }
}
