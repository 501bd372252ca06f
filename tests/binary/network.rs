//! Networks and the choice of the evaluation, with the real binary.

use crate::harness::{Folder, Session, count, lines, run};

/// The network inside the program, as a file.
const EMBEDDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn");

fn evaluation(session: &mut Session) -> Vec<String> {
    session.say("eval");
    session.sync()
}

#[test]
fn files_that_are_no_network_leave_the_old_one_in_use() {
    let folder = Folder::new("network");
    let good = std::fs::read(EMBEDDED).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 4;
    folder.write("text.lnn", "1. e4 e5\n");
    folder.write("damaged.lnn", damaged);
    folder.write("short.lnn", &good[..good.len() - 100]);

    let mut session = Session::ready();
    session.say("position startpos moves e2e4");
    let before = evaluation(&mut session);
    assert_eq!(count(&before, "Network "), 1, "{before:#?}");
    for (name, reason) in [
        ("missing.lnn", "cannot be read"),
        ("text.lnn", "does not begin with LENTONET"),
        ("damaged.lnn", "checksum is"),
        ("short.lnn", "bytes, expected"),
    ] {
        let said = session.set("EvalFile", &folder.file(name));
        let quoted = said.iter().any(|line| {
            line.starts_with("info string ERROR: option EvalFile cannot be set to ")
                && [name, reason, "the network stays as it was"].iter().all(|part| line.contains(part))
        });
        assert!(quoted, "{name}: {said:#?}");
        assert_eq!(evaluation(&mut session), before);
        session.search("go depth 3");
    }
    session.set("EvalFile", EMBEDDED);
    assert_eq!(evaluation(&mut session), before);
    session.set("EvalFile", "<empty>");
    assert_eq!(evaluation(&mut session), before);
}

#[test]
fn the_bench_takes_instruction_set_and_file() {
    let nodes = |args: &[&str]| {
        let told = lines(&run(&[&["bench", "6"], args].concat()));
        told.last().and_then(|line| line.split_once(" nodes ")).expect("a node count").0.to_owned()
    };
    let usual = nodes(&[]);
    assert_eq!(nodes(&["--simd", "scalar"]), usual);
    assert_eq!(nodes(&["--eval-file", EMBEDDED]), usual);
    for (args, part) in
        [(["--simd", "mmx"], "expected one of "), (["--eval-file", "missing.lnn"], "missing.lnn: cannot be read")]
    {
        let output = run(&[&["bench"], &args[..]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(part), "{error}");
    }
}
