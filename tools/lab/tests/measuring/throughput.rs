//! Runs `lento-lab throughput` with the real player and with fake ones.

use super::number;
use lento_testing::{Folder, documented};
use serde_json::{Value, json};
use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio, id};

pub const TESTS: [(&str, fn()); 5] = [
    ("throughput_measures_and_compares", measures_and_compares),
    ("throughput_compares_any_threads_and_files", compares_any_threads_and_files),
    ("throughput_ends_when_precise_or_at_the_deadline", ends_in_time),
    ("throughput_detects_different_checksums", detects_different_checksums),
    ("throughput_keeps_passes_after_ctrl_c", keeps_passes),
];

/// Environment variable for the kind of player.
const PLAYER: &str = "LENTO_TEST_PLAYER";

/// The real player, the real player with fake speeds, or a fake document.
pub fn player() -> ExitCode {
    let Ok(kind) = env::var(PLAYER) else { return lento_player::main() };
    let (speed, sum) = match kind.as_str() {
        "fake-speed" => return fake_speed(),
        "noisy" => {
            eprintln!("noise");
            return ExitCode::FAILURE;
        }
        "steady" => (1e6, 0),
        "unsteady" => (1e6 + f64::from(id() % 7) * 1e5, 0),
        _ => (1e6, id()),
    };
    let figure = json!({ "nps": speed, "checksum": format!("{sum:016x}") });
    let work = json!({ "threads": 1, "nodes": 1, "hash_mib": 1, "positions": 1 });
    println!("{}", json!({ "work": work, "speed": figure, "rate": figure, "version": {}, "machine": {} }));
    ExitCode::SUCCESS
}

/// Runs the real player and reports fake speeds that differ by less than 0.1 %.
fn fake_speed() -> ExitCode {
    let mut real = Command::new(env::current_exe().expect("a path"));
    let mut done = document(&run(real.args(env::args_os().skip(1)).env_remove(PLAYER)).stdout);
    for figure in ["speed", "rate"] {
        done[figure]["nps"] = (1e6 + f64::from(id() % 7) * 100.0).into();
    }
    println!("{done}");
    ExitCode::SUCCESS
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-lab"));
    command.arg("throughput").args(args).stdin(Stdio::null());
    command
}

/// Runs with this program as the player.
fn measuring(args: &[&str]) -> Command {
    let mut command = command(args);
    command.arg("--engine").arg(env::current_exe().expect("a path"));
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

fn document(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn measures_and_compares() {
    let folder = Folder::new("throughput");
    let file = folder.at("a.json");
    let name = |path: &Path| path.display().to_string();
    let work = ["2", "--nodes=2500", "--hash=1", "--positions=3"];
    let output = run(measuring(&[&work[..], &["--json", &name(&file)]].concat()).env(PLAYER, "fake-speed"));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text_of(&output));
    assert!(text_of(&output).contains("stable after 6 passes"), "{}", text_of(&output));
    let text = std::fs::read(&file).expect("a document");
    let found = document(&text);
    documented::check(
        &found,
        "lento throughput",
        &["machine.caches", "machine.nodes", "placement.nodes", "disturbances"],
    );
    check_document(&found, &work);

    let compared = |other: &Path, args: &[&str]| run(command(&["compare", &name(&file), &name(other)]).args(args));
    let same = document(&compared(&file, &["--json"]).stdout);
    assert_eq!((&same["files"][1]["speed"]["ratio"]["estimate"], &same["differences"]), (&1.0.into(), &json!({})));
    let written = |change: &dyn Fn(&mut Value)| {
        let mut other = found.clone();
        change(&mut other);
        folder.write("b.json", other.to_string().as_bytes())
    };
    let other = written(&|other| {
        other["machine"]["governor"] = "powersave".into();
        for end in ["low", "median", "high"] {
            other["results"]["speed"][end] = (2.0 * number(&found["results"]["speed"][end])).into();
        }
    });
    let output = compared(&other, &[]);
    assert!(
        output.status.success()
            && text_of(&output).contains("machine.governor: ")
            && text_of(&output).contains(" | powersave")
    );
    let ratio = document(&compared(&other, &["--json"]).stdout)["files"][1]["speed"]["ratio"].clone();
    assert!(
        number(&ratio["estimate"]) == 2.0 && number(&ratio["low"]) <= 2.0 && number(&ratio["high"]) >= 2.0,
        "{ratio}"
    );
    for (change, part) in [
        (
            &(|other: &mut Value| other["work"]["nodes"] = 7.into()) as &dyn Fn(&mut Value),
            "field /work/nodes: 2500 and 7",
        ),
        (&|other| other["checksum"]["rate"] = "0".into(), "field /checksum/rate: "),
        (
            &|other| {
                other["checksum"]["speed"] = "0".into();
                other["version"]["number"] = "9.9".into();
            },
            "; the versions differ: ",
        ),
        (&|other| other["schema"] = "lento-throughput/0".into(), "field /schema: \"lento-throughput/0\""),
        (&|other| other["results"]["rate"]["median"] = Value::Null, "field /results/rate: invalid type: null"),
    ] {
        let output = compared(&written(change), &[]);
        assert!(
            output.status.code() == Some(1) && output.stdout.is_empty() && text_of(&output).contains(part),
            "{part}: {}",
            text_of(&output)
        );
    }
}

/// Checks the document of [`measures_and_compares`].
fn check_document(found: &Value, work: &[&str]) {
    assert_eq!(found["work"], json!({ "threads": 2, "nodes": 2500, "hash_mib": 1, "positions": 3 }));
    for figure in ["speed", "rate"] {
        let [low, median, high] = ["low", "median", "high"].map(|end| number(&found["results"][figure][end]));
        assert!(0.0 < low && low <= median && median <= high, "{}", found["results"]);
        let passes = found["passes"].as_array().expect("a list").iter().map(|pass| number(&pass[figure]));
        assert_eq!(passes.clone().fold(f64::INFINITY, f64::min), low);
        assert_eq!(passes.fold(0.0, f64::max), high);
    }
    let mut once = Command::new(env::current_exe().expect("a path"));
    let once = document(&run(once.args(["speedtest", "--json"]).args(work)).stdout);
    for figure in ["speed", "rate"] {
        assert_eq!(found["checksum"][figure], once[figure]["checksum"]);
    }
    if cfg!(target_os = "linux") {
        assert!(found["system"]["affinity"].is_string() && number(&found["system"]["hardware_threads"]) >= 1.0);
        let load = number(&found["observed"]["other_load"]);
        assert!((0.0..=number(&found["system"]["hardware_threads"]) + 0.1).contains(&load), "{load}");
    }
}

/// A document with fake figures.
fn fake(found: &Value, threads: u64, speed: f64, rate: f64) -> Value {
    let mut made = found.clone();
    made["work"]["threads"] = threads.into();
    made["checksum"]["speed"] = format!("{threads:016x}").into();
    for (figure, nps) in [("speed", speed), ("rate", rate)] {
        made["results"][figure] = json!({ "low": 0.9 * nps, "median": nps, "high": 1.25 * nps });
    }
    made
}

fn compares_any_threads_and_files() {
    let folder = Folder::new("throughput_files");
    let found = document(&run(measuring(&["--time=1s", "--json=-"]).env(PLAYER, "steady")).stdout);
    let file = |name: &str, made: Value| folder.write(name, made.to_string().as_bytes()).display().to_string();
    let a = file("a.json", fake(&found, 16, 1e6, 16e6));
    let b = file("b.json", fake(&found, 64, 3e6, 32e6));
    let c = file("c.json", fake(&found, 16, 2e6, 24e6));
    let compared = |args: &[&str]| run(command(&["compare"]).args(args));

    let two = text_of(&compared(&[&a, &b]));
    assert!(two.contains(", 16 threads\n") && two.contains(", 64 threads\n"), "{two}");
    let rows: Vec<Vec<&str>> = two.lines().map(|line| line.split_whitespace().collect()).collect();
    let [rate, per_thread] = [["32,000,000", "2.0000", "1.4400", "2.7778"], ["500,000", "0.5000", "0.3600", "0.6944"]];
    let row = [&["B", "3,000,000", "-", "-", "-"][..], &rate, &per_thread].concat();
    assert!(rows.contains(&row), "{row:?}: {two}");
    let two = document(&compared(&[&a, &b, "--json"]).stdout);
    assert_eq!((&two["files"][1]["speed"]["ratio"], &two["work"]["threads"]), (&Value::Null, &Value::Null), "{two}");
    assert_eq!(two["files"][1]["rate"]["ratio"]["estimate"], 2.0);
    assert_eq!(two["files"][1]["rate_per_thread"]["ratio"]["estimate"], 0.5);

    let svg = folder.at("all.svg").display().to_string();
    let three = document(&compared(&[&a, &b, &c, "--json", "--svg", &svg]).stdout);
    let ratio = |nth: usize, figure: &str| three["files"][nth][figure]["ratio"]["estimate"].as_f64();
    assert_eq!([0, 1, 2].map(|nth| ratio(nth, "speed")), [None, None, Some(2.0)], "{three}");
    assert_eq!([0, 1, 2].map(|nth| ratio(nth, "rate")), [None, Some(2.0), Some(1.5)], "{three}");
    assert_eq!([0, 1, 2].map(|nth| ratio(nth, "rate_per_thread")), [None, Some(0.5), Some(1.5)], "{three}");
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert_eq!(picture.matches("<rect").count(), 1 + 3 * 3, "{picture}");
    let shown = text_of(&compared(&[&a, &b, &c]));
    for line in ["nodes/s ", "A ", "B ", "C "] {
        assert!(shown.contains(&format!("\n{line}")), "{line}: {shown}");
    }

    let mut other = fake(&found, 64, 3e6, 32e6);
    other["checksum"]["speed"] = "0".into();
    let none = fake(&found, 0, 1e6, 1e6);
    for (args, part) in [
        ([&a, &b, &file("d.json", other)].as_slice(), "not the same work: field /checksum/speed: "),
        (&[&a, &file("e.json", none)], "e.json: field /work/threads: invalid value: integer `0`, expected a nonzero"),
        (&[&a], "2 values required"),
    ] {
        let args: Vec<&str> = args.iter().map(|arg| arg.as_str()).collect();
        let output = compared(&args);
        assert!(!output.status.success() && text_of(&output).contains(part), "{part}: {}", text_of(&output));
    }
}

fn ends_in_time() {
    let run_as = |kind: &str, code: i32| {
        let output = run(measuring(&["--time=1s", "--json=-"]).env(PLAYER, kind));
        assert_eq!(output.status.code(), Some(code), "{}", text_of(&output));
        document(&output.stdout)
    };
    let steady = run_as("steady", 0);
    assert_eq!((&steady["unstable"], steady["passes"].as_array().map(Vec::len)), (&false.into(), Some(6)));
    let unsteady = run_as("unsteady", 3);
    assert_eq!(unsteady["unstable"], true, "{unsteady}");
    assert!((500.0..4000.0).contains(&number(&unsteady["elapsed_ms"])), "{unsteady}");
    let output = run(measuring(&["--time=1s"]).env(PLAYER, "unsteady"));
    assert!(text_of(&output).contains("\nunstable after "), "{}", text_of(&output));
    let failed = text_of(&run(measuring(&[]).env(PLAYER, "noisy")));
    assert!(failed.lines().count() == 1 && failed.contains(": noise"), "{failed}");
    for (args, part) in
        [(["--within", "0"], "expected a percentage"), (["--engine", "no/such/player"], "no/such/player: ")]
    {
        let output = run(&mut command(&args));
        assert!(!output.status.success() && text_of(&output).contains(part), "{}", text_of(&output));
    }
}

fn detects_different_checksums() {
    let output = run(measuring(&["--json=-"]).env(PLAYER, "broken"));
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{}", text_of(&output));
    assert!(
        text_of(&output).contains("in pass 2 of the same search: this machine does not compute"),
        "{}",
        text_of(&output)
    );
}

fn keeps_passes() {
    if !cfg!(unix) {
        return;
    }
    let mut command = measuring(&["1", "--nodes=100", "--hash=1", "--positions=1", "--within=0.001", "--json=-"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let found = document(&output.stdout);
    assert_eq!(
        (output.status.code(), &found["interrupted"], &found["unstable"]),
        (Some(130), &true.into(), &false.into())
    );
    assert!(found["passes"].as_array().is_some_and(|passes| !passes.is_empty()), "{found}");
}
