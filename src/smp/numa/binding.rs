//! Binding of threads to CPUs on Linux and Windows.

use super::cpu_list::CpuSet;
use std::io;

/// The CPUs available to the calling thread (on Windows, the process), if known.
pub fn allowed() -> Option<CpuSet> {
    #[cfg(target_os = "linux")]
    return rustix::thread::sched_getaffinity(None).ok().map(|set| from_system(&set));
    #[cfg(windows)]
    return Some(crate::processors::windows::allowed());
    #[cfg(not(any(target_os = "linux", windows)))]
    return None;
}

/// Binds the calling thread to CPUs and returns its resulting affinity.
///
/// # Errors
/// The system refuses, for example because the CPUs are unavailable, or does not support affinity.
pub fn bind(cpus: &CpuSet) -> io::Result<CpuSet> {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        cpus.iter().for_each(|&cpu| set.set(cpu));
        rustix::thread::sched_setaffinity(None, &set)?;
        Ok(from_system(&rustix::thread::sched_getaffinity(None)?))
    }
    #[cfg(windows)]
    return crate::processors::windows::bind(cpus);
    #[cfg(not(any(target_os = "linux", windows)))]
    {
        let _ = cpus;
        Err(io::Error::new(io::ErrorKind::Unsupported, "binding threads is supported on Linux and Windows only"))
    }
}

#[cfg(target_os = "linux")]
fn from_system(set: &rustix::thread::CpuSet) -> CpuSet {
    (0..=super::cpu_list::MAX).filter(|&cpu| set.is_set(cpu)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn only_the_calling_thread_is_bound() {
        let before = allowed().expect("Linux reports the affinity");
        let first: CpuSet = before.iter().copied().take(1).collect();
        let cpus = first.clone();
        let (bound, seen) = thread::spawn(move || (bind(&cpus).unwrap(), allowed().unwrap())).join().unwrap();
        assert_eq!((&bound, &seen), (&first, &first));
        assert_eq!(allowed(), Some(before));
    }

    #[test]
    fn unavailable_cpus_are_refused() {
        let refused = thread::spawn(|| bind(&[1023].into()).is_err() && bind(&CpuSet::new()).is_err());
        assert!(refused.join().unwrap());
    }
}
