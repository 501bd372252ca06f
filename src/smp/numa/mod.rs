//! NUMA: topology, policy and thread placement (`docs/numa.md`).
//!
//! [`placement`] derives a place for each thread from the system's [`topology`] and the user's [`policy`].

pub mod binding;
mod cgroup;
pub mod cpu_set;
#[cfg(any(windows, test))]
mod groups;
pub mod network;
pub mod placement;
pub mod policy;
pub mod report;
pub mod topology;
#[cfg(test)]
mod tree;
