//! Placement of threads, networks and the table on NUMA nodes.

use super::{Engine, pool};
use crate::processors;
use crate::search::history::SharedHistories;
use crate::smp::numa::placement::{self, PlaceUsage, Placement};
pub use crate::smp::numa::policy::NumaPolicy;
use crate::smp::numa::topology::Topology;
use crate::smp::per_cache::PerCache;
use std::io;
use std::mem::replace;
use std::sync::Arc;

impl Engine {
    /// The current policy.
    pub fn numa_policy(&self) -> &NumaPolicy {
        &self.numa_policy
    }

    /// Changes the policy. Threads that move restart without their histories; the table's pages move with their
    /// contents. Fails if CPUs are unavailable or threads cannot be started; the policy is then unchanged.
    pub fn set_numa_policy(&mut self, policy: NumaPolicy) -> Result<(), String> {
        let old = self.numa_policy.clone();
        self.adopt_limit(&policy).map_err(|error| format!("the process affinity cannot be lifted: {error}"))?;
        let checked = Placement::check(&policy, Topology::of_this_system().as_ref());
        let placed = checked.and_then(|()| self.place(self.threads(), policy).map_err(|error| error.to_string()));
        if placed.is_err() {
            let _ = self.adopt_limit(&old);
        }
        placed
    }

    /// Lifts or restores the affinity of the process, as required by a policy.
    fn adopt_limit(&mut self, policy: &NumaPolicy) -> io::Result<()> {
        if *policy != NumaPolicy::Hardware {
            self.lifted.take().iter().for_each(processors::restore_limit);
        } else if self.lifted.is_none() {
            self.lifted = Some(processors::lift_limit()?);
        }
        Ok(())
    }

    /// The nodes that threads are bound to, or why they are not bound.
    pub fn places(&mut self) -> Result<Vec<PlaceUsage>, String> {
        let (evaluation, threads) = (self.evaluation(), self.threads());
        let decide = || Placement::decide(&self.numa_policy, Topology::of_this_system().as_ref(), threads);
        let placement = self.placement.get_or_insert_with(decide);
        match &placement.unbound {
            None => Ok(placement.places.iter().map(|place| self.pool.usage(place, &evaluation)).collect()),
            Some(why) => Err(why.clone()),
        }
    }

    /// Describes the placement of threads and table, one line per fact.
    pub fn placement(&mut self) -> Vec<String> {
        let places = self.places();
        let mut lines = placement::report(&self.numa_policy, self.threads(), places);
        let cores = |placement: &Placement| placement.report_cores(self.pool.main_bound()?);
        lines.extend(self.placement.as_ref().and_then(cores));
        lines.extend(self.table.tt.describe());
        lines
    }

    /// Starts or stops threads up to this number and places them, restoring the old state on failure.
    pub(super) fn place(&mut self, threads: usize, policy: NumaPolicy) -> io::Result<()> {
        self.finish();
        let (topology, before) = (Topology::of_this_system(), self.threads().max(1));
        let old = replace(&mut self.numa_policy, policy);
        let placed = self.place_in(topology.as_ref(), threads.max(1));
        if placed.is_err() {
            self.numa_policy = old;
            // Memory released a moment ago should still be available.
            let _ = self.place_in(topology.as_ref(), before);
        }
        placed
    }

    fn place_in(&mut self, topology: Option<&Topology>, threads: usize) -> io::Result<()> {
        let mut placement = Placement::decide(&self.numa_policy, topology, threads);
        self.placement.iter().for_each(|old| placement.keep_networks(old));
        self.placement = Some(placement.clone());
        let caches = topology.map(|topology| PerCache::new(&topology.caches));
        if let Some(caches) = caches.filter(|caches| !caches.has_caches_of(&self.histories)) {
            self.histories = Arc::new(caches);
        }
        if threads > 1 {
            // Fail now rather than abort in the search.
            pool::check_memory()?;
            self.histories.local(SharedHistories::default);
        }
        let evaluation = self.evaluation();
        self.pool.resize(threads, &placement, &evaluation)?;
        self.pool.copy_network(&placement, &evaluation);
        self.spread_table();
        Ok(())
    }

    /// Number of CPUs that the threads may use.
    pub(super) fn cpus(&self) -> usize {
        let places = self.placement.iter().flat_map(|placement| &placement.places);
        let (bound, all) = (places.map(|place| place.cpus.len()).sum::<usize>(), processors::count());
        if bound > 0 { bound.min(all) } else { all }
    }

    /// Moves the table's pages to the nodes of the threads. Does nothing while a search or a loan uses the table.
    pub fn spread_table(&mut self) {
        let nodes: Vec<usize> = self.placement.iter().flat_map(Placement::memory).collect();
        if let Some(tt) = Arc::get_mut(&mut self.table.tt) {
            tt.spread_over(&nodes);
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::search::limits::Limits;

    #[test]
    fn threads_are_bound_unbound_and_rebound() {
        let cpus = processors::allowed().unwrap();
        let first = cpus.first().unwrap();
        let mut engine = Engine::new();
        engine.set_threads(2).unwrap();
        assert!(engine.set_numa_policy("1023".parse().unwrap()).is_err());
        assert_eq!(engine.numa_policy(), &NumaPolicy::Auto);
        engine.set_numa_policy(first.to_string().parse().unwrap()).unwrap();
        for threads in [2, 3, 1, 4] {
            engine.set_threads(threads).unwrap();
            let lines = engine.placement();
            let bound = format!("NumaPolicy {first}: {threads} of {threads} thread");
            assert!(
                lines[0].starts_with(&bound) && lines[0].ends_with("to 1 node; 1 copy of the network"),
                "{lines:?}"
            );
            let answer = engine.search_blocking(&Limits { depth: Some(5), ..Limits::default() }, |_| ());
            assert!(answer.best.is_some());
        }
        engine.set_numa_policy(NumaPolicy::None).unwrap();
        let lines = engine.placement();
        assert!(lines[0].contains("threads are not bound") && engine.threads() == 4, "{lines:?}");
    }

    #[test]
    fn threads_of_a_list_share_its_cpus() {
        let mut engine = Engine::new();
        engine.set_threads(2).unwrap();
        let cpus = processors::allowed().unwrap();
        let first = cpus.first().unwrap();
        engine.set_numa_policy(first.to_string().parse().unwrap()).unwrap();
        assert_eq!(engine.cpus(), 1);
    }

    #[test]
    fn threads_do_not_wait_for_a_save() {
        let mut engine = Engine::new();
        engine.set_numa_policy(NumaPolicy::None).unwrap();
        // As if on a machine with several nodes.
        Arc::get_mut(&mut engine.table.tt).unwrap().spread_over(&[0]);
        let loan = engine.lend_table_to_save().unwrap();
        engine.set_threads(2).unwrap();
        assert_eq!(engine.table.tt.nodes(), [0]);
        drop(loan);
        engine.spread_table();
        assert!(engine.table.tt.nodes().is_empty());
    }

    #[test]
    fn new_networks_are_copied_on_first_use() {
        let cpus = processors::allowed().unwrap();
        let mut engine = Engine::new();
        engine.set_numa_policy(NumaPolicy::Lists(vec![cpus])).unwrap();
        let copied = |engine: &mut Engine| engine.placement()[0].contains("; 1 copy ");
        assert!(copied(&mut engine));
        engine.network = std::sync::Arc::new(crate::eval::nnue::Network::clone(&engine.network));
        assert!(!copied(&mut engine));
        engine.search_blocking(&Limits { depth: Some(1), ..Limits::default() }, |_| ());
        assert!(copied(&mut engine));
    }
}
