//! The system's memory nodes and their CPUs.

use super::cgroup;
use super::cpu_set::CpuSet;
use std::fs::read_to_string;
use std::path::Path;

/// A memory node with its available CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The system's node number.
    pub memory: usize,
    /// Its CPUs, never empty.
    pub cpus: CpuSet,
    /// The number of physical cores among them.
    pub cores: usize,
}

/// The hardware available to a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Nodes with available CPUs, by number; never empty.
    pub nodes: Vec<Node>,
    /// A partition of the CPUs by last-level cache, split at nodes.
    pub caches: Vec<CpuSet>,
    /// The CPU quota in CPUs, if limited.
    pub quota: Option<usize>,
}

impl Topology {
    /// The hardware available to the calling thread; `None` if unknown, as on systems other than Linux and Windows.
    pub fn of_this_system() -> Option<Self> {
        #[cfg(windows)]
        return super::groups::topology(&crate::processors::windows::records(), super::binding::allowed());
        #[cfg(not(windows))]
        return if cfg!(target_os = "linux") { Self::read(Path::new("/"), super::binding::allowed()) } else { None };
    }

    /// Reads `/sys` and `/proc` below a root folder, for a process with this affinity, if known.
    ///
    /// Offline CPUs, those excluded by affinity or control groups, and nodes without CPUs are dropped. CPUs of a node
    /// without memory count for the nearest one with memory. `None` when nothing is left or readable.
    pub fn read(root: &Path, affinity: Option<CpuSet>) -> Option<Self> {
        let allowance = cgroup::read(root);
        let system = root.join("sys/devices/system");
        let online = set_in(&system.join("cpu/online"));
        let known = [online, affinity, allowance.cpus].into_iter().flatten();
        let usable = known.reduce(|a, b| a.and(&b)).filter(|cpus| !cpus.is_empty())?;
        let nodes = node_cpus(&system.join("node"), memory_allowed(root), &usable);
        let caches = nodes.iter().flat_map(|(_, cpus)| caches(&system.join("cpu"), cpus)).collect();
        let with_cores = |(memory, cpus)| Node { memory, cpus, cores: cores(&system.join("cpu"), &cpus) };
        Some(Self { nodes: nodes.into_iter().map(with_cores).collect(), caches, quota: allowance.quota })
    }

    /// All available CPUs.
    pub fn cpus(&self) -> CpuSet {
        self.nodes.iter().fold(CpuSet::default(), |all, node| all.or(&node.cpus))
    }

    /// The memory nodes near any of these CPUs.
    pub fn memory_of(&self, cpus: &CpuSet) -> CpuSet {
        self.nodes.iter().filter(|node| !node.cpus.and(cpus).is_empty()).map(|node| node.memory).collect()
    }
}

/// Reads a list from a file.
fn set_in(file: &Path) -> Option<CpuSet> {
    CpuSet::of_system(&read_to_string(file).ok()?)
}

/// The memory nodes the process may use, if known.
fn memory_allowed(root: &Path) -> Option<CpuSet> {
    let status = read_to_string(root.join("proc/self/status")).ok()?;
    CpuSet::of_system(status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?)
}

/// Nodes with usable memory, each with the usable CPUs near it.
fn node_cpus(folder: &Path, allowed: Option<CpuSet>, usable: &CpuSet) -> Vec<(usize, CpuSet)> {
    let all = set_in(&folder.join("online")).unwrap_or_default();
    let files = [set_in(&folder.join("has_memory")), allowed];
    let with_memory = files.into_iter().flatten().fold(all, |set, limit| set.and(&limit));
    // Ignore a system that reports no node with memory.
    let with_memory = if with_memory.is_empty() { all } else { with_memory };
    let Some(first) = with_memory.iter().next() else { return vec![(0, *usable)] };
    let mut nodes: Vec<(usize, CpuSet)> = with_memory.iter().map(|node| (node, CpuSet::default())).collect();
    let mut left = *usable;
    for node in all.iter() {
        let cpus = set_in(&folder.join(format!("node{node}/cpulist"))).unwrap_or_default().and(&left);
        left = left.without(&cpus);
        let home = nearest(&folder.join(format!("node{node}/distance")), node, &all, &with_memory).unwrap_or(first);
        nodes.iter_mut().filter(|(number, _)| *number == home).for_each(|(_, set)| *set = set.or(&cpus));
    }
    // CPUs of no node.
    nodes[0].1 = nodes[0].1.or(&left);
    nodes.retain(|(_, cpus)| !cpus.is_empty());
    nodes
}

/// The node itself if it has memory, else the nearest with memory. The file lists distances to all nodes.
fn nearest(distances: &Path, node: usize, all: &CpuSet, with_memory: &CpuSet) -> Option<usize> {
    if with_memory.contains(node) {
        return Some(node);
    }
    let text = read_to_string(distances).ok()?;
    let distances = text.split_ascii_whitespace().map_while(|word| word.parse::<u32>().ok());
    let reachable = all.iter().zip(distances).filter(|(node, _)| with_memory.contains(*node));
    reachable.min_by_key(|&(_, distance)| distance).map(|(node, _)| node)
}

/// Counts physical cores. A CPU without sibling data is its own core.
fn cores(folder: &Path, cpus: &CpuSet) -> usize {
    let mut seen = CpuSet::default();
    let mut cores = 0;
    for cpu in cpus.iter() {
        if !seen.contains(cpu) {
            let siblings = set_in(&folder.join(format!("cpu{cpu}/topology/thread_siblings_list")));
            seen = seen.or(&siblings.unwrap_or_default());
            cores += 1;
        }
    }
    cores
}

/// Partitions CPUs by last-level cache. Those without cache data share one.
fn caches(folder: &Path, cpus: &CpuSet) -> Vec<CpuSet> {
    let mut left = *cpus;
    let mut caches = Vec::new();
    while let Some(cpu) = left.first() {
        let shared = last_cache(&folder.join(format!("cpu{cpu}/cache"))).map_or(left, |cache| cache.and(&left));
        let shared = if shared.is_empty() { left } else { shared };
        left = left.without(&shared);
        caches.push(shared);
    }
    caches
}

/// The CPUs sharing the last-level cache, from a CPU's folder.
fn last_cache(folder: &Path) -> Option<CpuSet> {
    let level =
        |index: &usize| read_to_string(folder.join(format!("index{index}/level"))).ok()?.trim().parse::<u32>().ok();
    let last = (0..8).filter(|index| level(index).is_some()).max_by_key(level)?;
    set_in(&folder.join(format!("index{last}/shared_cpu_list")))
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    /// Each node's number, CPUs and cores.
    fn seen(tree: &Tree, affinity: Option<&str>) -> Vec<(usize, String, usize)> {
        let affinity = affinity.map(|list| CpuSet::of_system(list).expect("a list"));
        let topology = Topology::read(tree.root(), affinity).expect("a topology");
        topology.nodes.iter().map(|node| (node.memory, node.cpus.to_string(), node.cores)).collect()
    }

    fn node(memory: usize, cpus: &str, cores: usize) -> (usize, String, usize) {
        (memory, cpus.into(), cores)
    }

    #[test]
    fn machines_of_all_sizes() {
        assert_eq!(seen(&Tree::new(&["0-1"]), Some("0-1")), [node(0, "0-1", 2)]);
        let pair = Tree::new(&["0-31,64-95", "32-63,96-127"]).siblings(64);
        assert_eq!(seen(&pair, None), [node(0, "0-31,64-95", 32), node(1, "32-63,96-127", 32)]);
        let lists: Vec<String> = (0..8).map(|nth| format!("{}-{}", 16 * nth, 16 * nth + 15)).collect();
        let eight = Tree::new(&lists.iter().map(String::as_str).collect::<Vec<_>>());
        let expected: Vec<_> = (0..8).map(|nth| node(nth, &lists[nth], 16)).collect();
        assert_eq!(seen(&eight, None), expected);
        assert_eq!(seen(&Tree::new(&["0-287"]).siblings(144), None), [node(0, "0-287", 144)]);
    }

    #[test]
    fn offline_cpus_are_dropped() {
        let tree = Tree::new(&["0-3", "4-7"]).online("0-2,6");
        assert_eq!(seen(&tree, Some("0-7")), [node(0, "0-2", 3), node(1, "6", 1)]);
        // A node with only offline CPUs is dropped.
        assert_eq!(seen(&Tree::new(&["0-3", "4-7"]).online("0-3"), None), [node(0, "0-3", 4)]);
    }

    #[test]
    fn cpus_of_a_node_without_memory_go_to_the_nearest() {
        let tree = Tree::new(&["0-1", "2-3", "4-5", ""]).memory("0,2").distances(1, "31 10 21 17");
        assert_eq!(seen(&tree, None), [node(0, "0-1", 2), node(2, "2-5", 4)]);
        // Unusable memory counts as none.
        let tree = Tree::new(&["0-1", "2-3"]).file("proc/self/status", "Name:\tx\nMems_allowed_list:\t1\n");
        assert_eq!(seen(&tree, None), [node(1, "0-3", 4)]);
    }

    #[test]
    fn node_numbers_may_have_gaps() {
        let tree = Tree::new(&["0-1", "", "", "8-9"]).file("sys/devices/system/node/online", "0,3\n").memory("0,3");
        assert_eq!(seen(&tree, None), [node(0, "0-1", 2), node(3, "8-9", 2)]);
    }

    #[test]
    fn affinity_and_control_groups_limit() {
        let two = || Tree::new(&["0-3", "4-7"]).siblings(4);
        assert_eq!(seen(&two(), Some("1,5-6")), [node(0, "1", 1), node(1, "5-6", 2)]);
        assert_eq!(seen(&two(), Some("0-2")), [node(0, "0-2", 3)]);
        let group = two()
            .file("proc/self/cgroup", "0::/box/inner\n")
            .file("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n")
            .file("sys/fs/cgroup/box/cpuset.cpus.effective", "2-4\n")
            .file("sys/fs/cgroup/box/cpu.max", "250000 100000\n")
            .file("sys/fs/cgroup/box/inner/cpu.max", "max 100000\n");
        assert_eq!(seen(&group, Some("0-7")), [node(0, "2-3", 2), node(1, "4", 1)]);
        assert_eq!(Topology::read(group.root(), None).unwrap().quota, Some(3));
        let free = two().file("sys/fs/cgroup/cpu.max", "max 100000\n");
        assert_eq!(Topology::read(free.root(), None).unwrap().quota, None);
    }

    #[test]
    fn systems_without_data_have_one_node() {
        let bare = Tree::empty().file("sys/devices/system/cpu/online", "0-3\n");
        assert_eq!(seen(&bare, Some("1-2")), [node(0, "1-2", 2)]);
        assert_eq!(seen(&Tree::empty(), Some("5")), [node(0, "5", 1)]);
        assert_eq!(Topology::read(Tree::empty().root(), None), None);
        let damaged = Tree::new(&["0-1", "2-3"]).file("sys/devices/system/node/node1/cpulist", "what?\n");
        assert_eq!(seen(&damaged, None), [node(0, "0-3", 4)]);
    }

    #[test]
    fn memory_is_found_by_processors() {
        let topology = Topology::read(Tree::new(&["0-1", "2-3", "4-5"]).root(), None).unwrap();
        assert_eq!(topology.cpus().to_string(), "0-5");
        assert_eq!(topology.memory_of(&"1-2".parse().unwrap()).to_string(), "0-1");
        assert_eq!(topology.memory_of(&"9".parse().unwrap()).to_string(), "");
    }

    #[test]
    fn caches_partition_a_node() {
        let caches = |tree: &Tree, affinity: Option<&str>| {
            let affinity = affinity.map(|list| CpuSet::of_system(list).unwrap());
            let topology = Topology::read(tree.root(), affinity).unwrap();
            topology.caches.iter().map(CpuSet::to_string).collect::<Vec<_>>()
        };
        let silent = Tree::new(&["0-3", "4-7"]);
        assert_eq!(caches(&silent, None), ["0-3", "4-7"]);
        let pairs = Tree::new(&["0-3", "4-7"]).caches(3, &["0,2", "1,3", "4-5", "6-7"]);
        assert_eq!(caches(&pairs, None), ["0,2", "1,3", "4-5", "6-7"]);
        assert_eq!(caches(&pairs, Some("0-2,7")), ["0,2", "1", "7"]);
        // Only the last level counts; a cache spanning two nodes is split.
        let more = pairs.caches(4, &["0-7"]);
        assert_eq!(caches(&more, None), ["0-3", "4-7"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_matches_the_affinity() {
        let topology = Topology::of_this_system().expect("Linux says what there is");
        assert!(topology.cpus().is_within(&super::super::binding::allowed().unwrap()));
        assert_eq!(topology.caches.iter().map(CpuSet::len).sum::<usize>(), topology.cpus().len());
        assert!(topology.nodes.iter().all(|node| node.cores > 0 && node.cores <= node.cpus.len()));
    }
}
