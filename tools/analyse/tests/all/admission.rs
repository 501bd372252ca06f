//! Which connections `lento-analyse serve` accepts and keeps.

use crate::PROGRAM;
use crate::analysing::Folder;
use crate::serving::{Peer, SMALL, Server, TIMEOUT, TOKEN};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether the server closes a connection, after any answers.
fn is_closed(stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut rest = Vec::new();
    match (&stream).take(1 << 20).read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    }
}

pub fn silent_and_surplus_connections_are_closed() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--connections", "3"]);
    let address = server.address();
    let mut peer = Peer::connect(address);
    peer.check();
    let silent: Vec<TcpStream> = (0..200)
        .map(|number| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            if number % 2 == 0 {
                stream.write_all(b"{\"id\":").expect("a socket");
            }
            stream
        })
        .collect();
    peer.check();
    let mut second = Peer::connect(address);
    second.check();
    let start = Instant::now();
    assert!(silent.into_iter().all(is_closed) && start.elapsed() < Duration::from_secs(30));
    let mut third = Peer::connect(address);
    third.check();
    let mut fourth = Peer::connect(address);
    fourth.send(json!({ "status": true }));
    assert!(fourth.line().contains("3 connections are open"));
    drop((second, third));
    peer.check();
}

#[test]
fn tokens_are_checked() {
    let refused = |args: &[&str]| {
        let output = Command::new(PROGRAM).args(SMALL).args(args).stdin(Stdio::null()).output().expect("it starts");
        assert!(matches!(output.status.code(), Some(1 | 2)));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&["--listen", "0.0.0.0:0"]).contains("expected --token-file"));
    for address in ["localhost", "example.org:80", "70000", ":80", "127.0.0.1"] {
        let message = refused(&["--listen", address]);
        assert!(message.contains(address) && message.contains("such as 127.0.0.1:4617, or a port"), "{message}");
    }
    assert!(refused(&["--listen", "0.0.0.0:0", "--token", "short"]).contains("expected 16 or more"));
    let folder = Folder::new("token");
    let file = folder.write("token", &format!("{TOKEN}\n"));
    let mut server = Server::start(&["--listen", "localhost:0", "--token-file", &file]);
    if cfg!(unix) {
        let warning = server.line();
        assert!(warning.contains("token: other users can read the token; expected mode 600"), "{warning}");
    }
    let address = server.address();
    for first in ["token wrong", "{\"id\":1,\"depth\":1}", "", "token", &TOKEN[1..]] {
        let mut peer = Peer::connect(address);
        peer.send(first);
        assert!(peer.line().contains("wrong token"), "{first}");
        assert_eq!(peer.line(), "");
    }
    let mut peer = Peer::connect(address);
    peer.send(format_args!("token {TOKEN}"));
    peer.check();
}

#[test]
fn web_pages_cannot_send_requests() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let mut peer = Peer::connect(server.address());
    peer.send("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n{\"id\":1,\"depth\":1}");
    assert!(peer.line().contains("expected JSON lines"));
    assert!(!peer.line().contains("done"));
}

#[test]
fn connections_per_address_are_limited() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--per-address", "2"]);
    let [address, page] = [server.address(), server.address()];
    let mut open = [(); 2].map(|()| Peer::connect(address));
    open.iter_mut().for_each(Peer::check);
    let mut third = Peer::connect(address);
    third.send(json!({ "status": true }));
    assert!(third.line().contains("2 connections of this address are open; close one of them"));
    assert_eq!(third.line(), "");
    let mut visitor = Peer::connect(page);
    visitor.send(format_args!("GET / HTTP/1.1\r\nHost: {page}\r\n\r"));
    assert!(visitor.line().contains(" 503 "));
    while !visitor.line().contains("2 connections of this address are open") {}
    // Closed connections free their slots.
    drop(open);
    let start = Instant::now();
    loop {
        let mut next = Peer::connect(address);
        next.send(json!({ "status": true }));
        if next.answer()["status"] == "running" {
            break;
        }
        assert!(start.elapsed() < TIMEOUT);
    }
}

#[test]
#[cfg(unix)]
fn unix_socket_has_no_limit_per_address() {
    let folder = Folder::new("places");
    let path = folder.path("lento.sock");
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--socket", &path, "--per-address", "1"]);
    let mut peer = Peer::connect(server.address());
    peer.check();
    server.line();
    let mut owner = [(); 3].map(|()| Peer::connect_socket(&path));
    owner.iter_mut().for_each(Peer::check);
    let mut second = Peer::connect(peer.stream.get_ref().peer_addr().expect("a socket"));
    second.send(json!({ "status": true }));
    assert!(second.line().contains("1 connections of this address are open"));
}

/// The timer of the server's connection to this peer in /proc/net/tcp: kind and remaining hundredths of a second.
#[cfg(target_os = "linux")]
fn timer(peer: &Peer) -> (u8, u64) {
    let stream = peer.stream.get_ref();
    let [own, other] = [stream.local_addr(), stream.peer_addr()].map(|address| address.expect("a socket").port());
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the connections");
    let mut rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let (local, remote) = (format!(":{other:04X}"), format!(":{own:04X}"));
    let row = rows.find(|row| row[1].ends_with(&local) && row[2].ends_with(&remote)).expect("a connection");
    let (kind, left) = row[5].split_once(':').expect("a timer");
    (kind.parse().expect("a kind"), u64::from_str_radix(left, 16).expect("a time"))
}

#[test]
#[cfg(target_os = "linux")]
fn connections_have_keep_alive() {
    /// The kind of timer, which for a connection without unsent bytes can only be keep-alive.
    const KEEP_ALIVE: u8 = 2;
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--uci", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    for request in ["{\"status\":true}", "isready", "GET / HTTP/1.1\r"] {
        let mut peer = Peer::connect(server.address());
        peer.send(request);
        let start = Instant::now();
        while !(timer(&peer).0 == KEEP_ALIVE && timer(&peer).1 <= 6000) {
            assert!(start.elapsed() < TIMEOUT, "{request}: {:?}", timer(&peer));
        }
    }
}

#[test]
#[cfg(unix)]
fn clients_that_come_at_once_are_answered() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let address = server.address();
    // They come while the server waits for a processor.
    server.signal("-STOP");
    let mut peers = [(); 60].map(|()| Peer::connect(address));
    peers.iter_mut().for_each(|peer| peer.send(json!({ "status": true })));
    server.signal("-CONT");
    assert!(peers.iter_mut().all(|peer| peer.answer()["status"] == "running"));
}
