//! NUMA: topology, policy and thread placement (`docs/numa.md`).
//!
//! [`placement`] derives a place for each thread from the system's [`topology`] and the user's [`policy`].

pub(crate) mod network;
pub(crate) mod placement;
pub(crate) mod policy;
pub(crate) mod topology;
