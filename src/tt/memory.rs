//! How much memory there is to be had.
//!
//! Linux hands out more memory than it has and kills the process that then uses it, so the size of a table has to be
//! checked beforehand. Elsewhere the allocator is relied upon to say no.

use std::path::{Path, PathBuf};

/// Bytes in a MiB.
pub const MIB: u64 = 1 << 20;

/// A table of this many bytes costs one byte more for each so many: the page tables, where pages are of 4 KiB.
const BYTES_PER_OVERHEAD: u64 = 512;
/// This part of the memory is left for everything else...
const RESERVED_PART: u64 = 16;
/// ...but never more than this.
const MAX_RESERVED: u64 = 256 * MIB;

/// The bytes that can be used without pushing anybody out, if the system says so.
pub fn available() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::available();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// The size in MiB of the largest table that fits into so many bytes, leaving some for everything else.
pub fn largest_mib(available: u64) -> u64 {
    let usable = available - (available / RESERVED_PART).min(MAX_RESERVED);
    (usable - usable / (BYTES_PER_OVERHEAD + 1)) / MIB
}

/// The folders of the control group that the process is in by a controller (none for version 2), and of all around it, innermost
/// first. `groups` is its `/proc/self/cgroup`. In a container they may not all be visible; those that are not have nothing to
/// read.
pub fn group_folders(mount: &Path, groups: &str, controller: &str) -> Vec<PathBuf> {
    let own = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let matches = parts.next()?.split(',').any(|name| name == controller);
        if matches { parts.next() } else { None }
    });
    Path::new(own.unwrap_or("/")).ancestors().map(|part| mount.join(part.strip_prefix("/").unwrap_or(part))).collect()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::group_folders;
    use std::fs::read_to_string;
    use std::path::Path;

    /// One version of the control groups: where they are and what they call things.
    struct Version {
        root: &'static str,
        /// The second field of this version's lines of `/proc/self/cgroup`.
        controller: &'static str,
        limit: &'static str,
        usage: &'static str,
        /// The file pages in `memory.stat`: counted as used, but given up before anybody is killed.
        cache: [&'static str; 2],
    }

    const VERSIONS: [Version; 2] = [
        Version {
            root: "/sys/fs/cgroup",
            controller: "",
            limit: "memory.max",
            usage: "memory.current",
            cache: ["inactive_file", "active_file"],
        },
        Version {
            root: "/sys/fs/cgroup/memory",
            controller: "memory",
            limit: "memory.limit_in_bytes",
            usage: "memory.usage_in_bytes",
            cache: ["total_inactive_file", "total_active_file"],
        },
    ];

    /// The least of what the machine has and what each control group around the process still allows.
    pub fn available() -> Option<u64> {
        let machine = read_to_string("/proc/meminfo").ok().and_then(|text| machine_bytes(&text));
        let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
        VERSIONS.iter().flat_map(|version| version.allowances(&groups)).chain(machine).min()
    }

    /// What `/proc/meminfo` says, in bytes.
    fn machine_bytes(meminfo: &str) -> Option<u64> {
        Some(field(meminfo, "MemAvailable:")? * 1024)
    }

    /// The number after a name at the start of a line.
    fn field(text: &str, name: &str) -> Option<u64> {
        text.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace();
            if words.next() == Some(name) { words.next()?.parse().ok() } else { None }
        })
    }

    impl Version {
        /// What each of the groups still allows, in bytes.
        fn allowances(&self, groups: &str) -> Vec<u64> {
            let folders = group_folders(Path::new(self.root), groups, self.controller);
            folders.iter().filter_map(|folder| self.allowance(folder)).collect()
        }

        /// What the group of a folder still allows; `None` when it has no limit or cannot be read.
        fn allowance(&self, folder: &Path) -> Option<u64> {
            let number = |name| read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
            let limit = number(self.limit)?;
            let usage = number(self.usage)?;
            let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let cache: u64 = self.cache.iter().filter_map(|name| field(&stat, name)).sum();
            Some(limit.saturating_sub(usage.saturating_sub(cache)))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::fs::{create_dir_all, remove_dir_all, write};

        #[test]
        fn meminfo_is_in_kib() {
            let text = "MemTotal:       24683564 kB\nMemFree:        123 kB\nMemAvailable:   24399872 kB\n";
            assert_eq!(machine_bytes(text), Some(24_399_872 << 10));
            assert_eq!(machine_bytes("MemTotal: 5 kB\n"), None);
        }

        #[test]
        fn folders_lead_up_to_the_root() {
            let groups = "5:cpuset:/x\n4:cpu,memory:/box/inner\n0::/user.slice/a:b\n";
            let paths = |version: &Version, groups| -> Vec<String> {
                let folders = group_folders(Path::new(version.root), groups, version.controller);
                folders.iter().map(|path| path.to_string_lossy().into_owned()).collect()
            };
            assert_eq!(
                paths(&VERSIONS[0], groups),
                ["/sys/fs/cgroup/user.slice/a:b", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup/"]
            );
            assert_eq!(
                paths(&VERSIONS[1], groups),
                ["/sys/fs/cgroup/memory/box/inner", "/sys/fs/cgroup/memory/box", "/sys/fs/cgroup/memory/"]
            );
            assert_eq!(paths(&VERSIONS[1], ""), ["/sys/fs/cgroup/memory/"]);
        }

        #[test]
        fn allowance_is_limit_less_use_without_file_cache() {
            let folder = std::env::temp_dir().join(format!("lento-tt-cgroup-{}", std::process::id()));
            create_dir_all(&folder).unwrap();
            let set = |name: &str, text: &str| write(folder.join(name), text).unwrap();
            let version = &VERSIONS[0];
            assert_eq!(version.allowance(&folder), None);
            set("memory.max", "1000\n");
            set("memory.current", "700\n");
            assert_eq!(version.allowance(&folder), Some(300));
            set("memory.stat", "anon 100\ninactive_file 150\nactive_file 50\n");
            assert_eq!(version.allowance(&folder), Some(500));
            set("memory.current", "5000\n");
            assert_eq!(version.allowance(&folder), Some(0));
            set("memory.max", "max\n");
            assert_eq!(version.allowance(&folder), None);
            remove_dir_all(&folder).unwrap();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_leaves_a_reserve() {
        assert_eq!(largest_mib(0), 0);
        // A sixteenth of 160 MiB stays, and the page tables take less than one.
        assert_eq!(largest_mib(160 * MIB), 149);
        // 256 MiB stay, and one byte in 513 of the rest.
        assert_eq!(largest_mib((513 * 1024 + 256) * MIB), 512 * 1024);
        assert!(largest_mib(u64::MAX) < u64::MAX / MIB);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        let bytes = available().expect("Linux says how much memory is available");
        assert!(bytes > MIB && bytes < 1 << 60, "{bytes}");
    }
}
