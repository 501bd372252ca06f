//! Names of files that are no files: a FIFO would wait for ever, `/dev/zero` has no end.

use crate::harness::{Folder, Session, count, limited};
use std::fs;

/// Sets the option to each of these and expects a refusal, with its reason.
fn refuses(option: &str, stays: &str, cases: &[(&str, &str)]) {
    let mut session = Session::ready();
    for (path, reason) in cases {
        let said = session.set(option, path);
        let refused = |line: &&String| line.starts_with("info string ERROR: option ") && line.contains(stays);
        let line = said.iter().find(refused).unwrap_or_else(|| panic!("{path}: {said:#?}"));
        assert!(line.contains(reason) && line.contains(path), "{line}");
        session.say("go nodes 50");
        session.best_move();
    }
}

const NO_FILE: &str = "it is a FIFO, a device or a socket, expected a regular file";
const FOLDER: &str = "it is a folder, expected a regular file";

#[test]
fn a_network_is_read_from_a_regular_file_of_its_size_only() {
    let folder = Folder::new("eval-file");
    let [fifo, sparse] = folder.odd_files();
    refuses(
        "EvalFile",
        "the network stays as it was",
        &[("/dev/zero", NO_FILE), (&fifo, NO_FILE), (folder.path(), FOLDER), (&sparse, "expected a smaller file")],
    );
    for (path, reason) in [("/dev/zero", NO_FILE), (&fifo, NO_FILE)] {
        let output = crate::harness::run(&["eval", "--eval-file", path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(path) && said.contains(reason), "{said}");
    }
}

#[test]
fn a_log_is_written_to_a_regular_file_only() {
    let folder = Folder::new("log-file");
    let [fifo, _] = folder.odd_files();
    refuses(
        "Debug Log File",
        "the log stays as it was",
        &[
            ("/dev/full", NO_FILE),
            (&fifo, NO_FILE),
            (folder.path(), FOLDER),
            (&folder.file("none/log"), "No such file"),
        ],
    );
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_log_that_is_full_is_told_once_and_switched_off() {
    let folder = Folder::new("log-full");
    let mut session = limited("trap '' XFSZ; ulimit -f 2");
    let log = folder.file("log");
    session.say(&format!("setoption name Debug Log File value {log}"));
    for _ in 0..60 {
        session.say("d");
    }
    session.sync();
    session.say("go nodes 50");
    session.best_move();
    let told = format!("info string ERROR: the debug log \"{log}\" cannot be written: ");
    assert_eq!(count(session.heard(), &told), 1, "{:#?}", session.heard());
    let size = fs::metadata(&log).unwrap().len();
    session.say("d");
    session.sync();
    assert_eq!(fs::metadata(&log).unwrap().len(), size);
    assert!(size > 500 && session.is_alive());
}
