//! Memory spread over several memory nodes: each has an equal part, in one piece. Positions fall anywhere in the table, so each
//! node is asked for as much as any other. Linux alone.

use super::mapping::Mapping;
use std::io;
use std::ops::Range;

/// The part of so many pages that the nth of several nodes has. The parts follow each other and differ by a page at most.
pub fn part(pages: u64, nth: usize, nodes: usize) -> Range<u64> {
    let edge = |nth: usize| (u128::from(pages) * nth as u128 / nodes.max(1) as u128) as u64;
    edge(nth)..edge(nth + 1)
}

/// Spreads a mapping over these memory nodes: pages that are there move, those that come later are taken from where they belong.
/// Without nodes the system may have them where they are, and takes others from where it likes.
///
/// # Errors
/// The system refuses, for instance because the process may not use one of the nodes, or has no such call. It then may have the
/// pages where they are.
pub fn spread(mapping: &Mapping, nodes: &[usize]) -> io::Result<()> {
    let (piece, bytes) = (mapping.piece(), mapping.bytes());
    let pages = bytes.div_ceil(piece) as u64;
    let bound = nodes.iter().enumerate().try_for_each(|(nth, &node)| {
        let part = part(pages, nth, nodes.len());
        let range = part.start as usize * piece..(part.end as usize * piece).min(bytes);
        if range.is_empty() { Ok(()) } else { linux::prefer(mapping, range, Some(node)) }
    });
    if nodes.is_empty() || bound.is_err() {
        // A system that knows no nodes has them where it likes anyway.
        let _ = linux::prefer(mapping, 0..bytes, None);
    }
    bound
}

/// Checks that a mapping whose pages are all there is spread over these memory nodes. A system that has no more memory on one of
/// them quietly takes it from another.
///
/// # Errors
/// It is not, or the system does not say where the pages are.
pub fn check(mapping: &Mapping, nodes: &[usize]) -> io::Result<()> {
    /// So many places of a large mapping stand for all.
    const SAMPLE: u64 = 10_000;
    let (piece, pages) = (mapping.piece(), mapping.bytes().div_ceil(mapping.piece()) as u64);
    let sample = pages.min(SAMPLE);
    let places: Vec<u64> = (0..sample).map(|nth| part(pages, nth as usize, sample as usize).start).collect();
    let belongs = |page: &u64| {
        let owner = (0..nodes.len()).find(|&nth| part(pages, nth, nodes.len()).contains(page));
        owner.map(|nth| nodes[nth])
    };
    let expected: Vec<Option<usize>> = places.iter().map(belongs).collect();
    if nodes.is_empty() {
        return Ok(());
    }
    let found = linux::whereabouts(mapping, places.iter().map(|&page| page as usize * piece))?;
    let astray = found.iter().zip(&expected).filter(|(found, expected)| **found != **expected).count();
    match 100 * astray / found.len().max(1) {
        0 => Ok(()),
        percent => Err(io::Error::other(format!("{percent} % of it lie elsewhere"))),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::tt::mapping::Mapping;
    use std::io;
    use std::ops::Range;

    /// Has the system take pages of a range from this memory node while it has some, and move those that are there already; without
    /// a node it takes them from where it likes.
    pub fn prefer(mapping: &Mapping, range: Range<usize>, node: Option<usize>) -> io::Result<()> {
        /// Pages that are there move (linux/mempolicy.h; libc does not have it).
        const MPOL_MF_MOVE: u32 = 1 << 1;
        const BITS: usize = libc::c_ulong::BITS as usize;
        let mut mask = [0 as libc::c_ulong; 1024 / BITS];
        if let Some(node) = node {
            *mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)? |= 1 << (node % BITS);
        }
        let (mode, flags) = node.map_or((libc::MPOL_DEFAULT, 0), |_| (libc::MPOL_PREFERRED, MPOL_MF_MOVE));
        if range.end > mapping.bytes() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: the range lies within a live mapping, as was just checked, and starts on a page boundary; the mask is as long as
        // it says (the system counts one bit more). The call changes on which nodes pages are, never what they hold.
        let refused = unsafe {
            let start = mapping.start().add(range.start).as_ptr();
            libc::syscall(libc::SYS_mbind, start, range.len(), mode, mask.as_ptr(), mask.len() * BITS + 1, flags)
        };
        if refused == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The memory node of the pages at these offsets; `None` for one that is not there.
    pub fn whereabouts(mapping: &Mapping, offsets: impl Iterator<Item = usize>) -> io::Result<Vec<Option<usize>>> {
        let pages: Vec<*mut u8> = offsets.map(|offset| mapping.start().as_ptr().wrapping_add(offset)).collect();
        let mut nodes = vec![-1_i32; pages.len()];
        // SAFETY: both lists have the length that is given; without a list of nodes to move to the call only says where the pages
        // are, and takes any address.
        let refused = unsafe {
            let (none, own) = (std::ptr::null::<i32>(), 0);
            libc::syscall(libc::SYS_move_pages, own, pages.len(), pages.as_ptr(), none, nodes.as_mut_ptr(), 0)
        };
        let nodes = nodes.into_iter().map(|node| node.try_into().ok()).collect();
        if refused == 0 { Ok(nodes) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use crate::tt::mapping::Mapping;
    use std::io;
    use std::ops::Range;

    pub fn prefer(_: &Mapping, _: Range<usize>, _: Option<usize>) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this is done on Linux alone"))
    }

    pub fn whereabouts(_: &Mapping, _: impl Iterator<Item = usize>) -> io::Result<Vec<Option<usize>>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_even_and_leave_nothing_out(pages in any::<u64>(), nodes in 1..20_usize) {
            let parts: Vec<_> = (0..nodes).map(|nth| part(pages, nth, nodes)).collect();
            prop_assert_eq!((parts[0].start, parts[nodes - 1].end), (0, pages));
            prop_assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            let sizes = parts.iter().map(|part| part.end - part.start);
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
        }
    }
}
