//! `lento-analyse connect` to a real server, through a proxy that drops connections.

use crate::PROGRAM;
use crate::analysing::Folder;
use crate::serving::{Server, TIMEOUT, TOKEN};
use lento::chess::Game;
use lento_testing::driver;
use parking_lot::Mutex;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// A user interface with this program as its engine.
struct Interface {
    child: Option<Child>,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// All lines so far.
    received: Vec<String>,
}

impl Interface {
    fn start(server: impl ToString, args: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("connect").arg(server.to_string()).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
        let (send, output) = channel();
        thread::spawn(move || lines.map_while(Result::ok).all(|line| send.send(line).is_ok()));
        Self { input: child.stdin.take(), child: Some(child), output, received: Vec::new() }
    }

    fn send(&mut self, line: impl std::fmt::Display) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(format!("{line}\n").as_bytes()).expect("the program reads");
    }

    /// Reads lines up to one with this start.
    fn read_until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line =
                self.output.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("no {start} after {:#?}", self.received));
            self.received.push(line.clone());
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Reads the next line with this start.
    fn read_line(&mut self, start: &str) -> String {
        self.read_until(start).pop().expect("a line")
    }

    fn best_move(&mut self) -> String {
        let line = self.read_line("bestmove ");
        line.split(' ').nth(1).expect("a move").to_owned()
    }

    /// Waits for the program to end; it must have printed `answers` best moves. Returns its standard error.
    fn wait_for_end(mut self, answers: usize) -> String {
        let output = driver::end(self.child.take().expect("a child")).expect("an end");
        assert!(output.status.success(), "{:?}", output.status);
        self.received.extend(self.output.iter());
        let found = self.received.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(found, answers, "{:#?}", self.received);
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn quit(mut self, answers: usize) -> String {
        self.send("quit");
        self.wait_for_end(answers)
    }
}

impl Drop for Interface {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A proxy that records the lines sent to the server.
#[derive(Default)]
struct Proxy {
    /// `None` closes new connections at once.
    to: Mutex<Option<SocketAddr>>,
    ends: Mutex<Vec<TcpStream>>,
    /// The lines of each connection.
    sent: Mutex<Vec<Vec<String>>>,
}

impl Proxy {
    fn start(to: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let proxy = Arc::new(Self { to: Mutex::new(Some(to)), ..Self::default() });
        let own = Arc::clone(&proxy);
        thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(|client| own.forward(client)));
        (proxy, address)
    }

    fn forward(self: &Arc<Self>, client: TcpStream) {
        // Locked until both ends are registered, for `disconnect`.
        let to = self.to.lock();
        let Some(server) = to.and_then(|to| TcpStream::connect(to).ok()) else { return };
        let (from_client, from_server) = (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
        self.ends.lock().extend([client.try_clone().expect("a socket"), server.try_clone().expect("a socket")]);
        let number = self.sent.lock().len();
        self.sent.lock().push(Vec::new());
        let own = Arc::clone(self);
        thread::spawn(move || own.pump(from_client, server, Some(number)));
        let own = Arc::clone(self);
        thread::spawn(move || own.pump(from_server, client, None));
    }

    fn pump(&self, from: TcpStream, mut to: TcpStream, number: Option<usize>) {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if let Some(number) = number {
                self.sent.lock()[number].push(line.clone());
            }
            if to.write_all(format!("{line}\n").as_bytes()).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    }

    /// Closes all connections.
    fn disconnect(&self) {
        let _to = self.to.lock();
        for end in self.ends.lock().drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Closes all connections and refuses new ones.
    fn stop(&self) {
        *self.to.lock() = None;
        self.disconnect();
    }

    fn restart(&self, to: SocketAddr) {
        *self.to.lock() = Some(to);
    }

    /// The lines of the last connection after `uci`, without `isready`.
    fn last_sent(&self) -> Vec<String> {
        let sent = self.sent.lock();
        let lines = sent.last().expect("a connection").iter().skip_while(|line| *line != "uci").skip(1);
        lines.filter(|line| *line != "isready").cloned().collect()
    }
}

const SESSIONS: [&str; 4] = ["--uci", "127.0.0.1:0", "--sessions", "8"];
const LOST: &str = "info string lost ";
const CONNECTED: &str = "info string connected to ";

/// A server, a proxy to it, and a user interface that has sent `uci`.
fn connected() -> (Server, SocketAddr, Arc<Proxy>, Interface) {
    let mut server = Server::start(&SESSIONS);
    let address = server.address();
    let (proxy, client) = Proxy::start(address);
    let mut interface = Interface::start(client, &[]);
    interface.send("uci");
    interface.read_until("uciok");
    (server, address, proxy, interface)
}

/// Whether a move is legal after these.
fn is_legal(moves: &str, mv: &str) -> bool {
    let mut game = Game::start();
    moves.split_whitespace().chain([mv]).all(|mv| game.play_text(mv, false).is_ok())
}

#[test]
fn session_with_a_token() {
    let folder = Folder::new("connect");
    let file = folder.write("token", TOKEN);
    let mut server = Server::start(&[&SESSIONS[..], &["--token", TOKEN]].concat());
    let mut interface = Interface::start(server.address(), &["--token-file", &file]);
    interface.send("uci");
    let options = interface.read_until("uciok");
    assert!(options[0].starts_with("id name Lento"), "{options:?}");
    // The options of the server, which has one thread.
    assert!(options.contains(&"option name Threads type spin default 1 min 1 max 1".to_owned()), "{options:?}");
    interface.send("setoption name MultiPV value 2\nposition startpos moves e2e4\nisready");
    interface.read_until("readyok");
    interface.send("go depth 6");
    let lines = interface.read_until("bestmove ");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")), "{lines:?}");
    interface.send("go infinite\nposition startpos\nisready");
    interface.read_until("readyok");
    interface.send("eval\nuci\nuci\nuci");
    (0..3).for_each(|_| _ = interface.read_until("uciok"));
    interface.send("stop");
    interface.best_move();
    // Commands sent during the search are executed afterwards.
    interface.send("go depth 1\nd");
    interface.best_move();
    interface.read_until("Fen: ");
    let stderr = interface.quit(3);
    assert!(!cfg!(unix) || stderr.contains("expected mode 600"), "{stderr}");
}

pub fn searches_continue_after_reconnection() {
    let (_server, _, proxy, mut interface) = connected();
    interface.send("setoption name Hash value 1\nsetoption name MultiPV value 2\nucinewgame");
    interface.send("position startpos moves e2e4 e7e5");
    let kept = [
        "setoption name Hash value 1",
        "setoption name MultiPV value 2",
        "ucinewgame",
        "position startpos moves e2e4 e7e5",
    ];
    let reconnect = |interface: &mut Interface| {
        proxy.disconnect();
        interface.read_until(LOST);
        interface.read_until(CONNECTED);
        interface.read_until("info depth ");
        let sent = proxy.last_sent();
        assert_eq!(sent[..4], kept, "{sent:?}");
        sent[4].clone()
    };
    interface.send("go movetime 6000 wtime 100000 btime 90000");
    interface.read_until("info depth ");
    let mut left = [6000, 100_000];
    for _ in 0..2 {
        let go = reconnect(&mut interface);
        let mut numbers = go.split(' ').filter_map(|word| word.parse::<i64>().ok());
        let now = [numbers.next(), numbers.next()].map(|number| number.expect("a number"));
        assert!(now[0] < left[0] && now[1] < left[1] && go.ends_with(" btime 90000"), "{go}");
        left = now;
    }
    let mv = interface.best_move();
    assert!(is_legal("e2e4 e7e5", &mv), "{mv}");
    interface.send("go infinite");
    interface.read_until("info depth ");
    for _ in 0..2 {
        assert_eq!(reconnect(&mut interface), "go infinite");
    }
    interface.send("stop");
    let mv = interface.best_move();
    assert!(is_legal("e2e4 e7e5", &mv), "{mv}");
    interface.send("go ponder wtime 50000 btime 50000");
    interface.read_until("info depth ");
    assert_eq!(reconnect(&mut interface), "go ponder wtime 50000 btime 50000");
    interface.send("ponderhit");
    let go = reconnect(&mut interface);
    assert!(go.starts_with("go wtime ") && go.ends_with(" btime 50000"), "{go}");
    interface.send("stop");
    interface.best_move();
    interface.send("isready");
    interface.read_until("readyok");
    interface.quit(3);
}

#[test]
fn best_move_is_played_without_a_connection() {
    let (_server, address, proxy, mut interface) = connected();
    interface.send("position startpos moves d2d4\ngo infinite");
    let line = interface.read_line("info depth 3 ");
    proxy.stop();
    let later = interface.read_until(LOST);
    interface.send("stop");
    let mv = interface.best_move();
    let pv = format!(" pv {mv} ");
    assert!([line].iter().chain(&later).any(|line| format!("{line} ").contains(&pv)), "{mv} {later:?}");
    assert!(is_legal("d2d4", &mv), "{mv}");
    // Waits for the connection for up to half of the clock.
    for clock in ["go wtime 50000 btime 400", "go movetime 300", "go wtime 400 btime 50000\nstop"] {
        interface.send(clock);
        let mv = interface.best_move();
        assert!(is_legal("d2d4", &mv), "{mv}");
    }
    interface.send("isready\nisready");
    (0..2).for_each(|_| _ = interface.read_until("readyok"));
    proxy.restart(address);
    interface.read_until(CONNECTED);
    interface.send("isready");
    interface.read_until("readyok");
    interface.send("go depth 4");
    assert!(interface.read_until("bestmove ").iter().any(|line| line.starts_with("info depth 4 ")));
    interface.quit(5);
}

pub fn server_may_start_later() {
    let place = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let mut interface = Interface::start(place, &[]);
    interface.send("uci");
    let lines = interface.read_until("uciok");
    let problem = lines.first().expect("a line");
    assert!(
        problem.starts_with("info string ERROR: ") && problem.contains("expected `lento serve --uci`"),
        "{problem}"
    );
    for (option, is_offered) in [("Hash", true), ("MultiPV", true), ("SyzygyPath", false)] {
        let name = format!("option name {option} ");
        assert_eq!(lines.iter().any(|line| line.starts_with(&name)), is_offered, "{option}: {lines:?}");
    }
    interface.send("setoption name MultiPV value 2\nisready\ngo depth 4");
    let _server = Server::start(&["--uci", &place.to_string()]);
    if !interface.read_until(CONNECTED).iter().any(|line| line == "readyok") {
        interface.read_until("readyok");
    }
    assert!(interface.read_until("bestmove ").iter().any(|line| line.contains(" multipv 2 ")));
    interface.quit(1);
}

#[test]
fn refusals_are_reported() {
    let folder = Folder::new("connect-refused");
    let file = folder.write("token", "another-0123456789");
    let mut server = Server::start(&["--uci", "127.0.0.1:0", "--sessions", "1", "--token", TOKEN]);
    let address = server.address();
    for args in [&["--token-file", &file][..], &[]] {
        let mut interface = Interface::start(address, args);
        interface.send("isready\ngo infinite");
        let line = interface.read_line("info string ERROR: ");
        assert!(line.contains(": wrong token; expected --token-file with its token; retrying"), "{line}");
        interface.quit(0);
    }
    let output = |args: &[&str]| {
        driver::finish(Command::new(PROGRAM).arg("connect").args(args).stderr(Stdio::piped()).spawn().expect("a start"))
    };
    let short = folder.write("short", "abc");
    for (args, expected) in [
        (&["localhost"][..], "expected HOST:PORT"),
        (&["localhost:1", "--token-file", &short], "expected 16 or more"),
        (&["localhost:1", "--token-file", "/nowhere/token"], "/nowhere/token: "),
    ] {
        let stderr = String::from_utf8_lossy(&output(args).stderr).into_owned();
        assert!(stderr.contains(expected), "{stderr}");
    }
}

#[test]
fn quit_and_end_of_input_end_the_program() {
    let (server, address, proxy, mut interface) = connected();
    interface.send("go infinite");
    interface.read_until("info depth 2 ");
    proxy.stop();
    interface.read_until(LOST);
    interface.quit(0);
    let mut interface = Interface::start(address, &[]);
    interface.send("uci\ngo infinite");
    interface.read_until("info depth 2 ");
    interface.input = None;
    interface.wait_for_end(0);
    drop(server);
    let mut interface = Interface::start(address, &[]);
    interface.send("uci");
    interface.quit(0);
}

#[test]
fn closed_output_ends_the_program() {
    let mut server = Server::start(&SESSIONS);
    let mut command = Command::new(PROGRAM);
    command.args(["connect", &server.address().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let _input = child.stdin.take();
    drop(child.stdout.take());
    driver::end(child).expect("an end");
}

#[test]
fn games_survive_random_disconnects() {
    const MOVES: usize = 50;
    let (_server, _, proxy, mut interface) = connected();
    let random = &mut fastrand::Rng::with_seed(1);
    let (mut game, mut moves) = (Game::start(), String::new());
    for _ in 0..MOVES {
        if game.verdict().is_some() {
            (game, moves) = (Game::start(), String::new());
            interface.send("ucinewgame");
        }
        if random.u8(..4) == 0 {
            proxy.disconnect();
        }
        interface.send(format_args!("position startpos moves{moves}"));
        interface
            .send(random.choice(["go depth 4", "go nodes 2000", "go movetime 50", "go infinite"]).expect("a limit"));
        if random.u8(..4) == 0 {
            proxy.disconnect();
        }
        interface.send("stop");
        let mv = interface.best_move();
        assert!(game.play_text(&mv, false).is_ok(), "{mv} after {moves}");
        moves += &format!(" {mv}");
    }
    interface.send("isready");
    interface.read_until("readyok");
    interface.quit(MOVES);
}

/// Serves a connection like a UCI server behind a TLS proxy, and closes it at `stop`.
#[cfg(feature = "tls")]
fn answer_encrypted(stream: TcpStream, config: Arc<rustls::ServerConfig>, mv: &str) -> std::io::Result<()> {
    let connection = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = BufReader::new(rustls::StreamOwned::new(connection, stream));
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let answer = match line.split_whitespace().next() {
            Some("uci") => "id name encrypted\nuciok\n".to_owned(),
            Some("isready") => "readyok\n".to_owned(),
            Some("go") => format!("info depth 1 pv {mv}\n"),
            Some("stop") => return Ok(()),
            _ => continue,
        };
        stream.get_mut().write_all(answer.as_bytes())?;
        stream.get_mut().flush()?;
    }
}

#[test]
#[cfg(feature = "tls")]
fn encrypted_connection() {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let folder = Folder::new("connect-tls");
    let [certificate, key] = ["fullchain.pem", "privkey.pem"].map(|name| folder.path(name));
    let mut openssl = Command::new("openssl");
    openssl.args("req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost".split(' '));
    openssl.args(["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.args(["-keyout", &key, "-out", &certificate]).stderr(Stdio::null());
    assert!(openssl.status().expect("openssl runs").success());
    let own = CertificateDer::pem_file_iter(&certificate).expect("a file").map(|one| one.expect("a certificate"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("versions").with_no_client_auth();
    let config = builder.with_single_cert(own.collect(), PrivateKeyDer::from_pem_file(&key).expect("a key"));
    let config = Arc::new(config.expect("a certificate"));
    let listener = TcpListener::bind("localhost:0").expect("a port");
    let server = format!("localhost:{}", listener.local_addr().expect("an address").port());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let config = Arc::clone(&config);
            thread::spawn(move || answer_encrypted(stream, config, "g1f3"));
        }
    });
    let mut interface = Interface::start(&server, &["--tls", "--ca-file", &certificate]);
    interface.send("uci\nisready");
    assert_eq!(interface.read_until("readyok"), ["id name encrypted", "uciok", "readyok"]);
    for _ in 0..2 {
        interface.send("go infinite");
        interface.read_until("info depth 1 ");
        // The server closes the connection.
        interface.send("stop");
        assert_eq!(interface.best_move(), "g1f3");
        interface.read_until(CONNECTED);
    }
    interface.quit(2);
    // Not signed by a public authority.
    let mut interface = Interface::start(&server, &["--tls"]);
    interface.send("uci");
    let problem = interface.read_line("info string ERROR: ");
    assert!(problem.contains("invalid peer certificate: "), "{problem}");
    interface.quit(0);
}

#[test]
#[cfg(not(feature = "tls"))]
fn build_without_tls_refuses_tls() {
    let mut command = Command::new(PROGRAM);
    let output = command.args(["connect", "localhost:1", "--tls"]).output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("--tls: not in this build; expected a release, or a build by `cargo build"), "{stderr}");
}
