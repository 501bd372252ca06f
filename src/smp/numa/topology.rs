//! The memory nodes of a system and their processors.

use super::cgroup;
use super::cpu_set::CpuSet;
use std::fs::read_to_string;
use std::path::Path;

/// A memory node, with the processors near it that the process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The system's number of the memory.
    pub memory: usize,
    /// The processors near it; never none.
    pub cpus: CpuSet,
    /// How many cores these are: siblings of simultaneous multithreading are one.
    pub cores: usize,
}

/// What a process may use of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The nodes that have a processor for the process, by their numbers; never none.
    pub nodes: Vec<Node>,
    /// The processors of each last-level cache, those of other nodes left out; each processor is in one of them.
    pub caches: Vec<CpuSet>,
    /// The time of how many processors the process gets, if its control group limits that.
    pub quota: Option<usize>,
}

impl Topology {
    /// What the calling thread may use of this system; `None` where it is neither Linux nor Windows or hides what it has.
    pub fn of_this_system() -> Option<Self> {
        #[cfg(windows)]
        return super::groups::topology(&crate::processors::windows::records(), super::binding::allowed());
        #[cfg(not(windows))]
        return if cfg!(target_os = "linux") { Self::read(Path::new("/"), super::binding::allowed()) } else { None };
    }

    /// Reads `/sys` and `/proc` below a root folder, for a process with this affinity; `None` for an affinity that is not known.
    ///
    /// Offline processors and those that the affinity or a control group excludes are left out, and so are nodes without
    /// processors. The processors of a node without memory count to the nearest node that has some. `None` when nothing is
    /// left, or nothing can be read.
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

    /// All processors that the process may use.
    pub fn cpus(&self) -> CpuSet {
        self.nodes.iter().fold(CpuSet::default(), |all, node| all.or(&node.cpus))
    }

    /// The numbers of the memory nodes near any of these processors.
    pub fn memory_of(&self, cpus: &CpuSet) -> CpuSet {
        self.nodes.iter().filter(|node| !node.cpus.and(cpus).is_empty()).map(|node| node.memory).collect()
    }
}

/// The set in a file, if there is one.
fn set_in(file: &Path) -> Option<CpuSet> {
    CpuSet::of_system(&read_to_string(file).ok()?)
}

/// The memory nodes that the process may use, if the system says so.
fn memory_allowed(root: &Path) -> Option<CpuSet> {
    let status = read_to_string(root.join("proc/self/status")).ok()?;
    CpuSet::of_system(status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?)
}

/// The number of each node that has memory for the process, with those of the usable processors that are near it.
fn node_cpus(folder: &Path, allowed: Option<CpuSet>, usable: &CpuSet) -> Vec<(usize, CpuSet)> {
    let all = set_in(&folder.join("online")).unwrap_or_default();
    let files = [set_in(&folder.join("has_memory")), allowed];
    let with_memory = files.into_iter().flatten().fold(all, |set, limit| set.and(&limit));
    // A system that says of no node that it has memory is not to be believed.
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
    // Processors that no node claims.
    nodes[0].1 = nodes[0].1.or(&left);
    nodes.retain(|(_, cpus)| !cpus.is_empty());
    nodes
}

/// The node itself if it has memory, else the nearest that has: the file lists the distance to each node there is.
fn nearest(distances: &Path, node: usize, all: &CpuSet, with_memory: &CpuSet) -> Option<usize> {
    if with_memory.contains(node) {
        return Some(node);
    }
    let text = read_to_string(distances).ok()?;
    let distances = text.split_ascii_whitespace().map_while(|word| word.parse::<u32>().ok());
    let reachable = all.iter().zip(distances).filter(|(node, _)| with_memory.contains(*node));
    reachable.min_by_key(|&(_, distance)| distance).map(|(node, _)| node)
}

/// How many cores processors are. One that says nothing of its siblings is a core of its own.
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

/// The processors of each last-level cache. Those that say nothing of their caches share one.
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

/// The processors that share the last cache before memory, as a processor's folder has it.
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

    /// What is read: for each node its number, its processors, its cores.
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
    fn offline_processors_are_left_out() {
        let tree = Tree::new(&["0-3", "4-7"]).online("0-2,6");
        assert_eq!(seen(&tree, Some("0-7")), [node(0, "0-2", 3), node(1, "6", 1)]);
        // A node whose processors are all offline is none for us.
        assert_eq!(seen(&Tree::new(&["0-3", "4-7"]).online("0-3"), None), [node(0, "0-3", 4)]);
    }

    #[test]
    fn the_processors_of_a_node_without_memory_go_to_the_nearest() {
        let tree = Tree::new(&["0-1", "2-3", "4-5", ""]).memory("0,2").distances(1, "31 10 21 17");
        assert_eq!(seen(&tree, None), [node(0, "0-1", 2), node(2, "2-5", 4)]);
        // Memory that the process may not use is like none.
        let tree = Tree::new(&["0-1", "2-3"]).file("proc/self/status", "Name:\tx\nMems_allowed_list:\t1\n");
        assert_eq!(seen(&tree, None), [node(1, "0-3", 4)]);
    }

    #[test]
    fn numbers_may_have_gaps() {
        let tree = Tree::new(&["0-1", "", "", "8-9"]).file("sys/devices/system/node/online", "0,3\n").memory("0,3");
        assert_eq!(seen(&tree, None), [node(0, "0-1", 2), node(3, "8-9", 2)]);
    }

    #[test]
    fn the_affinity_and_control_groups_limit() {
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
        let old = two()
            .file("proc/self/cgroup", "4:cpuset:/box\n3:cpu,cpuacct:/\n0::/\n")
            .file("sys/fs/cgroup/cpuset/box/cpuset.cpus", "0-2\n")
            .file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n")
            .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
        assert_eq!(seen(&old, None), [node(0, "0-2", 3)]);
        assert_eq!(Topology::read(old.root(), None).unwrap().quota, Some(3));
        let free =
            two().file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n").file("sys/fs/cgroup/cpu.max", "max 100000\n");
        assert_eq!(Topology::read(free.root(), None).unwrap().quota, None);
    }

    #[test]
    fn systems_that_say_little_have_one_node() {
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
    fn caches_are_told_apart_within_a_node() {
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
        // The last cache counts, and one that two nodes share is one for each.
        let more = pairs.caches(4, &["0-7"]);
        assert_eq!(caches(&more, None), ["0-3", "4-7"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_has_what_the_thread_may_use() {
        let topology = Topology::of_this_system().expect("Linux says what there is");
        assert!(topology.cpus().is_within(&super::super::binding::allowed().unwrap()));
        assert_eq!(topology.caches.iter().map(CpuSet::len).sum::<usize>(), topology.cpus().len());
        assert!(topology.nodes.iter().all(|node| node.cores > 0 && node.cores <= node.cpus.len()));
    }
}
