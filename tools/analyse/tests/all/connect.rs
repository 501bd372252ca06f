//! `lento-analyse connect` to a real server, through a cable that is cut.

use crate::PROGRAM;
use crate::analysing::Folder;
use crate::serving::{PATIENCE, Server, TOKEN};
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
    seen: Vec<String>,
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
        Self { input: child.stdin.take(), child: Some(child), output, seen: Vec::new() }
    }

    fn send(&mut self, line: impl std::fmt::Display) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(format!("{line}\n").as_bytes()).expect("the program reads");
    }

    /// The lines up to one with this start.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line =
                self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {start} after {:#?}", self.seen));
            self.seen.push(line.clone());
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// The next line with this start.
    fn line(&mut self, start: &str) -> String {
        self.until(start).pop().expect("a line")
    }

    fn best_move(&mut self) -> String {
        let line = self.line("bestmove ");
        line.split(' ').nth(1).expect("a move").to_owned()
    }

    /// Waits until the program ends by itself; it has printed no more than `answers` best moves.
    fn ends(mut self, answers: usize) -> String {
        let output = driver::end(self.child.take().expect("a child")).expect("an end");
        assert!(output.status.success(), "{:?}", output.status);
        self.seen.extend(self.output.iter());
        let found = self.seen.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(found, answers, "{:#?}", self.seen);
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn quit(mut self, answers: usize) -> String {
        self.send("quit");
        self.ends(answers)
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

/// Forwards connections to a server until it is cut, and keeps the lines that it forwards there.
#[derive(Default)]
struct Cable {
    /// `None` closes new connections at once.
    to: Mutex<Option<SocketAddr>>,
    ends: Mutex<Vec<TcpStream>>,
    /// The lines of each connection.
    sent: Mutex<Vec<Vec<String>>>,
}

impl Cable {
    fn lay(to: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let cable = Arc::new(Self { to: Mutex::new(Some(to)), ..Self::default() });
        let own = Arc::clone(&cable);
        thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(|near| own.forward(near)));
        (cable, address)
    }

    fn forward(self: &Arc<Self>, near: TcpStream) {
        // Held until both ends are known, so that a cut finds them.
        let to = self.to.lock();
        let Some(far) = to.and_then(|to| TcpStream::connect(to).ok()) else { return };
        let (from_near, from_far) = (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
        self.ends.lock().extend([near.try_clone().expect("a socket"), far.try_clone().expect("a socket")]);
        let number = self.sent.lock().len();
        self.sent.lock().push(Vec::new());
        let own = Arc::clone(self);
        thread::spawn(move || own.pump(from_near, far, Some(number)));
        let own = Arc::clone(self);
        thread::spawn(move || own.pump(from_far, near, None));
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

    /// Ends all connections.
    fn cut(&self) {
        let _to = self.to.lock();
        for end in self.ends.lock().drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Ends all connections and refuses new ones.
    fn pull(&self) {
        *self.to.lock() = None;
        self.cut();
    }

    fn plug(&self, to: SocketAddr) {
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

/// A server, a cable to it, and a user interface that has sent `uci`.
fn connected() -> (Server, SocketAddr, Arc<Cable>, Interface) {
    let mut server = Server::start(&SESSIONS);
    let address = server.address();
    let (cable, near) = Cable::lay(address);
    let mut interface = Interface::start(near, &[]);
    interface.send("uci");
    interface.until("uciok");
    (server, address, cable, interface)
}

/// Whether a move is legal after these.
fn is_legal(moves: &str, mv: &str) -> bool {
    let mut game = Game::start();
    moves.split_whitespace().chain([mv]).all(|mv| game.play_text(mv, false).is_ok())
}

#[test]
fn a_session_with_a_token() {
    let folder = Folder::new("connect");
    let file = folder.write("token", TOKEN);
    let mut server = Server::start(&[&SESSIONS[..], &["--token", TOKEN]].concat());
    let mut interface = Interface::start(server.address(), &["--token-file", &file]);
    interface.send("uci");
    let options = interface.until("uciok");
    assert!(options[0].starts_with("id name Lento"), "{options:?}");
    // Those of the server, which has one thread.
    assert!(options.contains(&"option name Threads type spin default 1 min 1 max 1".to_owned()), "{options:?}");
    interface.send("setoption name MultiPV value 2\nposition startpos moves e2e4\nisready");
    interface.until("readyok");
    interface.send("go depth 6");
    let lines = interface.until("bestmove ");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")), "{lines:?}");
    interface.send("go infinite\nposition startpos\nisready");
    interface.until("readyok");
    interface.send("eval\nuci\nuci\nuci");
    (0..3).for_each(|_| _ = interface.until("uciok"));
    interface.send("stop");
    interface.best_move();
    // Commands that came during the search follow it.
    interface.send("go depth 1\nd");
    interface.best_move();
    interface.until("Fen: ");
    let said = interface.quit(3);
    assert!(!cfg!(unix) || said.contains("expected mode 600"), "{said}");
}

pub fn searches_outlast_the_connection() {
    let (_server, _, cable, mut interface) = connected();
    interface.send("setoption name Hash value 1\nsetoption name MultiPV value 2\nucinewgame");
    interface.send("position startpos moves e2e4 e7e5");
    let kept = [
        "setoption name Hash value 1",
        "setoption name MultiPV value 2",
        "ucinewgame",
        "position startpos moves e2e4 e7e5",
    ];
    let cut = |interface: &mut Interface| {
        cable.cut();
        interface.until(LOST);
        interface.until(CONNECTED);
        interface.until("info depth ");
        let sent = cable.last_sent();
        assert_eq!(sent[..4], kept, "{sent:?}");
        sent[4].clone()
    };
    interface.send("go movetime 6000 wtime 100000 btime 90000");
    interface.until("info depth ");
    let mut left = [6000, 100_000];
    for _ in 0..2 {
        let go = cut(&mut interface);
        let mut numbers = go.split(' ').filter_map(|word| word.parse::<i64>().ok());
        let now = [numbers.next(), numbers.next()].map(|number| number.expect("a number"));
        assert!(now[0] < left[0] && now[1] < left[1] && go.ends_with(" btime 90000"), "{go}");
        left = now;
    }
    let mv = interface.best_move();
    assert!(is_legal("e2e4 e7e5", &mv), "{mv}");
    interface.send("go infinite");
    interface.until("info depth ");
    for _ in 0..2 {
        assert_eq!(cut(&mut interface), "go infinite");
    }
    interface.send("stop");
    let mv = interface.best_move();
    assert!(is_legal("e2e4 e7e5", &mv), "{mv}");
    interface.send("go ponder wtime 50000 btime 50000");
    interface.until("info depth ");
    assert_eq!(cut(&mut interface), "go ponder wtime 50000 btime 50000");
    interface.send("ponderhit");
    let go = cut(&mut interface);
    assert!(go.starts_with("go wtime ") && go.ends_with(" btime 50000"), "{go}");
    interface.send("stop");
    interface.best_move();
    interface.send("isready");
    interface.until("readyok");
    interface.quit(3);
}

#[test]
fn without_a_connection_the_best_move_so_far_is_played() {
    let (_server, address, cable, mut interface) = connected();
    interface.send("position startpos moves d2d4\ngo infinite");
    let line = interface.line("info depth 3 ");
    cable.pull();
    let later = interface.until(LOST);
    interface.send("stop");
    let mv = interface.best_move();
    let pv = format!(" pv {mv} ");
    assert!([line].iter().chain(&later).any(|line| format!("{line} ").contains(&pv)), "{mv} {later:?}");
    assert!(is_legal("d2d4", &mv), "{mv}");
    // Half of the clock is for the connection to come back.
    for clock in ["go wtime 50000 btime 400", "go movetime 300", "go wtime 400 btime 50000\nstop"] {
        interface.send(clock);
        let mv = interface.best_move();
        assert!(is_legal("d2d4", &mv), "{mv}");
    }
    interface.send("isready");
    cable.plug(address);
    interface.until(CONNECTED);
    interface.until("readyok");
    interface.send("go depth 4");
    assert!(interface.until("bestmove ").iter().any(|line| line.starts_with("info depth 4 ")));
    interface.quit(5);
}

pub fn a_server_that_starts_later() {
    let place = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let mut interface = Interface::start(place, &[]);
    interface.send("uci");
    let lines = interface.until("uciok");
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
    interface.until(CONNECTED);
    interface.until("readyok");
    assert!(interface.until("bestmove ").iter().any(|line| line.contains(" multipv 2 ")));
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
        let line = interface.line("info string ERROR: ");
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
        let said = String::from_utf8_lossy(&output(args).stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn quit_and_the_end_of_input_end_it() {
    let (server, address, cable, mut interface) = connected();
    interface.send("go infinite");
    interface.until("info depth 2 ");
    cable.pull();
    interface.until(LOST);
    interface.quit(0);
    let mut interface = Interface::start(address, &[]);
    interface.send("uci\ngo infinite");
    interface.until("info depth 2 ");
    interface.input = None;
    interface.ends(0);
    drop(server);
    let mut interface = Interface::start(address, &[]);
    interface.send("uci");
    interface.quit(0);
}

#[test]
fn a_closed_output_ends_it() {
    let mut server = Server::start(&SESSIONS);
    let mut command = Command::new(PROGRAM);
    command.args(["connect", &server.address().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let _input = child.stdin.take();
    drop(child.stdout.take());
    driver::end(child).expect("an end");
}

#[test]
fn a_game_with_a_bad_cable() {
    const MOVES: usize = 50;
    let (_server, _, cable, mut interface) = connected();
    let random = &mut fastrand::Rng::with_seed(1);
    let (mut game, mut moves) = (Game::start(), String::new());
    for _ in 0..MOVES {
        if game.verdict().is_some() {
            (game, moves) = (Game::start(), String::new());
            interface.send("ucinewgame");
        }
        if random.u8(..4) == 0 {
            cable.cut();
        }
        interface.send(format_args!("position startpos moves{moves}"));
        interface
            .send(random.choice(["go depth 4", "go nodes 2000", "go movetime 50", "go infinite"]).expect("a limit"));
        if random.u8(..4) == 0 {
            cable.cut();
        }
        interface.send("stop");
        let mv = interface.best_move();
        assert!(game.play_text(&mv, false).is_ok(), "{mv} after {moves}");
        moves += &format!(" {mv}");
    }
    interface.send("isready");
    interface.until("readyok");
    interface.quit(MOVES);
}

/// Answers a connection as a UCI server behind a TLS proxy does, and leaves at `stop`.
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
fn an_encrypted_connection() {
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
    assert_eq!(interface.until("readyok"), ["id name encrypted", "uciok", "readyok"]);
    for _ in 0..2 {
        interface.send("go infinite");
        interface.until("info depth 1 ");
        // Here the server leaves.
        interface.send("stop");
        assert_eq!(interface.best_move(), "g1f3");
        interface.until(CONNECTED);
    }
    interface.quit(2);
    // Public authorities have not signed it.
    let mut interface = Interface::start(&server, &["--tls"]);
    interface.send("uci");
    let problem = interface.line("info string ERROR: ");
    assert!(problem.contains("invalid peer certificate: "), "{problem}");
    interface.quit(0);
}

#[test]
#[cfg(not(feature = "tls"))]
fn a_build_without_tls_says_so() {
    let mut command = Command::new(PROGRAM);
    let output = command.args(["connect", "localhost:1", "--tls"]).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--tls: not in this build; expected a release, or a build by `cargo build"), "{said}");
}
