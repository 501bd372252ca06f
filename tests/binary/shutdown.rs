//! The engine ends with its front end, answers every `go`, and refuses threads that exceed memory.

use crate::harness::{MIDDLEGAME, Session, TIMEOUT, count, field, last_pv, number};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts")
}

/// Waits for the process to exit; kills it after a timeout.
fn assert_ends(mut child: Child, what: &str) {
    let deadline = Instant::now() + TIMEOUT;
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("still running: {what}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The input stays open, so only the closed output shows that the reader is gone.
#[cfg(unix)]
#[test]
fn closed_output_ends_the_engine() {
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
fn analysis_ends_when_its_output_is_closed() {
    for args in [&["analyse", "--infinite"][..], &["analyse", "--infinite", "--json"], &["go infinite"]] {
        let mut child = start(args);
        drop(child.stdout.take());
        assert_ends(child, &args.join(" "));
    }
}

/// As `nohup` does, for runs that outlast the terminal.
#[cfg(target_os = "linux")]
#[test]
fn ignored_hangups_stay_ignored() {
    let script = format!("trap '' HUP; exec {:?} analyse --infinite --hash 1", env!("CARGO_BIN_EXE_lento"));
    let mut child = Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("  1.")), "the handler of signals is installed");
    let id = child.id().to_string();
    let kill = |signal: &str| Command::new("kill").args([signal, &id]).status().expect("a command");
    assert!(kill("-HUP").success());
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().expect("a child"), None);
    assert!(kill("-TERM").success() && lines.any(|line| line.starts_with("best move ")));
    assert!(child.wait().is_ok_and(|status| status.success()));
}

#[cfg(target_os = "linux")]
#[test]
fn help_reports_write_errors() {
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
fn end_of_input_ends_every_search() {
    for work in ["go infinite", "go ponder wtime 5 btime 5", "go infinite\ngo infinite\nposition startpos\ngo infinite"]
    {
        let mut session = Session::ready();
        session.send(work);
        session.end_input();
        let (lines, status) = session.wait();
        assert_eq!(count(&lines, "bestmove"), work.matches("go ").count(), "{work}");
        assert!(status.success());
    }
}

/// In one write, so that the search rarely gets beyond its first plies.
#[test]
fn stop_and_ponderhit_in_any_order_give_one_bestmove() {
    for words in ["stop\nponderhit", "ponderhit\nstop", "stop\nponderhit\nstop\nponderhit"] {
        for go in ["go infinite", "go ponder", "go ponder infinite", "go ponder movetime 50", "go depth 3"] {
            let mut session = Session::ready();
            session.send(&format!("{go}\n{words}\nisready"));
            session.send("quit");
            let (lines, status) = session.wait();
            assert_eq!((count(&lines, "bestmove"), count(&lines, "readyok")), (1, 1), "{go}, {words:?}");
            assert!(status.success());
        }
    }
}

/// However the search ends, the last line before `bestmove` reports the final node count and time.
#[test]
fn last_line_counts_every_node() {
    for threads in [1, 4] {
        let mut session = Session::ready();
        session.send(&format!("setoption name Threads value {threads}"));
        for nodes in [1, 1000, 50_000] {
            let lines = session.search(&format!("position startpos moves e2e4 c7c5\ngo nodes {nodes}"));
            let last = last_pv(&lines);
            assert_eq!(field(last, "nodes"), Some(nodes.to_string().as_str()), "{threads} threads: {last}");
            assert_eq!(field(last, "pv"), field(&lines[lines.len() - 1], "bestmove"));
        }
        let start = Instant::now();
        let lines = session.search("go movetime 300");
        let last = last_pv(&lines);
        let time: u128 = number(last, "time");
        assert!((290..=start.elapsed().as_millis()).contains(&time), "{last}");
    }
}

/// The proof of `go mate` uses up the nodes, after which the main thread tries another iteration.
#[test]
fn proof_in_rounds_ends_at_the_node_limit() {
    let mut session = Session::ready();
    session.send("setoption name Threads value 2\nsetoption name Deterministic value true");
    for nodes in [1000, 10_000, 30_000] {
        let lines = session.search(&format!("position fen {MIDDLEGAME}\ngo mate 4 nodes {nodes}"));
        assert_eq!(number::<u64>(last_pv(&lines), "nodes"), nodes, "{lines:#?}");
    }
    session.send("quit");
    assert!(session.wait().1.success());
}

/// The previous number of threads stays in use.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_exceed_memory_are_refused() {
    let script = format!("ulimit -v 400000; exec {:?}", env!("CARGO_BIN_EXE_lento"));
    let mut child =
        Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut input = child.stdin.take().expect("a pipe");
    let commands = "setoption name Threads value 3\nsetoption name Threads value 1024\ngo depth 5\nwait\nquit\n";
    assert!(input.write_all(commands.as_bytes()).is_ok());
    let output = child.wait_with_output().expect("the program ends");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(
        stdout.contains("option Threads cannot be set to \"1024\": ") && stdout.contains("; it stays at 3\n"),
        "{stdout}"
    );
    assert_eq!(stdout.matches("bestmove ").count(), 1);
}

/// Removed threads return their memory, and a thread uses at most `Worker::BYTES`.
#[cfg(target_os = "linux")]
#[test]
fn removed_threads_free_their_memory() {
    use lento::search::worker::Worker;
    let mut session = Session::ready();
    let mut resident = |threads: usize| {
        session.send(&format!("setoption name Threads value {threads}"));
        session.sync();
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", session.id())).expect("the process runs");
        let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
        pages * 4096
    };
    let (few, many) = (resident(1), resident(41));
    let each = (many - few) / 40;
    assert!(each <= Worker::BYTES && each > Worker::BYTES / 8, "{each} bytes a thread");
    let again = resident(1) - few;
    // Relative to the size of a worker: much of it is touched only by searches.
    assert!(again < 40 * Worker::BYTES / 10, "{again} of {} bytes stayed", many - few);
}

/// A move without a search comes with an error.
#[cfg(target_os = "linux")]
#[test]
fn missing_threads_are_reported() {
    for kib in (30_000..200_000).step_by(10_000) {
        let script = format!("ulimit -v {kib}; exec {:?} 'go depth 5'", env!("CARGO_BIN_EXE_lento"));
        let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        let is_searched = text.contains("info depth 5 ");
        assert!(is_searched || !text.contains("bestmove ") || text.contains("info string ERROR: "), "{kib}: {text}");
    }
}
