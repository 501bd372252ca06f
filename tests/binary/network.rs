//! `EvalFile`, `--eval-file` and `--simd`.

use crate::harness::{Session, count, lines, run};
use lento_testing::Folder;

/// The embedded network as a file.
const EMBEDDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn");

fn evaluation(session: &mut Session) -> Vec<String> {
    session.send("eval");
    session.sync()
}

#[test]
fn invalid_networks_leave_the_old_one_in_use() {
    let folder = Folder::new("network");
    let valid = std::fs::read(EMBEDDED).unwrap();
    let mut damaged = valid.clone();
    damaged[valid.len() / 2] ^= 4;
    folder.write("text.lnn", b"1. e4 e5\n");
    folder.write("damaged.lnn", &damaged);
    folder.write("short.lnn", &valid[..valid.len() - 100]);

    let mut session = Session::ready();
    session.send("position startpos moves e2e4");
    let before = evaluation(&mut session);
    assert_eq!(count(&before, "Network "), 1, "{before:#?}");
    for (name, reason) in [
        ("missing.lnn", "cannot be read"),
        ("text.lnn", "does not begin with LENTONET"),
        ("damaged.lnn", "checksum is"),
        ("short.lnn", "bytes, expected"),
    ] {
        let lines = session.set("EvalFile", &folder.file(name));
        let quoted = lines.iter().any(|line| {
            line.starts_with("info string ERROR: option EvalFile cannot be set to ")
                && [name, reason, "the network is unchanged"].iter().all(|part| line.contains(part))
        });
        assert!(quoted, "{name}: {lines:#?}");
        assert_eq!(evaluation(&mut session), before);
        session.search("go depth 3");
    }
    session.set("EvalFile", EMBEDDED);
    assert_eq!(evaluation(&mut session), before);
    session.set("EvalFile", "<empty>");
    assert_eq!(evaluation(&mut session), before);
}

#[test]
fn bench_accepts_simd_and_eval_file() {
    let nodes = |args: &[&str]| {
        let output = lines(&run(&[&["bench", "6"], args].concat()));
        output.last().and_then(|line| line.split_once(" nodes ")).expect("a node count").0.to_owned()
    };
    let default = nodes(&[]);
    assert_eq!(nodes(&["--simd", "scalar"]), default);
    assert_eq!(nodes(&["--eval-file", EMBEDDED]), default);
    for (args, part) in
        [(["--simd", "mmx"], "expected one of "), (["--eval-file", "missing.lnn"], "missing.lnn: cannot be read")]
    {
        let output = run(&[&["bench"], &args[..]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(part), "{error}");
    }
}
