//! NUMA: topology, policy and thread placement (`docs/numa.md`).
//!
//! [`placement`] derives a place for each thread from the system's [`topology`] and the user's [`policy`].

pub(crate) mod network;
pub mod placement;
pub mod policy;
pub mod topology;
