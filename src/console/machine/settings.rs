//! Settings of hardware and firmware, from files of Linux that everyone may read.

use super::{fact, read};
use lento::processors::cpu_list;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const CPUS: &str = "sys/devices/system/cpu";
const NODES: &str = "sys/devices/system/node";

/// The settings below this root folder, with `null` for what is not known.
pub(super) fn below(root: &Path) -> [(&'static str, Value); 6] {
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

/// The distinct texts in a file of each CPU: `performance`, or `performance, powersave`.
fn of_cpus(root: &Path, name: &str) -> Option<String> {
    let online = list(root, &format!("{CPUS}/online"))?;
    let texts = online.iter().filter_map(|cpu| read(root.join(format!("{CPUS}/cpu{cpu}/{name}"))));
    let distinct: Vec<String> = texts.collect::<BTreeSet<_>>().into_iter().collect();
    (!distinct.is_empty()).then(|| distinct.join(", "))
}

/// NUMA nodes with their CPUs and memory.
fn nodes(root: &Path) -> Value {
    let node = |number: &usize| {
        let file = |name| read(root.join(format!("{NODES}/node{number}/{name}")));
        let memory = file("meminfo").unwrap_or_default();
        let kib = fact(&memory, &format!("Node {number} MemTotal"));
        let kib: Option<u64> = kib.and_then(|total| total.split(' ').next()?.parse().ok());
        json!({ "number": number, "cpus": file("cpulist"), "memory_mib": kib.map(|kib| kib >> 10) })
    };
    list(root, &format!("{NODES}/online")).unwrap_or_default().iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, remove_dir_all, write};

    #[test]
    fn settings_are_read_below_a_root() {
        let root = std::env::temp_dir().join(format!("lento-settings-{}", std::process::id()));
        let found = || Value::from(serde_json::Map::from_iter(below(&root).map(|(name, value)| (name.into(), value))));
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
