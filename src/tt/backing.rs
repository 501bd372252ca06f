//! The kind of memory pages of the table.

use super::memory::MIB;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;

/// Describes the pages at these addresses, as in `1024 MiB in 4 KiB pages`; `None` if unknown, as on systems other than Linux.
pub(super) fn describe(addresses: Range<u64>) -> Option<String> {
    parse(BufReader::new(File::open("/proc/self/smaps").ok()?), addresses)
}

/// Reads `/proc/self/smaps`: for each mapping, in order, its addresses and then its fields (`proc_pid_smaps(5)`).
fn parse(smaps: impl BufRead, addresses: Range<u64>) -> Option<String> {
    let (mut huge, mut page, mut inside) = (0, None, false);
    for line in smaps.lines().map_while(Result::ok) {
        let kib = |name| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok();
        if let Some(mapping) = mapping_start(&line) {
            if mapping.start >= addresses.end {
                break;
            }
            inside = mapping.end > addresses.start;
        } else if inside {
            page = page.or(kib("KernelPageSize:"));
            huge += kib("AnonHugePages:").unwrap_or(0);
        }
    }
    let (mib, huge, page) = ((addresses.end - addresses.start) / MIB, huge * 1024 / MIB, page?);
    Some(match huge {
        0 => format!("{mib} MiB in {page} KiB pages"),
        // A mapping may extend beyond the table.
        huge if huge >= mib => format!("{mib} MiB in transparent huge pages"),
        huge => format!("{mib} MiB, {huge} of them in transparent huge pages, the rest in {page} KiB pages"),
    })
}

/// The addresses of a mapping, if the line starts one.
fn mapping_start(line: &str) -> Option<Range<u64>> {
    let (start, end) = line.split_ascii_whitespace().next()?.split_once('-')?;
    Some(u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d0c0000000-55d0c0021000 rw-p 00000000 00:00 0                          [heap]
Size:                132 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
AnonHugePages:      4096 kB
7f0000000000-7f0000800000 rw-p 00000000 00:00 0
Size:               8192 kB
KernelPageSize:       16 kB
Rss:                8192 kB
AnonHugePages:      6144 kB
VmFlags: rd wr mr mw me ac sd hg
7f0000800000-7f0000900000 rw-p 00000000 00:00 0
KernelPageSize:       16 kB
AnonHugePages:         0 kB
7fff00000000-7fff00021000 rw-p 00000000 00:00 0                          [stack]
KernelPageSize:        4 kB
AnonHugePages:     99999 kB
";

    #[test]
    fn only_mappings_of_the_table_count() {
        let parse = |addresses| parse(SMAPS.as_bytes(), addresses);
        let start = 0x7f00_0000_0000;
        for (from, to, expected) in [
            (0, 8, "8 MiB, 6 of them in transparent huge pages, the rest in 16 KiB pages"),
            (0, 9, "9 MiB, 6 of them in transparent huge pages, the rest in 16 KiB pages"),
            (1, 2, "1 MiB in transparent huge pages"),
            (8, 9, "1 MiB in 16 KiB pages"),
        ] {
            assert_eq!(parse(start + from * MIB..start + to * MIB).as_deref(), Some(expected));
        }
        assert_eq!(parse(0..4096), None);
        assert_eq!(super::parse(&b"what?\n"[..], 0..4096), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_reports_pages() {
        let memory = vec![1_u8; 5 << 20];
        let addresses = memory.as_ptr_range();
        let pages = describe(addresses.start as u64..addresses.end as u64).expect("Linux has smaps");
        assert!(pages.starts_with("5 MiB") && pages.ends_with(" pages"), "{pages}");
    }
}
