//! Information on the system and the program for measurements.

use crate::eval::Evaluation;
use crate::processors;
use crate::smp::numa::topology::Topology;
use crate::tt::memory::{self, MIB};
use crate::version::{SHORT, built_for, runs};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Facts that affect measurements; `None` if unknown.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Processor name.
    pub processor: Option<String>,
    /// Operating system and, if known, release.
    pub system: String,
    /// Hardware threads.
    pub logical_cores: usize,
    /// Physical cores.
    pub physical_cores: usize,
    /// Usable NUMA nodes.
    pub numa_nodes: Option<usize>,
    /// Total memory in MiB.
    pub memory_mib: Option<u64>,
    /// Available memory in MiB.
    pub available_mib: Option<u64>,
    /// Transparent huge pages: `always`, `madvise` (used by Lento) or `never`.
    pub huge_pages: Option<String>,
    /// Caches of the first core.
    pub caches: Vec<Cache>,
}

/// A cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Cache level, from 1.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Size of one instance.
    pub bytes: u64,
    /// Number of instances.
    pub instances: usize,
}

/// Reads a small system file.
fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The value of `name: value` in a list.
fn fact<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    list.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        (known.trim() == name).then(|| value.trim())
    })
}

/// Parses sizes like `48K`.
fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &size[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    Some(digits.parse::<u64>().ok()? * unit)
}

impl Machine {
    /// Queries this machine.
    pub fn here() -> Self {
        let memory = read("/proc/meminfo").unwrap_or_default();
        let total = || Some(fact(&memory, "MemTotal")?.split(' ').next()?.parse::<u64>().ok()? >> 10);
        let release = read("/proc/sys/kernel/osrelease").map_or_else(String::new, |release| format!(" {release}"));
        let pages = read("/sys/kernel/mm/transparent_hugepage/enabled");
        Self {
            processor: processor(),
            system: format!("{}{release}", std::env::consts::OS),
            logical_cores: processors::count(),
            physical_cores: num_cpus::get_physical(),
            numa_nodes: Topology::of_this_system().map(|topology| topology.nodes.len()),
            memory_mib: total(),
            available_mib: memory::available().map(|bytes| bytes / MIB),
            huge_pages: pages.and_then(|all| Some(all.split_once('[')?.1.split_once(']')?.0.to_owned())),
            caches: caches(),
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let cache = |cache: &Cache| {
            let Cache { level, kind, bytes, instances } = cache;
            json!({ "level": level, "kind": kind, "bytes": bytes, "instances": instances })
        };
        json!({
            "processor": self.processor,
            "system": self.system,
            "logical_cores": self.logical_cores,
            "physical_cores": self.physical_cores,
            "numa_nodes": self.numa_nodes,
            "memory_mib": self.memory_mib,
            "huge_pages": self.huge_pages,
            "caches": self.caches.iter().map(cache).collect::<Vec<_>>(),
        })
    }

    /// The processor's name, or "not known".
    pub fn name(&self) -> &str {
        self.processor.as_deref().unwrap_or("not known")
    }

    /// Names and values for a table.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let cores = plural(self.physical_cores, "core", "cores");
        let mut rows = vec![
            ("processor", self.name().to_owned()),
            ("cores", format!("{cores}, {}", plural(self.logical_cores, "thread", "threads"))),
        ];
        if !self.caches.is_empty() {
            let cache = |cache: &Cache| {
                let kind = match cache.kind.as_str() {
                    "data" => "d",
                    "instruction" => "i",
                    _ => "",
                };
                format!("L{}{kind} {} KiB x {}", cache.level, cache.bytes >> 10, cache.instances)
            };
            rows.push(("caches", self.caches.iter().map(cache).collect::<Vec<_>>().join(", ")));
        }
        let memory = self.memory_mib.map(|mib| format!("{mib} MiB"));
        let nodes = self.numa_nodes.map(|nodes| plural(nodes, "NUMA node", "NUMA nodes"));
        let pages = self.huge_pages.as_ref().map(|pages| format!("huge pages {pages}"));
        let known: Vec<String> = [memory, nodes, pages].into_iter().flatten().collect();
        if !known.is_empty() {
            rows.push(("memory", known.join(", ")));
        }
        rows.push(("system", self.system.clone()));
        rows
    }
}

/// The program as JSON.
pub fn version_json() -> Value {
    json!({
        "number": env!("CARGO_PKG_VERSION"),
        "commit": env!("LENTO_COMMIT"),
        "target": env!("LENTO_TARGET"),
        "compiler": env!("LENTO_RUSTC"),
        "built_for": built_for(),
        "runs": runs(),
        "evaluation": Evaluation::default().to_string(),
    })
}

/// Names and values of the program for a table.
pub fn version_rows() -> Vec<(&'static str, String)> {
    let compiled = [built_for().as_str(), env!("LENTO_TARGET"), env!("LENTO_RUSTC")].join(", ");
    vec![("version", format!("Lento {SHORT}")), ("compiled for", compiled), ("runs", runs().to_owned())]
}

fn processor() -> Option<String> {
    let listed = read("/proc/cpuinfo").unwrap_or_default();
    let linux = ["model name", "Model", "Hardware", "cpu model"].iter().find_map(|name| fact(&listed, name));
    let name = linux.map(str::to_owned).or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok()).or_else(|| {
        let asked = cfg!(target_os = "macos")
            .then(|| std::process::Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok())??;
        String::from_utf8(asked.stdout).ok().map(|name| name.trim().to_owned())
    });
    name.filter(|name| !name.is_empty())
}

/// The caches of the first core, with their number in the machine.
fn caches() -> Vec<Cache> {
    // Skip entries that are not CPUs.
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let cores: Vec<PathBuf> = cores.map(|entry| entry.path()).collect();
    let mut caches = Vec::new();
    for index in 0..8 {
        let of = |core: &Path, name: &str| read(core.join(format!("cache/index{index}/{name}")));
        let first = Path::new("/sys/devices/system/cpu/cpu0");
        let (Some(level), Some(kind), Some(size)) = (of(first, "level"), of(first, "type"), of(first, "size")) else {
            break;
        };
        let shared: BTreeSet<String> = cores.iter().filter_map(|core| of(core, "shared_cpu_list")).collect();
        let (Ok(level), Some(bytes)) = (level.parse(), bytes(&size)) else { continue };
        caches.push(Cache { level, kind: kind.to_lowercase(), bytes, instances: shared.len().max(1) });
    }
    caches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_by_name() {
        let list = "processor\t: 0\nmodel name\t: A Processor: 3 GHz\nMemTotal:  2048 kB\n";
        assert_eq!(fact(list, "model name"), Some("A Processor: 3 GHz"));
        assert_eq!(fact(list, "model"), None);
        assert_eq!([bytes("48K"), bytes("2M"), bytes("7"), bytes("x")], [Some(49_152), Some(2 << 20), Some(7), None]);
    }

    #[test]
    fn this_machine_is_plausible() {
        let machine = Machine::here();
        assert!(machine.logical_cores >= machine.physical_cores && machine.physical_cores > 0, "{machine:?}");
        assert!(machine.rows().len() >= 3 && machine.json()["system"].is_string());
        if cfg!(target_os = "linux") {
            assert!(machine.memory_mib >= machine.available_mib && machine.memory_mib.is_some(), "{machine:?}");
        }
    }
}
