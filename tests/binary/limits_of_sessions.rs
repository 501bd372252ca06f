//! However a front end goes away its engine ends with it, every `go` is answered, and what cannot be had is refused.

use crate::harness::{PATIENCE, Session, count, field, last_pv, number};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts")
}

/// Waits until the program ends; one that does not is killed.
fn assert_ends(mut child: Child, what: &str) {
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("still there: {what}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The input stays open, so only the output tells that the reader has gone.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_every_kind_of_work() {
    for work in
        ["go infinite", "go ponder", "setoption name Threads value 5\ngo infinite", "perft 20", "go movetime 600000"]
    {
        let mut child = start(&[]);
        let mut input = child.stdin.take().expect("a pipe");
        assert!(input.write_all(format!("isready\nposition startpos\n{work}\n").as_bytes()).is_ok());
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        assert!(output.read_line(&mut line).is_ok() && line == "readyok\n");
        drop(output);
        assert_ends(child, work);
    }
}

#[cfg(unix)]
#[test]
fn analysis_ends_with_its_reader() {
    for args in [&["analyse", "--infinite"][..], &["analyse", "--infinite", "--json"], &["go infinite"]] {
        let mut child = start(args);
        drop(child.stdout.take());
        assert_ends(child, &args.join(" "));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for args in [&["--help"][..], &["help", "bench"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let output =
            Command::new(env!("CARGO_BIN_EXE_lento")).args(args).stdout(full).output().expect("the binary starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(message, "lento: standard output: No space left on device (os error 28)\n", "{args:?}");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn the_end_of_input_ends_every_search() {
    for work in ["go infinite", "go ponder wtime 5 btime 5", "go infinite\ngo infinite\nposition startpos\ngo infinite"]
    {
        let mut session = Session::ready();
        session.say(work);
        session.end_input();
        let (said, status) = session.end();
        assert_eq!(count(&said, "bestmove"), work.matches("go ").count(), "{work}");
        assert!(status.success());
    }
}

/// In one write, so that the search is seldom further than its first plies.
#[test]
fn stop_and_ponderhit_may_come_in_any_order() {
    for words in ["stop\nponderhit", "ponderhit\nstop", "stop\nponderhit\nstop\nponderhit"] {
        for go in ["go infinite", "go ponder", "go ponder infinite", "go ponder movetime 50", "go depth 3"] {
            let mut session = Session::ready();
            session.say(&format!("{go}\n{words}\nisready"));
            session.say("quit");
            let (said, status) = session.end();
            assert_eq!((count(&said, "bestmove"), count(&said, "readyok")), (1, 1), "{go}, {words:?}");
            assert!(status.success());
        }
    }
}

/// The last line before the answer belongs to the moment of the answer, however the search ended.
#[test]
fn the_last_line_counts_every_node() {
    for threads in [1, 4] {
        let mut session = Session::ready();
        session.say(&format!("setoption name Threads value {threads}"));
        for nodes in [1, 1000, 50_000] {
            let said = session.search(&format!("position startpos moves e2e4 c7c5\ngo nodes {nodes}"));
            let last = last_pv(&said);
            assert_eq!(field(last, "nodes"), Some(nodes.to_string().as_str()), "{threads} threads: {last}");
            assert_eq!(field(last, "pv"), field(&said[said.len() - 1], "bestmove"));
        }
        let start = Instant::now();
        let said = session.search("go movetime 300");
        let last = last_pv(&said);
        let time: u128 = number(last, "time");
        assert!((290..=start.elapsed().as_millis()).contains(&time), "{last}");
    }
}

/// What can't be had is refused, and the old number of threads goes on searching.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_do_not_fit_into_memory_are_refused() {
    let script = format!("ulimit -v 400000; exec {:?}", env!("CARGO_BIN_EXE_lento"));
    let mut child =
        Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut input = child.stdin.take().expect("a pipe");
    let commands = "setoption name Threads value 3\nsetoption name Threads value 1024\ngo depth 5\nwait\nquit\n";
    assert!(input.write_all(commands.as_bytes()).is_ok());
    let output = child.wait_with_output().expect("the program ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("option Threads cannot be set to \"1024\": ") && said.contains("; it stays at 3\n"),
        "{said}"
    );
    assert_eq!(said.matches("bestmove ").count(), 1);
}

/// The memory of threads that are gone is given back, and a thread takes what `Worker::BYTES` says at most.
#[cfg(target_os = "linux")]
#[test]
fn memory_comes_and_goes_with_the_threads() {
    use lento::search::worker::Worker;
    let mut session = Session::ready();
    let mut resident = |threads: usize| {
        session.say(&format!("setoption name Threads value {threads}"));
        session.sync();
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", session.id())).expect("the process runs");
        let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
        pages * 4096
    };
    let (few, many) = (resident(1), resident(41));
    let each = (many - few) / 40;
    assert!(each <= Worker::BYTES && each > Worker::BYTES / 8, "{each} bytes a thread");
    let again = resident(1) - few;
    // Of a worker, not of what threads have touched: much of a worker is touched by searches only.
    assert!(again < 40 * Worker::BYTES / 10, "{again} of {} bytes stayed", many - few);
}
