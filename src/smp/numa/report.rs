//! Reports the placement of threads, networks and table.

use super::cpu_list;
use super::placement::{Place, counted};
use super::policy::NumaPolicy;
use crate::tt::Tt;

/// The result of a policy.
#[derive(Clone, Debug)]
pub struct Report {
    /// The policy in use.
    pub policy: NumaPolicy,
    /// The number of threads.
    pub threads: usize,
    /// The nodes, or why threads are not bound.
    pub places: Result<Vec<PlaceUsage>, String>,
    /// Describes pages and memory nodes of the table; `None` before allocation, and when both are unknown.
    pub table: Option<String>,
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

impl Report {
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
            "NumaPolicy {policy}: {bound} of {} bound, to {}; {copies} {} of the network",
            counted(self.threads, "thread"),
            counted(used, "node"),
            if copies == 1 { "copy" } else { "copies" },
        )];
        lines.extend(places.iter().enumerate().map(|(number, usage)| usage.line(number)));
        lines
    }
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

/// Describes pages and memory nodes of a table; `None` before allocation, and when both are unknown.
pub fn describe_table(table: &Tt) -> Option<String> {
    let (mib, backing) = (table.size_mib() as u64, table.backing());
    if mib == 0 || backing.is_none() && table.nodes().is_empty() {
        return None;
    }
    let size = backing.map_or_else(|| format!("{mib} MiB"), |backing| backing.describe(mib));
    let nodes = cpu_list::format(&table.nodes().iter().copied().collect());
    Some(match table.refusal() {
        _ if table.nodes().is_empty() => format!("Hash {size}"),
        None => format!("Hash {size}, spread over memory nodes {nodes}"),
        Some(error) => format!("Hash {size}, not spread over memory nodes {nodes}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(cpus: &str, threads: usize, bound: usize) -> PlaceUsage {
        let place = Place { cpus: cpu_list::parse(cpus).unwrap(), memory: [1].into() };
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
                "node 0: CPUs 0-1, memory node 1, 2 threads, with its own network",
                "node 1: CPUs 2-3, memory node 1, 1 thread, 0 bound, with its own network",
                "node 2: CPUs 4-6, memory node 1, 0 threads",
            ]
        );
        let mut refused = usage("0-1", 1, 0);
        (refused.refusal, refused.copied) = (Some("no".into()), false);
        report.places = Ok(vec![refused]);
        let lines = report.lines();
        assert!(lines[1].ends_with("1 thread, 0 bound, others refused: no"), "{lines:?}");
        report.places = Err("there is one memory node".into());
        assert_eq!(report.lines(), ["NumaPolicy system: threads are not bound: there is one memory node"]);
    }

    #[test]
    fn one_line_for_the_table() {
        assert_eq!(describe_table(&Tt::empty()), None);
        let mut table = Tt::new(3, 1).unwrap();
        table.spread_over(&[0, 5000]);
        let line = describe_table(&table).unwrap();
        assert!(line.starts_with("Hash 3 MiB") && line.contains("not spread over memory nodes 0,5000: "), "{line}");
        table.spread_over(&[]);
        assert!(describe_table(&table).is_none_or(|line| line.ends_with(" pages")));
    }
}
