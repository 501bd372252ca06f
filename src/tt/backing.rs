//! Which pages the system has put behind memory.

use super::mapping::Mapping;
use super::memory::MIB;
use super::plan::Source;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;

/// Which pages are behind a table. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backing {
    /// Pages of this size from a pool of huge pages.
    Pool(u64),
    /// Ordinary memory: so much of it in transparent huge pages, the rest in pages of this size.
    Ordinary {
        /// In transparent huge pages.
        huge: u64,
        /// The size of the other pages.
        page: u64,
    },
}

impl Backing {
    /// What is behind the first bytes of a mapping; `None` where the system does not say.
    pub fn of(mapping: &Mapping, bytes: u64) -> Option<Self> {
        match mapping.source() {
            Source::Pool(page) => Some(Self::Pool(page)),
            Source::Ordinary if cfg!(target_os = "linux") => {
                let start = mapping.start().as_ptr() as u64;
                of_range(BufReader::new(File::open("/proc/self/smaps").ok()?), start..start + bytes)
            }
            Source::Ordinary => None,
        }
    }

    /// A text about a table of so many MiB, as in `1024 MiB in 2 MiB pages`.
    pub fn describe(self, mib: u64) -> String {
        match self {
            Self::Ordinary { huge: 0, page } | Self::Pool(page) => format!("{mib} MiB in {} pages", Size(page)),
            Self::Ordinary { huge, .. } if huge / MIB >= mib => format!("{mib} MiB in transparent huge pages"),
            Self::Ordinary { huge, page } => {
                format!("{mib} MiB, {} of them in transparent huge pages, the rest in {} pages", huge / MIB, Size(page))
            }
        }
    }
}

/// A size of pages in the largest unit that divides it.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "bytes")];
        let (shift, unit) =
            units.into_iter().find(|(shift, _)| self.0.is_multiple_of(1 << shift)).unwrap_or((0, "bytes"));
        write!(f, "{} {unit}", self.0 >> shift)
    }
}

/// What is behind a range of addresses, as Linux writes it (`proc_pid_smaps(5)`): for each mapping its addresses, then its fields.
fn of_range(smaps: impl BufRead, range: Range<u64>) -> Option<Backing> {
    let (mut huge, mut page, mut inside) = (0, None, false);
    for line in smaps.lines().map_while(Result::ok) {
        let kib = |name| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok();
        if let Some(mapped) = addresses(&line) {
            // They come in order.
            if mapped.start >= range.end {
                break;
            }
            inside = mapped.end > range.start;
        } else if inside {
            page = page.or(kib("KernelPageSize:").map(|kib| kib * 1024));
            huge += kib("AnonHugePages:").unwrap_or(0) * 1024;
        }
    }
    // A mapping may be larger than the range.
    Some(Backing::Ordinary { huge: huge.min(range.end - range.start), page: page? })
}

/// The addresses at the start of the line that begins a mapping.
fn addresses(line: &str) -> Option<Range<u64>> {
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

    fn read(range: Range<u64>) -> Option<Backing> {
        of_range(SMAPS.as_bytes(), range)
    }

    #[test]
    fn only_the_mappings_of_the_range_count() {
        let start = 0x7f00_0000_0000;
        let expected = Some(Backing::Ordinary { huge: 6 * MIB, page: 16 << 10 });
        assert_eq!(read(start..start + 8 * MIB), expected);
        assert_eq!(read(start..start + 9 * MIB), expected);
        assert_eq!(read(start + MIB..start + 2 * MIB), Some(Backing::Ordinary { huge: MIB, page: 16 << 10 }));
        assert_eq!(read(start + 8 * MIB..start + 9 * MIB), Some(Backing::Ordinary { huge: 0, page: 16 << 10 }));
        assert_eq!(read(0..4096), None);
        assert_eq!(of_range(&b"what?\n"[..], 0..4096), None);
    }

    #[test]
    fn texts_name_the_pages() {
        let ordinary = |huge| Backing::Ordinary { huge: huge * MIB, page: 4 << 10 };
        for (backing, expected) in [
            (Backing::Pool(1 << 30), "1024 MiB in 1 GiB pages"),
            (Backing::Pool(2 << 20), "1024 MiB in 2 MiB pages"),
            (ordinary(0), "1024 MiB in 4 KiB pages"),
            (ordinary(1024), "1024 MiB in transparent huge pages"),
            (ordinary(1000), "1024 MiB, 1000 of them in transparent huge pages, the rest in 4 KiB pages"),
        ] {
            assert_eq!(backing.describe(1024), expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_says_what_it_gave() {
        let mapping = Mapping::new(5 << 20, Source::Ordinary).expect("5 MiB");
        let backing = Backing::of(&mapping, 5 << 20);
        assert!(matches!(backing, Some(Backing::Ordinary { page, .. }) if page.is_power_of_two()), "{backing:?}");
    }
}
