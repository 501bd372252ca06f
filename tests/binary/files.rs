//! Names of files that are no files: a FIFO would wait for ever, `/dev/zero` has no end.

use crate::harness::{Session, count};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A folder for one test, with a FIFO and a file of a terabyte that takes no room.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lento-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        assert!(Command::new("mkfifo").arg(path.join("fifo")).status().unwrap().success());
        fs::File::create(path.join("sparse")).unwrap().set_len(1 << 40).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Sets the option to each of these and expects a refusal at once, with its reason.
fn refuses(option: &str, stays: &str, cases: &[(&Path, &str)]) {
    let mut session = Session::ready();
    for (path, reason) in cases {
        let begin = Instant::now();
        session.say(&format!("setoption name {option} value {}", path.display()));
        let said = session.sync();
        let refused = |line: &&String| line.starts_with("info string error: option ") && line.contains(stays);
        let line = said.iter().find(refused).unwrap_or_else(|| panic!("{}: {said:#?}", path.display()));
        assert!(line.contains(reason) && line.contains(&path.display().to_string()), "{line}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{line}");
        session.say("go nodes 50");
        session.best_move();
    }
}

const NO_FILE: &str = "it is a FIFO, a device or a socket, expected a regular file";
const FOLDER: &str = "it is a folder, expected a regular file";

#[test]
fn a_network_is_read_from_a_regular_file_of_its_size_only() {
    let folder = Folder::new("eval-file");
    refuses(
        "EvalFile",
        "the network stays as it was",
        &[
            (Path::new("/dev/zero"), NO_FILE),
            (&folder.0.join("fifo"), NO_FILE),
            (&folder.0, FOLDER),
            (&folder.0.join("sparse"), "1099511627776 bytes, expected at most "),
        ],
    );
    for (path, reason) in [("/dev/zero", NO_FILE), (folder.0.join("fifo").to_str().unwrap(), NO_FILE)] {
        let output = crate::harness::run(&["eval", "--eval-file", path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(path) && said.contains(reason), "{said}");
    }
}

#[test]
fn a_log_is_written_to_a_regular_file_only() {
    let folder = Folder::new("log-file");
    refuses(
        "Debug Log File",
        "the log stays as it was",
        &[
            (Path::new("/dev/full"), NO_FILE),
            (&folder.0.join("fifo"), NO_FILE),
            (&folder.0, FOLDER),
            (&folder.0.join("none/log"), "No such file"),
        ],
    );
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_log_that_is_full_is_told_once_and_switched_off() {
    let folder = Folder::new("log-full");
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_lento")]);
    let mut session = Session::of(command);
    let log = folder.0.join("log");
    session.say(&format!("setoption name Debug Log File value {}", log.display()));
    for _ in 0..60 {
        session.say("d");
    }
    session.sync();
    session.say("go nodes 50");
    session.best_move();
    let told = format!("info string error: the debug log \"{}\" cannot be written: ", log.display());
    assert_eq!(count(session.heard(), &told), 1, "{:#?}", session.heard());
    let size = fs::metadata(&log).unwrap().len();
    session.say("d");
    session.sync();
    assert_eq!(fs::metadata(&log).unwrap().len(), size);
    assert!(size > 500 && session.is_alive());
}
