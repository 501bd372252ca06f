//! Limits of Linux control groups on a process.

use super::cpu_set::CpuSet;
use crate::tt::memory::group_folders;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    /// The allowed CPUs, if limited.
    pub cpus: Option<CpuSet>,
    /// The CPU quota in CPUs, rounded up, if limited.
    pub quota: Option<usize>,
}

/// Reads cgroup v1 and v2 below a root folder.
pub(super) fn read(root: &Path) -> Allowance {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mount = root.join("sys/fs/cgroup");
    let unified = group_folders(&mount, &groups, "");
    let cpuset = group_folders(&mount.join("cpuset"), &groups, "cpuset");
    let cpu = group_folders(&mount.join("cpu"), &groups, "cpu");
    let text = |folder: &PathBuf, name: &str| read_to_string(folder.join(name)).ok();
    // The innermost set wins: it is contained in those around it.
    let set = |folders: &[PathBuf], name: &str| {
        let sets = folders.iter().filter_map(|folder| CpuSet::of_system(&text(folder, name)?));
        sets.into_iter().find(|set| !set.is_empty())
    };
    let unified_quota = |folder: &PathBuf| {
        let text = text(folder, "cpu.max")?;
        let (quota, period) = text.trim().split_once(' ')?;
        quota_cpus(quota, period)
    };
    let old_quota = |folder: &PathBuf| {
        quota_cpus(text(folder, "cpu.cfs_quota_us")?.trim(), text(folder, "cpu.cfs_period_us")?.trim())
    };
    Allowance {
        cpus: set(&unified, "cpuset.cpus.effective")
            .or_else(|| set(&cpuset, "cpuset.effective_cpus"))
            .or_else(|| set(&cpuset, "cpuset.cpus")),
        quota: unified.iter().filter_map(unified_quota).chain(cpu.iter().filter_map(old_quota)).min(),
    }
}

/// A quota in CPUs, at least 1; `None` for `max`, `-1` and malformed values.
fn quota_cpus(quota: &str, period: &str) -> Option<usize> {
    let (quota, period): (usize, usize) = (quota.parse().ok()?, period.parse().ok()?);
    if period == 0 { None } else { Some(quota.div_ceil(period).max(1)) }
}
