//! The option `NumaPolicy`: values, messages and the affinity that the OS reports; scheduling policies.

use super::harness::Session;
use lento_testing::Folder;
use std::collections::BTreeSet;
use std::fs::{create_dir_all, read_dir, read_to_string, write};
use std::process::Command;

/// Allowed CPUs of each worker thread of a process, in thread order.
fn affinity(process: u32) -> Vec<String> {
    let tasks = read_dir(format!("/proc/{process}/task")).expect("the threads of the process");
    let mut workers: Vec<(String, String)> = tasks
        .filter_map(|task| {
            let folder = task.ok()?.path();
            let name = read_to_string(folder.join("comm")).ok()?.trim().to_owned();
            let status = read_to_string(folder.join("status")).ok()?;
            let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().to_owned();
            name.starts_with("worker").then_some((name, list))
        })
        .collect();
    workers.sort();
    workers.into_iter().map(|(_, list)| list).collect()
}

/// CPUs available to this process.
fn usable() -> Vec<usize> {
    lento::internals::processors::allowed().expect("Linux reports it").into_iter().collect()
}

#[test]
fn threads_are_bound_as_listed() {
    let mut session = Session::ready();
    let cpus = usable();
    let [first, last] = [cpus[0], cpus[cpus.len() - 1]].map(|cpu| cpu.to_string());
    session.set("Threads", "3");
    let free: BTreeSet<String> = affinity(session.id()).into_iter().collect();
    assert_eq!(free.len(), 1, "{free:?}");

    let lines = session.set("numapolicy", &format!("{first}-{first}"));
    let expected = format!("info string NumaPolicy {first}: 3 of 3 threads bound, to 1 node; 1 copy of the network");
    assert_eq!(lines[0], expected, "{lines:#?}");
    assert_eq!(affinity(session.id()), [first.as_str(); 3]);
    // Later threads are bound as well.
    session.set("Threads", "4");
    assert_eq!(affinity(session.id()), [first.as_str(); 4]);
    session.search("position startpos\ngo depth 6");

    if first != last {
        let lines = session.set("NumaPolicy", &format!("{last}:{first}"));
        assert!(lines[0].contains(": 4 of 4 threads bound, to 2 nodes; 2 copies of the network"), "{lines:#?}");
        assert!(lines[1].starts_with(&format!("info string node 0: CPUs {last}, ")), "{lines:#?}");
        assert!(lines[1].ends_with(", 2 threads, with its own network"), "{lines:#?}");
        assert_eq!(affinity(session.id()), [last.as_str(), &first, &last, &first]);
        session.search("go depth 6");
    }
    let lines = session.set("NumaPolicy", "none");
    assert_eq!(lines, ["info string NumaPolicy none: threads are not bound: disabled by the policy"]);
    assert_eq!(affinity(session.id()).into_iter().collect::<BTreeSet<_>>(), free);
    session.search("go depth 6");
}

#[test]
fn invalid_policies_are_quoted_and_ignored() {
    let mut session = Session::ready();
    let cpu = usable()[0].to_string();
    session.set("NumaPolicy", &cpu);
    for bad in ["everywhere", "0-", "0:0", "0::1", "1023", "1024", "3-1", "0,0", ""] {
        let lines = session.set("NumaPolicy", bad);
        let start = format!("info string ERROR: option NumaPolicy cannot be set to {bad:?}: ");
        assert!(lines.len() == 1 && lines[0].starts_with(&start), "{bad}: {lines:#?}");
        let end = format!("; it stays at {cpu}");
        assert!(lines[0].contains("expected ") && lines[0].ends_with(&end), "{bad}: {lines:#?}");
        assert_eq!(affinity(session.id()), [cpu.as_str()]);
    }
}

#[test]
fn single_node_is_reported_once() {
    let nodes = read_to_string("/sys/devices/system/node/online").unwrap_or_default();
    if nodes.trim() != "0" {
        return;
    }
    let mut session = Session::ready();
    let free = affinity(session.id());
    let lines = session.set("Threads", "2");
    let start = "info string NumaPolicy auto: threads are not bound: there is one memory node, with ";
    assert!(lines[0].starts_with(start), "{lines:#?}");
    // The table is allocated at `isready`.
    assert!(lines.len() == 2 && lines[1].starts_with("info string Hash 16 MiB"), "{lines:#?}");
    for (name, value) in [("Hash", "8"), ("Threads", "4"), ("Hash", "2"), ("MultiPV", "2"), ("NumaPolicy", "auto")] {
        let lines = session.set(name, value);
        let table = format!("info string Hash {value} MiB");
        assert!(lines.iter().all(|line| line.starts_with(&table)), "{name}: {lines:#?}");
        assert_eq!(lines.len(), usize::from(name == "Hash"), "{name}: {lines:#?}");
    }
    assert_eq!(affinity(session.id()), vec![free[0].clone(); 4]);
}

/// Runs the binary in a mount namespace with a fake `/sys/devices`.
#[test]
fn main_thread_is_bound_to_fast_cores() {
    let cpus = usable();
    let [fast, slow @ ..] = &cpus[..] else { return };
    let devices = Folder::new("cores");
    for cpu in &cpus {
        let folder = devices.path().join(format!("system/cpu/cpu{cpu}"));
        create_dir_all(&folder).expect("a folder");
        write(folder.join("cpu_capacity"), if cpu == fast { "1024" } else { "446" }).expect("a file");
    }
    let in_namespace = |program: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["-rm", "sh", "-c", "mount --bind \"$0\" /sys/devices && exec \"$1\""])
            .arg(devices.path())
            .arg(program);
        command
    };
    if slow.is_empty() || !in_namespace("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: requires two CPUs and mount namespaces");
        return;
    }
    let mut session = Session::from_command(in_namespace(env!("CARGO_BIN_EXE_lento")));
    session.send("uci\nisready");
    session.read_until("readyok");
    let all = affinity(session.id())[0].clone();
    let fast = fast.to_string();
    let cores = |lines: &[String]| lines.iter().find(|line| line.starts_with("info string Cores: ")).cloned();
    let line = cores(&session.set("Threads", "2")).expect("a line about cores");
    assert!(line.starts_with(&format!("info string Cores: fast CPUs {fast}, slow CPUs ")), "{line}");
    assert!(line.ends_with(&format!("; the main thread is bound to CPUs {fast}")), "{line}");
    assert_eq!(affinity(session.id()), [fast.as_str(), &all]);
    session.search("position startpos\ngo depth 6");
    assert_eq!(cores(&session.set("NumaPolicy", "none")), None);
    assert_eq!(affinity(session.id()), [all.as_str(), &all]);
    session.set("NumaPolicy", "auto");
    assert_eq!(affinity(session.id()), [fast.as_str(), &all]);
    session.set("Threads", "1");
    assert_eq!(affinity(session.id()), [all.as_str()]);
}

#[test]
fn threads_keep_the_scheduling_policy() {
    const SCHED_IDLE: &str = "5";
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", env!("CARGO_BIN_EXE_lento")]);
    let mut session = Session::from_command(command);
    session.set("Threads", "3");
    let tasks = read_dir(format!("/proc/{}/task", session.id())).expect("the threads of the process");
    for task in tasks {
        let stat = read_to_string(task.expect("a thread").path().join("stat")).expect("its state");
        let (name, fields) = stat.rsplit_once(')').expect("a name");
        assert_eq!(fields.split_whitespace().nth(38), Some(SCHED_IDLE), "{name}");
    }
}

#[test]
fn hardware_policy_overrides_process_affinity() {
    let cpus = usable();
    if cpus.len() < 2 {
        return;
    }
    let first = cpus[0];
    let limited = move || {
        lento::internals::processors::bind(&[first].into()).expect("a CPU of this process");
        Session::ready()
    };
    let mut session = std::thread::spawn(limited).join().expect("a session");
    session.set("Threads", "2");
    assert_eq!(affinity(session.id()), vec![first.to_string(); 2]);
    let lines = session.set("NumaPolicy", "hardware");
    assert!(lines[0].starts_with("info string NumaPolicy hardware: 2 of 2 threads bound, to "), "{lines:#?}");
    let lists: Vec<_> = affinity(session.id());
    assert!(lists.iter().any(|list| *list != first.to_string()), "{lists:?}");
    session.search("position startpos\ngo depth 6");
    // A refused policy changes nothing; another policy restores the affinity.
    session.set("NumaPolicy", "1023");
    assert_eq!(affinity(session.id()), lists);
    session.set("NumaPolicy", "auto");
    assert_eq!(affinity(session.id()), vec![first.to_string(); 2]);
}
