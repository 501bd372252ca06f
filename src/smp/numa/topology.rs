//! NUMA nodes and last-level caches of the system.

use crate::processors;
use crate::processors::cpu_list::{self, CpuSet};
use std::fs::read_to_string;
use std::path::Path;

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The system's number.
    pub number: usize,
    /// Its CPUs available to the process; never empty.
    pub cpus: CpuSet,
    /// Whether it has memory; otherwise the system uses that of the nearest node.
    pub has_memory: bool,
}

/// The hardware available to the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Nodes with available CPUs.
    pub nodes: Vec<Node>,
    /// A partition of the CPUs by last-level cache, split at nodes.
    pub caches: Vec<CpuSet>,
    /// The CPUs of cores slower than the fastest; empty if all are of one kind.
    pub slow: CpuSet,
    /// The CPU time available to the process, in CPUs: their number, or less with a quota.
    pub cpu_time: usize,
}

impl Topology {
    /// The hardware available to the calling thread; `None` if unknown, as on systems other than Linux and Windows.
    pub fn of_this_system() -> Option<Self> {
        let (usable, system) = (processors::allowed()?, Path::new("/sys/devices/system"));
        #[cfg(windows)]
        let (listed, speeds) = (processors::nodes(), processors::speeds());
        #[cfg(not(windows))]
        let (listed, speeds) = (listed_nodes(system), listed_speeds(system, &usable));
        Some(Self::new(listed, &speeds, &usable, system))
    }

    /// Restricts nodes to usable CPUs, each in the first node that lists it. CPUs without a node are added to the first.
    fn new(listed: Vec<(usize, CpuSet)>, speeds: &[(usize, u32)], usable: &CpuSet, system: &Path) -> Self {
        let with_memory = read_list(&system.join("node/has_memory"));
        let mut left = usable.clone();
        let mut nodes = Vec::new();
        for (number, cpus) in listed {
            let cpus = &cpus & &left;
            left = &left - &cpus;
            let has_memory = with_memory.as_ref().is_none_or(|nodes| nodes.contains(&number));
            nodes.push(Node { number, cpus, has_memory });
        }
        nodes.retain(|node| !node.cpus.is_empty());
        match nodes.first_mut() {
            Some(first) => first.cpus.extend(left),
            None => nodes.push(Node { number: 0, cpus: left, has_memory: true }),
        }
        let caches = nodes.iter().flat_map(|node| caches(&system.join("cpu"), &node.cpus)).collect();
        Self { nodes, caches, slow: slow_cpus(speeds, usable), cpu_time: processors::count() }
    }

    /// The CPUs of all nodes.
    pub fn cpus(&self) -> CpuSet {
        self.nodes.iter().flat_map(|node| &node.cpus).copied().collect()
    }

    /// The nodes with memory that have any of these CPUs.
    pub fn memory_of(&self, cpus: &CpuSet) -> CpuSet {
        let is_near = |node: &&Node| node.has_memory && !node.cpus.is_disjoint(cpus);
        self.nodes.iter().filter(is_near).map(|node| node.number).collect()
    }
}

/// Reads the nodes and their CPUs from `/sys/devices/system`.
#[cfg(any(test, not(windows)))]
fn listed_nodes(system: &Path) -> Vec<(usize, CpuSet)> {
    let cpus = |number| read_list(&system.join(format!("node/node{number}/cpulist"))).unwrap_or_default();
    let numbers = read_list(&system.join("node/online")).unwrap_or_default();
    numbers.into_iter().map(|number| (number, cpus(number))).collect()
}

/// Reads the CPUs with the relative speeds of their cores; empty if these are unknown.
#[cfg(any(test, not(windows)))]
fn listed_speeds(system: &Path, usable: &CpuSet) -> Vec<(usize, u32)> {
    // Intel's fast cores have performance counters of their own.
    if let Some(fast) = read_list(&system.join("../cpu_core/cpus")) {
        return usable.iter().map(|cpu| (*cpu, fast.contains(cpu).into())).collect();
    }
    let speed = |&cpu: &usize| Some((cpu, read_number(&system.join(format!("cpu/cpu{cpu}/cpu_capacity")))?));
    usable.iter().map(speed).collect::<Option<_>>().unwrap_or_default()
}

/// The usable CPUs that are more than 10 % slower than the fastest: cores of one kind may differ slightly.
fn slow_cpus(speeds: &[(usize, u32)], usable: &CpuSet) -> CpuSet {
    let speeds = speeds.iter().filter(|(cpu, _)| usable.contains(cpu));
    let fastest = speeds.clone().map(|&(_, speed)| speed).max().unwrap_or(0);
    speeds.filter(|&&(_, speed)| u64::from(speed) * 10 < u64::from(fastest) * 9).map(|&(cpu, _)| cpu).collect()
}

/// Partitions CPUs by last-level cache. Those without cache data share one.
fn caches(folder: &Path, cpus: &CpuSet) -> Vec<CpuSet> {
    let mut left = cpus.clone();
    let mut caches = Vec::new();
    while let Some(cpu) = left.first() {
        let shared = last_cache(&folder.join(format!("cpu{cpu}/cache"))).map(|cache| &cache & &left);
        let cache = shared.filter(|cache| !cache.is_empty()).unwrap_or_else(|| left.clone());
        left = &left - &cache;
        caches.push(cache);
    }
    caches
}

/// The CPUs that share the last-level cache, from a CPU's folder.
fn last_cache(folder: &Path) -> Option<CpuSet> {
    let level = |index: &usize| read_number(&folder.join(format!("index{index}/level")));
    let last = (0..8).filter(|index| level(index).is_some()).max_by_key(level)?;
    read_list(&folder.join(format!("index{last}/shared_cpu_list")))
}

fn read_number(file: &Path) -> Option<u32> {
    read_to_string(file).ok()?.trim().parse().ok()
}

/// Reads a list from a file; an empty file is an empty list.
fn read_list(file: &Path) -> Option<CpuSet> {
    match read_to_string(file).ok()?.trim() {
        "" => Some(CpuSet::new()),
        list => cpu_list::parse(list).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;
    use std::fs::{create_dir_all, write};

    fn list(text: &str) -> CpuSet {
        cpu_list::parse(text).unwrap()
    }

    /// Reads the topology from these files in `/sys/devices/system`, for a process with this affinity.
    fn read(files: &[(impl AsRef<str>, impl AsRef<str>)], usable: &str) -> Topology {
        let root = Folder::new("numa");
        let (system, usable) = (root.at("system"), list(usable));
        create_dir_all(&system).unwrap();
        for (path, text) in files {
            let file = system.join(path.as_ref());
            create_dir_all(file.parent().unwrap()).unwrap();
            write(file, format!("{}\n", text.as_ref())).unwrap();
        }
        Topology::new(listed_nodes(&system), &listed_speeds(&system, &usable), &usable, &system)
    }

    /// The nodes, each with its CPUs, and the caches.
    fn seen(files: &[(&str, &str)], usable: &str) -> (Vec<(usize, String)>, Vec<String>) {
        let Topology { nodes, caches, .. } = read(files, usable);
        let nodes = nodes.into_iter().map(|node| (node.number, cpu_list::format(&node.cpus))).collect();
        (nodes, caches.iter().map(cpu_list::format).collect())
    }

    const TWO_NODES: [(&str, &str); 3] =
        [("node/online", "0-1"), ("node/node0/cpulist", "0-3"), ("node/node1/cpulist", "4-7")];

    #[test]
    fn nodes_have_their_usable_cpus() {
        let nodes = |files, usable| seen(files, usable).0;
        let node = |number, cpus: &str| (number, cpus.to_owned());
        assert_eq!(nodes(&TWO_NODES, "0-7"), [node(0, "0-3"), node(1, "4-7")]);
        assert_eq!(nodes(&TWO_NODES, "1,5-6"), [node(0, "1"), node(1, "5-6")]);
        assert_eq!(nodes(&TWO_NODES, "0-2"), [node(0, "0-2")]);
        let gaps = [("node/online", "0,2-3"), ("node/node0/cpulist", ""), ("node/node3/cpulist", "8-9")];
        assert_eq!(nodes(&gaps, "8-11"), [node(3, "8-11")]);
        // Without data there is one node.
        assert_eq!(nodes(&[], "1-2"), [node(0, "1-2")]);
        assert_eq!(nodes(&[("node/online", "what?")], "5"), [node(0, "5")]);
    }

    #[test]
    fn caches_partition_a_node() {
        let caches = |files: &[(&str, &str)], usable| seen(&[&TWO_NODES, files].concat(), usable).1;
        assert_eq!(caches(&[], "0-7"), ["0-3", "4-7"]);
        let pairs = [
            ("cpu/cpu0/cache/index2/level", "3"),
            ("cpu/cpu0/cache/index2/shared_cpu_list", "0,2"),
            ("cpu/cpu1/cache/index2/level", "3"),
            ("cpu/cpu1/cache/index2/shared_cpu_list", "1,3"),
        ];
        assert_eq!(caches(&pairs, "0-7"), ["0,2", "1,3", "4-7"]);
        assert_eq!(caches(&pairs, "0-2,7"), ["0,2", "1", "7"]);
        // Only the last level counts; a cache spanning two nodes is split.
        let last = [("cpu/cpu0/cache/index3/level", "4"), ("cpu/cpu0/cache/index3/shared_cpu_list", "0-7")];
        assert_eq!(caches(&[&pairs[..], &last].concat(), "0-7"), ["0-3", "4-7"]);
    }

    #[test]
    fn cores_differ_by_speed() {
        // Eight cores with two threads each and eight with one.
        let intel = [("../cpu_core/cpus", "0-15"), ("../cpu_atom/cpus", "16-23")];
        let slow = |files: &[(&str, &str)], usable| cpu_list::format(&read(files, usable).slow);
        assert_eq!(slow(&intel, "0-23"), "16-23");
        assert_eq!(slow(&intel, "0-1,15-17"), "16-17");
        // If all usable cores are of one kind, none is slow.
        assert_eq!([slow(&intel, "0-15"), slow(&intel, "16-23"), slow(&[], "0-23")], ["", "", ""]);

        let arm = |capacities: &[u32], usable| {
            let file = |(cpu, capacity): (usize, &u32)| (format!("cpu/cpu{cpu}/cpu_capacity"), capacity.to_string());
            let files: Vec<_> = capacities.iter().enumerate().map(file).collect();
            cpu_list::format(&read(&files, usable).slow)
        };
        assert_eq!(arm(&[446, 446, 1024, 1024], "0-3"), "0-1");
        assert_eq!(arm(&[300, 300, 800, 800, 1024], "0-4"), "0-3");
        assert_eq!(arm(&[300, 300, 800, 800, 1024], "0-3"), "0-1");
        assert_eq!(arm(&[300, 300, 800, 800, 1024], "0-1"), "");
        assert_eq!(arm(&[1024, 1009, 980, 1024], "0-3"), "");
        // A CPU of unknown capacity.
        assert_eq!(arm(&[446, 1024], "0-2"), "");
    }

    #[test]
    fn memory_is_found_by_cpus() {
        let node = |number, cpus, has_memory| Node { number, cpus: list(cpus), has_memory };
        let nodes = vec![node(0, "0-1", true), node(1, "2-3", false), node(2, "4-5", true)];
        let topology = Topology { nodes, caches: Vec::new(), slow: CpuSet::new(), cpu_time: 6 };
        assert_eq!(topology.cpus(), list("0-5"));
        assert_eq!(topology.memory_of(&list("1-4")), list("0,2"));
        assert_eq!(topology.memory_of(&list("2,9")), CpuSet::new());
    }

    /// As on Windows: nodes list their CPUs in one group, and groups may have more.
    #[test]
    fn groups_of_a_node_become_nodes() {
        let listed = vec![(0, list("0-63")), (0, list("0-63")), (0, list("64-95"))];
        let topology = Topology::new(listed, &[], &list("0-95"), Path::new("/nonexistent"));
        let seen: Vec<_> = topology.nodes.iter().map(|node| (node.number, cpu_list::format(&node.cpus))).collect();
        assert_eq!(seen, [(0, "0-63".into()), (0, "64-95".into())]);
        assert_eq!(topology.caches, [list("0-63"), list("64-95")]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_matches_the_affinity() {
        let topology = Topology::of_this_system().expect("Linux reports nodes");
        assert_eq!(topology.cpus(), processors::allowed().unwrap());
        assert_eq!(topology.caches.iter().map(CpuSet::len).sum::<usize>(), topology.cpus().len());
    }
}
