//! Pools of huge pages that somebody has set aside on this system. Linux has one for each size of page.

use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// A pool of huge pages of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The size of a page in bytes, a power of two.
    pub page: u64,
    /// How many of its pages can be had: those that nobody uses and nobody was promised.
    pub free: u64,
    /// How many pages nobody uses on each memory node, by the node's number.
    pub on_nodes: Vec<(usize, u64)>,
}

impl Pool {
    /// How many pages nobody uses on a memory node.
    pub fn on_node(&self, node: usize) -> u64 {
        self.on_nodes.iter().find(|(number, _)| *number == node).map_or(0, |(_, free)| *free)
    }
}

/// The pools of this system, also those that have nothing to give now.
pub fn of_this_system() -> Vec<Pool> {
    if cfg!(target_os = "linux") { read(Path::new("/sys")) } else { Vec::new() }
}

/// The pools that are described below `/sys` or another root.
fn read(sys: &Path) -> Vec<Pool> {
    let nodes = entries(&sys.join("devices/system/node"), "node", "");
    let pool = |kib: u64| {
        let name = format!("hugepages/hugepages-{kib}kB");
        let shared = sys.join("kernel/mm").join(&name);
        let unused = number_in(&shared.join("free_hugepages"))?;
        let promised = number_in(&shared.join("resv_hugepages")).unwrap_or(0);
        let on_node = |node: &u64| {
            let folder = sys.join(format!("devices/system/node/node{node}")).join(&name);
            Some((usize::try_from(*node).ok()?, number_in(&folder.join("free_hugepages"))?))
        };
        let page = kib.checked_mul(1024).filter(|page| page.is_power_of_two())?;
        Some(Pool { page, free: unused.saturating_sub(promised), on_nodes: nodes.iter().filter_map(on_node).collect() })
    };
    let sizes = entries(&sys.join("kernel/mm/hugepages"), "hugepages-", "kB");
    sizes.into_iter().filter_map(pool).collect()
}

/// The numbers between these two words in the names of a folder's entries, in order.
fn entries(folder: &Path, before: &str, after: &str) -> Vec<u64> {
    let number = |name: &str| name.strip_prefix(before)?.strip_suffix(after)?.parse().ok();
    let names = read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut numbers: Vec<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
    numbers.sort_unstable();
    numbers
}

fn number_in(file: &Path) -> Option<u64> {
    read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, remove_dir_all, write};
    use std::path::PathBuf;

    /// A folder with these files; gone when it is dropped.
    struct Sys(PathBuf);

    impl Sys {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("lento-tt-pools-{name}-{}", std::process::id()));
            create_dir_all(&root).unwrap();
            for (path, text) in files {
                let path = root.join(path);
                create_dir_all(path.parent().unwrap()).unwrap();
                write(path, format!("{text}\n")).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Sys {
        fn drop(&mut self) {
            let _ = remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_promised_cannot_be_had() {
        let sys = Sys::new(
            "promised",
            &[
                ("kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "300"),
                ("kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "100"),
                ("kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "2"),
                ("kernel/mm/hugepages/hugepages-1048576kB/resv_hugepages", "0"),
                ("kernel/mm/hugepages/hugepages-64kB/free_hugepages", "5"),
                ("kernel/mm/hugepages/hugepages-64kB/resv_hugepages", "5"),
                ("devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "250"),
                ("devices/system/node/node3/hugepages/hugepages-2048kB/free_hugepages", "50"),
                ("devices/system/node/possible", "0-3"),
            ],
        );
        let pools = read(&sys.0);
        let on_nodes = vec![(0, 250), (3, 50)];
        let elsewhere = |page, free| Pool { page, free, on_nodes: Vec::new() };
        let expected = [elsewhere(64 << 10, 0), Pool { page: 2 << 20, free: 200, on_nodes }, elsewhere(1 << 30, 2)];
        assert_eq!(pools, expected);
        assert_eq!([0, 1, 3].map(|node| pools[1].on_node(node)), [250, 0, 50]);
    }

    #[test]
    fn systems_that_say_nothing_or_nonsense_have_none() {
        let sys = Sys::new(
            "nonsense",
            &[
                ("kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "many"),
                ("kernel/mm/hugepages/hugepages-3000kB/free_hugepages", "7"),
                ("kernel/mm/hugepages/hugepages-18446744073709551615kB/free_hugepages", "7"),
                ("kernel/mm/hugepages/hugepages-0kB/free_hugepages", "7"),
                ("kernel/mm/hugepages/small/free_hugepages", "7"),
                ("kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "7"),
            ],
        );
        assert_eq!(read(&sys.0), []);
        assert_eq!(read(Path::new("/nonexistent")), []);
    }

    #[test]
    fn this_system_can_be_asked() {
        assert!(of_this_system().iter().all(|pool| pool.page.is_power_of_two()));
    }
}
