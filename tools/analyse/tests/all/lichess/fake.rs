//! A stand-in for lichess.org and its broker, which checks what it is sent as they do.

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

pub const GOOD: &str = "lip_0123456789abcdef";
/// Longer than any step takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Longest line with its line break, in bytes.
const MAX_LINE: usize = 16_384;

/// What the broker hears of a piece of work.
#[derive(Debug, PartialEq)]
pub enum Heard {
    Infos { depth: u64, pvs: usize, nodes: u64, hashfull: u64 },
    Best(String),
    Wrong(String),
}

pub struct Handed {
    id: String,
    work: Value,
}

#[derive(Default)]
pub struct Desk {
    pub engines: Vec<Value>,
    /// Registrations and requests for work fail with these first.
    pub failures: VecDeque<StatusCode>,
    queue: VecDeque<Handed>,
    uploads: HashMap<String, (Value, Sender<Heard>, oneshot::Receiver<()>)>,
    asked: u64,
    answered: HashSet<String>,
    /// Work that was answered again.
    pub repeated: Vec<String>,
}

impl Desk {
    /// The work of an upload.
    fn take(&mut self, id: &str) -> Option<(Value, Sender<Heard>, oneshot::Receiver<()>)> {
        if self.answered.contains(id) {
            self.repeated.push(id.into());
        }
        self.uploads.remove(id)
    }

    /// All but the engines.
    fn forget(&mut self) {
        self.queue.clear();
        self.uploads.clear();
    }
}

pub struct Fake {
    pub desk: Mutex<Desk>,
    queued: Notify,
    pub address: SocketAddr,
    restarts: UnboundedSender<(usize, Sender<()>)>,
}

/// The client's end of a piece of work.
pub struct Client {
    heard: Receiver<Heard>,
    pub leave: Option<oneshot::Sender<()>>,
}

impl Client {
    pub fn next(&self) -> Heard {
        self.heard.recv_timeout(PATIENCE).expect("the broker hears of the work")
    }

    /// The best move, and the last lines before it.
    pub fn best(&self) -> (String, Option<(u64, usize)>) {
        let mut last = None;
        loop {
            match self.next() {
                Heard::Infos { depth, pvs, .. } => last = Some((depth, pvs)),
                Heard::Best(best) => return (best, last),
                Heard::Wrong(text) => panic!("{text}"),
            }
        }
    }

    /// Nodes and share of the hash table at the end of the search.
    pub fn used(&self) -> (u64, u64) {
        let mut last = (0, 0);
        loop {
            match self.next() {
                Heard::Infos { nodes, hashfull, .. } => last = (nodes, hashfull),
                Heard::Best(_) => return last,
                Heard::Wrong(text) => panic!("{text}"),
            }
        }
    }

    pub fn nodes(&self) -> u64 {
        self.used().0
    }

    /// Whether there is a best move; if not, the work has ended with its broker.
    pub fn is_answered(&self) -> bool {
        loop {
            match self.heard.recv_timeout(PATIENCE) {
                Ok(Heard::Infos { .. }) => {}
                Ok(Heard::Best(_)) => return true,
                Ok(Heard::Wrong(text)) => panic!("{text}"),
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
        let fake = Arc::new(Self { desk: Mutex::default(), queued: Notify::new(), address, restarts });
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
                            own.desk.lock().unwrap().forget();
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

    pub fn ask(&self, work: Value) -> Client {
        let mut desk = self.desk.lock().unwrap();
        desk.asked += 1;
        let id = format!("work{:012}", desk.asked);
        let ((send, heard), (leave, left)) = (channel(), oneshot::channel());
        desk.uploads.insert(id.clone(), (work.clone(), send, left));
        desk.queue.push_back(Handed { id, work });
        self.queued.notify_one();
        Client { heard, leave: Some(leave) }
    }

    /// Starts again, without the work that it had, and closes the first connections at once.
    pub fn restart(&self, refuses: usize) {
        let (done, restarted) = channel();
        self.restarts.send((refuses, done)).expect("the broker runs");
        restarted.recv_timeout(PATIENCE).expect("the broker restarts");
    }

    pub fn engines(&self) -> Vec<Value> {
        self.desk.lock().unwrap().engines.clone()
    }

    /// A server that takes its work, with a port for JSON lines.
    pub fn serve(&self, folder: &Folder, more: &[&str]) -> (Server, SocketAddr) {
        let mut server = self.start_server(folder, &[&SMALL[1..], &["--listen", "127.0.0.1:0"], more].concat());
        let address = server.address();
        // Others can read the token.
        while !server.line().contains("is registered as") {}
        (server, address)
    }

    pub fn start_server(&self, folder: &Folder, more: &[&str]) -> Server {
        let (token, url) = (folder.write("token", GOOD), format!("http://{}", self.address));
        let args = ["serve", "--lichess", &token, "--lichess-url", &url, "--lichess-engine-url", &url];
        Server::run(&[&args[..], more].concat())
    }
}

fn document(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}

fn refused(headers: &HeaderMap) -> Option<Response> {
    match headers.get("authorization").and_then(|value| value.to_str().ok()) {
        Some(value) if value == format!("Bearer {GOOD}") => None,
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
    let mut desk = fake.desk.lock().unwrap();
    if let Some(failure) = desk.failures.pop_front() {
        return (failure, r#"{"error":{"name":["Not a name"]}}"#).into_response();
    }
    engine["id"] = format!("eei_{}", desk.engines.len()).into();
    desk.engines.push(engine.clone());
    (StatusCode::CREATED, document(&engine)).into_response()
}

async fn replace(State(fake): State<Arc<Fake>>, Path(id): Path<String>, text: String) -> Response {
    let mut engine: Value = serde_json::from_str(&text).expect("JSON");
    let mut desk = fake.desk.lock().unwrap();
    match desk.engines.iter_mut().find(|other| other["id"] == id) {
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
    let mut desk = fake.desk.lock().unwrap();
    let before = desk.engines.len();
    desk.engines.retain(|engine| engine["id"] != id);
    if desk.engines.len() < before { document(&json!({ "ok": true })) } else { StatusCode::NOT_FOUND.into_response() }
}

async fn poll(State(fake): State<Arc<Fake>>, headers: HeaderMap, text: String) -> Response {
    if headers.get("content-type").is_none_or(|kind| kind != "application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let request: Value = serde_json::from_str(&text).expect("JSON");
    if let Some(failure) = fake.desk.lock().unwrap().failures.pop_front() {
        return failure.into_response();
    }
    let take = async {
        loop {
            {
                let mut desk = fake.desk.lock().unwrap();
                let is_known = desk.engines.iter().any(|engine| engine["providerSecret"] == request["providerSecret"]);
                if let Some(handed) = desk.queue.pop_front().filter(|_| is_known) {
                    return handed;
                }
            }
            fake.queued.notified().await;
        }
    };
    match timeout(Duration::from_millis(500), take).await {
        Ok(Handed { id, work }) => document(&json!({ "id": id, "work": work, "engine": {} })),
        Err(_) => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn upload(State(fake): State<Arc<Fake>>, Path(id): Path<String>, body: Body) -> Response {
    let Some((work, send, mut left)) = fake.desk.lock().unwrap().take(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (mut body, mut text, mut pvs) = (body, String::new(), Vec::new());
    loop {
        let frame = tokio::select! {
            Ok(()) = &mut left => return StatusCode::OK.into_response(),
            frame = body.frame() => frame,
        };
        let Some(Ok(frame)) = frame else {
            let _ = send.send(Heard::Wrong("the stream ended without a best move".into()));
            return StatusCode::BAD_REQUEST.into_response();
        };
        text += std::str::from_utf8(&frame.into_data().unwrap_or_else(|_| Bytes::new())).expect("UTF-8");
        while let Some((line, rest)) = text.split_once('\n') {
            let heard = hear(line, &work, &mut pvs);
            text = rest.into();
            let is_over = matches!(heard, Some(Heard::Best(_) | Heard::Wrong(_)));
            if is_over {
                fake.desk.lock().unwrap().answered.insert(id.clone());
            }
            if let Some(heard) = heard {
                let _ = send.send(heard);
            }
            if is_over {
                return StatusCode::OK.into_response();
            }
        }
    }
}

/// What a line says, by the rules of the broker.
fn hear(line: &str, work: &Value, pvs: &mut Vec<u64>) -> Option<Heard> {
    const COUNTERS: [&str; 7] = ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits"];
    if line == "{\"keepalive\":true}" {
        return None;
    }
    let wrong = |why: &str| Some(Heard::Wrong(format!("{why}: {line:?} of {work}")));
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
            if is_legal { Some(Heard::Best(best.into())) } else { wrong("an illegal best move") }
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
            let whole = Heard::Infos { depth: *pvs.iter().min()?, pvs: pvs.len(), nodes, hashfull };
            (pvs.len() as u64 == multipv).then_some(whole)
        }
        _ => wrong("a line that is dropped"),
    }
}
