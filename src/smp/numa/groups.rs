//! Windows processor groups of at most 64 CPUs (32 on 32-bit systems), numbered consecutively here.

use super::cpu_set::CpuSet;
use super::topology::{Node, Topology};

/// Numbers reserved per group.
const GROUP: usize = usize::BITS as usize;

/// The CPUs of a group's mask.
pub fn set_of(group: u16, mask: usize) -> CpuSet {
    (0..GROUP).filter(|bit| mask >> bit & 1 == 1).map(|bit| usize::from(group) * GROUP + bit).collect()
}

/// The group and mask of these CPUs; `None` if empty or in several groups.
pub fn group_of(cpus: &CpuSet) -> Option<(u16, usize)> {
    let group = cpus.iter().next()? / GROUP;
    let mask = cpus.iter().filter(|cpu| cpu / GROUP == group).fold(0, |mask, cpu| mask | 1 << (cpu % GROUP));
    let group = u16::try_from(group).ok()?;
    (set_of(group, mask) == *cpus).then_some((group, mask))
}

#[derive(Debug, PartialEq, Eq)]
enum Record {
    Core(CpuSet),
    /// A memory node's number and its CPUs per group.
    Node(usize, Vec<CpuSet>),
    /// The active CPUs of all groups.
    Groups(CpuSet),
}

/// Topology from `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` records, limited to these CPUs if given. A memory node
/// spanning several groups becomes several nodes, since a thread is bound within one group; CPUs without a node join
/// one of their group, or form their own. `None` without CPUs.
pub fn topology(records: &[u8], limit: Option<CpuSet>) -> Option<Topology> {
    let records = read(records);
    let active = records.iter().fold(CpuSet::default(), |all, record| match record {
        Record::Groups(cpus) => all.or(cpus),
        _ => all,
    });
    let mut left = limit.map_or(active, |limit| active.and(&limit));
    let mut nodes: Vec<(usize, CpuSet)> = Vec::new();
    for record in &records {
        let Record::Node(number, parts) = record else { continue };
        for part in parts {
            nodes.push((*number, part.and(&left)));
            left = left.without(part);
        }
    }
    nodes.retain(|(_, cpus)| !cpus.is_empty());
    for group in (0..=u16::MAX).take(CpuSet::SIZE / GROUP) {
        let (group, first) = (set_of(group, !0), nodes.first().map_or(0, |node| node.0));
        match nodes.iter_mut().find(|(_, cpus)| cpus.is_within(&group)) {
            Some((_, cpus)) => *cpus = cpus.or(&left.and(&group)),
            None if left.and(&group).is_empty() => {}
            None => nodes.push((first, left.and(&group))),
        }
    }
    nodes.sort_by_key(|(number, cpus)| (*number, cpus.iter().next()));
    let cores = |cpus: &CpuSet| {
        let shared = |record: &&Record| matches!(record, Record::Core(core) if !core.and(cpus).is_empty());
        records.iter().filter(shared).count().max(1)
    };
    let nodes: Vec<Node> = nodes.into_iter().map(|(memory, cpus)| Node { memory, cpus, cores: cores(&cpus) }).collect();
    let caches = nodes.iter().map(|node| node.cpus).collect();
    (!nodes.is_empty()).then_some(Topology { nodes, caches, quota: None })
}

/// Size of an affinity mask, that of a pointer.
const MASK: usize = size_of::<usize>();

/// Reads records up to the first invalid one. Each starts with its kind and size; the affinity list starts at byte 32.
fn read(mut bytes: &[u8]) -> Vec<Record> {
    const HEAD: usize = 8;
    const LIST: usize = 32;
    let mut records = Vec::new();
    while let (Some(kind), Some(size)) = (number::<4>(bytes, 0), number::<4>(bytes, 4)) {
        let Some(record) = bytes.get(..size).filter(|record| record.len() >= HEAD) else { break };
        bytes = &bytes[size..];
        // Mask, group, three reserved words.
        let affinities = |count: usize| -> Vec<CpuSet> {
            let affinity = |nth| {
                let at = LIST + nth * (MASK + 8);
                Some(set_of(number::<2>(record, at + MASK)? as u16, number::<MASK>(record, at)?))
            };
            (0..count).map_while(affinity).collect()
        };
        let count = number::<2>(record, LIST - 2).unwrap_or(0);
        match kind {
            0 => records.push(Record::Core(union(&affinities(count)))),
            // Before Windows 11 and Windows Server 2022 the count is missing: there is one.
            1 | 6 => records.extend(number::<4>(record, HEAD).map(|node| Record::Node(node, affinities(count.max(1))))),
            // Groups have their own count, and 40 bytes plus a mask each.
            4 => {
                let mask =
                    |group: usize| Some(set_of(group as u16, number::<MASK>(record, LIST + group * (40 + MASK) + 40)?));
                let groups = number::<2>(record, HEAD + 2).unwrap_or(0);
                records.push(Record::Groups(union(&(0..groups).map_while(mask).collect::<Vec<_>>())));
            }
            _ => {}
        }
    }
    records
}

fn union(sets: &[CpuSet]) -> CpuSet {
    sets.iter().fold(CpuSet::default(), |all, set| all.or(set))
}

/// A native-endian number of `BYTES` bytes.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(BYTES)?)?;
    let mut number = [0; 8];
    number[..BYTES].copy_from_slice(part);
    usize::try_from(u64::from_le_bytes(number)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A record with this head, affinity count and list.
    fn record(kind: u32, head: &[u8], count: u16, list: &[(u16, u64)]) -> Vec<u8> {
        let mut record = [&kind.to_le_bytes()[..], &[0; 4], head].concat();
        record.resize(30, 0);
        record.extend(count.to_le_bytes());
        for (group, mask) in list {
            record.extend(mask.to_le_bytes());
            record.extend(group.to_le_bytes());
            record.extend([0; 6]);
        }
        let size = record.len() as u32;
        record[4..8].copy_from_slice(&size.to_le_bytes());
        record
    }

    fn node(number: u32, count: u16, list: &[(u16, u64)]) -> Vec<u8> {
        record(1, &number.to_le_bytes(), count, list)
    }

    fn core(group: u16, mask: u64) -> Vec<u8> {
        record(0, &[1, 0], 1, &[(group, mask)])
    }

    /// Groups with these CPUs.
    fn groups(masks: &[u64]) -> Vec<u8> {
        let mut record = record(4, &[[16, 0], (masks.len() as u16).to_le_bytes()].concat(), 0, &[]);
        for mask in masks {
            record.extend([64, mask.count_ones() as u8]);
            record.extend([0; 38]);
            record.extend(mask.to_le_bytes());
        }
        let size = record.len() as u32;
        record[4..8].copy_from_slice(&size.to_le_bytes());
        record
    }

    fn seen(records: &[Vec<u8>], limit: Option<&str>) -> Vec<(usize, String, usize)> {
        let limit = limit.map(|list| list.parse().unwrap());
        let topology = topology(&records.concat(), limit).expect("a topology");
        topology.nodes.iter().map(|node| (node.memory, node.cpus.to_string(), node.cores)).collect()
    }

    fn expected(nodes: &[(usize, &str, usize)]) -> Vec<(usize, String, usize)> {
        nodes.iter().map(|&(memory, cpus, cores)| (memory, cpus.to_owned(), cores)).collect()
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn small_machines_have_one_node() {
        let cores = [core(0, 0b0011), core(0, 0b1100)].concat();
        let records = [groups(&[0xf]), node(0, 0, &[(0, 0xf)]), cores];
        assert_eq!(seen(&records, None), expected(&[(0, "0-3", 2)]));
        assert_eq!(seen(&records, Some("1-2")), expected(&[(0, "1-2", 2)]));
        assert_eq!(topology(&records.concat(), Some(CpuSet::default())), None);
    }

    /// Two sockets with one group each, as reported by old and new systems.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn two_sockets_have_two_nodes() {
        for count in [0, 1] {
            let nodes = [node(0, count, &[(0, !0)]), node(1, count, &[(1, 0xffff_ffff)])].concat();
            let cores: Vec<u8> = (0..48).flat_map(|nth| core(nth / 32, 3 << (2 * (nth % 32)))).collect();
            let records = [groups(&[!0, 0xffff_ffff]), nodes, cores];
            assert_eq!(seen(&records, None), expected(&[(0, "0-63", 32), (1, "64-95", 16)]));
        }
    }

    /// 128 CPUs of one socket in two groups: new systems report one node, old ones the first group only.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_node_in_two_groups_is_split() {
        let groups = groups(&[!0, !0]);
        let both = expected(&[(0, "0-63", 1), (0, "64-127", 1)]);
        assert_eq!(seen(&[groups.clone(), node(0, 2, &[(0, !0), (1, !0)])], None), both);
        assert_eq!(seen(&[groups.clone(), node(0, 0, &[(0, !0)])], None), both);
        assert_eq!(seen(&[groups], None), both);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn inactive_and_duplicate_cpus_are_dropped() {
        let nodes = [node(1, 1, &[(0, 0xff)]), node(0, 1, &[(0, 0xf0f0)])].concat();
        assert_eq!(seen(&[groups(&[0x3cff]), nodes], None), expected(&[(0, "12-13", 1), (1, "0-7,10-11", 1)]));
    }

    #[test]
    fn masks_round_trip() {
        let set: CpuSet = [GROUP + 1, GROUP + 5].into_iter().collect();
        assert_eq!(group_of(&set), Some((1, 0b10_0010)));
        assert_eq!(set_of(1, 0b10_0010), set);
        assert_eq!(group_of(&(GROUP - 1..GROUP + 1).collect()), None);
        assert_eq!(group_of(&CpuSet::default()), None);
    }

    proptest! {
        #[test]
        fn random_bytes_do_not_panic(
            bytes in prop::collection::vec(prop_oneof![3 => Just(0_u8), 2 => 0..80_u8, 1 => any::<u8>()], 0..400),
        ) {
            if let Some(topology) = topology(&bytes, None) {
                prop_assert!(topology.nodes.iter().all(|node| !node.cpus.is_empty() && node.cores > 0));
            }
        }

        #[test]
        fn truncated_records_are_dropped(cut in 0..200_usize) {
            let whole = [groups(&[0xff, 0xf]), node(0, 1, &[(0, 0xff)]), node(1, 1, &[(1, 0xf)])].concat();
            let read = |bytes: &[u8]| read(bytes).len();
            prop_assert!(read(&whole[..whole.len() - cut.min(whole.len())]) <= read(&whole));
        }
    }
}
