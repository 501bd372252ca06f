//! Binding threads to processors, on Linux and Windows; elsewhere threads run where the system puts them.

use super::cpu_set::CpuSet;
#[cfg(windows)]
use super::groups;
use std::io;

/// The processors that the calling thread may run on, if the system says so. On Windows those that the process is limited to.
pub fn allowed() -> Option<CpuSet> {
    #[cfg(target_os = "linux")]
    return rustix::thread::sched_getaffinity(None).ok().map(|set| from_system(&set));
    #[cfg(windows)]
    return crate::processors::windows::limit().map(|(group, mask)| groups::set_of(group, mask));
    #[cfg(not(any(target_os = "linux", windows)))]
    return None;
}

/// Binds the calling thread to processors, and returns those that the system says it is bound to.
///
/// # Errors
/// The system refuses, for instance because none of the processors may be used, or knows no binding.
pub fn bind(cpus: &CpuSet) -> io::Result<CpuSet> {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        cpus.iter().for_each(|cpu| set.set(cpu));
        rustix::thread::sched_setaffinity(None, &set)?;
        Ok(from_system(&rustix::thread::sched_getaffinity(None)?))
    }
    #[cfg(windows)]
    {
        let several = || io::Error::new(io::ErrorKind::InvalidInput, "these are CPUs of several processor groups");
        let (group, mask) = crate::processors::windows::bind(groups::group_of(cpus).ok_or_else(several)?)?;
        Ok(groups::set_of(group, mask))
    }
    #[cfg(not(any(target_os = "linux", windows)))]
    {
        let _ = cpus;
        Err(io::Error::new(io::ErrorKind::Unsupported, "threads are bound on Linux and Windows alone"))
    }
}

#[cfg(target_os = "linux")]
fn from_system(set: &rustix::thread::CpuSet) -> CpuSet {
    (0..CpuSet::SIZE.min(rustix::thread::CpuSet::MAX_CPU)).filter(|&cpu| set.is_set(cpu)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_bound_thread_says_so_and_nobody_else_is_bound() {
        let before = allowed().expect("Linux says");
        let first: CpuSet = before.iter().take(1).collect();
        let (bound, seen) = thread::spawn(move || (bind(&first).unwrap(), allowed().unwrap())).join().unwrap();
        assert_eq!((bound, seen), (first, first));
        assert_eq!(allowed(), Some(before));
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let refused = thread::spawn(|| bind(&(1023..1024).collect()).is_err() && bind(&CpuSet::default()).is_err());
        assert!(refused.join().unwrap());
    }
}
