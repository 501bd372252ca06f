//! Drives `mpirun -n N lento-cluster` as a GUI does. Requires Open MPI's `mpirun`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout, generous for slow and busy machines.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Tolerance where an answer has a time limit.
const SLACK: Duration = Duration::from_secs(3);

fn mpirun(ranks: usize, of_mpirun: &[&str], args: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.args(of_mpirun).arg(env!("CARGO_BIN_EXE_lento-cluster")).args(args);
    command.env("OMPI_MCA_plm_rsh_agent", "false");
    command
}

struct Cluster {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Cluster {
    fn start(ranks: usize, of_mpirun: &[&str], args: &[&str]) -> Self {
        let mut command = mpirun(ranks, of_mpirun, args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("mpirun starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, output) = channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { input: child.stdin.take().expect("a pipe"), child, output }
    }

    fn send(&mut self, lines: &str) {
        let _ = writeln!(self.input, "{lines}").and_then(|()| self.input.flush());
    }

    /// Reads lines up to the first that starts with `start`.
    fn read_until(&mut self, start: &str) -> Vec<String> {
        let (deadline, mut lines) = (Instant::now() + TIMEOUT, Vec::new());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.output.recv_timeout(left) else { panic!("no {start:?} after: {lines:#?}") };
            lines.push(line);
            if lines[lines.len() - 1].starts_with(start) {
                return lines;
            }
        }
    }

    fn search(&mut self, commands: &str) -> Vec<String> {
        self.send(commands);
        self.read_until("bestmove ")
    }

    /// Process id of a rank.
    fn process(&self, rank: usize) -> String {
        let (own, name) = (self.child.id().to_string(), format!("OMPI_COMM_WORLD_RANK={rank}"));
        let is_it = |process: &String| {
            let read = |file: &str| fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
            let (stat, environment) = (String::from_utf8_lossy(&read("stat")).into_owned(), read("environ"));
            stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&own)
                && environment.split(|byte| *byte == 0).any(|entry| entry == name.as_bytes())
        };
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        processes.map(|entry| entry.file_name().to_string_lossy().into_owned()).find(is_it).expect("the rank runs")
    }

    fn signal(&self, rank: usize, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.process(rank)]).status().expect("kill runs").success());
    }

    /// Whether a search counts exactly `nodes` nodes; five attempts, since a rank may be silent on a busy machine.
    fn counts_exactly(&mut self, nodes: u64) -> bool {
        (0..5).any(|_| number(&self.search(&format!("ucinewgame\ngo nodes {nodes}")), "nodes") == nodes)
    }

    fn quit(mut self) -> bool {
        self.send("quit");
        self.wait()
    }

    /// Waits until `mpirun` exits and standard output is closed. Returns whether it succeeded.
    fn wait(mut self) -> bool {
        let deadline = Instant::now() + TIMEOUT;
        let left = || deadline.saturating_duration_since(Instant::now());
        let error = loop {
            if let Err(error) = self.output.recv_timeout(left()) {
                break error;
            }
        };
        assert_eq!(error, RecvTimeoutError::Disconnected, "standard output stays open");
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.success();
            }
            assert!(Instant::now() < deadline, "mpirun does not exit");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number after `word` in the last line that contains it.
fn number(lines: &[String], word: &str) -> u64 {
    let line = lines.iter().rev().find(|line| line.contains(&format!(" {word} "))).expect("a line with the number");
    let mut words = line.split(' ').skip_while(|found| *found != word);
    words.nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn version_names_the_commit_like_the_player() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_lento-cluster")).arg("--version").output().expect("the program starts");
    let expected = format!("lento-cluster {}", lento::internals::version::LONG.as_str());
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected);
}

#[test]
fn ranks_are_listed_and_share_nodes() {
    let mut cluster = Cluster::start(3, &[], &[]);
    cluster.send("uci\nsetoption name Threads value 2\nisready");
    let lines = cluster.read_until("uciok");
    let start = format!("info string cluster: 3 ranks of 1 threads, {} (", env!("CARGO_PKG_VERSION"));
    let line = lines.iter().find(|line| line.starts_with(&start)).expect("the list of ranks");
    assert!(line.contains(", network ") && line.contains(": 0 on ") && line.contains(" CPUs), 2 on "), "{line}");
    let lines = cluster.read_until("readyok");
    assert!(lines.iter().any(|line| line.starts_with("info string cluster: 3 ranks of 2 threads, ")), "{lines:?}");
    for nodes in [1, 2] {
        assert_eq!(number(&cluster.search(&format!("ucinewgame\ngo nodes {nodes}")), "nodes"), nodes);
    }
    for nodes in [100_000, 99_998, 3000] {
        let lines = cluster.search(&format!("ucinewgame\nposition startpos moves e2e4\ngo nodes {nodes}"));
        // A thread asks for nodes in batches of 512.
        assert!(number(&lines, "nodes").abs_diff(nodes) <= 512, "{nodes}: {lines:#?}");
    }
    assert_eq!(
        cluster.search("position startpos\ngo depth 5 searchmoves a2a3").last().unwrap()[..13],
        *"bestmove a2a3"
    );
    assert!(cluster.quit());
}

#[test]
fn more_threads_than_cpus_are_reported() {
    let mut cluster = Cluster::start(2, &[], &[]);
    let threads = lento::internals::processors::count() + 1;
    cluster.send(&format!("setoption name Threads value {threads}\nisready"));
    for rank in 0..2 {
        cluster.read_until(&format!("info string warning: rank {rank} ("));
    }
    assert!(cluster.quit());
}

#[test]
fn refused_options_are_reported_with_the_rank() {
    let mut cluster = Cluster::start(2, &[], &[]);
    cluster.send("setoption name SyzygyPath value /nonexistent/tables\nposition startpos\ngo depth 6\nisready");
    cluster.read_until("info string rank 1 (");
    assert!(cluster.quit());
}

#[test]
fn every_go_has_one_answer() {
    let mut random = fastrand::Rng::with_seed(41);
    let commands: usize = std::env::var("LENTO_CLUSTER_COMMANDS").map_or(300, |text| text.parse().expect("a number"));
    let mut cluster = Cluster::start(3, &[], &[]);
    let (mut asked, mut answered) = (0, 0);
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"];
    for number in 0..commands {
        let line = match random.u32(0..14) {
            0 => "ucinewgame".into(),
            1 => format!("position startpos moves {}", moves[..random.usize(1..=moves.len())].join(" ")),
            2 => "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".into(),
            3 => "isready".into(),
            4 => format!("setoption name Threads value {}", random.u32(1..4)),
            5 => format!("setoption name Hash value {}", random.u32(1..9)),
            6 => "stop".into(),
            7 => "ponderhit".into(),
            8 => format!("go nodes {}", random.u32(1..20_000)),
            9 => format!("go movetime {}", random.u32(1..30)),
            10 => format!("go depth {}", random.u32(1..8)),
            11 => "go infinite".into(),
            12 => "go ponder wtime 1000 btime 1000".into(),
            _ => "d\nfoo bar\ngo wtime 100 btime 100 winc 5".into(),
        };
        asked += line.matches("go ").count();
        cluster.send(&line);
        if line.contains("infinite") || line.contains("ponder ") || number % 20 == 19 {
            thread::sleep(Duration::from_millis(random.u64(0..20)));
            cluster.send("stop\nisready");
            answered += cluster.read_until("readyok").iter().filter(|line| line.starts_with("bestmove")).count();
        }
    }
    cluster.send("stop\nwait\nposition startpos\ngo depth 3 searchmoves a2a4");
    answered += cluster.read_until("bestmove a2a4").iter().filter(|line| line.starts_with("bestmove")).count();
    assert_eq!(answered, asked + 1);
    assert!(cluster.quit());
}

#[test]
fn infinite_search_of_a_finished_game_ends_on_all_ranks() {
    let mut cluster = Cluster::start(2, &[], &[]);
    cluster.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\nisready");
    cluster.read_until("readyok");
    assert_eq!(cluster.search("stop").last().map(String::as_str), Some("bestmove 0000"));
    cluster.send("position startpos");
    // Waits for the share of rank 1.
    assert!(cluster.counts_exactly(30_000));
    assert!(cluster.quit());
}

#[test]
fn stopped_rank_is_reported_and_rejoins() {
    let mut cluster = Cluster::start(3, &[], &[]);
    cluster.send("position startpos\nisready");
    cluster.read_until("readyok");
    cluster.signal(2, "-STOP");
    let since = Instant::now();
    let lines = cluster.search("go movetime 3000");
    assert!(since.elapsed() < Duration::from_millis(3000) + SLACK);
    assert!(lines.iter().any(|line| line.starts_with("info string rank 2 (")), "{lines:#?}");
    assert!(cluster.counts_exactly(30_000));
    cluster.signal(2, "-CONT");
    cluster.read_until("info string rank 2 (");
    assert!(cluster.counts_exactly(30_000));
    // The stopped rank holds a share of the nodes.
    cluster.signal(2, "-STOP");
    let since = Instant::now();
    cluster.search("go nodes 40000");
    assert!(since.elapsed() < 2 * SLACK);
    assert!(!cluster.quit());
}

#[test]
fn search_continues_without_a_killed_rank() {
    let mut cluster = Cluster::start(3, &["--enable-recovery"], &[]);
    cluster.send("position startpos\nisready");
    cluster.read_until("readyok");
    cluster.send("go movetime 3000");
    thread::sleep(Duration::from_millis(300));
    cluster.signal(1, "-KILL");
    let lines = cluster.read_until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info string rank 1 (")), "{lines:#?}");
    assert!(number(&cluster.search("ucinewgame\ngo nodes 30000"), "nodes") <= 30_000);
    cluster.quit();
}

#[test]
fn job_ends_when_rank_0_dies() {
    let start = || Cluster::start(3, &["--enable-recovery"], &["--rank0-timeout", "3000"]);
    let mut clusters = [start(), start()];
    for cluster in &mut clusters {
        cluster.send("position startpos\nisready");
        cluster.read_until("readyok");
    }
    // A short stop is tolerated.
    clusters[0].signal(0, "-STOP");
    thread::sleep(Duration::from_millis(300));
    clusters[0].signal(0, "-CONT");
    assert!(clusters[0].counts_exactly(30_000));
    clusters[0].send("go infinite");
    clusters[0].read_until("info depth ");
    // The second cluster is idle.
    clusters.iter().for_each(|cluster| cluster.signal(0, "-KILL"));
    for cluster in clusters {
        cluster.wait();
    }
}

#[test]
fn job_ends_when_a_rank_does_not_start() {
    let mut command =
        mpirun(1, &["--enable-recovery"], &["--start-timeout", "1000", ":", "-n", "1", "sh", "-c", "exit 3"]);
    let Output { stdout, stderr, .. } = command.output().expect("mpirun runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(stdout, "");
    assert!(stderr.contains("lento-cluster: rank 0 of 2 (") && stderr.contains(" timed out after 1000 ms"), "{stderr}");
}

#[test]
fn job_terminated_by_mpirun_still_answers() {
    let mut cluster = Cluster::start(3, &[], &[]);
    cluster.send("position startpos\nisready");
    cluster.read_until("readyok");
    cluster.send("go infinite");
    thread::sleep(Duration::from_millis(300));
    cluster.signal(1, "-KILL");
    let lines = cluster.read_until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info string the job is being terminated")), "{lines:#?}");
}

/// The output of `bench` on two ranks.
fn bench(args: &[&str]) -> String {
    let Output { status, stdout, .. } =
        mpirun(2, &[], &[&["bench", "--positions", "6", "--depth", "11"], args].concat())
            .output()
            .expect("mpirun runs");
    assert!(status.success());
    String::from_utf8(stdout).expect("UTF-8")
}

#[test]
fn entries_are_exchanged_unless_disabled() {
    let stored = |text: &str| -> Vec<u64> {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("\"stored\": "));
        lines.map(|number| number.trim_end_matches(',').parse().expect("a number")).collect()
    };
    let with = stored(&bench(&[]));
    assert!(with.len() == 2 && with[0] == 0 && with[1] > 100, "{with:?}");
    assert_eq!(stored(&bench(&["--no-exchange"])), [0, 0]);
    // An inactive rank ends like the others.
    assert_eq!(stored(&bench(&["--ranks", "1"])), [0]);
}

#[test]
fn invalid_bench_arguments_are_refused() {
    let refused = |args: &[&str], message: &str| {
        let Output { status, stdout, stderr } = mpirun(2, &[], args).output().expect("mpirun runs");
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(!status.success() && stdout.is_empty() && stderr.contains(message), "{stderr}");
    };
    refused(&["bench", "--threads", "5000"], "expected a number of threads from 1 to 1024");
    refused(&["bench", "--ranks", "1,9"], "--ranks 9: expected counts from 1 to 2, ");
}
