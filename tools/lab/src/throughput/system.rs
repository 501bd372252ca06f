//! The machine and disturbances of a measurement according to Linux: files of `/proc` and `/sys` below a root folder.

use lento::internals::memory::control_groups;
use lento::internals::processors::cpu_list::{self, CpuSet};
use lento_console::machine::{fact, read};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Clock ticks per second in `/proc`, on all supported architectures.
const TICKS: f64 = 100.0;
const CPUS: &str = "sys/devices/system/cpu";

/// A system. Only Linux provides information.
pub struct System {
    root: PathBuf,
    /// CPUs that this process may use.
    cpus: CpuSet,
}

/// Observations during a measurement; `None` if unknown. In [`System::counters`], loads are in CPU seconds and `waiting` is in
/// seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Observed {
    /// Mean number of CPUs used by other processes, of those that this process may use.
    pub other_load: Option<f64>,
    /// Mean number of CPUs stolen by the hypervisor.
    pub stolen: Option<f64>,
    /// Share of time in which a thread of the system waited for a CPU.
    pub waiting: Option<f64>,
    pub thermal_throttles: Option<f64>,
    /// Periods throttled by the CPU limit of the control group.
    pub limit_stops: Option<f64>,
    /// Pages intended for a NUMA node but allocated on another.
    pub foreign_pages: Option<f64>,
    /// Pages allocated on a node by threads of another.
    pub remote_pages: Option<f64>,
    /// Lowest and highest mean clock rate of the fastest CPUs, one per thread.
    pub min_mhz: Option<f64>,
    pub max_mhz: Option<f64>,
    /// Maximum memory of the player in huge pages, in MiB.
    pub huge_pages_mib: Option<f64>,
}

fn number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The number after a name at the start of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| number(line.strip_prefix(name)?.strip_prefix(' ')?))
}

/// The sum of the numbers in texts; `None` without texts or with an invalid one.
fn sum(texts: impl Iterator<Item = String>) -> Option<f64> {
    let all = texts.map(|text| number(&text)).collect::<Option<Vec<f64>>>()?;
    (!all.is_empty()).then(|| all.iter().sum())
}

impl System {
    /// The system with `/proc` and `/sys` below a root.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        let mut system = Self { root: root.into(), cpus: CpuSet::new() };
        system.cpus = system.affinity().and_then(|list| cpu_list::parse(&list).ok()).unwrap_or_default();
        system
    }

    fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        read(self.root.join(path)).filter(|text| !text.is_empty())
    }

    fn affinity(&self) -> Option<String> {
        fact(&self.text("proc/self/status")?, "Cpus_allowed_list").map(str::to_owned)
    }

    /// The text of an existing file of each usable CPU.
    fn of_cpus<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.cpus.iter().filter_map(move |cpu| self.text(format!("{CPUS}/cpu{cpu}/{name}")))
    }

    /// Facts about the machine beyond [`lento_console::machine`].
    pub fn facts(&self) -> Value {
        let cpuinfo = self.text("proc/cpuinfo").unwrap_or_default();
        let list = |path: &str| self.text(path).and_then(|list| cpu_list::parse(&list).ok());
        let online = list(&format!("{CPUS}/online"));
        let distinct = |names: &[&str]| {
            let of = |cpu: &usize| -> Option<Vec<String>> {
                names.iter().map(|name| self.text(format!("{CPUS}/cpu{cpu}/topology/{name}"))).collect()
            };
            Some(online.as_ref()?.iter().map(of).collect::<Option<BTreeSet<_>>>()?.len())
        };
        let mhz = |name: &str| self.of_cpus(name).filter_map(|khz| number(&khz)).reduce(f64::max).map(|khz| khz / 1e3);
        let boost = self.text(format!("{CPUS}/cpufreq/boost")).map(|boost| boost == "1");
        let no_turbo = || self.text(format!("{CPUS}/intel_pstate/no_turbo")).map(|off| off == "0");
        let defrag = self.text("sys/kernel/mm/transparent_hugepage/defrag");
        let defrag = defrag.as_ref().and_then(|all| Some(all.split_once('[')?.1.split_once(']')?.0));
        let flags = fact(&cpuinfo, "flags");
        json!({
            "kernel": self.text("proc/version"),
            "microcode": fact(&cpuinfo, "microcode"),
            "hypervisor": flags.map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            "highest_mhz": mhz("cpufreq/cpuinfo_max_freq"),
            "boost": boost.or_else(no_turbo),
            "sockets": distinct(&["physical_package_id"]),
            "cores": distinct(&["physical_package_id", "core_id"]),
            "hardware_threads": online.as_ref().map(CpuSet::len),
            "nodes": list("sys/devices/system/node/online").map(|nodes| nodes.len()),
            "affinity": self.affinity(),
            "defrag": defrag,
        })
    }

    pub fn counters(&self) -> Observed {
        let stat = self.text("proc/stat").unwrap_or_default();
        // user, nice, system, idle, iowait, irq, softirq, steal
        let of_cpu = |cpu: &usize| -> Option<Vec<f64>> {
            let name = format!("cpu{cpu} ");
            let numbers = stat.lines().find_map(|line| line.strip_prefix(&name))?.split_whitespace();
            numbers.take(8).map(|ticks| ticks.parse().ok()).collect::<Option<Vec<f64>>>().filter(|all| all.len() == 8)
        };
        let ticks: Vec<Vec<f64>> = self.cpus.iter().filter_map(of_cpu).collect();
        let seconds = |columns: &[usize]| {
            let of = |one: &Vec<f64>| columns.iter().map(|&at| one[at]).sum::<f64>() / TICKS;
            (!ticks.is_empty()).then(|| ticks.iter().map(of).sum())
        };
        let own = |text: String| {
            // After the name, which may contain anything: utime, stime, and cutime, cstime of finished children.
            let numbers: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
            Some(numbers.get(11..15)?.iter().filter_map(|ticks| number(ticks)).sum::<f64>() / TICKS)
        };
        let pressure = |text: String| number(text.lines().next()?.split_once("total=")?.1);
        let stops = |group: PathBuf| field(&self.text(group.join("cpu.stat"))?, "nr_throttled");
        let vmstat = self.text("proc/vmstat").unwrap_or_default();
        let (busy, own) = (seconds(&[0, 1, 2, 5, 6]), self.text("proc/self/stat").and_then(own));
        Observed {
            other_load: busy.zip(own).map(|(busy, own)| busy - own),
            stolen: seconds(&[7]),
            waiting: self.text("proc/pressure/cpu").and_then(pressure).map(|us| us / 1e6),
            thermal_throttles: sum(self.of_cpus("thermal_throttle/core_throttle_count")),
            limit_stops: control_groups(&self.root, "cpu").into_iter().filter_map(stops).reduce(|a, b| a + b),
            foreign_pages: field(&vmstat, "numa_foreign"),
            remote_pages: field(&vmstat, "numa_other"),
            ..Observed::default()
        }
    }

    /// Mean clock rate in MHz of the fastest CPUs, one per thread.
    fn mhz(&self, threads: usize) -> Option<f64> {
        let khz = self.of_cpus("cpufreq/scaling_cur_freq").filter_map(|khz| Some(number(&khz)? / 1e3));
        let mut found: Vec<f64> = khz.collect();
        if found.is_empty() {
            let cpuinfo = self.text("proc/cpuinfo")?;
            let each = cpuinfo.lines().filter_map(|line| number(line.strip_prefix("cpu MHz")?.split_once(':')?.1));
            found = each.collect();
        }
        found.sort_by(|a, b| b.total_cmp(a));
        found.truncate(threads);
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    }

    /// Memory of a process in huge pages, in MiB.
    fn huge_pages(&self, process: u32) -> Option<f64> {
        let text = self.text(format!("proc/{process}/smaps_rollup"))?;
        Some(number(fact(&text, "AnonHugePages")?)? / 1024.0)
    }
}

impl Observed {
    /// Samples clock rates and the huge pages of a process while the player runs.
    pub fn sample(&mut self, system: &System, process: Option<u32>, threads: usize) {
        if let Some(mhz) = system.mhz(threads) {
            self.min_mhz = Some(self.min_mhz.map_or(mhz, |min| min.min(mhz)));
            self.max_mhz = Some(self.max_mhz.map_or(mhz, |max| max.max(mhz)));
        }
        let huge = process.and_then(|process| system.huge_pages(process));
        self.huge_pages_mib = huge.into_iter().chain(self.huge_pages_mib).reduce(f64::max);
    }

    /// Adds the differences of counters over a time in seconds.
    pub fn between(self, before: &Self, after: &Self, seconds: f64) -> Self {
        let increase = |of: fn(&Self) -> Option<f64>| Some((of(after)? - of(before)?).max(0.0));
        let mean = |of| Some(increase(of)? / seconds);
        Self {
            other_load: mean(|all| all.other_load),
            stolen: mean(|all| all.stolen),
            waiting: mean(|all| all.waiting),
            thermal_throttles: increase(|all| all.thermal_throttles),
            limit_stops: increase(|all| all.limit_stops),
            foreign_pages: increase(|all| all.foreign_pages),
            remote_pages: increase(|all| all.remote_pages),
            ..self
        }
    }

    /// Describes disturbances of a search with a number of threads and table size.
    pub fn disturbances(&self, system: &System, machine: &Value, threads: u64, hash_mib: u64) -> Vec<String> {
        let (cpus, hash) = (threads as f64, hash_mib as f64);
        let above = |value: Option<f64>, limit: f64| value.filter(|&value| value > limit);
        let limit = machine["cpu_limit"].as_f64().map_or_else(String::new, |limit| format!(" of {limit} CPUs"));
        let varying = self.min_mhz.zip(self.max_mhz).filter(|(min, max)| max > &(min * 1.01));
        let usable = Some(system.cpus.len() as u64).filter(|&usable| usable > 0);
        let few_huge = self.huge_pages_mib.filter(|&huge| huge < hash / 2.0);
        let setting = machine["huge_pages"].as_str().unwrap_or("unknown");
        [
            above(self.other_load, 0.01 * cpus).map(|load| format!("other processes used {load:.2} CPUs")),
            above(self.stolen, 0.005 * cpus).map(|stolen| format!("the hypervisor stole {stolen:.2} CPUs")),
            above(self.waiting, 0.02).map(|part| format!("threads waited for a CPU {:.1} % of the time", 100.0 * part)),
            varying.map(|(min, max)| format!("the clock rate varied between {min:.0} and {max:.0} MHz")),
            above(self.thermal_throttles, 0.0)
                .map(|times| format!("the processor was thermally throttled {times} times")),
            above(self.limit_stops, 0.0)
                .map(|times| format!("the control group limit{limit} throttled the player {times} times")),
            above(self.foreign_pages, 0.0)
                .map(|pages| format!("{pages} pages were not allocated on the intended NUMA node")),
            few_huge
                .map(|huge| format!("{huge:.0} of {hash} MiB of the tables were in huge pages (setting {setting:?})")),
            usable.filter(|&usable| usable < threads).map(|usable| format!("{threads} threads had only {usable} CPUs")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests;
