//! A fake of lichess.org and its broker, with the same checks.

use crate::analysing::Folder;
use crate::serving::{SMALL, Server};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::BodyExt;
use lento::chess::Board;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

pub const VALID_TOKEN: &str = "lip_0123456789abcdef";
/// Longer than any step takes.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum line length in bytes, including the line break.
const MAX_LINE: usize = 16_384;

/// Output of a work item received by the broker.
#[derive(Debug, PartialEq)]
pub enum Received {
    Infos { depth: u64, pvs: usize, nodes: u64, hashfull: u64 },
    Best(String),
    Wrong(String),
}

pub struct WorkItem {
    id: String,
    work: Value,
}

#[derive(Default)]
pub struct Broker {
    pub engines: Vec<Value>,
    /// Statuses of the next registrations and requests for work.
    pub failures: VecDeque<StatusCode>,
    queue: VecDeque<WorkItem>,
    uploads: HashMap<String, (Value, Sender<Received>, oneshot::Receiver<()>)>,
    count: u64,
    answered: HashSet<String>,
    /// Work items answered twice.
    pub repeated: Vec<String>,
}

impl Broker {
    /// The work of an upload.
    fn take(&mut self, id: &str) -> Option<(Value, Sender<Received>, oneshot::Receiver<()>)> {
        if self.answered.contains(id) {
            self.repeated.push(id.into());
        }
        self.uploads.remove(id)
    }

    /// Clears everything but the engines.
    fn reset(&mut self) {
        self.queue.clear();
        self.uploads.clear();
    }
}

pub struct Fake {
    pub broker: Mutex<Broker>,
    queued: Notify,
    pub address: SocketAddr,
    restarts: UnboundedSender<(usize, Sender<()>)>,
}

/// The client of a work item.
pub struct Client {
    received: Receiver<Received>,
    pub leave: Option<oneshot::Sender<()>>,
}

impl Client {
    pub fn next(&self) -> Received {
        self.received.recv_timeout(TIMEOUT).expect("output of the work item")
    }

    /// The best move, and the last lines before it.
    pub fn best(&self) -> (String, Option<(u64, usize)>) {
        let mut last = None;
        loop {
            match self.next() {
                Received::Infos { depth, pvs, .. } => last = Some((depth, pvs)),
                Received::Best(best) => return (best, last),
                Received::Wrong(text) => panic!("{text}"),
            }
        }
    }

    /// Nodes and hashfull at the end of the search.
    pub fn used(&self) -> (u64, u64) {
        let mut last = (0, 0);
        loop {
            match self.next() {
                Received::Infos { nodes, hashfull, .. } => last = (nodes, hashfull),
                Received::Best(_) => return last,
                Received::Wrong(text) => panic!("{text}"),
            }
        }
    }

    pub fn nodes(&self) -> u64 {
        self.used().0
    }

    /// Whether there is a best move; false if the broker has restarted.
    pub fn is_answered(&self) -> bool {
        loop {
            match self.received.recv_timeout(TIMEOUT) {
                Ok(Received::Infos { .. }) => {}
                Ok(Received::Best(_)) => return true,
                Ok(Received::Wrong(text)) => panic!("{text}"),
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("no answer, and no end"),
            }
        }
    }
}

impl Fake {
    pub fn start() -> Arc<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let (restarts, mut restart) = unbounded_channel::<(usize, Sender<()>)>();
        let fake = Arc::new(Self { broker: Mutex::default(), queued: Notify::new(), address, restarts });
        let engines = get(list).post(register);
        let pages = Router::new()
            .route("/api/external-engine", engines)
            .route("/api/external-engine/{id}", axum::routing::put(replace).delete(remove))
            .route("/api/external-engine/work", post(poll))
            .route("/api/external-engine/work/{id}", post(upload))
            .with_state(Arc::clone(&fake));
        let own = Arc::clone(&fake);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let (mut connections, mut refused) = (JoinSet::new(), 0);
                loop {
                    let stream = tokio::select! {
                        Ok((stream, _)) = listener.accept() => stream,
                        Some(_) = connections.join_next() => continue,
                        Some((refuses, done)) = restart.recv() => {
                            connections.shutdown().await;
                            own.broker.lock().unwrap().reset();
                            refused = refuses;
                            done.send(()).expect("the test waits");
                            continue;
                        }
                    };
                    if refused > 0 {
                        refused -= 1;
                        continue;
                    }
                    let pages = hyper_util::service::TowerToHyperService::new(pages.clone());
                    connections.spawn(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(hyper_util::rt::TokioIo::new(stream), pages),
                    );
                }
            });
        });
        fake
    }

    pub fn request(&self, work: Value) -> Client {
        let mut broker = self.broker.lock().unwrap();
        broker.count += 1;
        let id = format!("work{:012}", broker.count);
        let ((send, received), (leave, left)) = (channel(), oneshot::channel());
        broker.uploads.insert(id.clone(), (work.clone(), send, left));
        broker.queue.push_back(WorkItem { id, work });
        self.queued.notify_one();
        Client { received, leave: Some(leave) }
    }

    /// Restarts without its work items, and closes the first connections at once.
    pub fn restart(&self, refuses: usize) {
        let (done, restarted) = channel();
        self.restarts.send((refuses, done)).expect("the broker runs");
        restarted.recv_timeout(TIMEOUT).expect("the broker restarts");
    }

    pub fn engines(&self) -> Vec<Value> {
        self.broker.lock().unwrap().engines.clone()
    }

    /// Starts a server for its work items, with a port for JSON lines.
    pub fn serve(&self, folder: &Folder, more: &[&str]) -> (Server, SocketAddr) {
        let mut server = self.start_server(folder, &[&SMALL[1..], &["--listen", "127.0.0.1:0"], more].concat());
        let address = server.address();
        // Skips the warning about the token file.
        while !server.line().contains("is registered as") {}
        (server, address)
    }

    pub fn start_server(&self, folder: &Folder, more: &[&str]) -> Server {
        let (token, url) = (folder.write("token", VALID_TOKEN), format!("http://{}", self.address));
        let args = ["serve", "--lichess", &token, "--lichess-url", &url, "--lichess-engine-url", &url];
        Server::run(&[&args[..], more].concat())
    }
}

fn document(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}

fn refused(headers: &HeaderMap) -> Option<Response> {
    match headers.get("authorization").and_then(|value| value.to_str().ok()) {
        Some(value) if value == format!("Bearer {VALID_TOKEN}") => None,
        Some("Bearer lip_without_scopes") => Some((StatusCode::FORBIDDEN, "Missing scope").into_response()),
        _ => Some((StatusCode::UNAUTHORIZED, "No such token").into_response()),
    }
}

async fn list(State(fake): State<Arc<Fake>>, headers: HeaderMap) -> Response {
    refused(&headers).unwrap_or_else(|| document(&Value::from(fake.engines())))
}

async fn register(State(fake): State<Arc<Fake>>, headers: HeaderMap, text: String) -> Response {
    if let Some(refused) = refused(&headers) {
        return refused;
    }
    let mut engine: Value = serde_json::from_str(&text).expect("JSON");
    let mut broker = fake.broker.lock().unwrap();
    if let Some(failure) = broker.failures.pop_front() {
        return (failure, r#"{"error":{"name":["Not a name"]}}"#).into_response();
    }
    engine["id"] = format!("eei_{}", broker.engines.len()).into();
    broker.engines.push(engine.clone());
    (StatusCode::CREATED, document(&engine)).into_response()
}

async fn replace(State(fake): State<Arc<Fake>>, Path(id): Path<String>, text: String) -> Response {
    let mut engine: Value = serde_json::from_str(&text).expect("JSON");
    let mut broker = fake.broker.lock().unwrap();
    match broker.engines.iter_mut().find(|other| other["id"] == id) {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(other) => {
            engine["id"] = id.into();
            *other = engine.clone();
            document(&engine)
        }
    }
}

async fn remove(State(fake): State<Arc<Fake>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    if let Some(refused) = refused(&headers) {
        return refused;
    }
    let mut broker = fake.broker.lock().unwrap();
    let before = broker.engines.len();
    broker.engines.retain(|engine| engine["id"] != id);
    if broker.engines.len() < before { document(&json!({ "ok": true })) } else { StatusCode::NOT_FOUND.into_response() }
}

async fn poll(State(fake): State<Arc<Fake>>, headers: HeaderMap, text: String) -> Response {
    if headers.get("content-type").is_none_or(|kind| kind != "application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let request: Value = serde_json::from_str(&text).expect("JSON");
    if let Some(failure) = fake.broker.lock().unwrap().failures.pop_front() {
        return failure.into_response();
    }
    let take = async {
        loop {
            {
                let mut broker = fake.broker.lock().unwrap();
                let is_known =
                    broker.engines.iter().any(|engine| engine["providerSecret"] == request["providerSecret"]);
                if let Some(item) = broker.queue.pop_front().filter(|_| is_known) {
                    return item;
                }
            }
            fake.queued.notified().await;
        }
    };
    match timeout(Duration::from_millis(500), take).await {
        Ok(WorkItem { id, work }) => document(&json!({ "id": id, "work": work, "engine": {} })),
        Err(_) => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn upload(State(fake): State<Arc<Fake>>, Path(id): Path<String>, body: Body) -> Response {
    let Some((work, send, mut left)) = fake.broker.lock().unwrap().take(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (mut body, mut text, mut pvs) = (body, String::new(), Vec::new());
    loop {
        let frame = tokio::select! {
            Ok(()) = &mut left => return StatusCode::OK.into_response(),
            frame = body.frame() => frame,
        };
        let Some(Ok(frame)) = frame else {
            let _ = send.send(Received::Wrong("the stream ended without a best move".into()));
            return StatusCode::BAD_REQUEST.into_response();
        };
        text += std::str::from_utf8(&frame.into_data().unwrap_or_else(|_| Bytes::new())).expect("UTF-8");
        while let Some((line, rest)) = text.split_once('\n') {
            let received = parse_line(line, &work, &mut pvs);
            text = rest.into();
            let is_over = matches!(received, Some(Received::Best(_) | Received::Wrong(_)));
            if is_over {
                fake.broker.lock().unwrap().answered.insert(id.clone());
            }
            if let Some(received) = received {
                let _ = send.send(received);
            }
            if is_over {
                return StatusCode::OK.into_response();
            }
        }
    }
}

/// Parses a line by the rules of the broker.
fn parse_line(line: &str, work: &Value, pvs: &mut Vec<u64>) -> Option<Received> {
    const COUNTERS: [&str; 7] = ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits"];
    if line == "{\"keepalive\":true}" {
        return None;
    }
    let wrong = |why: &str| Some(Received::Wrong(format!("{why}: {line:?} of {work}")));
    let board = Board::from_fen(work["initialFen"].as_str().unwrap_or_default()).ok();
    let legal = |moves: &[&str]| {
        let Some(mut board) = board.clone() else { return false };
        let given = work["moves"].as_array().into_iter().flatten().filter_map(Value::as_str);
        given.chain(moves.iter().copied()).all(|text| match board.parse_uci(text, true) {
            Some(mv) => {
                board = board.after(mv);
                true
            }
            None => false,
        })
    };
    if line.len() >= MAX_LINE {
        return wrong("a long line");
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words[..] {
        ["bestmove", best] | ["bestmove", best, "ponder", _] => {
            let is_legal = best == "(none)" || legal(&[best]);
            if is_legal { Some(Received::Best(best.into())) } else { wrong("an illegal best move") }
        }
        ["info", ..] => {
            let (mut at, mut is_whole) = (1, 0);
            let (mut depth, mut multipv, mut nodes, mut hashfull) = (0, 0, 0, 0);
            while at < words.len() {
                let number = words.get(at + 1).and_then(|word| word.parse::<u64>().ok());
                match words[at] {
                    "pv" if words.len() - at <= 31 && legal(&words[at + 1..]) => {
                        is_whole += 1;
                        break;
                    }
                    "score" if matches!(words.get(at + 1), Some(&"cp" | &"mate")) => {
                        at += 3;
                        is_whole += 1;
                    }
                    word if (COUNTERS.contains(&word) || word == "time") && number.is_some() => {
                        depth = if word == "depth" { number? } else { depth };
                        multipv = if word == "multipv" { number? } else { multipv };
                        nodes = if word == "nodes" { number? } else { nodes };
                        hashfull = if word == "hashfull" { number? } else { hashfull };
                        at += 2;
                    }
                    _ => return wrong("a bad line"),
                }
            }
            if is_whole != 2 {
                return wrong("an incomplete line");
            }
            if multipv == 1 {
                pvs.clear();
            }
            pvs.push(depth);
            let whole = Received::Infos { depth: *pvs.iter().min()?, pvs: pvs.len(), nodes, hashfull };
            (pvs.len() as u64 == multipv).then_some(whole)
        }
        _ => wrong("a line that is dropped"),
    }
}
