//! Pages and completions, by the real program.

use std::fs;
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lento-manual")).args(args).output().expect("the program starts")
}

#[test]
fn every_task_has_a_page_and_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(&["man", "--folder", folder.path().to_str().unwrap()]).status.success());
    let page = |name: &str| fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
    let bash = String::from_utf8(run(&["completions", "bash"]).stdout).expect("a script");
    let tasks = [
        "analyse",
        "bench",
        "speedtest",
        "perft",
        "eval",
        "uci",
        "match",
        "throughput",
        "tree",
        "serve",
        "train",
        "man",
    ];
    for task in tasks {
        assert!(page(&format!("lento-{task}")).contains(&format!(".TH lento-{task} 1")), "{task}");
        assert!(page("lento").contains(&format!("lento\\-{task}(1)")), "{task}");
        assert!(bash.contains(&format!("lento__subcmd__{task}")), "{task}");
    }
    assert!(page("lento-tree-grow").contains("\\-\\-time") && page("lento-analyse").contains("\\-\\-html"));
    assert_eq!(
        page("lento-lab"),
        ".so man1/lento.1
"
    );
}

#[test]
fn the_page_of_lento_has_the_commands_and_options_of_uci() {
    let page = String::from_utf8(run(&["man"]).stdout).expect("a page");
    for part in ["go [depth N]", "savehash", "SyzygyPath", "Debug Log File", "1 to 33554432 [default: 16]"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn unknown_shells_and_folders_are_refused() {
    for args in [&["completions", "tcsh"][..], &["man", "--folder", "Cargo.toml/folder"]] {
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty() && said.contains(args[args.len() - 1]), "{said}");
    }
}
