//! Reports the placement of threads and networks.

use super::placement::{Place, counted};
use super::policy::NumaPolicy;
use crate::processors::cpu_list;

/// Use of a node.
pub struct PlaceUsage {
    pub place: Place,
    pub threads: usize,
    /// How many of them are bound to exactly this node.
    pub bound: usize,
    /// The first error of binding a thread.
    pub refusal: Option<String>,
    /// Whether it has its own copy of the network.
    pub copied: bool,
}

/// Describes the threads and their places, one line per fact; a single line when they are not bound.
pub fn lines(policy: &NumaPolicy, threads: usize, places: Result<Vec<PlaceUsage>, &str>) -> Vec<String> {
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
    use super::*;

    fn usage(cpus: &str, threads: usize, bound: usize) -> PlaceUsage {
        let place = Place { cpus: cpu_list::parse(cpus).unwrap(), memory: [1].into(), network: Default::default() };
        PlaceUsage { place, threads, bound, refusal: None, copied: threads > 0 }
    }

    #[test]
    fn one_line_per_fact() {
        let lines = |places| lines(&NumaPolicy::System, 3, places);
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
        let unbound = lines(Err("there is one memory node"));
        assert_eq!(unbound, ["NumaPolicy system: threads are not bound: there is one memory node"]);
    }
}
