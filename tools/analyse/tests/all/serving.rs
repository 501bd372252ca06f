//! `lento-analyse serve` over standard input and output, TCP and Unix sockets.

use crate::PROGRAM;
use crate::analysing::Folder;
#[cfg(unix)]
use crate::analysing::signal;
use lento_testing::driver::Running;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::process::{ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any step takes.
pub const TIMEOUT: Duration = Duration::from_secs(60);
pub const SMALL: [&str; 5] = ["serve", "--threads", "1", "--hash", "1"];
pub const TOKEN: &str = "0123456789abcdef-token";

/// A server on free ports, killed on drop.
pub struct Server {
    child: Running,
    pub stderr: BufReader<ChildStderr>,
}

impl Server {
    pub fn start(args: &[&str]) -> Self {
        Self::run(&[&SMALL, args].concat())
    }

    pub fn run(args: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stderr = BufReader::new(child.stderr.take().expect("standard error"));
        Self { child: Running(child), stderr }
    }

    /// A server on a Unix socket, and its path.
    #[cfg(unix)]
    fn on_socket(folder: &Folder) -> (Self, String) {
        let path = folder.path("lento.sock");
        let mut server = Self::start(&["--socket", &path]);
        let line = server.line();
        assert!(line.contains(&path), "{line}");
        (server, path)
    }

    /// The next line of standard error.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).expect("a line");
        line
    }

    /// The next address that it announces.
    pub fn address(&mut self) -> SocketAddr {
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "no address");
            if let Some(address) = line.trim_end().rsplit(['/', ' ']).find_map(|word| word.parse().ok()) {
                return address;
            }
        }
    }

    #[cfg(all(feature = "lichess", target_os = "linux"))]
    pub fn id(&self) -> u32 {
        self.child.0.id()
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        signal(&self.child.0, name);
    }

    /// Terminates it and waits for its end.
    #[cfg(unix)]
    pub fn end(&mut self) {
        self.signal("-TERM");
        assert_eq!(self.child.0.wait().expect("an end").code(), Some(0));
    }
}

/// A connection that sends and receives lines.
pub struct Peer<S = TcpStream> {
    pub stream: BufReader<S>,
}

impl Peer {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        Self { stream: BufReader::new(stream) }
    }
}

#[cfg(unix)]
impl Peer<UnixStream> {
    pub fn connect_socket(path: &str) -> Self {
        let stream = UnixStream::connect(path).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        Self { stream: BufReader::new(stream) }
    }
}

impl<S: Read + Write> Peer<S> {
    pub fn send(&mut self, line: impl std::fmt::Display) {
        self.stream.get_mut().write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("an answer in time");
        line
    }

    pub fn answer(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    pub fn request(&mut self, request: Value) -> Value {
        self.send(request);
        self.answer()
    }

    /// Checks that a query is answered as on an idle server.
    pub fn check(&mut self) {
        let answer = self.request(json!({ "id": "check", "depth": 4, "fresh": true, "moves": "e4 e5" }));
        assert_eq!((&answer["id"], &answer["status"]), (&json!("check"), &json!("done")), "{answer}");
        assert_eq!(answer["lines"][0]["depth"], 4);
    }
}

/// Runs requests through standard input and output. Returns the answers in order.
pub fn stdio(args: &[&str], input: String) -> Vec<Value> {
    let mut command = Command::new(PROGRAM);
    command.args(SMALL).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input");
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()).expect("the program reads"));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("all is written");
    assert!(output.status.success(), "{:?}", output.status);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

pub fn is_final(answer: &Value) -> bool {
    answer["id"] != Value::Null && answer["status"] != "partial"
}

#[test]
fn ten_thousand_queries_are_answered_once() {
    const QUERIES: usize = 10_000;
    let random = &mut fastrand::Rng::with_seed(1);
    let mut input = String::new();
    let (mut sent, mut cancels) = (HashMap::<String, usize>::new(), 0);
    for number in 0..QUERIES {
        // Some ids are in use, some are reused.
        let id = if random.u8(..) < 10 { format!("q{}", random.usize(..=number)) } else { format!("q{number}") };
        let limit = if random.bool() { ("depth", random.u64(1..4)) } else { ("nodes", random.u64(1..200)) };
        let query = json!({ "id": id, limit.0: limit.1, "priority": random.i8(-2..3), "report_ms": 10 });
        writeln!(input, "{query}").expect("a string");
        *sent.entry(id).or_default() += 1;
        while random.u8(..) < 80 {
            // Waiting, running, finished and unknown queries; many are cancelled twice.
            let cancelled = random.usize(number.saturating_sub(30)..number + 2);
            writeln!(input, "{}", json!({ "cancel": format!("q{cancelled}") })).expect("a string");
            cancels += 1;
        }
    }
    let answers = stdio(&["--engines", "2"], input);
    let mut received = HashMap::<String, usize>::new();
    let mut statuses = HashMap::<&str, usize>::new();
    for answer in answers.iter().filter(|answer| is_final(answer)) {
        *received.entry(answer["id"].as_str().expect("an id").to_owned()).or_default() += 1;
        *statuses.entry(answer["status"].as_str().expect("a status")).or_default() += 1;
    }
    assert_eq!(received, sent);
    assert_eq!(answers.iter().filter(|answer| answer.get("cancel").is_some()).count(), cancels);
    assert!(["done", "cancelled", "error"].iter().all(|status| statuses.contains_key(status)), "{statuses:?}");
}

#[test]
fn answers_have_the_fields_of_analyse() {
    let queries = [
        json!({ "id": 1, "depth": 5, "multipv": 2, "moves": ["e2e4", "c5"], "searchmoves": "Nf3 d4", "iterations": true }),
        json!({ "id": 2, "nodes": 3000, "priority": 9, "avoidmoves": "e4" }),
        json!({ "id": 3, "depth": 3, "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1" }),
    ];
    let answers = stdio(&[], queries.map(|query| query.to_string()).join("\n"));
    let by_id = |id: u64| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    let first = by_id(1);
    assert_eq!((&first["schema"], &first["status"]), (&json!("lento-serve/1"), &json!("done")));
    let mut best: Vec<&str> =
        first["lines"].as_array().expect("lines").iter().map(|line| line["san"][0].as_str().expect("a move")).collect();
    best.sort_unstable();
    assert_eq!(best, ["Nf3", "d4"]);
    assert!(first["iterations"].as_array().expect("iterations").len() >= 10);
    assert!(by_id(2)["best"]["uci"] != "e2e4" && by_id(2)["nodes"] == 3000, "{}", by_id(2));
    assert!(by_id(2).get("iterations").is_none());
    assert_eq!((&by_id(3)["best"], &by_id(3)["status"]), (&Value::Null, &json!("done")));
}

#[test]
fn priorities_partial_reports_and_cancels_work() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let mut peer = Peer::connect(server.address());
    peer.send(json!({ "id": "long", "time_ms": 3_600_000, "report_ms": 20 }));
    assert_eq!(peer.answer()["status"], "partial");
    for (id, priority) in [("low", -1), ("middle", 0), ("high", 7)] {
        peer.send(json!({ "id": id, "depth": 2, "priority": priority }));
    }
    peer.send(json!({ "cancel": "long" }));
    let mut order = Vec::new();
    while order.len() < 4 {
        let answer = peer.answer();
        if is_final(&answer) && answer.get("cancel").is_none() {
            order.push(answer["id"].as_str().expect("an id").to_owned());
            if answer["id"] == "long" {
                assert!(answer["status"] == "cancelled" && answer["lines"][0]["pv"][0].is_string(), "{answer}");
            }
        }
    }
    assert_eq!(order, ["long", "high", "middle", "low"]);
}

/// Submits hours of work and closes the connection.
fn abandon<S: Read + Write>(mut peer: Peer<S>) {
    for id in 0..100 {
        peer.send(json!({ "id": id, "time_ms": 3_600_000 }));
    }
    while peer.request(json!({ "status": true }))["searching"] != 1 {}
}

#[test]
fn lost_connection_cancels_its_queries() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let address = server.address();
    abandon(Peer::connect(address));
    Peer::connect(address).check();
}

#[test]
#[cfg(unix)]
fn lost_socket_connection_cancels_its_queries() {
    let folder = Folder::new("lost");
    let (_server, path) = Server::on_socket(&folder);
    abandon(Peer::connect_socket(&path));
    Peer::connect_socket(&path).check();
}

/// All queries are answered after the end of input.
fn is_answered_after_its_input<S: Read + Write>(mut peer: Peer<S>, end: impl FnOnce(&S)) {
    // The second one takes longer than the probe for disconnected peers.
    for query in [json!({ "id": "soon", "depth": 3 }), json!({ "id": "late", "time_ms": 2500 })] {
        peer.send(query);
    }
    end(peer.stream.get_ref());
    for id in ["soon", "late"] {
        let answer = peer.answer();
        assert_eq!((&answer["id"], &answer["status"]), (&json!(id), &json!("done")), "{answer}");
    }
    assert_eq!(peer.line(), "");
}

#[test]
fn queries_are_answered_after_the_end_of_input() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let end = |stream: &TcpStream| stream.shutdown(Shutdown::Write).expect("a socket");
    is_answered_after_its_input(Peer::connect(server.address()), end);
}

#[test]
#[cfg(unix)]
fn queries_to_the_socket_are_answered_after_the_end_of_input() {
    let folder = Folder::new("half-closed");
    let (_server, path) = Server::on_socket(&folder);
    is_answered_after_its_input(Peer::connect_socket(&path), |stream| stream.shutdown(Shutdown::Write).expect("open"));
}

#[test]
#[cfg(unix)]
fn interrupts_cancel_and_exit() {
    let folder = Folder::new("socket");
    let (mut server, path) = Server::on_socket(&folder);
    let mut peer = Peer::connect_socket(&path);
    peer.check();
    peer.send(json!({ "id": "long", "time_ms": 3_600_000, "report_ms": 10 }));
    assert_eq!(peer.answer()["status"], "partial");
    server.signal("-INT");
    while peer.answer()["status"] != "cancelled" {}
    assert_eq!(peer.line(), "");
    assert_eq!(server.child.0.wait().expect("an end").code(), Some(0));
    assert!(folder.names().is_empty());
}

#[test]
#[cfg(unix)]
fn signals_set_the_exit_code() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    server.address();
    server.end();
    let mut command = Command::new(PROGRAM);
    command.args(SMALL).args(["--queue", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("standard input");
    // The second query waits for the first one.
    for query in [json!({ "id": 1, "time_ms": 3_600_000, "report_ms": 10 }), json!({ "id": 2, "depth": 1 })] {
        writeln!(input, "{query}").expect("it reads");
    }
    let mut answers = BufReader::new(child.stdout.take().expect("standard output")).lines();
    let mut next = || answers.next().expect("an answer").expect("a line");
    assert!(next().contains("partial"));
    signal(&child, "-TERM");
    while !next().contains("cancelled") {}
    assert!(answers.next().is_none(), "no query is read after the signal");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
}

#[test]
fn session_is_free_after_quit() {
    let mut server = Server::start(&["--uci", "127.0.0.1:0", "--sessions", "1"]);
    let address = server.address();
    let mut left = Vec::new();
    for round in 0..12 {
        let mut peer = Peer::connect(address);
        peer.send("isready");
        assert_eq!(peer.line(), "readyok\n", "{round}");
        // The session may not have ended yet when the next client comes.
        peer.send("quit");
        left.push(peer);
    }
}

#[test]
fn malformed_requests_are_harmless() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let address = server.address();
    let mut peer = Peer::connect(address);
    peer.check();
    let random = &mut fastrand::Rng::with_seed(2);
    let query =
        br#"{"id":"x","depth":2,"fen":"8/8/8/8/8/8/8/K1k5 w - - 0 1","moves":["Ka2"],"multipv":3,"report_ms":50}"#;
    for round in 0..1000 {
        let bytes: Vec<u8> = match round % 8 {
            0 => (0..random.usize(1..300)).map(|_| random.u8(..)).collect(),
            1 => vec![b'x'; random.usize(1..300_000)],
            2 => b"[{\"a\":".repeat(random.usize(1..9000)),
            3 => format!(r#"{{"id":{},"depth":{},"nodes":{}}}"#, u64::MAX, i64::MIN, u128::MAX).into(),
            4 => format!(r#"{{"id":"{}","depth":1e999,"time_ms":-1}}"#, "é".repeat(random.usize(1..400))).into(),
            5 => b"\xff\xfe{\"id\":\"\xc0\x80\",\"depth\":1}".to_vec(),
            6 => format!(
                r#"{{"id":{},"moves":{{}},"fen":[],"depth":"{round}"}}"#,
                ["null", "[]", "true", "0.5"][round / 8 % 4]
            )
            .into(),
            _ => {
                let mut bytes = query.to_vec();
                for _ in 0..random.usize(1..6) {
                    let at = random.usize(..bytes.len());
                    bytes[at] = random.u8(..);
                }
                bytes
            }
        };
        let mut bytes: Vec<u8> = bytes.into_iter().filter(|&byte| byte != b'\n').collect();
        bytes.push(b'\n');
        let mut other = Peer::connect(address);
        let _ = other.stream.get_mut().write_all(&bytes);
        if round % 4 == 0 {
            other.send(json!({ "status": true }));
            while other.answer()["status"] != "running" {}
        }
    }
    peer.check();
    Peer::connect(address).check();
}

#[test]
fn slow_reader_does_not_block_others() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--engines", "2"]);
    let address = server.address();
    let slow = TcpStream::connect(address).expect("a connection");
    let mut requests = slow.try_clone().expect("a socket");
    // Never reads its large answers.
    let writer = thread::spawn(move || {
        for id in 0..200_000 {
            let query = json!({ "id": id, "depth": 1, "multipv": 20, "iterations": true });
            if requests.write_all(format!("{query}\n").as_bytes()).is_err() {
                return;
            }
        }
    });
    let mut peer = Peer::connect(address);
    for _ in 0..20 {
        peer.send(json!({ "id": 1, "depth": 3, "priority": 1 }));
        assert_eq!(peer.answer()["status"], "done");
        thread::sleep(Duration::from_millis(20));
    }
    drop(slow);
    server.child.0.kill().expect("a child");
    writer.join().expect("it ends");
}

#[test]
fn uci_sessions_are_independent() {
    let folder = Folder::new("uci");
    let log = folder.path("log");
    let args = ["--uci", "127.0.0.1:0", "--sessions", "2", "--token", TOKEN];
    let mut server = Server::start(&args);
    let address = server.address();
    let open = || {
        let mut peer = Peer::connect(address);
        peer.send(format_args!("token {TOKEN}\nuci"));
        peer
    };
    let until = |peer: &mut Peer, word: &str| {
        let mut before = String::new();
        loop {
            let line = peer.line();
            assert!(!line.is_empty(), "no {word} after {before}");
            before += &line;
            if line.starts_with(word) {
                return before;
            }
        }
    };
    let mut first = open();
    let mut second = open();
    for peer in [&mut first, &mut second] {
        let options = until(peer, "uciok");
        assert!(options.contains("option name Threads type spin default 1 min 1 max 1\n"), "{options}");
        assert!(options.contains(" MultiPV ") && !options.contains("Debug Log File"), "{options}");
        peer.send("position startpos\ngo infinite");
        until(peer, "info depth 5");
    }
    let mut third = open();
    assert!(third.line().contains("2 sessions are open"));
    for peer in [&mut first, &mut second] {
        peer.send("stop");
        until(peer, "bestmove");
    }
    for line in ["setoption name Debug Log File value @", "savehash @", "setoption name Threads value 2"] {
        first.send(line.replace('@', &log));
        first.send("isready");
        let output = until(&mut first, "readyok");
        assert!(
            output.contains("info string") && output.contains("not available over") | output.contains("up to 1 here"),
            "{output}"
        );
    }
    assert!(folder.names().is_empty());
    first.send("perft 20");
    drop(first);
    second.send("perft 3\nquit");
    until(&mut second, "Nodes searched: 8902");
    // The abandoned perft also ends.
    let start = Instant::now();
    while open().line().contains("2 sessions are open") {
        assert!(start.elapsed() < TIMEOUT);
        thread::sleep(Duration::from_millis(50));
    }
    // The end of input stops a search, which is still answered.
    let mut ended = open();
    ended.send("go infinite");
    ended.stream.get_ref().shutdown(Shutdown::Write).expect("a socket");
    until(&mut ended, "bestmove");
    assert_eq!(ended.line(), "");
    let mut stranger = Peer::connect(address);
    stranger.send("uci");
    assert!(stranger.line().contains("wrong token"));
}

#[test]
fn options_of_lichess_need_lichess() {
    let refused = |args: &[&str], expected: &str| {
        let output = Command::new(PROGRAM).arg("serve").args(args).stdin(Stdio::null()).output().expect("it starts");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{args:?}: {output:?}");
    };
    refused(&["--lichess-name", "Lento"], "--lichess <TOKEN-FILE>");
    if cfg!(not(feature = "lichess")) {
        refused(&["--lichess", "token"], "--lichess: not in this build; expected a release, or a build by `cargo ");
    }
}

#[test]
fn sessions_alone_allocate_no_other_table() {
    let mut server = Server::run(&["serve", "--threads", "1", "--hash", "33554432", "--uci", "127.0.0.1:0"]);
    let line = server.line();
    assert!(line.contains("UCI on "), "{line}");
}
