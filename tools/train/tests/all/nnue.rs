//! Runs the commands of `docs/training.md` on a small scale with `LENTO_DOCS=1`.
#![cfg(unix)]

use lento_testing::Folder;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, iter};

/// Small values for the variables set at the start of the document.
const SIZES: &[(&str, &str)] = &[
    ("SHARD", "100"),
    ("GAMES", "200"),
    ("CHECK", "40"),
    ("LIMIT", "soft=20"),
    ("HIDDEN", "32"),
    ("THREATS", "32"),
    ("EPOCHS", "2"),
    ("BATCH", "256"),
    ("PAIRS", "2"),
    ("NODES", "100"),
    ("GOLD", "60"),
    ("LABEL", "200"),
    ("ANEW", "300"),
    ("ANEW_LIMIT", "soft=40,hard=80"),
];

/// The shell commands of the document, in order.
fn commands(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line) {
            (None, "```sh") => open = Some(String::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => *block += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    blocks
}

#[test]
fn commands_of_the_training_page_run() {
    if env::var_os("LENTO_DOCS").is_none() {
        return eprintln!("skipped: LENTO_DOCS=1 runs the commands of docs/training.md");
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/training.md")).unwrap();
    let mut blocks = commands(&text);
    assert!(blocks.len() >= 3, "{blocks:?}");
    let sizes = blocks.remove(0);
    let mut script =
        String::from("set -eu\nlento() { case $1 in match) lento-lab \"$@\" ;; *) lento-train \"$@\" ;; esac }\n");
    for (name, value) in SIZES {
        assert!(sizes.contains(&format!("{name}=")), "{name} is not set in the document:\n{sizes}");
        script += &format!("{name}={value}\n");
    }
    assert_eq!(sizes.lines().filter(|line| line.contains('=')).count(), SIZES.len(), "{sizes}");
    // `lento-lab` belongs to another package, which `cargo test --workspace` also builds.
    let programs = Path::new(crate::PROGRAM).parent().unwrap();
    if !programs.join(format!("lento-lab{EXE_SUFFIX}")).exists() {
        println!("skipped: the matches of docs/training.md, without lento-lab");
        script += "lento-lab() { echo \"Elo: not played\"; }\n";
    }
    script += &blocks.concat();

    let folder = Folder::new("nnue-document");
    // `lento wdl --write` changes a copy of the source.
    std::fs::create_dir_all(folder.at("src/eval")).unwrap();
    std::fs::copy(root.join("src/eval/wdl.rs"), folder.at("src/eval/wdl.rs")).unwrap();
    // Book and tablebases.
    std::os::unix::fs::symlink(root.join("tests/data/syzygy"), folder.at("syzygy")).unwrap();
    folder.write("openings.epd", b"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -\n");
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = iter::once(programs.to_owned()).chain(env::split_paths(&paths));
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}\n{out}\n{error}");
    for part in ["games", "kept", "validation", "Elo", "inside searches"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let names = folder.names();
    assert!(names.iter().any(|name| name.ends_with(".lnn")), "{names:?}");
}
