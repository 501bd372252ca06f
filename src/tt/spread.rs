//! Memory taken in turn from several memory nodes. Linux alone.

use super::mapping::Mapping;
use std::io;

/// Has the system take pages in turn from these memory nodes, and move those that are there already; without nodes it takes them
/// from where it likes.
///
/// # Errors
/// The system refuses, for instance because the process may use none of the nodes, or has no such call.
#[cfg(target_os = "linux")]
pub fn interleave(mapping: &Mapping, nodes: &[usize]) -> io::Result<()> {
    /// Pages that are there move (linux/mempolicy.h; libc does not have it).
    const MPOL_MF_MOVE: u32 = 1 << 1;
    const BITS: usize = libc::c_ulong::BITS as usize;
    let mut mask = [0 as libc::c_ulong; 1024 / BITS];
    for &node in nodes {
        let word = mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)?;
        *word |= 1 << (node % BITS);
    }
    let (start, bytes) = (mapping.start().as_ptr(), mapping.bytes());
    // SAFETY: the range is that of one live mapping and starts on a page boundary, and the mask is as long as it says (the
    // system counts one bit more); the call changes on which nodes pages are, never what they hold.
    let refused = unsafe {
        let (mode, flags) =
            if nodes.is_empty() { (libc::MPOL_DEFAULT, 0) } else { (libc::MPOL_INTERLEAVE, MPOL_MF_MOVE) };
        libc::syscall(libc::SYS_mbind, start, bytes, mode, mask.as_ptr(), mask.len() * BITS + 1, flags)
    };
    // A system that cannot spread them leaves them where they are by itself.
    if refused == 0 || nodes.is_empty() { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Checks that the pages of a pool are spread evenly over memory nodes: where a node has no more of them, the system quietly takes
/// and leaves them elsewhere.
///
/// # Errors
/// They are not, or the system does not say where they are.
#[cfg(target_os = "linux")]
pub fn check(mapping: &Mapping, nodes: &[usize]) -> io::Result<()> {
    use super::plan::Source;
    use std::collections::BTreeMap;
    let Source::Pool(page) = mapping.source() else { return Ok(()) };
    let mut counts: BTreeMap<i32, usize> = nodes.iter().map(|&node| (node as i32, 0)).collect();
    for node in whereabouts(mapping, page as usize)? {
        *counts.entry(node).or_default() += 1;
    }
    let (least, most) = (counts.values().min(), counts.values().max());
    if nodes.is_empty() || counts.len() == nodes.len() && most.zip(least).is_none_or(|(most, least)| most - least <= 1)
    {
        return Ok(());
    }
    let list: Vec<String> = counts.iter().map(|(node, count)| format!("{count} on node {node}")).collect();
    Err(io::Error::other(format!("of its huge pages there are {}", list.join(", "))))
}

/// The memory node of each page of this size; of one that is not there, an error number below zero.
#[cfg(target_os = "linux")]
fn whereabouts(mapping: &Mapping, page: usize) -> io::Result<Vec<i32>> {
    let address = |offset| mapping.start().as_ptr().wrapping_add(offset);
    let pages: Vec<*mut u8> = (0..mapping.bytes()).step_by(page).map(address).collect();
    let mut nodes = vec![0_i32; pages.len()];
    // SAFETY: both lists have the length that is given; without a list of nodes the call moves nothing, it only says where each
    // page is.
    let refused = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            pages.as_ptr(),
            std::ptr::null::<i32>(),
            nodes.as_mut_ptr(),
            0,
        )
    };
    if refused == 0 { Ok(nodes) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
pub fn interleave(_: &Mapping, nodes: &[usize]) -> io::Result<()> {
    if nodes.is_empty() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::Unsupported, "tables are spread on Linux alone"))
    }
}

#[cfg(not(target_os = "linux"))]
pub fn check(_: &Mapping, _: &[usize]) -> io::Result<()> {
    Ok(())
}
