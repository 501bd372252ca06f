//! Pages and completions of the real program.

use std::fs;
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lento-manual")).args(args).output().expect("the program starts")
}

#[test]
fn tasks_have_pages_and_completions() {
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
    assert_eq!(page("lento-lab"), ".so man1/lento.1\n");
}

#[test]
fn lento_page_lists_uci_commands_and_options() {
    let page = String::from_utf8(run(&["man"]).stdout).expect("a page");
    for part in ["go [depth N]", "savehash", "SyzygyPath", "Debug Log File", "1 to 33554432 [default: 16]"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn unknown_shells_and_invalid_folders_are_errors() {
    for args in [&["completions", "tcsh"][..], &["man", "--folder", "Cargo.toml/folder"]] {
        let output = run(args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty() && message.contains(args[args.len() - 1]),
            "{message}"
        );
    }
}
