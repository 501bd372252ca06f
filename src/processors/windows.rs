//! What Windows says about processors, and binding to them. It numbers processors within groups of at most 64 (32 on 32-bit
//! systems), and a thread is bound to processors of one group.

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

/// Processors of one group: its number, and a bit for each of them.
pub type Affinity = (u16, usize);

/// How many processors all groups have, from 1 up.
pub fn count() -> usize {
    // SAFETY: the call has no conditions.
    let count = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
    (count as usize).max(1)
}

/// Records (`SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX`) of groups, memory nodes and cores, one after the other.
pub fn records() -> Vec<u8> {
    // Older systems have no nodes of several groups, and no word for them.
    let nodes = records_of(RelationNumaNodeEx).or_else(|| records_of(RelationNumaNode));
    [records_of(RelationGroup), nodes, records_of(RelationProcessorCore)].into_iter().flatten().flatten().collect()
}

/// The records of one kind; `None` where the system has none.
fn records_of(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Option<Vec<u8>> {
    let mut words: Vec<u64> = Vec::new();
    // More processors may come between two questions.
    for _ in 0..8 {
        let mut bytes = u32::try_from(size_of_val(&words[..])).ok()?;
        // SAFETY: the buffer has as many bytes as is said, aligned for the records; a system that needs more writes none, and says
        // how many.
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

/// The processors that the process is limited to; `None` without a limit. With one it is in one group.
pub fn limit() -> Option<Affinity> {
    let (mut own, mut all) = (0, 0);
    // SAFETY: the handle of the process itself is always valid, and both masks may be written.
    let known = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut own, &mut all) } != 0;
    // A process with threads in several groups is told of no processor.
    if known && own != 0 && own != all { Some((bound().ok()?.0, own)) } else { None }
}

/// Binds the calling thread to processors of a group, and returns those that the system then says it is bound to.
///
/// # Errors
/// The system refuses, for instance because the process may not use one of them.
pub fn bind(affinity: Affinity) -> io::Result<Affinity> {
    let wanted = GROUP_AFFINITY { Mask: affinity.1, Group: affinity.0, Reserved: [0; 3] };
    // SAFETY: the handle of the calling thread is always valid, and the affinity may be read; nobody asks for the old one.
    let done = unsafe { SetThreadGroupAffinity(GetCurrentThread(), &wanted, std::ptr::null_mut()) };
    if done == 0 { Err(io::Error::last_os_error()) } else { bound() }
}

/// Has the calling thread give way to others that want to run.
pub fn lower_priority() {
    // SAFETY: the handle of the calling thread is always valid.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST) };
}

/// The processors that the calling thread is bound to.
fn bound() -> io::Result<Affinity> {
    let mut affinity = GROUP_AFFINITY { Mask: 0, Group: 0, Reserved: [0; 3] };
    // SAFETY: the handle of the calling thread is always valid, and the affinity may be written.
    let done = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &mut affinity) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok((affinity.Group, affinity.Mask)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_bound_thread_says_so() {
        let (group, mask) = bound().unwrap();
        let first = (group, mask & mask.wrapping_neg());
        assert_eq!(thread::spawn(move || bind(first).unwrap()).join().unwrap(), first);
        assert_eq!(bound().unwrap(), (group, mask));
        assert!(bind((group, 0)).is_err() && bind((1000, 1)).is_err());
    }
}
