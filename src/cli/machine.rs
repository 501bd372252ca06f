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

/// Facts that affect measurements.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Processor name, or "not known".
    pub processor: String,
    /// Hardware threads.
    pub logical_cores: usize,
    /// Available memory in MiB, if known.
    pub available_mib: Option<u64>,
    /// The machine as JSON, with `null` for what is not known.
    pub json: Value,
    /// Names and values for a table.
    rows: Vec<(&'static str, String)>,
}

impl Machine {
    /// Queries this machine.
    pub fn here() -> Self {
        let name = processor();
        let system = match read("/proc/sys/kernel/osrelease") {
            Some(release) => format!("{} {release}", std::env::consts::OS),
            None => std::env::consts::OS.to_owned(),
        };
        let (logical_cores, physical_cores) = (processors::count(), num_cpus::get_physical());
        let numa_nodes = Topology::of_this_system().map(|topology| topology.nodes.len());
        let memory = read("/proc/meminfo").unwrap_or_default();
        let kib = fact(&memory, "MemTotal").and_then(|total| total.split(' ').next()?.parse::<u64>().ok());
        let memory_mib = kib.map(|kib| kib >> 10);
        let pages = read("/sys/kernel/mm/transparent_hugepage/enabled");
        let huge_pages = pages.and_then(|all| Some(all.split_once('[')?.1.split_once(']')?.0.to_owned()));
        let caches = caches();

        let processor = name.clone().unwrap_or_else(|| "not known".into());
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let cores = format!("{}, {}", plural(physical_cores, "core"), plural(logical_cores, "thread"));
        let mut rows = vec![("processor", processor.clone()), ("cores", cores)];
        if !caches.is_empty() {
            rows.push(("caches", caches.iter().map(Cache::text).collect::<Vec<_>>().join(", ")));
        }
        let known = [
            memory_mib.map(|mib| format!("{mib} MiB")),
            numa_nodes.map(|nodes| plural(nodes, "NUMA node")),
            huge_pages.as_ref().map(|pages| format!("huge pages {pages}")),
        ];
        let known: Vec<String> = known.into_iter().flatten().collect();
        if !known.is_empty() {
            rows.push(("memory", known.join(", ")));
        }
        rows.push(("system", system.clone()));
        let json = json!({
            "processor": name,
            "system": system,
            "logical_cores": logical_cores,
            "physical_cores": physical_cores,
            "numa_nodes": numa_nodes,
            "memory_mib": memory_mib,
            "huge_pages": huge_pages,
            "caches": caches.iter().map(Cache::json).collect::<Vec<_>>(),
        });
        let available_mib = memory::available().map(|bytes| bytes / MIB);
        Self { processor, logical_cores, available_mib, json, rows }
    }

    /// A table of the program, the machine and further rows.
    pub fn table(&self, more: &[(&str, String)]) -> String {
        let compiled = [built_for().as_str(), env!("LENTO_TARGET"), env!("LENTO_RUSTC")].join(", ");
        let program = [("version", format!("Lento {SHORT}")), ("compiled for", compiled), ("runs", runs().to_owned())];
        let rows = program.iter().chain(&self.rows).chain(more);
        rows.map(|(name, value)| format!("{name:<13} {value}\n")).collect()
    }
}

/// The program as JSON.
pub fn version() -> Value {
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

/// A cache of the first core.
#[derive(Clone, Debug)]
struct Cache {
    level: u32,
    /// `data`, `instruction` or `unified`.
    kind: String,
    bytes: u64,
    /// Number of instances in the machine.
    instances: usize,
}

impl Cache {
    fn json(&self) -> Value {
        json!({ "level": self.level, "kind": self.kind, "bytes": self.bytes, "instances": self.instances })
    }

    fn text(&self) -> String {
        let kind = if self.kind == "unified" { "" } else { &self.kind[..1] };
        format!("L{}{kind} {} KiB x {}", self.level, self.bytes >> 10, self.instances)
    }
}

fn caches() -> Vec<Cache> {
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let cores: Vec<PathBuf> = cores.map(|entry| entry.path()).collect();
    let cache = |index: usize| -> Option<Cache> {
        let of = |core: &Path, name: &str| read(core.join(format!("cache/index{index}/{name}")));
        let first = |name| of(Path::new("/sys/devices/system/cpu/cpu0"), name);
        let shared: BTreeSet<String> = cores.iter().filter_map(|core| of(core, "shared_cpu_list")).collect();
        Some(Cache {
            level: first("level")?.parse().ok()?,
            kind: first("type")?.to_lowercase(),
            bytes: bytes(&first("size")?)?,
            instances: shared.len().max(1),
        })
    };
    (0..8).map_while(cache).collect()
}

/// Parses sizes like `48K`.
fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = ["", "K", "M", "G"].iter().position(|unit| *unit == &size[digits.len()..])?;
    Some(digits.parse::<u64>().ok()? << (10 * unit))
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
        assert!(machine.json["physical_cores"].as_u64().is_some_and(|cores| cores > 0), "{machine:?}");
        assert!(machine.table(&[("more", "1".into())]).lines().count() >= 7 && machine.json["system"].is_string());
        if cfg!(target_os = "linux") {
            assert!(machine.json["memory_mib"].as_u64() >= machine.available_mib.map(|mib| mib.max(1)), "{machine:?}");
        }
    }
}
