//! Windows: CPUs in processor groups of up to 64 (32 on 32-bit systems), numbered consecutively here. Threads are bound within one
//! group.

use super::cpu_list::CpuSet;
use std::io;
use std::ptr::null_mut;
use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetSystemCpuSetInformation, SYSTEM_CPU_SET_INFORMATION,
};
use windows_sys::Win32::System::Threading::{
    GetActiveProcessorCount, GetActiveProcessorGroupCount, GetCurrentProcess, GetCurrentThread,
    GetNumaHighestNodeNumber, GetNumaNodeProcessorMaskEx, GetProcessAffinityMask, GetThreadGroupAffinity,
    SetProcessAffinityMask, SetThreadGroupAffinity, SetThreadPriority, THREAD_PRIORITY_LOWEST,
};

const NO_CPUS: GROUP_AFFINITY = GROUP_AFFINITY { Mask: 0, Group: 0, Reserved: [0; 3] };
/// Numbers per group.
const GROUP_CPUS: usize = usize::BITS as usize;

/// Number of CPUs available to the process, at least 1.
pub fn count() -> usize {
    allowed().map_or(1, |cpus| cpus.len().max(1))
}

/// The NUMA nodes, each with its CPUs in one group, then all groups as further nodes.
pub fn nodes() -> Vec<(usize, CpuSet)> {
    let mut highest = 0;
    // SAFETY: the number is writable.
    unsafe { GetNumaHighestNodeNumber(&mut highest) };
    let node = |number: u16| {
        let mut affinity = NO_CPUS;
        // SAFETY: the affinity is writable.
        unsafe { GetNumaNodeProcessorMaskEx(number, &mut affinity) };
        (usize::from(number), cpus(affinity.Group, affinity.Mask))
    };
    (0..=highest as u16).map(node).chain(groups().map(|cpus| (0, cpus))).collect()
}

/// The CPUs with the efficiency classes of their cores; higher is faster.
pub fn speeds() -> Vec<(usize, u32)> {
    const BYTES: usize = size_of::<SYSTEM_CPU_SET_INFORMATION>();
    let mut bytes = 0;
    // SAFETY: the number is writable, and the list has no bytes.
    unsafe { GetSystemCpuSetInformation(null_mut(), 0, &mut bytes, null_mut(), 0) };
    let mut list = vec![SYSTEM_CPU_SET_INFORMATION::default(); bytes as usize / BYTES];
    // SAFETY: the list has this many writable bytes, and any bytes are valid in it.
    unsafe {
        GetSystemCpuSetInformation(list.as_mut_ptr(), (list.len() * BYTES) as u32, &mut bytes, null_mut(), 0);
    }
    // Items of another size come from later versions of Windows.
    let known = list.iter().take_while(|item| item.Size as usize == BYTES);
    // SAFETY: items of this size have the type `CpuSetInformation`, the only one.
    let sets = known.map(|item| unsafe { item.Anonymous.CpuSet });
    let cpu = |group: u16, index: u8| usize::from(group) * GROUP_CPUS + usize::from(index);
    sets.map(|set| (cpu(set.Group, set.LogicalProcessorIndex), set.EfficiencyClass.into())).collect()
}

/// The CPUs of each group.
fn groups() -> impl Iterator<Item = CpuSet> {
    // SAFETY: no preconditions.
    let groups = unsafe { GetActiveProcessorGroupCount() };
    (0..groups).map(|group| {
        // SAFETY: no preconditions.
        let count = unsafe { GetActiveProcessorCount(group) };
        (0..count as usize).map(|bit| usize::from(group) * GROUP_CPUS + bit).collect()
    })
}

/// The CPUs that the process may use.
pub fn allowed() -> Option<CpuSet> {
    let limit = limit().zip(bound().ok()).map(|((own, _), affinity)| cpus(affinity.Group, own));
    Some(limit.unwrap_or_else(|| groups().flatten().collect()))
}

/// The affinity of a process limited to a part of its group, and the mask of the group.
fn limit() -> Option<(usize, usize)> {
    let (mut own, mut all) = (0, 0);
    // SAFETY: the pseudo handle is always valid, and both masks are writable.
    let known = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut own, &mut all) } != 0;
    // The masks are 0 for a process with threads in several groups, and equal without a limit.
    (known && own != 0 && own != all).then_some((own, all))
}

/// The mask of a limited process.
pub type Limit = Option<usize>;

/// Lets the process run on all CPUs of the hardware. Returns its previous mask.
pub fn lift_limit() -> io::Result<Limit> {
    let Some((own, all)) = limit() else { return Ok(None) };
    set_process_mask(all).map(|()| Some(own))
}

/// Undoes [`lift_limit`].
pub fn restore_limit(before: &Limit) {
    let _ = before.map(set_process_mask);
}

fn set_process_mask(mask: usize) -> io::Result<()> {
    // SAFETY: the pseudo handle is always valid.
    let done = unsafe { SetProcessAffinityMask(GetCurrentProcess(), mask) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Binds the calling thread and returns its resulting affinity. Fails if the CPUs are unavailable or in several groups.
pub fn bind(wanted: &CpuSet) -> io::Result<CpuSet> {
    let group = wanted.first().map_or(0, |cpu| cpu / GROUP_CPUS);
    if wanted.iter().any(|cpu| cpu / GROUP_CPUS != group) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "these CPUs are in several processor groups"));
    }
    let mask = wanted.iter().fold(0, |mask, cpu| mask | 1 << (cpu % GROUP_CPUS));
    let affinity = GROUP_AFFINITY { Mask: mask, Group: group as u16, Reserved: [0; 3] };
    // SAFETY: the pseudo handle is always valid, the affinity is readable, and the old one is not requested.
    let done = unsafe { SetThreadGroupAffinity(GetCurrentThread(), &affinity, null_mut()) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    bound().map(|affinity| cpus(affinity.Group, affinity.Mask))
}

/// Lowers the calling thread's priority to the lowest.
pub fn lower_priority(_: i32) {
    // SAFETY: the pseudo handle is always valid.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST) };
}

/// Affinity of the calling thread.
fn bound() -> io::Result<GROUP_AFFINITY> {
    let mut affinity = NO_CPUS;
    // SAFETY: the pseudo handle is always valid, and the affinity is writable.
    let done = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &mut affinity) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(affinity) }
}

/// The CPUs of a group's mask.
fn cpus(group: u16, mask: usize) -> CpuSet {
    (0..GROUP_CPUS).filter(|bit| mask >> bit & 1 == 1).map(|bit| usize::from(group) * GROUP_CPUS + bit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn reports_the_bound_affinity() {
        let before = bound().unwrap().Mask;
        let first = CpuSet::from([*allowed().unwrap().first().unwrap()]);
        let wanted = first.clone();
        assert_eq!(thread::spawn(move || bind(&wanted).unwrap()).join().unwrap(), first);
        assert_eq!(bound().unwrap().Mask, before);
        assert!(bind(&CpuSet::new()).is_err() && bind(&CpuSet::from([64_000])).is_err());
        assert!(bind(&CpuSet::from([0, GROUP_CPUS])).is_err());
        assert!(nodes().iter().any(|(_, cpus)| !cpus.is_empty()));
        assert!(speeds().iter().any(|(cpu, _)| first.contains(cpu)));
    }
}
