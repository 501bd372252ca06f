//! Where threads, networks and the table are on machines with several memory nodes.

use super::Engine;
use crate::search::caches::Caches;
use crate::smp::memory;
use crate::smp::numa::cpu_set::CpuSet;
use crate::smp::numa::placement::{NotUsable, Placement, Unbound};
pub use crate::smp::numa::policy::NumaPolicy;
pub use crate::smp::numa::report::Report;
use crate::smp::numa::report::{TableReport, TableSpread};
use crate::smp::numa::topology::Topology;
use std::io;
use std::mem::replace;
use std::sync::Arc;
use thiserror::Error;

/// What was wanted, and what became of it.
#[derive(Default)]
pub(super) struct Numa {
    policy: NumaPolicy,
    /// `None` until it is asked for: the one thread of a fresh engine is never bound.
    placement: Option<Result<Placement, Unbound>>,
}

/// Why a policy could not be set.
#[derive(Debug, Error)]
pub enum NumaPolicyRefused {
    /// It names processors that the process may not use.
    #[error(transparent)]
    NotUsable(#[from] NotUsable),
    /// Threads could not be started anew.
    #[error(transparent)]
    Threads(#[from] io::Error),
}

impl Numa {
    /// The memory nodes to spread a table over; none where there are not several.
    fn nodes_for_table(&self) -> Vec<usize> {
        let Some(Ok(placement)) = &self.placement else { return Vec::new() };
        let nodes: Vec<usize> = placement.memory().iter().collect();
        if nodes.len() > 1 { nodes } else { Vec::new() }
    }
}

impl Engine {
    /// Which threads are bound to which processors.
    pub fn numa_policy(&self) -> &NumaPolicy {
        &self.numa.policy
    }

    /// Changes which threads are bound to which processors. Threads that have to move start anew and forget what they have
    /// learned; the table's pages move, and keep what they hold.
    ///
    /// # Errors
    /// The policy names processors that the process may not use, or threads cannot be started; the old policy stays.
    pub fn set_numa_policy(&mut self, policy: NumaPolicy) -> Result<(), NumaPolicyRefused> {
        let topology = Topology::of_this_system();
        Placement::check(&policy, topology.as_ref())?;
        self.finish();
        let (threads, old) = (self.threads().max(1), replace(&mut self.numa.policy, policy));
        let placed = self.place_in(topology.as_ref(), threads);
        if placed.is_err() {
            self.numa.policy = old;
            // What memory there was a moment ago should be there again.
            let _ = self.place_in(topology.as_ref(), threads);
        }
        Ok(placed?)
    }

    /// What became of the policy and of the table's memory.
    pub fn placement(&mut self) -> Report {
        let (evaluation, threads) = (self.evaluation(), self.threads());
        let Numa { policy, placement, .. } = &mut self.numa;
        let decide = || Placement::decide(policy, Topology::of_this_system().as_ref(), threads);
        let places = match placement.get_or_insert_with(decide) {
            Ok(placement) => Ok(placement.places.iter().map(|place| self.pool.occupied(place, &evaluation)).collect()),
            Err(why) => Err(why.clone()),
        };
        Report { policy: self.numa.policy.clone(), threads, places, table: self.table_report() }
    }

    /// What became of the table's memory; `None` while it has none.
    fn table_report(&self) -> Option<TableReport> {
        let nodes: CpuSet = self.table.tt.nodes().iter().copied().collect();
        let spread = match self.table.tt.refusal() {
            _ if nodes.is_empty() => TableSpread::AsSystem,
            None => TableSpread::Over(nodes),
            Some(error) => TableSpread::Refused(nodes, error.to_string()),
        };
        let mib = self.table.tt.size_mib() as u64;
        (mib > 0).then(|| TableReport { mib, backing: self.table.tt.backing(), spread })
    }

    /// Starts or ends threads until there are so many, each in its place; where that fails, as many as before.
    pub(super) fn place(&mut self, threads: usize) -> io::Result<()> {
        self.finish();
        let (topology, before) = (Topology::of_this_system(), self.threads().max(1));
        let placed = self.place_in(topology.as_ref(), threads);
        if placed.is_err() {
            // So many may be placed in another way than those that were to be.
            let _ = self.place_in(topology.as_ref(), before);
        }
        placed
    }

    fn place_in(&mut self, topology: Option<&Topology>, threads: usize) -> io::Result<()> {
        let placement = Placement::decide(&self.numa.policy, topology, threads);
        self.numa.placement = Some(placement.clone());
        let caches = topology.map(|topology| Caches::new(topology.caches.iter().map(CpuSet::iter)));
        if let Some(caches) = caches.filter(|caches| !caches.are_like(&self.caches)) {
            self.caches = Arc::new(caches);
        }
        if threads > 1 {
            // A search that finds no memory for it could not go on.
            memory::check_room_for_a_worker()?;
            self.caches.nearest();
        }
        let evaluation = self.evaluation();
        self.pool.resize(threads, &placement.unwrap_or_default(), &evaluation)?;
        self.pool.copy_network(&evaluation);
        let nodes = self.numa.nodes_for_table();
        // Nobody need wait for the table where it stays as it is.
        if self.table.tt.nodes() != nodes {
            self.exclusive_table().spread_over(&nodes);
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom), target_os = "linux"))]
mod tests {
    use super::*;
    use crate::search::limits::Limits;
    use crate::smp::numa::binding;

    #[test]
    fn threads_are_bound_released_and_bound_again() {
        let cpus = binding::allowed().unwrap();
        let first = cpus.iter().next().unwrap();
        let mut engine = Engine::new();
        engine.set_threads(2).unwrap();
        assert!(engine.set_numa_policy("1023".parse().unwrap()).is_err());
        assert_eq!(engine.numa_policy(), &NumaPolicy::Auto);
        engine.set_numa_policy(first.to_string().parse().unwrap()).unwrap();
        for threads in [2, 3, 1, 4] {
            engine.set_threads(threads).unwrap();
            let report = engine.placement();
            let [node] = &report.places.as_ref().unwrap()[..] else { panic!("{report:?}") };
            assert_eq!((node.threads, node.bound, node.copied), (threads, threads, true), "{report:?}");
            let answer = engine.search_blocking(&Limits { depth: Some(5), ..Limits::default() }, |_| ());
            assert!(answer.best.is_some());
        }
        engine.set_numa_policy(NumaPolicy::None).unwrap();
        let report = engine.placement();
        assert!(!report.binds() && engine.threads() == 4, "{report:?}");
    }

    #[test]
    fn a_network_that_comes_later_is_copied_when_it_is_needed() {
        let cpus = binding::allowed().unwrap();
        let mut engine = Engine::new();
        engine.set_numa_policy(NumaPolicy::Lists(vec![cpus])).unwrap();
        let copied = |engine: &mut Engine| engine.placement().places.unwrap()[0].copied;
        assert!(copied(&mut engine));
        engine.set_network(std::sync::Arc::new(crate::eval::nnue::Network::clone(&engine.network)));
        assert!(!copied(&mut engine));
        engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        assert!(copied(&mut engine));
    }
}
