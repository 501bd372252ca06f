//! Reports placement of threads, networks and the table.

use super::cpu_set::CpuSet;
use super::placement::{Place, Unbound, counted};
use super::policy::NumaPolicy;
use crate::tt::Backing;

/// The result of a policy.
#[derive(Clone, Debug)]
pub struct Report {
    /// The policy in use.
    pub policy: NumaPolicy,
    /// The number of threads.
    pub threads: usize,
    /// The nodes in use, or why threads are not bound.
    pub places: Result<Vec<PlaceUsage>, Unbound>,
    /// The table's placement; `None` before allocation.
    pub table: Option<TableReport>,
}

/// Placement of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReport {
    /// Its size in MiB.
    pub mib: u64,
    /// Its page size, if known.
    pub backing: Option<Backing>,
    /// Its memory nodes.
    pub spread: TableSpread,
}

/// Use of a node.
#[derive(Clone, Debug)]
pub struct PlaceUsage {
    /// The node.
    pub place: Place,
    /// The number of its threads.
    pub threads: usize,
    /// How many of them are bound to exactly this node.
    pub bound: usize,
    /// The first error of binding a thread.
    pub refusal: Option<String>,
    /// Whether it has its own copy of the network.
    pub copied: bool,
}

/// Where the table's pages are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableSpread {
    /// Placed by the system.
    AsSystem,
    /// Interleaved over these memory nodes.
    Over(CpuSet),
    /// Placed by the system, which refused to interleave over these nodes.
    Refused(CpuSet, String),
}

impl Report {
    /// Whether threads are bound, or should be.
    pub fn binds(&self) -> bool {
        self.places.is_ok()
    }

    /// Describes the threads, one line per fact; a single line when they are not bound.
    pub fn lines(&self) -> Vec<String> {
        let policy = &self.policy;
        let places = match &self.places {
            Err(why) => return vec![format!("NumaPolicy {policy}: threads are not bound: {why}")],
            Ok(places) => places,
        };
        let bound: usize = places.iter().map(|usage| usage.bound).sum();
        let copies = places.iter().filter(|usage| usage.copied).count();
        let used = places.iter().filter(|usage| usage.threads > 0).count();
        let mut lines = vec![format!(
            "NumaPolicy {policy}: {bound} of {} bound, to {}; {}",
            counted(self.threads, "thread"),
            counted(used, "node"),
            if copies == 1 { "1 copy of the network".into() } else { format!("{copies} copies of the network") },
        )];
        lines.extend(places.iter().enumerate().map(|(number, usage)| usage.line(number)));
        lines
    }
}

impl PlaceUsage {
    fn line(&self, number: usize) -> String {
        let Place { cpus, memory, cores } = &self.place;
        let cores = cores.map(|cores| format!(", {}", counted(cores, "core"))).unwrap_or_default();
        let memory = match memory.len() {
            0 => "memory node unknown".into(),
            1 => format!("memory node {memory}"),
            _ => format!("memory nodes {memory}"),
        };
        let bound = match (&self.refusal, self.bound) {
            (Some(refusal), bound) => format!(", {bound} bound, others refused: {refusal}"),
            (None, bound) if bound == self.threads => String::new(),
            (None, bound) => format!(", {bound} bound"),
        };
        let network = if self.copied { ", with its own network" } else { "" };
        format!("node {number}: CPUs {cpus}{cores}, {memory}, {}{bound}{network}", counted(self.threads, "thread"))
    }
}

impl TableReport {
    /// Describes pages and memory nodes; `None` when both are unknown.
    pub fn line(&self) -> Option<String> {
        let size = self.backing.map_or_else(|| format!("{} MiB", self.mib), |backing| backing.describe(self.mib));
        match &self.spread {
            TableSpread::AsSystem => self.backing.map(|_| format!("Hash {size}")),
            TableSpread::Over(nodes) => Some(format!("Hash {size}, spread over memory nodes {nodes}")),
            TableSpread::Refused(nodes, why) => {
                Some(format!("Hash {size}, not spread over memory nodes {nodes}: {why}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(cpus: &str, threads: usize, bound: usize) -> PlaceUsage {
        let place =
            Place { cpus: cpus.parse().unwrap(), memory: [1].into_iter().collect(), cores: Some(cpus.len() / 3) };
        PlaceUsage { place, threads, bound, refusal: None, copied: threads > 0 }
    }

    #[test]
    fn one_line_per_fact() {
        let mut report = Report {
            policy: NumaPolicy::System,
            threads: 3,
            places: Ok(vec![usage("0-1", 2, 2), usage("2-3", 1, 0), usage("4,5,6", 0, 0)]),
            table: None,
        };
        assert_eq!(
            report.lines(),
            [
                "NumaPolicy system: 2 of 3 threads bound, to 2 nodes; 2 copies of the network",
                "node 0: CPUs 0-1, 1 core, memory node 1, 2 threads, with its own network",
                "node 1: CPUs 2-3, 1 core, memory node 1, 1 thread, 0 bound, with its own network",
                "node 2: CPUs 4-6, 1 core, memory node 1, 0 threads",
            ]
        );
        let mut refused = usage("0-1", 1, 0);
        (refused.refusal, refused.copied) = (Some("no".into()), false);
        report.places = Ok(vec![refused]);
        let lines = report.lines();
        assert!(lines[1].ends_with("1 thread, 0 bound, others refused: no"), "{lines:?}");
        report.places = Err(Unbound::OneNode(2));
        let line = "NumaPolicy system: threads are not bound: there is one memory node, with 2 CPUs";
        assert_eq!((report.lines(), report.binds()), (vec![line.to_owned()], false));
    }

    #[test]
    fn one_line_for_the_table() {
        let nodes: CpuSet = "0-1".parse().unwrap();
        let line = |backing, spread| TableReport { mib: 64, backing, spread }.line();
        let huge = Some(Backing { huge: 64 << 20, page: 4096 });
        assert_eq!(line(None, TableSpread::AsSystem), None);
        for (backing, spread, expected) in [
            (huge, TableSpread::AsSystem, "Hash 64 MiB in transparent huge pages"),
            (huge, TableSpread::Over(nodes), "Hash 64 MiB in transparent huge pages, spread over memory nodes 0-1"),
            (None, TableSpread::Over(nodes), "Hash 64 MiB, spread over memory nodes 0-1"),
            (None, TableSpread::Refused(nodes, "no".into()), "Hash 64 MiB, not spread over memory nodes 0-1: no"),
        ] {
            assert_eq!(line(backing, spread).as_deref(), Some(expected));
        }
    }
}
