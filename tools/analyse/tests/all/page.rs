//! The page of `lento-analyse serve --web`, over plain HTTP and in Chromium.

use crate::analysing::Folder;
use crate::browser::Browser;
use crate::serving::{Peer, Server, TOKEN};
use crate::tree::done;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::iter;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The head and body of a response.
fn fetch(address: SocketAddr, path: &str, headers: &str) -> String {
    let mut peer = Peer::connect(address);
    peer.send(format_args!("GET {path} HTTP/1.1\r\n{headers}\r\n"));
    let mut text = String::new();
    while let line = peer.line()
        && !line.is_empty()
    {
        text += &line;
    }
    text
}

#[test]
fn requests_from_other_hosts_and_sites_are_refused() {
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--host", "chess.example"]);
    let address = server.address();
    let status = |headers: &str| fetch(address, "/", headers).split(' ').nth(1).map(str::to_owned);
    let own = format!("Host: {address}\r\n");
    assert!(fetch(address, "/", &own).contains("Content-Security-Policy".to_lowercase().as_str()));
    for (headers, expected) in [
        (own.clone(), "200"),
        ("Host: localhost:8617\r\n".into(), "200"),
        ("Host: chess.example\r\n".into(), "200"),
        ("Host: evil.example\r\n".into(), "403"),
        (format!("{own}Host: evil.example\r\n"), "403"),
        (format!("Host: evil.example\r\n{own}"), "403"),
        (format!("{own}Origin: http://{address}\r\n"), "200"),
        (format!("{own}Origin: http://evil.example\r\n"), "403"),
        (format!("{own}Origin: null\r\n"), "403"),
        (format!("{own}Long: {}\r\n", "x".repeat(20_000)), "431"),
    ] {
        assert_eq!(status(&headers).as_deref(), Some(expected), "{headers}");
    }
    let of_uri = |host: &str| fetch(address, &format!("http://{host}/"), &own).split(' ').nth(1).map(str::to_owned);
    for (host, expected) in [(address.to_string().as_str(), "200"), ("evil.example", "403"), ("localhost", "403")] {
        assert_eq!(of_uri(host).as_deref(), Some(expected), "{host}");
    }
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let socket = |origin: &str| fetch_head(address, &format!("{own}{upgrade}Origin: {origin}\r\n"));
    assert!(socket(&format!("http://{address}")).contains(" 101 "));
    assert!(socket("http://evil.example").contains(" 403 "));
}

/// The first line of the answer to a WebSocket handshake.
fn fetch_head(address: SocketAddr, headers: &str) -> String {
    let mut peer = Peer::connect(address);
    peer.send(format_args!("GET /socket HTTP/1.1\r\n{headers}\r\n"));
    peer.line()
}

#[test]
fn all_referenced_files_are_served() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let mut known = vec![String::new()];
    let mut at = 0;
    while let Some(name) = known.get(at).cloned() {
        at += 1;
        let mut peer = Peer::connect(address);
        peer.send(format_args!("GET /{name} HTTP/1.1\r\nHost: {address}\r\n\r\n"));
        let text = iter::from_fn(|| Some(peer.line()).filter(|line| !line.is_empty())).collect::<String>();
        let kind = match name.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        assert!(text.contains(" 200 ") && text.contains(&format!("content-type: {kind}")), "{name}: {text}");
        for start in ["href=\"", "src=\"", "from \"./"] {
            let found = text.split(start).skip(1).filter_map(|rest| rest.split('"').next());
            let files = found.filter(|file| !file.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
            known.extend(files);
        }
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
    }
    assert!(known.len() > 15, "{known:?}");
}

#[test]
fn page_needs_the_token_once() {
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--token", TOKEN]);
    let address = server.address();
    let get = |path: &str, headers: &str| fetch(address, path, &format!("Host: {address}\r\n{headers}"));
    assert!(get("/", "").contains(" 401 ") && get("/?token=wrong", "").contains(" 401 "));
    // Browsers send the cookies of all ports of a host.
    let (other, own) = (format!("lento_token_1={TOKEN}x"), format!("lento_token_{}", address.port()));
    for wrong in [format!("{own}={}x", &TOKEN[1..]), format!("lento_token={TOKEN}"), format!("lento_token_1={TOKEN}")] {
        assert!(get("/", &format!("Cookie: {wrong}\r\n")).contains(" 401 "), "{wrong}");
    }
    let first = get(&format!("/?token={TOKEN}"), "");
    assert!(first.contains(" 303 ") && first.contains(&format!("{own}={TOKEN}; HttpOnly")), "{first}");
    assert!(get("/", &format!("Cookie: {other}; {own}={TOKEN}\r\n")).contains("<title>Lento</title>"));
    for scheme in ["Bearer", "bearer"] {
        assert!(get("/main.js", &format!("Authorization: {scheme} {TOKEN}\r\n")).contains(" 200 "), "{scheme}");
    }
    // Behind a reverse proxy with a password.
    let basic = format!("Authorization: Basic {TOKEN}\r\n");
    assert!(get("/main.js", &basic).contains(" 401 "));
    assert!(get("/main.js", &format!("{basic}Cookie: {own}={TOKEN}\r\n")).contains(" 200 "));
    assert!(fetch_head(address, &format!("Host: {address}\r\n")).contains(" 401 "));
}

#[test]
fn malformed_and_silent_http_is_harmless() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let silent: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    let random = &mut fastrand::Rng::with_seed(3);
    for round in 0..200 {
        let mut bytes = b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n".to_vec();
        if round % 2 == 0 {
            bytes.fill_with(|| random.u8(..));
        } else {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let mut stream = TcpStream::connect(address).expect("a connection");
        let _ = stream.write_all(&bytes);
    }
    let mut visitor = Visitor::connect(address);
    for message in ["", "x", "[]", r#"{"add":{"id":1}}"#, r#"{"ask":7}"#, r#"{"ask":"queue-add","start":3}"#] {
        visitor.send(message);
        let error = visitor.wait_for(|update| update["error"].is_object())["error"].clone();
        assert!(error["code"].is_string() && error["text"].is_string(), "{message}: {error}");
    }
    visitor.search();
    drop(silent);
}

/// A connection that retries interrupted reads, which SIGSTOP and SIGCONT can cause: signal(7).
pub struct Connection(TcpStream);

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                result => return result,
            }
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A WebSocket client of the page.
pub struct Visitor(WebSocket<Connection>);

impl Visitor {
    pub fn connect(address: SocketAddr) -> Self {
        Self::open(address, &format!("ws://{address}/socket"))
    }

    pub fn open(address: SocketAddr, url: &str) -> Self {
        Self::with_token(address, url, None)
    }

    pub fn with_token(address: SocketAddr, url: &str, token: Option<&str>) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let mut request = url.into_client_request().expect("an address");
        if let Some(token) = token {
            let value = format!("Bearer {token}").parse().expect("a header");
            request.headers_mut().insert("Authorization", value);
        }
        Self(tungstenite::client(request, Connection(stream)).expect("a WebSocket").0)
    }

    pub fn send(&mut self, text: impl Into<String>) {
        self.0.send(Message::Text(text.into().into())).expect("it is read");
    }

    fn message(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().expect("a message in time") {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// Adds a position to the queue and waits until it is done.
    fn search(&mut self) {
        let request = json!({ "id": 1, "ask": "queue-add", "moves": ["e2e4"], "budget": { "depth": 3 } });
        self.send(request.to_string());
        self.wait_for(|update| update["event"] == "queue" && update["entries"][0]["state"] == "done");
    }

    pub fn wait_for(&mut self, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let update = self.message();
            if is_it(&update) {
                return update;
            }
            assert!(start.elapsed() < TIMEOUT, "{update}");
        }
    }
}

pub fn visitor_without_pong_is_disconnected() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let (mut visitor, mut gone) = (Visitor::connect(address), Visitor::connect(address));
    // Sends no pongs, since only raw bytes are read.
    let ended = thread::spawn(move || gone.0.get_mut().read_to_end(&mut Vec::new()).map(drop));
    while !ended.is_finished() {
        visitor.message();
    }
    ended.join().expect("it ends").expect("the connection is closed");
    visitor.search();
}

/// The moves of the list, with a star after the current one.
pub const MOVES: &str = "[...document.querySelectorAll('#moves .move')].map((move) => \
    move.querySelector('.san').textContent + (move.hasAttribute('aria-current') ? '*' : '')).join(' ')";
pub const CONNECTED: &str = "!!document.querySelector('#pause') && !document.querySelector('#pause').disabled";

const LIST: &str = "document.querySelector('#positions').textContent";
const LINES: &str = "document.querySelector('#queue-detail').textContent";

#[test]
fn visitors_see_the_same_positions() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let url = format!("http://{}/", server.address());
    let desktop = browser.open(&url, 1200);
    browser.wait_for(&desktop, CONNECTED);
    browser.read(&desktop, "1. e4 e5 2. Nf3");
    browser.wait_for(&desktop, &format!("{MOVES} === 'e4 e5 Nf3*'"));
    browser.evaluate(&desktop, "document.querySelector('#tab-queue').click()");
    browser.evaluate(&desktop, "document.querySelector('#add').requestSubmit()");
    // A line appears, with its graph.
    browser.wait_for(&desktop, &format!("{LINES}.includes('nodes') && {LINES}.includes('2…')"));
    browser.wait_for(&desktop, "(document.querySelector('#queue-graph .area')?.getAttribute('d') ?? '').length > 20");
    assert_eq!(browser.evaluate(&desktop, "document.querySelectorAll('#board .pieces use').length"), 32);
    browser.read(&desktop, "e4 Ke4");
    browser.wait_for(&desktop, "document.querySelector('#notices').textContent.includes('Ke4')");
    let left = "document.querySelector('#notices').getBoundingClientRect().left >= document.querySelector('#board').getBoundingClientRect().right";
    assert_eq!(browser.evaluate(&desktop, left), true);
    // Elements are reused for the same entry.
    browser.evaluate(&desktop, "window.row = document.querySelector('#positions button'); row.focus()");
    // A second visitor, on a phone, sees it and pauses.
    let phone = browser.open(&url, 390);
    browser.wait_for(&phone, &format!("!!document.querySelector('#positions') && {LIST}.includes('searching')"));
    // The lines are requested again if there are updates before the answer.
    browser.hold(&desktop, "\"ask\":\"queue-look\"");
    browser.wait_for(&desktop, "held.length === 1");
    browser.evaluate(&phone, "document.querySelector('#pause').click()");
    browser.wait_for(&phone, &format!("{LIST}.includes('paused')"));
    browser.wait_for(&desktop, &format!("{LIST}.includes('paused')"));
    browser.evaluate(&desktop, "held[0]()");
    browser.wait_for(&desktop, "held.length === 2");
    assert_eq!(
        browser.evaluate(&desktop, "row.isConnected && row === document.querySelector('#positions button')"),
        true
    );
    // Reloading the page keeps lines and search.
    browser.reload(&desktop);
    browser.wait_for(&desktop, &format!("!!document.querySelector('#positions') && {LIST}.includes('paused')"));
    browser.evaluate(&desktop, "document.querySelector('#positions button').click()");
    browser.wait_for(&desktop, &format!("{LINES}.includes('2…')"));
    browser.evaluate(&desktop, "document.querySelector('#pause').click()");
    browser.wait_for(&phone, &format!("{LIST}.includes('searching')"));
    browser.evaluate(&phone, "document.querySelector('[data-act=remove]').click()");
    browser.wait_for(&desktop, "document.querySelectorAll('#positions li').length === 0");
}

#[test]
fn tree_is_navigated_and_marked() {
    let folder = Folder::new("page-tree");
    let tree = folder.path("openings.tree");
    done(&["init", &tree]);
    done(&["grow", &tree, "--positions", "12", "--search-nodes", "500", "--hash", "1"]);
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--tree", &tree]);
    let address = server.address();
    let mut visitor = Visitor::connect(address);
    let mut refused = |request: &str| {
        visitor.send(request);
        visitor.wait_for(|update| update["error"].is_object())["error"].clone()
    };
    for (request, expected) in [
        (r#"{"id":1,"ask":"tree","path":"a3 a6 a4 a5"}"#, "is not in the tree"),
        (r#"{"id":2,"ask":"tree","path":"/etc/passwd"}"#, "\"path\" expects moves from the root"),
        (r#"{"id":3,"ask":"mark","path":"e4","as":"x"}"#, "expected pin, exclude or none"),
    ] {
        let error = refused(request);
        assert!(error["text"].as_str().is_some_and(|error| error.contains(expected)), "{error}");
    }
    let away = folder.path("away");
    std::fs::rename(&tree, &away).expect("a file");
    for request in [r#"{"id":4,"ask":"tree"}"#, r#"{"id":5,"ask":"mark","path":"e4","as":"pin"}"#] {
        let error = refused(request).to_string();
        assert!(!error.contains("openings") && error.contains("see the messages of the server"), "{error}");
    }
    let message = server.line();
    assert!(message.contains(&tree) && message.contains("no such file"), "{message}");
    std::fs::rename(&away, &tree).expect("a file");
    let Some(mut browser) = Browser::start() else { return };
    let desktop = browser.open(&format!("http://{address}/"), 1200);
    browser.wait_for(&desktop, "!!document.querySelector('#tab-tree') && !document.querySelector('#tab-tree').hidden");
    browser.evaluate(&desktop, "document.querySelector('#tab-tree').click()");
    browser.wait_for(&desktop, "document.querySelectorAll('#tree-moves tr').length > 1");
    // To the best move by a double click, with the board, and back.
    browser.evaluate(
        &desktop,
        "(() => { const move = document.querySelector('#tree-moves .move:not(:disabled)'); move.click(); move.click(); })()",
    );
    browser.wait_for(&desktop, "document.querySelectorAll('#tree-path button').length === 2");
    browser.wait_for(&desktop, "document.querySelector('#tree-node').textContent.includes('%')");
    browser.wait_for(&desktop, "document.querySelectorAll('#moves .move[aria-current]').length === 1");
    browser.evaluate(&desktop, "document.querySelector('#tree-path button').click()");
    browser.wait_for(&desktop, "document.querySelectorAll('#tree-path button').length === 1");
    // Space changes the checkbox instead of playing the best move.
    let space = "document.querySelector('#tree-follow').dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true, cancelable: true }))";
    assert_eq!(browser.evaluate(&desktop, space), true);
    // Marks are stored in the file and sent to other pages.
    let marks = |word: &str| done(&["show", &tree]).matches(word).count();
    assert_eq!((marks("pinned"), marks("excluded")), (0, 0));
    browser.evaluate(&desktop, "document.querySelector('[data-mark=pin]').click()");
    visitor.wait_for(|update| update["event"] == "tree");
    assert_eq!((marks("pinned"), marks("excluded")), (1, 0));
    browser.wait_for(&desktop, "document.querySelectorAll('#tree-moves [aria-pressed=true]').length === 1");
    browser.evaluate(&desktop, "document.querySelector('[data-mark=exclude]').click()");
    visitor.wait_for(|update| update["event"] == "tree");
    assert_eq!(marks("excluded"), 1);
    // The exported tree is walked by its buttons.
    let html = folder.path("openings.html");
    done(&["export", &tree, "--html", &html]);
    let walk = browser.open(&format!("file://{html}"), 390);
    browser.wait_for(&walk, "document.querySelectorAll('#moves button').length > 0");
    browser.evaluate(&walk, "document.querySelector('#moves button').focus(); document.activeElement.click()");
    browser.wait_for(&walk, "document.querySelector('#line button:nth-child(2)')?.ariaCurrent === 'true'");
    browser.evaluate(&walk, "document.querySelector('#line button').click()");
    browser.wait_for(&walk, "document.querySelectorAll('#line button').length === 1");
}

/// Serves an empty page.
fn empty_page() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.expect("a connection"));
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = reader.get_mut().write_all(head.as_bytes());
        }
    });
    address
}

#[test]
fn other_sites_cannot_send_requests() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let (address, site) = (server.address(), empty_page());
    let page = browser.open(&format!("http://{site}/"), 1200);
    browser.wait_for(&page, &format!("location.host === '{site}' && document.readyState === 'complete'"));
    // Request lines within and above the maximum length.
    for length in [10, 70_000] {
        let request = format!(
            "fetch('http://{address}/' + 'a'.repeat({length}), {{ method: 'POST', mode: 'no-cors',
                body: '\\n{{\"id\":\"x\",\"nodes\":777}}\\n'.repeat(9) }}).then(() => 'answered', error => error.name)"
        );
        // The server refuses, and does not answer in HTTP.
        assert_eq!(browser.evaluate(&page, &request), "TypeError");
    }
    let status = Peer::connect(address).request(json!({ "status": true }));
    let counts = ["finished", "searching", "waiting", "nodes"].map(|field| &status[field]);
    assert!(counts.iter().all(|count| **count == 0), "{status}");
}
