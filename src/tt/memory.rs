//! Available memory.
//!
//! Linux and macOS overcommit memory, and Windows refuses a table only after the old one is freed, so its size is checked in advance.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Bytes in a MiB.
pub const MIB: u64 = 1 << 20;

/// Bytes of the table per byte of page tables, with pages of 4 KiB.
const BYTES_PER_OVERHEAD: u64 = 512;
/// Divisor for the share of memory left to other programs.
const RESERVED_PART: u64 = 16;
/// Maximum memory left to other programs, in bytes.
const MAX_RESERVED: u64 = 256 * MIB;

/// The bytes that can be used without swapping or being killed, if known: the minimum over the machine and all control groups of
/// the process; on macOS all memory of the machine; on Windows free memory that may be committed.
pub fn available() -> Option<u64> {
    available_below(Path::new("/")).or_else(of_system)
}

#[cfg(not(any(target_vendor = "apple", windows)))]
fn of_system() -> Option<u64> {
    None
}

#[cfg(windows)]
fn of_system() -> Option<u64> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure is writable and states its size.
    let is_known = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
    is_known.then_some(status.ullAvailPhys.min(status.ullAvailPageFile))
}

#[cfg(target_vendor = "apple")]
fn of_system() -> Option<u64> {
    let (mut bytes, mut size) = (0_u64, size_of::<u64>());
    // SAFETY: the name ends with a zero, and the call writes at most `size` bytes to the number.
    let result = unsafe {
        libc::sysctlbyname(c"hw.memsize".as_ptr(), (&raw mut bytes).cast(), &raw mut size, std::ptr::null_mut(), 0)
    };
    (result == 0).then_some(bytes)
}

fn available_below(root: &Path) -> Option<u64> {
    let meminfo = read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let machine = field(&meminfo, "MemAvailable:").map(|kib| kib * 1024);
    control_groups(root, "memory").iter().filter_map(|group| allowance(group)).chain(machine).min()
}

/// The size in MiB of the largest table that fits into `available` bytes.
pub fn largest_mib(available: u64) -> u64 {
    let usable = available - (available / RESERVED_PART).min(MAX_RESERVED);
    (usable - usable / (BYTES_PER_OVERHEAD + 1)) / MIB
}

/// The folders of the process's Linux control group for a controller (version 2 or 1) and its ancestors, innermost first, below
/// this root folder. In a container some may be missing.
pub fn control_groups(root: &Path, controller: &str) -> Vec<PathBuf> {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let below = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(":/")?;
        let wanted = controllers.is_empty() || controllers.split(',').any(|name| name == controller);
        let top = root.join("sys/fs/cgroup").join(if controllers.is_empty() { "" } else { controller });
        wanted.then(|| Path::new(path).ancestors().map(|group| top.join(group)).collect::<Vec<_>>())
    };
    groups.lines().filter_map(below).flatten().collect()
}

/// The bytes left in a control group (version 2 or 1), if limited. Cached files count as available, as they are evicted first.
fn allowance(group: &Path) -> Option<u64> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let usage = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = |prefix: &str| -> u64 {
        ["inactive_file", "active_file"].iter().filter_map(|name| field(&stat, &format!("{prefix}{name}"))).sum()
    };
    // In version 1 these names exclude inner groups, which the usage includes.
    let cache = cached("total_").max(cached(""));
    Some(limit.saturating_sub(usage.saturating_sub(cache)))
}

/// The number after a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let number = |line: &str| line.strip_prefix(name)?.split_ascii_whitespace().next()?.parse().ok();
    text.lines().find_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;
    use std::fs::{create_dir_all, write};

    #[test]
    fn largest_table_leaves_a_reserve() {
        assert_eq!(largest_mib(0), 0);
        // A sixteenth of 160 MiB is reserved, and page tables take less than 1 MiB.
        assert_eq!(largest_mib(160 * MIB), 149);
        // 256 MiB are reserved, and one byte in 513 of the rest.
        assert_eq!(largest_mib((513 * 1024 + 256) * MIB), 512 * 1024);
        assert!(largest_mib(u64::MAX) < u64::MAX / MIB);
    }

    #[test]
    fn tightest_limit_counts() {
        let root = Folder::new("memory");
        let set = |name: &str, text: &str| {
            create_dir_all(root.at(name).parent().unwrap()).unwrap();
            write(root.at(name), text).unwrap();
        };
        let available = || available_below(root.path());
        assert_eq!(available(), None);
        set("proc/meminfo", "MemTotal:       24683564 kB\nMemFree:        123 kB\nMemAvailable:   2000 kB\n");
        assert_eq!(available(), Some(2000 << 10));
        set("proc/self/cgroup", "5:cpuset:/x\n0::/user.slice/a:b\n");
        set("sys/fs/cgroup/user.slice/memory.max", "1000\n");
        set("sys/fs/cgroup/user.slice/memory.current", "700\n");
        assert_eq!(available(), Some(300));
        set("sys/fs/cgroup/user.slice/memory.stat", "anon 100\ninactive_file 150\nactive_file 50\n");
        assert_eq!(available(), Some(500));
        set("sys/fs/cgroup/user.slice/a:b/memory.max", "max\n");
        assert_eq!(available(), Some(500));
        set("sys/fs/cgroup/user.slice/a:b/memory.max", "600\n");
        set("sys/fs/cgroup/user.slice/a:b/memory.current", "5000\n");
        assert_eq!(available(), Some(0));
        set("sys/fs/cgroup/memory.max", "1\n");
        assert_eq!(control_groups(root.path(), "memory").last().unwrap(), &root.at("sys/fs/cgroup/"));
        // Version 1, in a container that sees its own group as the root.
        set("proc/self/cgroup", "8:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n0::/none\n");
        set("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        set("sys/fs/cgroup/memory/memory.usage_in_bytes", "700\n");
        assert_eq!(available(), Some(2000 << 10));
        set("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
        set("sys/fs/cgroup/memory/memory.stat", "cache 500\ninactive_file 150\ntotal_inactive_file 250\n");
        assert_eq!(available(), Some(550));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn available_memory_is_plausible() {
        let bytes = available().expect("Linux reports available memory");
        assert!(bytes > MIB && bytes < 1 << 60, "{bytes}");
    }
}
