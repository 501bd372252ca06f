//! Machines with several memory nodes: which there are, which threads go where, and binding them there.
//!
//! [`topology`] reads what the system has, [`policy`] what the user wants, [`placement`] makes of both a place for each thread.
//! `docs/numa.md` tells the rules.

pub mod binding;
mod cgroup;
pub mod cpu_set;
#[cfg(any(windows, test))]
mod groups;
pub mod placement;
pub mod policy;
pub mod report;
pub mod topology;
#[cfg(test)]
mod tree;
