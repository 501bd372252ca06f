//! The processors of the system: how many there are, who gives way to whom, and on Windows all else that is asked about them.

pub mod priority;
#[cfg(windows)]
pub mod windows;

/// How many processors the process may run on, from 1 up. On Windows those of all processor groups.
pub fn count() -> usize {
    #[cfg(windows)]
    return windows::count();
    #[cfg(not(windows))]
    return num_cpus::get();
}

/// The number of the processor that the calling thread runs on at this moment, where the system says it.
pub fn current() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    return None;
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_one_at_least() {
        assert!(super::count() > 0);
    }
}
