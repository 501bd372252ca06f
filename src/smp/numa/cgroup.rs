//! The processors that Linux's control groups leave to a process.

use super::cpu_set::CpuSet;
use crate::tt::memory::group_folders;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// What the groups around a process allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    /// The processors it may run on; `None` where no group says.
    pub cpus: Option<CpuSet>,
    /// How many processors' time it gets, rounded up; `None` without a limit.
    pub quota: Option<usize>,
}

/// Reads both versions of the control groups below a root folder.
pub(super) fn read(root: &Path) -> Allowance {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mount = root.join("sys/fs/cgroup");
    let unified = group_folders(&mount, &groups, "");
    let cpuset = group_folders(&mount.join("cpuset"), &groups, "cpuset");
    let cpu = group_folders(&mount.join("cpu"), &groups, "cpu");
    let text = |folder: &PathBuf, name: &str| read_to_string(folder.join(name)).ok();
    // The innermost group that says something has the last word: its effective set lies within those around it.
    let set = |folders: &[PathBuf], name: &str| {
        let sets = folders.iter().filter_map(|folder| CpuSet::of_system(&text(folder, name)?));
        sets.into_iter().find(|set| !set.is_empty())
    };
    let unified_quota = |folder: &PathBuf| {
        let text = text(folder, "cpu.max")?;
        let (quota, period) = text.trim().split_once(' ')?;
        cpus_worth(quota, period)
    };
    let old_quota = |folder: &PathBuf| {
        cpus_worth(text(folder, "cpu.cfs_quota_us")?.trim(), text(folder, "cpu.cfs_period_us")?.trim())
    };
    Allowance {
        cpus: set(&unified, "cpuset.cpus.effective")
            .or_else(|| set(&cpuset, "cpuset.effective_cpus"))
            .or_else(|| set(&cpuset, "cpuset.cpus")),
        quota: unified.iter().filter_map(unified_quota).chain(cpu.iter().filter_map(old_quota)).min(),
    }
}

/// The time of how many processors a quota is, from 1; `None` for `max`, `-1` and what cannot be read.
fn cpus_worth(quota: &str, period: &str) -> Option<usize> {
    let (quota, period): (usize, usize) = (quota.parse().ok()?, period.parse().ok()?);
    if period == 0 { None } else { Some(quota.div_ceil(period).max(1)) }
}
