//! Runs `lento-lab factors`.

use lento_testing::Folder;
use lento_testing::driver::{json, kill_once, lines};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn command(arguments: &str) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.args(["factors", "--limit", "nodes=300", "--hash", "1"]).args(arguments.split_whitespace());
    command
}

fn run(arguments: &str) -> Output {
    command(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn result_is_independent_of_concurrency() {
    let words = "LMR=off rfp_depth=8,rfp_margin=90 --pairs 4 --json --concurrency";
    let (one, other) = (run(&format!("{words} 1")), run(&format!("{words} 3")));
    assert_eq!(text(&one.stdout), text(&other.stdout));
    let document = json(&one);
    assert_eq!((&document["pairs"], &document["games"]), (&4.into(), &8.into()));
    let factors = document["factors"].as_array().unwrap();
    assert_eq!(factors.len(), 2);
    for factor in factors {
        assert!(factor["elo"].is_f64() && factor["z"].is_f64(), "{factor}");
        assert!(factor["error"].as_f64().is_some_and(|error| error > 0.0), "{factor}");
    }
    let document = json(&run("LMR=off lmr_pv=0 --pairs 2 --json"));
    assert_eq!(document["factors"][0]["elo"], Value::Null, "too few pairs");
}

#[test]
fn killed_run_resumes_to_the_same_result() {
    let folder = Folder::new("factors");
    let at = |name: &str| folder.at(name);
    let words = "--ideas=ProbCut --ideas=killer LMR=off --pairs 12";
    let paths = |name: &str| format!("--markdown {0}.md --svg {0}.svg", at(name).display());
    let whole = run(&format!("{words} {}", paths("whole")));
    assert!(whole.status.success(), "{whole:?}");
    let warning = text(&whole.stderr);
    assert!(warning.contains("lmr_killer (LMR: less for the killer; killer move)"), "{warning}");

    let journaled = format!("{words} --journal {} {}", at("journal").display(), paths("resumed"));
    kill_once(&mut command(&journaled), "no pair is stored", || lines(&at("journal")) >= 3);
    let resumed = run(&journaled);
    assert!(resumed.status.success(), "{resumed:?}");
    assert_eq!(text(&whole.stdout), text(&resumed.stdout));
    assert_eq!(lines(&at("journal")), 13);
    // Only the commands differ.
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| !line.starts_with("lento factors")).map(str::to_owned).collect::<Vec<_>>()
    };
    for ending in ["md", "svg"] {
        assert_eq!(read(&at(&format!("whole.{ending}"))), read(&at(&format!("resumed.{ending}"))));
    }
    let page = std::fs::read_to_string(at("whole.md")).unwrap();
    assert!(page.contains("| ProbCut (`probcut_depth=255`) |") && page.contains("--ideas=killer"), "{page}");
    assert!(page.contains("--markdown whole.md") && !page.contains(&*folder.path().to_string_lossy()), "{page}");
}

/// The page quotes the command.
#[cfg(target_os = "linux")]
#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("factors-name");
    let page = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.md"));
    let done = command("LMR=off --pairs 2 --markdown").arg(&page).output().unwrap();
    assert!(done.status.success() && page.exists(), "{done:?}");
}

#[test]
fn lists_features() {
    let listed = text(&run("--ideas=null --list").stdout);
    assert!(listed.lines().count() >= 4 && listed.lines().all(|line| line.contains("null move")), "{listed}");
    assert!(listed.contains("null_min_depth=255"), "{listed}");
}

#[test]
fn errors_quote_invalid_arguments() {
    for (words, part) in [
        ("rfp_margn=80", "\"rfp_margn\"; did you mean rfp_margin?"),
        ("rfp_margin=9", "rfp_margin=9"),
        ("rfp_margin", "\"rfp_margin\"; expected NAME=VALUE"),
        ("--ideas=telepathy", "\"telepathy\""),
        ("", "no factor to measure"),
    ] {
        let output = run(words);
        let message = text(&output.stderr);
        assert!(!output.status.success() && message.contains(part), "{words}: {message}");
    }
}
