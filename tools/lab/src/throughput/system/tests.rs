use super::*;
use lento_console::machine::cpu_limit;
use lento_testing::Folder;

/// Files below a root as on a server.
const SERVER: [(&str, &str); 28] = [
    ("proc/version", "Linux version 6.8.0 (gcc 13.2.0) #1 SMP\n"),
    ("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xa0011d5\nflags\t\t: fpu sse2 avx2\ncpu MHz\t\t: 1500.000\n"),
    ("proc/self/status", "Name:\tlento-lab\nCpus_allowed:\t7\nCpus_allowed_list:\t0-2\n"),
    ("proc/self/cgroup", "0::/user.slice/a.scope\n"),
    ("sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n"),
    ("sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 9\nnr_periods 7\nnr_throttled 4\nthrottled_usec 1000\n"),
    ("sys/fs/cgroup/user.slice/a.scope/cpu.max", "max 100000\n"),
    ("sys/fs/cgroup/user.slice/a.scope/cpu.stat", "nr_throttled 9\n"),
    ("sys/devices/system/cpu/online", "0-3\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n"),
    ("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "1000000\n"),
    ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
    ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"),
    ("sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n"),
    ("sys/devices/system/cpu/cpu3/topology/physical_package_id", "1\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_id", "0\n"),
    ("sys/devices/system/cpu/cpu1/topology/core_id", "0\n"),
    ("sys/devices/system/cpu/cpu2/topology/core_id", "0\n"),
    ("sys/devices/system/cpu/cpu3/topology/core_id", "1\n"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n"),
    ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n"),
    ("sys/devices/system/node/online", "0-1\n"),
    ("sys/kernel/mm/transparent_hugepage/defrag", "always defer [madvise] never\n"),
    ("proc/pressure/cpu", "some avg10=1.00 avg60=0.50 avg300=0.10 total=1000000\nfull avg10=0.00 total=9\n"),
    ("proc/17/smaps_rollup", "5500-7ffd ---p 00000000 00:00 0 [rollup]\nRss: 99999 kB\nAnonHugePages:     14336 kB\n"),
];

/// Counters: `/proc/stat`, `/proc/self/stat`, `/proc/vmstat`.
const BEFORE: [(&str, &str); 3] = [
    (
        "proc/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 50 900 0 0 0 5 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 0 0 0\n",
    ),
    ("proc/self/stat", "7 (la b) R 1 7 7 0 -1 4194304 1 0 0 0 10 5 100 5 20 0 1 0 1\n"),
    ("proc/vmstat", "nr_free_pages 1\nnuma_hit 5\nnuma_foreign 3\nnuma_other 0\n"),
];
const AFTER: [(&str, &str); 5] = [
    (
        "proc/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 500 100 60 900 0 20 20 105 0 0\ncpu1 150 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\ncpu3 9999 0 0 0 0 0 0 9999 0 0\n",
    ),
    ("proc/self/stat", "7 (la b) R 1 7 7 0 -1 4194304 1 0 0 0 10 5 300 5 20 0 1 0 1\n"),
    ("proc/vmstat", "nr_free_pages 1\nnuma_hit 5\nnuma_foreign 8\nnuma_other 6\n"),
    ("proc/pressure/cpu", "some avg10=1.00 avg60=0.50 avg300=0.10 total=3000000\n"),
    ("sys/fs/cgroup/user.slice/cpu.stat", "nr_periods 9\nnr_throttled 6\n"),
];

fn write(root: &Folder, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::create_dir_all(root.at(name).parent().unwrap()).unwrap();
        root.write(name, text.as_bytes());
    }
}

#[test]
fn reads_facts_of_a_server() {
    let root = Folder::new("system");
    write(&root, &SERVER);
    let facts = System::below(root.path()).facts();
    let expected = json!({
        "kernel": "Linux version 6.8.0 (gcc 13.2.0) #1 SMP",
        "microcode": "0xa0011d5",
        "hypervisor": false,
        "highest_mhz": 3400.0,
        "boost": true,
        "sockets": 2,
        "cores": 3,
        "hardware_threads": 4,
        "nodes": 2,
        "affinity": "0-2",
        "defrag": "madvise",
    });
    assert_eq!(facts, expected);
}

#[test]
fn reads_limits_of_cgroup_v1() {
    let root = Folder::new("system");
    let group = "sys/fs/cgroup/cpu/box/cpu";
    write(&root, &[("proc/self/cgroup", "4:memory:/m\n2:cpu,cpuacct:/box\n0::/\n")]);
    write(&root, &[(&format!("{group}.cfs_quota_us"), "150000"), (&format!("{group}.cfs_period_us"), "100000")]);
    write(&root, &[(&format!("{group}.stat"), "nr_periods 5\nnr_throttled 2\nthrottled_time 3\n")]);
    let system = System::below(root.path());
    assert_eq!((cpu_limit(&system.root), system.counters().limit_stops), (Some(1.5), Some(2.0)));
    root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", b"-1");
    assert_eq!(cpu_limit(&system.root), None);
}

#[test]
fn observes_and_describes_disturbances() {
    let root = Folder::new("system");
    write(&root, &SERVER);
    write(&root, &BEFORE);
    let system = System::below(root.path());
    let before = system.counters();
    let mut observed = Observed::default();
    observed.sample(&system, Some(17), 2);
    write(&root, &AFTER);
    root.write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", b"4");
    root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", b"2000000");
    observed.sample(&system, None, 2);
    let found = observed.between(&before, &system.counters(), 10.0);
    // This process used 2 of 7 busy seconds on its CPUs.
    let expected = Observed {
        other_load: Some(0.5),
        stolen: Some(0.1),
        waiting: Some(0.2),
        thermal_throttles: Some(1.0),
        limit_stops: Some(2.0),
        foreign_pages: Some(5.0),
        remote_pages: Some(6.0),
        min_mhz: Some(2000.0),
        max_mhz: Some(2500.0),
        huge_pages_mib: Some(14.0),
    };
    assert_eq!(found, expected);
    let machine = json!({ "cpu_limit": cpu_limit(&system.root), "huge_pages": "madvise" });
    let disturbances = found.disturbances(&system, &machine, 4, 64);
    let parts = [
        "other processes used 0.50 CPUs",
        "the hypervisor stole 0.10 CPUs",
        "waited for a CPU 20.0 %",
        "between 2000 and 2500 MHz",
        "thermally throttled 1 times",
        "limit of 2.5 CPUs throttled the player 2 times",
        "5 pages were not allocated on the intended NUMA node",
        "14 of 64 MiB of the tables were in huge pages (setting \"madvise\")",
        "4 threads had only 3 CPUs",
    ];
    assert_eq!(disturbances.len(), parts.len(), "{disturbances:#?}");
    assert!(
        disturbances.iter().zip(parts).all(|(disturbances, part)| disturbances.contains(part)),
        "{disturbances:#?}"
    );
    let undisturbed = observe_undisturbed(&system);
    assert_eq!(undisturbed.disturbances(&system, &machine, 2, 16), [""; 0]);
}

fn observe_undisturbed(system: &System) -> Observed {
    let mut undisturbed = Observed::default();
    undisturbed.sample(system, Some(17), 2);
    let counters = system.counters();
    undisturbed.between(&counters, &counters, 10.0)
}

#[test]
fn other_systems_are_unknown() {
    let root = Folder::new("system");
    let system = System::below(root.path());
    let facts = system.facts();
    assert!(facts.as_object().unwrap().values().all(Value::is_null), "{facts}");
    assert_eq!(system.counters(), Observed::default());
    let undisturbed = observe_undisturbed(&system);
    assert_eq!(undisturbed, Observed::default());
    assert!(undisturbed.disturbances(&system, &Value::Null, 8, 128).is_empty());
}
