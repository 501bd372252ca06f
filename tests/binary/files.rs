//! Paths that are not regular files: reading a FIFO would block, `/dev/zero` never ends.

use crate::harness::{Session, count, limited};
use lento_testing::Folder;
use std::fs;

/// Sets the option to each path and expects a refusal with its reason.
fn assert_refused(option: &str, unchanged: &str, cases: &[(&str, &str)]) {
    let mut session = Session::ready();
    for (path, reason) in cases {
        let lines = session.set(option, path);
        let refused = |line: &&String| line.starts_with("info string ERROR: option ") && line.contains(unchanged);
        let line = lines.iter().find(refused).unwrap_or_else(|| panic!("{path}: {lines:#?}"));
        assert!(line.contains(reason) && line.contains(path), "{line}");
        session.send("go nodes 50");
        session.best_move();
    }
}

const NO_FILE: &str = "it is a FIFO, a device or a socket, expected a regular file";
const FOLDER: &str = "it is a folder, expected a regular file";

#[test]
fn networks_are_read_from_regular_files_only() {
    let folder = Folder::new("eval-file");
    let [fifo, sparse] = folder.special_files();
    assert_refused(
        "EvalFile",
        "the network is unchanged",
        &[("/dev/zero", NO_FILE), (&fifo, NO_FILE), (&folder.file(""), FOLDER), (&sparse, "expected a smaller file")],
    );
    for (path, reason) in [("/dev/zero", NO_FILE), (&fifo, NO_FILE)] {
        let output = crate::harness::run(&["eval", "--eval-file", path]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(path) && stderr.contains(reason), "{stderr}");
    }
}

#[test]
fn logs_are_written_to_regular_files_only() {
    let folder = Folder::new("log-file");
    let [fifo, _] = folder.special_files();
    assert_refused(
        "Debug Log File",
        "the log is unchanged",
        &[
            ("/dev/full", NO_FILE),
            (&fifo, NO_FILE),
            (&folder.file(""), FOLDER),
            (&folder.file("none/log"), "No such file"),
        ],
    );
}

/// `ulimit -f` simulates a full disk.
#[test]
fn debug_log_contains_input_and_output() {
    let folder = Folder::new("log");
    let log = folder.file("log");
    let mut session = Session::ready();
    session.send(&format!("setoption name DebugLogFile value {log}\ngo depth 2"));
    let best = format!("> bestmove {}", session.best_move());
    session.send("quit");
    session.wait();
    let text = fs::read_to_string(&log).expect("the log");
    assert!(text.contains(" < go depth 2\n") && text.contains(&best) && text.contains(" < quit\n"), "{text}");
}

#[test]
fn full_log_is_reported_once_and_disabled() {
    let folder = Folder::new("log-full");
    let mut session = limited("trap '' XFSZ; ulimit -f 2");
    let log = folder.file("log");
    session.send(&format!("setoption name Debug Log File value {log}"));
    for _ in 0..60 {
        session.send("d");
    }
    session.sync();
    session.send("go nodes 50");
    session.best_move();
    let error = format!("info string ERROR: the debug log \"{log}\" cannot be written: ");
    assert_eq!(count(session.received(), &error), 1, "{:#?}", session.received());
    let size = fs::metadata(&log).unwrap().len();
    session.send("d");
    session.sync();
    assert_eq!(fs::metadata(&log).unwrap().len(), size);
    assert!(size > 500 && session.is_alive());
}
