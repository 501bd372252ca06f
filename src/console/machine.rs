//! Machine and build information for measurements.

use lento::engine::Engine;
use lento::eval::Evaluation;
use lento::internals::processors::cpu_list;
use lento::internals::version::{COMMIT, COMPILER, SHORT, TARGET, built_for, runs};
use lento::internals::{PlaceUsage, Topology, memory, processors};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Labels in the table and fields in JSON.
const FACTS: [(&str, &str); 14] = [
    ("processor", "processor"),
    ("cores", "physical_cores"),
    ("usable CPUs", "logical_cores"),
    ("SMT", "smt"),
    ("governor", "governor"),
    ("frequency driver", "frequency_driver"),
    ("board", "board"),
    ("firmware", "firmware"),
    ("CPU limit", "cpu_limit"),
    ("caches", "caches"),
    ("memory, MiB", "memory_mib"),
    ("NUMA nodes", "numa_nodes"),
    ("huge pages", "huge_pages"),
    ("system", "system"),
];

/// This machine as JSON; unknown values are `null`.
pub fn here() -> Value {
    let os = std::env::consts::OS;
    let pages = read("/sys/kernel/mm/transparent_hugepage/enabled");
    let mut found = json!({
        "processor": processor(),
        "system": read("/proc/sys/kernel/osrelease").map_or(os.into(), |release| format!("{os} {release}")),
        "logical_cores": processors::count(),
        "physical_cores": num_cpus::get_physical(),
        "cpu_limit": cpu_limit(Path::new("/")),
        "numa_nodes": Topology::of_this_system().map(|topology| topology.nodes.len()),
        "memory_mib": memory_mib(read("/proc/meminfo"), "MemTotal"),
        "huge_pages": pages.as_ref().and_then(|all| Some(all.split_once('[')?.1.split_once(']')?.0)),
        "caches": caches(),
    });
    for (name, value) in settings(Path::new("/")) {
        found[name] = value;
    }
    found
}

/// Folders of Linux below a root.
const CPUS: &str = "sys/devices/system/cpu";
const NODES: &str = "sys/devices/system/node";

/// Settings of hardware and firmware from world-readable files of Linux below this root folder; unknown values are `null`.
fn settings(root: &Path) -> [(&'static str, Value); 6] {
    let text = |path: &str| read(root.join(path)).filter(|text| !text.is_empty());
    let smt = text(&format!("{CPUS}/smt/active")).map(|active| active == "1");
    [
        ("smt", smt.into()),
        ("governor", of_cpus(root, "cpufreq/scaling_governor").into()),
        ("frequency_driver", of_cpus(root, "cpufreq/scaling_driver").into()),
        ("board", text("sys/class/dmi/id/board_name").into()),
        ("firmware", text("sys/class/dmi/id/bios_version").into()),
        ("nodes", nodes(root)),
    ]
}

fn list(root: &Path, path: &str) -> Option<cpu_list::CpuSet> {
    cpu_list::parse(&read(root.join(path))?).ok()
}

/// The distinct values in a file of each CPU: `performance`, or `performance, powersave`.
fn of_cpus(root: &Path, name: &str) -> Option<String> {
    let online = list(root, &format!("{CPUS}/online"))?;
    let texts = online.iter().filter_map(|cpu| read(root.join(format!("{CPUS}/cpu{cpu}/{name}"))));
    let distinct: Vec<String> = texts.collect::<BTreeSet<_>>().into_iter().collect();
    (!distinct.is_empty()).then(|| distinct.join(", "))
}

fn nodes(root: &Path) -> Value {
    let node = |number: &usize| {
        let file = |name| read(root.join(format!("{NODES}/node{number}/{name}")));
        let memory = memory_mib(file("meminfo"), &format!("Node {number} MemTotal"));
        json!({ "number": number, "cpus": file("cpulist"), "memory_mib": memory })
    };
    list(root, &format!("{NODES}/online")).unwrap_or_default().iter().map(node).collect()
}

/// A size in a list such as `/proc/meminfo`, in MiB.
fn memory_mib(list: Option<String>, name: &str) -> Option<u64> {
    let kib: u64 = fact(&list?, name)?.split(' ').next()?.parse().ok()?;
    Some(kib >> 10)
}

/// The placement of an engine's threads on NUMA nodes.
pub fn placement(engine: &mut Engine) -> Value {
    let places = engine.places();
    let node = |usage: &PlaceUsage| {
        json!({
            "cpus": cpu_list::format(&usage.place.cpus),
            "memory_nodes": cpu_list::format(&usage.place.memory),
            "threads": usage.threads,
            "bound": usage.bound,
        })
    };
    json!({
        "policy": engine.numa_policy().to_string(),
        "unbound": places.as_ref().err(),
        "nodes": places.iter().flatten().map(node).collect::<Vec<_>>(),
    })
}

/// The CPU quota of the tightest control group, in CPUs.
pub fn cpu_limit(root: &Path) -> Option<f64> {
    let number = |text: &str| text.split_whitespace().next()?.parse::<f64>().ok();
    let limit = |group: &PathBuf| {
        if let Some(both) = read(group.join("cpu.max")) {
            return Some(number(&both)? / number(both.split_once(' ')?.1)?);
        }
        let number = |name: &str| number(&read(group.join(name))?);
        Some(number("cpu.cfs_quota_us").filter(|&quota| quota > 0.0)? / number("cpu.cfs_period_us")?)
    };
    memory::control_groups(root, "cpu").iter().filter_map(limit).reduce(f64::min)
}

/// A table of program, machine and further rows.
pub fn table(machine: &Value, more: &[(&str, String)]) -> String {
    let compiled = [built_for().as_str(), TARGET, COMPILER].join(", ");
    let program = [("version", format!("Lento {SHORT}")), ("compiled for", compiled), ("runs", runs().to_owned())];
    let machine = FACTS.map(|(label, field)| (label, text(&machine[field])));
    let rows = program.iter().chain(&machine).chain(more).filter(|(_, value)| !value.is_empty());
    rows.map(|(label, value)| format!("{label:<16} {value}\n")).collect()
}

/// The text of a value in the table; empty if unknown.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(on) => if *on { "on" } else { "off" }.into(),
        Value::String(text) => text.clone(),
        Value::Array(caches) => caches.iter().map(cache_text).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

fn cache_text(cache: &Value) -> String {
    let kind = cache["kind"].as_str().filter(|kind| *kind != "unified").map_or("", |kind| &kind[..1]);
    let kib = cache["bytes"].as_u64().unwrap_or(0) >> 10;
    format!("L{}{kind} {kib} KiB x {}", cache["level"], cache["instances"])
}

/// The program as JSON.
pub fn version() -> Value {
    json!({
        "number": env!("CARGO_PKG_VERSION"),
        "commit": COMMIT,
        "target": TARGET,
        "compiler": COMPILER,
        "built_for": built_for(),
        "runs": runs(),
        "evaluation": Evaluation::default().to_string(),
    })
}

/// Reads a small system file.
pub fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The value of `name: value` in a list such as `/proc/cpuinfo`.
pub fn fact<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    list.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        (known.trim() == name).then(|| value.trim())
    })
}

fn processor() -> Option<String> {
    let listed = read("/proc/cpuinfo").unwrap_or_default();
    let linux = ["model name", "Model", "Hardware", "cpu model"].iter().find_map(|name| fact(&listed, name));
    let name = linux.map(str::to_owned).or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok()).or_else(|| {
        let output = cfg!(target_os = "macos")
            .then(|| std::process::Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok())??;
        String::from_utf8(output.stdout).ok().map(|name| name.trim().to_owned())
    });
    name.filter(|name| !name.is_empty())
}

/// The caches of the first core, each with the number of such caches in the machine.
fn caches() -> Vec<Value> {
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let cores: Vec<PathBuf> = cores.map(|entry| entry.path()).collect();
    let cache = |index: usize| -> Option<Value> {
        let of = |core: &Path, name: &str| read(core.join(format!("cache/index{index}/{name}")));
        let first = |name| of(Path::new("/sys/devices/system/cpu/cpu0"), name);
        let shared: BTreeSet<String> = cores.iter().filter_map(|core| of(core, "shared_cpu_list")).collect();
        Some(json!({
            "level": first("level")?.parse::<u32>().ok()?,
            "kind": first("type")?.to_lowercase(),
            "bytes": bytes(&first("size")?)?,
            "instances": shared.len().max(1),
        }))
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
    use std::fs::{create_dir_all, remove_dir_all, write};

    #[test]
    fn facts_are_found_by_name() {
        let list = "processor\t: 0\nmodel name\t: A Processor: 3 GHz\nMemTotal:  2048 kB\n";
        assert_eq!(fact(list, "model name"), Some("A Processor: 3 GHz"));
        assert_eq!(fact(list, "model"), None);
        assert_eq!([bytes("48K"), bytes("2M"), bytes("7"), bytes("x")], [Some(49_152), Some(2 << 20), Some(7), None]);
    }

    #[test]
    fn this_machine_is_plausible() {
        let machine = here();
        assert!(machine["physical_cores"].as_u64().is_some_and(|cores| cores > 0), "{machine:?}");
        assert!(table(&machine, &[("more", "1".into())]).lines().count() >= 7 && machine["system"].is_string());
        if cfg!(target_os = "linux") {
            let available = lento::internals::memory::available().map(|bytes| (bytes >> 20).max(1));
            assert!(machine["memory_mib"].as_u64() >= available, "{machine:?}");
        }
    }

    #[test]
    fn settings_are_read_below_a_root() {
        let root = std::env::temp_dir().join(format!("lento-settings-{}", std::process::id()));
        let found =
            || Value::from(serde_json::Map::from_iter(settings(&root).map(|(name, value)| (name.into(), value))));
        let unknown = json!({
            "smt": null, "governor": null, "frequency_driver": null, "board": null, "firmware": null, "nodes": [],
        });
        assert_eq!(found(), unknown);
        for (path, text) in [
            ("sys/devices/system/cpu/online", "0-2"),
            ("sys/devices/system/cpu/smt/active", "1"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"),
            ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil"),
            ("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq"),
            ("sys/class/dmi/id/board_name", "H13SSL"),
            ("sys/class/dmi/id/bios_version", "1.9"),
            ("sys/devices/system/node/online", "0,2"),
            ("sys/devices/system/node/node0/cpulist", "0-2"),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:  2048000 kB\nNode 0 MemFree:  7 kB"),
            ("sys/devices/system/node/node2/cpulist", ""),
        ] {
            let file = root.join(path);
            create_dir_all(file.parent().unwrap()).unwrap();
            write(file, format!("{text}\n")).unwrap();
        }
        let known = json!({
            "smt": true,
            // CPU 3 is offline.
            "governor": "powersave, schedutil",
            "frequency_driver": "acpi-cpufreq",
            "board": "H13SSL",
            "firmware": "1.9",
            "nodes": [
                { "number": 0, "cpus": "0-2", "memory_mib": 2000 },
                { "number": 2, "cpus": "", "memory_mib": null },
            ],
        });
        assert_eq!(found(), known);
        remove_dir_all(root).unwrap();
    }
}
