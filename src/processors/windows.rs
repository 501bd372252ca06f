//! Windows processor groups of at most 64 CPUs (32 on 32-bit systems). A thread is bound to CPUs of one group.

use std::io;
use std::mem::size_of_val;
use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP, RelationGroup, RelationNumaNode,
    RelationNumaNodeEx, RelationProcessorCore,
};
use windows_sys::Win32::System::Threading::{
    ALL_PROCESSOR_GROUPS, GetActiveProcessorCount, GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask,
    GetThreadGroupAffinity, SetThreadGroupAffinity, SetThreadPriority, THREAD_PRIORITY_LOWEST,
};

/// Group number and mask of CPUs.
pub type Affinity = (u16, usize);

/// Number of CPUs in all groups, at least 1.
pub fn count() -> usize {
    // SAFETY: no preconditions.
    let count = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
    (count as usize).max(1)
}

/// Concatenated `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` records of groups, NUMA nodes and cores.
pub fn records() -> Vec<u8> {
    // Fall back for systems without nodes of several groups.
    let nodes = records_of(RelationNumaNodeEx).or_else(|| records_of(RelationNumaNode));
    [records_of(RelationGroup), nodes, records_of(RelationProcessorCore)].into_iter().flatten().flatten().collect()
}

/// Records of one kind; `None` if unsupported.
fn records_of(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Option<Vec<u8>> {
    let mut words: Vec<u64> = Vec::new();
    // The number of CPUs may grow between calls.
    for _ in 0..8 {
        let mut bytes = u32::try_from(size_of_val(&words[..])).ok()?;
        // SAFETY: the buffer has the given size and alignment; if it is too small, only the size is written.
        let done = unsafe { GetLogicalProcessorInformationEx(kind, words.as_mut_ptr().cast(), &mut bytes) };
        if done != 0 {
            let written: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).take(bytes as usize).collect();
            return Some(written);
        }
        if bytes as usize <= size_of_val(&words[..]) {
            return None;
        }
        words = vec![0; (bytes as usize).div_ceil(size_of::<u64>())];
    }
    None
}

/// CPUs the process is limited to, all in one group; `None` without a limit.
pub fn limit() -> Option<Affinity> {
    let (mut own, mut all) = (0, 0);
    // SAFETY: the pseudo handle is always valid, and both masks are writable.
    let known = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut own, &mut all) } != 0;
    // The masks are 0 for a process with threads in several groups.
    if known && own != 0 && own != all { Some((bound().ok()?.0, own)) } else { None }
}

/// Binds the calling thread, and returns its effective affinity.
///
/// # Errors
/// The system refuses, e.g. because a CPU is not available to the process.
pub fn bind(affinity: Affinity) -> io::Result<Affinity> {
    let wanted = GROUP_AFFINITY { Mask: affinity.1, Group: affinity.0, Reserved: [0; 3] };
    // SAFETY: the pseudo handle is always valid, the affinity is readable, and the old one is not requested.
    let done = unsafe { SetThreadGroupAffinity(GetCurrentThread(), &wanted, std::ptr::null_mut()) };
    if done == 0 { Err(io::Error::last_os_error()) } else { bound() }
}

/// Lowers the calling thread's priority.
pub fn lower_priority() {
    // SAFETY: the pseudo handle is always valid.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST) };
}

/// Affinity of the calling thread.
fn bound() -> io::Result<Affinity> {
    let mut affinity = GROUP_AFFINITY { Mask: 0, Group: 0, Reserved: [0; 3] };
    // SAFETY: the pseudo handle is always valid, and the affinity is writable.
    let done = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &mut affinity) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok((affinity.Group, affinity.Mask)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn reports_the_bound_affinity() {
        let (group, mask) = bound().unwrap();
        let first = (group, mask & mask.wrapping_neg());
        assert_eq!(thread::spawn(move || bind(first).unwrap()).join().unwrap(), first);
        assert_eq!(bound().unwrap(), (group, mask));
        assert!(bind((group, 0)).is_err() && bind((1000, 1)).is_err());
    }
}
