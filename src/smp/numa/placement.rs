//! Assigns threads to nodes.

use super::cpu_set::CpuSet;
use super::policy::NumaPolicy;
use super::topology::Topology;
use thiserror::Error;

/// A node for threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The CPUs its threads are bound to.
    pub cpus: CpuSet,
    /// The memory nodes near them.
    pub memory: CpuSet,
    /// The number of physical cores, if known.
    pub cores: Option<usize>,
}

/// The node of each thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes; empty when threads are not bound.
    pub places: Vec<Place>,
    /// Index into `places` per thread; empty when threads are not bound.
    of_thread: Vec<usize>,
}

/// Why threads are not bound.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unbound {
    /// Disabled by the policy.
    #[error("disabled by the policy")]
    ByPolicy,
    /// Unknown topology.
    #[error("the memory nodes of this system are not known")]
    Unknown,
    /// A single node.
    #[error("there is one memory node, with {}", counted(*.0, "CPU"))]
    OneNode(usize),
    /// A CPU quota within one node.
    #[error("the control group limits the process to {}", counted(*.0, "CPU"))]
    Quota(usize),
    /// Too few threads.
    #[error("{} {} too few for {nodes} memory nodes; it takes {needed}", counted(*threads, "thread"), if *threads == 1 { "is" } else { "are" })]
    TooFew {
        /// The number of threads.
        threads: usize,
        /// The number of nodes.
        nodes: usize,
        /// The minimum number of threads.
        needed: usize,
    },
}

/// A policy names unavailable CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("CPU {missing} is not available; expected CPUs among {usable}")]
pub struct UnavailableCpus {
    missing: String,
    usable: String,
}

/// `1 thread`, `2 threads`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Placement {
    /// Places threads by a policy.
    ///
    /// # Errors
    /// Threads should not or cannot be bound.
    pub fn decide(policy: &NumaPolicy, topology: Option<&Topology>, threads: usize) -> Result<Self, Unbound> {
        match policy {
            NumaPolicy::None => return Err(Unbound::ByPolicy),
            NumaPolicy::Lists(lists) => return Ok(Self::among(of_lists(lists, topology), threads)),
            NumaPolicy::Auto | NumaPolicy::System => {}
        }
        let topology = topology.ok_or(Unbound::Unknown)?;
        if *policy == NumaPolicy::Auto {
            worthwhile(topology, threads)?;
        }
        let place = |node: &super::topology::Node| Place {
            cpus: node.cpus,
            memory: [node.memory].into_iter().collect(),
            cores: Some(node.cores),
        };
        Ok(Self::among(topology.nodes.iter().map(place).collect(), threads))
    }

    /// Checks that a policy names only available CPUs, if these are known.
    ///
    /// # Errors
    /// It names others.
    pub fn check(policy: &NumaPolicy, topology: Option<&Topology>) -> Result<(), UnavailableCpus> {
        let (NumaPolicy::Lists(lists), Some(topology)) = (policy, topology) else { return Ok(()) };
        let usable = topology.cpus();
        let missing = lists.iter().fold(CpuSet::default(), |all, list| all.or(&list.without(&usable)));
        if missing.is_empty() {
            return Ok(());
        }
        Err(UnavailableCpus { missing: missing.to_string(), usable: usable.to_string() })
    }

    /// Distributes threads over places.
    fn among(places: Vec<Place>, threads: usize) -> Self {
        let sizes: Vec<usize> = places.iter().map(|place| place.cpus.len()).collect();
        Self { of_thread: spread(&sizes, threads), places }
    }

    /// The place of a thread, if bound.
    pub fn of(&self, thread: usize) -> Option<&Place> {
        self.places.get(*self.of_thread.get(thread)?)
    }

    /// The number of threads at a place.
    pub fn threads_at(&self, place: usize) -> usize {
        self.of_thread.iter().filter(|&&number| number == place).count()
    }

    /// The memory nodes of all places in use.
    pub fn memory(&self) -> CpuSet {
        let used = self.of_thread.iter().map(|&number| self.places[number].memory);
        used.fold(CpuSet::default(), |all, memory| all.or(&memory))
    }
}

/// The places of a policy's CPU lists.
fn of_lists(lists: &[CpuSet], topology: Option<&Topology>) -> Vec<Place> {
    let memory = |cpus| topology.map(|topology| topology.memory_of(cpus)).unwrap_or_default();
    lists.iter().map(|cpus| Place { cpus: *cpus, memory: memory(cpus), cores: None }).collect()
}

/// The `auto` rule, from Stockfish: bind if there are more threads than half the CPUs of the largest node, or four per
/// node not much smaller than the largest. Never binds a single thread, or with a CPU quota within the largest node.
fn worthwhile(topology: &Topology, threads: usize) -> Result<(), Unbound> {
    let sizes: Vec<usize> = topology.nodes.iter().map(|node| node.cpus.len()).collect();
    let largest = sizes.iter().copied().max().unwrap_or(0);
    if sizes.len() < 2 {
        return Err(Unbound::OneNode(largest));
    }
    if let Some(quota) = topology.quota.filter(|&quota| quota <= largest) {
        return Err(Unbound::Quota(quota));
    }
    let not_small = sizes.iter().filter(|&&size| 10 * size > 6 * largest).count();
    let needed = (largest / 2 + 1).min(4 * not_small).max(2);
    if threads < needed { Err(Unbound::TooFew { threads, nodes: sizes.len(), needed }) } else { Ok(()) }
}

/// Distributes threads in proportion to node sizes, each to the relatively emptiest node. A thread's node does not
/// depend on later threads; no node exceeds its size before all are full.
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

#[cfg(test)]
mod tests {
    use super::super::topology::Node;
    use super::*;
    use proptest::prelude::*;

    fn machine(sizes: &[usize]) -> Topology {
        let mut start = 0;
        let mut node = |(memory, &size): (usize, &usize)| {
            start += size;
            Node { memory, cpus: (start - size..start).collect(), cores: size }
        };
        Topology { nodes: sizes.iter().enumerate().map(&mut node).collect(), caches: Vec::new(), quota: None }
    }

    fn counts(policy: &str, sizes: &[usize], threads: usize) -> Result<Vec<usize>, Unbound> {
        let placement = Placement::decide(&policy.parse().unwrap(), Some(&machine(sizes)), threads)?;
        Ok((0..placement.places.len()).map(|place| placement.threads_at(place)).collect())
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
        assert_eq!(counts("auto", &[2], 64), Err(Unbound::OneNode(2)));
        let few = |threads, nodes, needed| Err(Unbound::TooFew { threads, nodes, needed });
        assert_eq!(counts("auto", &[64, 64], 7), few(7, 2, 8));
        assert!(counts("auto", &[64, 64], 8).is_ok());
        assert_eq!(counts("auto", &[4, 4], 2), few(2, 2, 3));
        assert!(counts("auto", &[4, 4], 3).is_ok());
        assert_eq!(counts("auto", &[1, 1], 1), few(1, 2, 2));
        // Small nodes do not count.
        assert!(counts("auto", &[64, 38], 4).is_ok() && counts("auto", &[64, 39], 4).is_err());
        assert_eq!(counts("none", &[64, 64], 128), Err(Unbound::ByPolicy));
        assert_eq!(Placement::decide(&NumaPolicy::System, None, 4), Err(Unbound::Unknown));
        let limited = Topology { quota: Some(4), ..machine(&[4, 4]) };
        assert_eq!(Placement::decide(&NumaPolicy::Auto, Some(&limited), 8), Err(Unbound::Quota(4)));
        assert!(Placement::decide(&NumaPolicy::System, Some(&limited), 8).is_ok());
    }

    #[test]
    fn reasons_are_readable() {
        let text = |result: Result<Vec<usize>, Unbound>| result.unwrap_err().to_string();
        assert_eq!(text(counts("auto", &[1], 1)), "there is one memory node, with 1 CPU");
        assert_eq!(text(counts("auto", &[8, 8], 1)), "1 thread is too few for 2 memory nodes; it takes 5");
    }

    #[test]
    fn lists_are_checked_and_mapped_to_memory_nodes() {
        let machine = machine(&[2, 2]);
        let check =
            |text: &str| Placement::check(&text.parse().unwrap(), Some(&machine)).map_err(|error| error.to_string());
        assert_eq!(check("0-1:3"), Ok(()));
        assert_eq!(check("0,9:3-5"), Err("CPU 4-5,9 is not available; expected CPUs among 0-3".into()));
        assert_eq!(check("auto"), Ok(()));
        let placement = Placement::decide(&"0:1:3".parse().unwrap(), Some(&machine), 2).unwrap();
        assert_eq!(placement.memory().to_string(), "0");
        assert_eq!(placement.of(1).map(|place| place.cpus.to_string()).as_deref(), Some("1"));
        assert_eq!((placement.of(2), Placement::default().of(0)), (None, None));
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
                // Full rounds give each node its size, the rest at most that.
                prop_assert!(count >= share && count <= share + size.min(rest), "{} of {} at {}", count, threads, node);
            }
        }
    }
}
