//! Limits of Linux control groups on a process.

use super::cpu_set::CpuSet;
use crate::tt::memory::control_groups;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    /// The allowed CPUs, if limited.
    pub cpus: Option<CpuSet>,
    /// The CPU quota in CPUs, rounded up, if limited.
    pub quota: Option<usize>,
}

/// Reads the groups (version 2) below a root folder.
pub(super) fn read(root: &Path) -> Allowance {
    let groups = control_groups(root);
    let text = |folder: &PathBuf, name: &str| read_to_string(folder.join(name)).ok();
    // The innermost set wins: it is contained in those around it.
    let mut sets = groups.iter().filter_map(|folder| CpuSet::of_system(&text(folder, "cpuset.cpus.effective")?));
    let quota = |folder: &PathBuf| {
        let text = text(folder, "cpu.max")?;
        let (quota, period) = text.trim().split_once(' ')?;
        quota_cpus(quota, period)
    };
    Allowance { cpus: sets.find(|set| !set.is_empty()), quota: groups.iter().filter_map(quota).min() }
}

/// A quota in CPUs, at least 1; `None` for `max` and malformed values.
fn quota_cpus(quota: &str, period: &str) -> Option<usize> {
    let (quota, period): (usize, usize) = (quota.parse().ok()?, period.parse().ok()?);
    if period == 0 { None } else { Some(quota.div_ceil(period).max(1)) }
}
