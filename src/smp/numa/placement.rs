//! Assigns threads to nodes, and reports the result.

use super::network::NodeNetwork;
use super::policy::NumaPolicy;
use super::topology::Topology;
use crate::processors::cpu_list::{self, CpuSet};
use std::sync::Arc;

/// A node to place threads on.
#[derive(Clone)]
pub struct Place {
    /// The CPUs its threads are bound to.
    pub cpus: CpuSet,
    /// The NUMA nodes with their memory.
    pub memory: CpuSet,
    pub(crate) network: Arc<NodeNetwork>,
}

/// The node of each thread.
#[derive(Clone, Default)]
pub(crate) struct Placement {
    /// The nodes; empty when threads are not bound.
    pub places: Vec<Place>,
    /// Index into `places` per thread; empty when threads are not bound.
    of_thread: Vec<usize>,
    /// Whether memory can be on one of several nodes.
    has_choice: bool,
    /// Why threads are not bound to nodes.
    pub unbound: Option<String>,
    /// The fast CPUs that the main thread is bound to; empty if it is placed like other threads.
    main: CpuSet,
    /// Description of the fast and the slow CPUs of the system.
    kinds: String,
}

/// `1 thread`, `2 threads`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Placement {
    /// Places threads by a policy. The main thread gets the fast CPUs of its node, or, with `auto` if threads are not bound to
    /// nodes, of the system. A single thread is left to the system, as other engines may be running.
    pub(crate) fn decide(policy: &NumaPolicy, topology: Option<&Topology>, threads: usize) -> Self {
        let mut placement = Self::on_nodes(policy, topology, threads)
            .unwrap_or_else(|why| Self { unbound: Some(why), ..Self::default() });
        if let Some(topology) = topology.filter(|_| threads > 1) {
            let cpus = match placement.of(0) {
                Some(place) => place.cpus.clone(),
                None if *policy == NumaPolicy::Auto => topology.cpus(),
                None => CpuSet::new(),
            };
            let fast = &cpus - &topology.slow;
            if fast != cpus {
                placement.main = fast;
                let [fast, slow] = [&(&topology.cpus() - &topology.slow), &topology.slow].map(cpu_list::format);
                placement.kinds = format!("fast CPUs {fast}, slow CPUs {slow}");
            }
        }
        placement
    }

    /// Places threads on nodes, or returns why they are not bound.
    fn on_nodes(policy: &NumaPolicy, topology: Option<&Topology>, threads: usize) -> Result<Self, String> {
        let lists: Vec<CpuSet> = match (policy, topology) {
            (NumaPolicy::None, _) => return Err("disabled by the policy".into()),
            (NumaPolicy::Lists(lists), _) => lists.clone(),
            (_, None) => return Err("the memory nodes of this system are not known".into()),
            (_, Some(topology)) => {
                if *policy == NumaPolicy::Auto {
                    check_worthwhile(topology, threads)?;
                }
                topology.nodes.iter().map(|node| node.cpus.clone()).collect()
            }
        };
        let sizes: Vec<usize> = lists.iter().map(CpuSet::len).collect();
        let memory = |cpus: &_| topology.map(|topology| topology.memory_of(cpus)).unwrap_or_default();
        let places =
            lists.into_iter().map(|cpus| Place { memory: memory(&cpus), cpus, network: Arc::default() }).collect();
        let has_choice = topology.is_some_and(|topology| topology.nodes.len() > 1);
        Ok(Self { of_thread: spread(&sizes, threads), places, has_choice, ..Self::default() })
    }

    /// Checks that the CPUs of a policy are available, if known.
    pub(crate) fn check(policy: &NumaPolicy, topology: Option<&Topology>) -> Result<(), String> {
        let (NumaPolicy::Lists(lists), Some(topology)) = (policy, topology) else { return Ok(()) };
        let usable = topology.cpus();
        let missing: CpuSet = lists.iter().flat_map(|list| list - &usable).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (missing, usable) = (cpu_list::format(&missing), cpu_list::format(&usable));
        Err(format!("CPU {missing} is not available; expected CPUs among {usable}"))
    }

    /// Keeps the networks of unchanged places.
    pub(crate) fn keep_networks(&mut self, old: &Self) {
        for place in &mut self.places {
            if let Some(same) = old.places.iter().find(|old| old.cpus == place.cpus) {
                place.network = Arc::clone(&same.network);
            }
        }
    }

    /// The place of a thread, if bound.
    pub(crate) fn of(&self, thread: usize) -> Option<&Place> {
        self.places.get(*self.of_thread.get(thread)?)
    }

    /// The CPUs to bind a thread to; none if it is not bound.
    pub(crate) fn cpus(&self, thread: usize) -> CpuSet {
        match self.of(thread) {
            _ if thread == 0 && !self.main.is_empty() => self.main.clone(),
            place => place.map(|place| place.cpus.clone()).unwrap_or_default(),
        }
    }

    /// Describes the kinds of cores if the main thread has its own CPUs. `bound` has those it is bound to, or why it is not.
    pub(crate) fn report_cores(&self, bound: &Result<CpuSet, String>) -> Option<String> {
        let main = match bound {
            Ok(cpus) => format!("bound to CPUs {}", cpu_list::format(cpus)),
            Err(why) => format!("not bound: {why}"),
        };
        (!self.main.is_empty()).then(|| format!("Cores: {}; the main thread is {main}", self.kinds))
    }

    /// The memory nodes of all places in use; none if the system has only one.
    pub(crate) fn memory(&self) -> CpuSet {
        let used = self.of_thread.iter().filter(|_| self.has_choice);
        used.flat_map(|&place| &self.places[place].memory).copied().collect()
    }
}

/// The `auto` rule, from Stockfish: bind with more threads than half the CPUs of the largest node, or with four threads per node
/// of similar size. Never binds a single thread, or with a CPU quota that fits into the largest node.
fn check_worthwhile(topology: &Topology, threads: usize) -> Result<(), String> {
    let sizes: Vec<usize> = topology.nodes.iter().map(|node| node.cpus.len()).collect();
    let (nodes, largest) = (sizes.len(), sizes.iter().copied().max().unwrap_or(0));
    if nodes < 2 {
        return Err(format!("there is one memory node, with {}", counted(largest, "CPU")));
    }
    if topology.cpu_time <= largest {
        return Err(format!("the control group limits the process to {}", counted(topology.cpu_time, "CPU")));
    }
    let not_small = sizes.iter().filter(|&&size| 10 * size > 6 * largest).count();
    let needed = (largest / 2 + 1).min(4 * not_small).max(2);
    if threads < needed {
        let (threads, are) = (counted(threads, "thread"), if threads == 1 { "is" } else { "are" });
        return Err(format!("{threads} {are} too few for {nodes} memory nodes; it takes {needed}"));
    }
    Ok(())
}

/// Distributes threads in proportion to node sizes, each to the relatively emptiest node. A thread's node does not
/// depend on later threads, and no node exceeds its size before all are full.
fn spread(sizes: &[usize], threads: usize) -> Vec<usize> {
    let mut counts = vec![0; sizes.len()];
    let mut next = || {
        // Compares (count + 1) / size without dividing; ties go to the first.
        let fuller = |&a: &usize, &b: &usize| ((counts[a] + 1) * sizes[b]).cmp(&((counts[b] + 1) * sizes[a]));
        let node = (0..sizes.len()).filter(|&node| sizes[node] > 0).min_by(fuller)?;
        counts[node] += 1;
        Some(node)
    };
    (0..threads).map_while(|_| next()).collect()
}

/// Use of a node.
pub struct PlaceUsage {
    /// The node.
    pub place: Place,
    /// Threads placed here.
    pub threads: usize,
    /// Number of threads bound to this node.
    pub bound: usize,
    /// The first error of binding a thread.
    pub refusal: Option<String>,
    /// Whether it has its own copy of the network.
    pub copied: bool,
}

/// Describes the threads and their places, one line per fact; a single line when they are not bound.
pub(crate) fn report(policy: &NumaPolicy, threads: usize, places: Result<Vec<PlaceUsage>, String>) -> Vec<String> {
    let places = match places {
        Err(why) => return vec![format!("NumaPolicy {policy}: threads are not bound: {why}")],
        Ok(places) => places,
    };
    let bound: usize = places.iter().map(|usage| usage.bound).sum();
    let copies = places.iter().filter(|usage| usage.copied).count();
    let used = places.iter().filter(|usage| usage.threads > 0).count();
    let mut lines = vec![format!(
        "NumaPolicy {policy}: {bound} of {} bound, to {}; {copies} {} of the network",
        counted(threads, "thread"),
        counted(used, "node"),
        if copies == 1 { "copy" } else { "copies" },
    )];
    lines.extend(places.iter().enumerate().map(|(number, usage)| usage.line(number)));
    lines
}

impl PlaceUsage {
    fn line(&self, number: usize) -> String {
        let cpus = cpu_list::format(&self.place.cpus);
        let memory = match self.place.memory.len() {
            0 => "memory node unknown".into(),
            1 => format!("memory node {}", cpu_list::format(&self.place.memory)),
            _ => format!("memory nodes {}", cpu_list::format(&self.place.memory)),
        };
        let bound = match (&self.refusal, self.bound) {
            (Some(refusal), bound) => format!(", {bound} bound, others refused: {refusal}"),
            (None, bound) if bound == self.threads => String::new(),
            (None, bound) => format!(", {bound} bound"),
        };
        let network = if self.copied { ", with its own network" } else { "" };
        format!("node {number}: CPUs {cpus}, {memory}, {}{bound}{network}", counted(self.threads, "thread"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::topology::Node;
    use super::*;
    use proptest::prelude::*;

    fn machine(sizes: &[usize]) -> Topology {
        let mut start = 0;
        let mut node = |(number, &size): (usize, &usize)| {
            start += size;
            Node { number, cpus: (start - size..start).collect(), has_memory: true }
        };
        let nodes = sizes.iter().enumerate().map(&mut node).collect();
        Topology { nodes, caches: Vec::new(), slow: CpuSet::new(), cpu_time: sizes.iter().sum() }
    }

    fn counts(policy: &str, sizes: &[usize], threads: usize) -> Result<Vec<usize>, String> {
        let placement = Placement::on_nodes(&policy.parse().unwrap(), Some(&machine(sizes)), threads)?;
        let threads_at = |place: usize| placement.of_thread.iter().filter(|&&number| number == place).count();
        Ok((0..placement.places.len()).map(threads_at).collect())
    }

    #[test]
    fn threads_are_spread_by_size() {
        assert_eq!(counts("auto", &[4, 4, 4, 4], 16), Ok(vec![4; 4]));
        assert_eq!(counts("system", &[4, 4, 4, 4], 6), Ok(vec![2, 2, 1, 1]));
        assert_eq!(counts("auto", &[16; 8], 128), Ok(vec![16; 8]));
        assert_eq!(counts("auto", &[6, 2], 8), Ok(vec![6, 2]));
        assert_eq!(counts("auto", &[6, 2], 16), Ok(vec![12, 4]));
        assert_eq!(counts("0-2:3", &[8], 4), Ok(vec![3, 1]));
        assert_eq!(counts("system", &[288], 300), Ok(vec![300]));
    }

    #[test]
    fn auto_binds_where_it_is_worthwhile() {
        let refused =
            |sizes: &[usize], threads, reason: &str| assert_eq!(counts("auto", sizes, threads), Err(reason.into()));
        refused(&[2], 64, "there is one memory node, with 2 CPUs");
        refused(&[1], 1, "there is one memory node, with 1 CPU");
        refused(&[64, 64], 7, "7 threads are too few for 2 memory nodes; it takes 8");
        assert!(counts("auto", &[64, 64], 8).is_ok());
        refused(&[4, 4], 2, "2 threads are too few for 2 memory nodes; it takes 3");
        assert!(counts("auto", &[4, 4], 3).is_ok());
        refused(&[1, 1], 1, "1 thread is too few for 2 memory nodes; it takes 2");
        // Small nodes do not count.
        assert!(counts("auto", &[64, 38], 4).is_ok() && counts("auto", &[64, 39], 4).is_err());
        assert_eq!(counts("none", &[64, 64], 128), Err("disabled by the policy".into()));
        assert!(Placement::on_nodes(&NumaPolicy::System, None, 4).is_err());
        let limited = Topology { cpu_time: 4, ..machine(&[4, 4]) };
        let reason = "the control group limits the process to 4 CPUs";
        assert_eq!(Placement::decide(&NumaPolicy::Auto, Some(&limited), 8).unbound.as_deref(), Some(reason));
        assert!(Placement::on_nodes(&NumaPolicy::System, Some(&limited), 8).is_ok());
    }

    #[test]
    fn lists_are_checked_and_mapped_to_memory_nodes() {
        let whole = Placement::decide(&NumaPolicy::System, Some(&machine(&[4])), 2);
        assert!(whole.memory().is_empty() && whole.of(0).is_some());
        let machine = machine(&[2, 2]);
        let check = |text: &str| Placement::check(&text.parse().unwrap(), Some(&machine));
        assert_eq!(check("0-1:3"), Ok(()));
        assert_eq!(check("0,9:3-5"), Err("CPU 4-5,9 is not available; expected CPUs among 0-3".into()));
        assert_eq!(check("auto"), Ok(()));
        let placement = Placement::decide(&"0:1:3".parse().unwrap(), Some(&machine), 2);
        assert_eq!(placement.memory(), [0].into());
        assert_eq!(placement.of(1).map(|place| &place.cpus), Some(&[1].into()));
        assert!(placement.of(2).is_none() && Placement::default().of(0).is_none());
    }

    #[test]
    fn main_thread_gets_fast_cpus() {
        let cpus = |policy: &str, sizes: &[usize], slow: &str, threads| {
            let topology = Topology { slow: cpu_list::parse(slow).unwrap_or_default(), ..machine(sizes) };
            let placement = Placement::decide(&policy.parse().unwrap(), Some(&topology), threads);
            let cores = placement.report_cores(&Ok(placement.cpus(0)));
            ([0, 1].map(|thread| cpu_list::format(&placement.cpus(thread))), cores)
        };
        let pair = |main: &str, helper: &str| [main.to_owned(), helper.to_owned()];
        let cores = "Cores: fast CPUs 0-15, slow CPUs 16-23; the main thread is bound to CPUs 0-15";
        assert_eq!(cpus("auto", &[24], "16-23", 2), (pair("0-15", ""), Some(cores.into())));
        assert_eq!(cpus("system", &[24], "16-23", 2), (pair("0-15", "0-23"), Some(cores.into())));
        assert_eq!(cpus("8-17:18-23", &[24], "16-23", 2).0, pair("8-15", "18-23"));
        // Not with one thread, with `none`, with cores of one kind, or on a node of slow cores.
        for (policy, slow, threads) in [("auto", "16-23", 1), ("none", "16-23", 2), ("auto", "", 2)] {
            assert_eq!(cpus(policy, &[24], slow, threads), (pair("", ""), None), "{policy}");
        }
        assert_eq!(cpus("system", &[4, 4], "0-3", 2), (pair("0-3", "4-7"), None));
        assert_eq!(cpus("system", &[4, 4], "2-3,6-7", 2).0, pair("0-1", "4-7"));
        // Too few threads for two nodes.
        assert_eq!(cpus("auto", &[64, 64], "32-63,96-127", 2).0, pair("0-31,64-95", ""));
        let refused = Placement { main: [0].into(), ..Placement::default() }.report_cores(&Err("no".into()));
        assert!(refused.is_some_and(|line| line.ends_with("; the main thread is not bound: no")));
    }

    fn usage(cpus: &str, threads: usize, bound: usize) -> PlaceUsage {
        let place = Place { cpus: cpu_list::parse(cpus).unwrap(), memory: [1].into(), network: Default::default() };
        PlaceUsage { place, threads, bound, refusal: None, copied: threads > 0 }
    }

    #[test]
    fn one_line_per_fact() {
        let lines = |places| report(&NumaPolicy::System, 3, places);
        assert_eq!(
            lines(Ok(vec![usage("0-1", 2, 2), usage("2-3", 1, 0), usage("4,5,6", 0, 0)])),
            [
                "NumaPolicy system: 2 of 3 threads bound, to 2 nodes; 2 copies of the network",
                "node 0: CPUs 0-1, memory node 1, 2 threads, with its own network",
                "node 1: CPUs 2-3, memory node 1, 1 thread, 0 bound, with its own network",
                "node 2: CPUs 4-6, memory node 1, 0 threads",
            ]
        );
        let refused = PlaceUsage { refusal: Some("no".into()), copied: false, ..usage("0-1", 1, 0) };
        let refused = lines(Ok(vec![refused]));
        assert!(refused[1].ends_with("1 thread, 0 bound, others refused: no"), "{refused:?}");
        let unbound = lines(Err("there is one memory node".into()));
        assert_eq!(unbound, ["NumaPolicy system: threads are not bound: there is one memory node"]);
    }

    proptest! {
        #[test]
        fn spreading_is_fair_and_stable(sizes in prop::collection::vec(1..40_usize, 1..9), threads in 0..300_usize) {
            let places = spread(&sizes, threads);
            prop_assert_eq!(places.len(), threads);
            prop_assert_eq!(&spread(&sizes, threads + 1)[..threads], &places[..]);
            let total: usize = sizes.iter().sum();
            for (node, &size) in sizes.iter().enumerate() {
                let count = places.iter().filter(|&&place| place == node).count();
                let (share, rest) = (threads / total * size, threads % total);
                // Full rounds give each node its size, the rest no more than that.
                prop_assert!(count >= share && count <= share + size.min(rest), "{} of {} at {}", count, threads, node);
            }
        }
    }
}
