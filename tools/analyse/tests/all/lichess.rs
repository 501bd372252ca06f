//! `serve --lichess` with a stand-in for lichess.org and its broker, which checks what it is sent as they do.

use crate::analysing::Folder;
use crate::serving::{Peer, Server};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::BodyExt;
use lento::chess::Board;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

const GOOD: &str = "lip_0123456789abcdef";
/// Longer than any step takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the broker hears of a piece of work.
#[derive(Debug, PartialEq)]
enum Heard {
    Infos { depth: u64, pvs: usize },
    Best(String),
    Wrong(String),
}

struct Handed {
    id: String,
    work: Value,
}

#[derive(Default)]
struct Desk {
    engines: Vec<Value>,
    /// Requests for work fail with these first.
    failures: VecDeque<StatusCode>,
    queue: VecDeque<Handed>,
    uploads: HashMap<String, (Value, Sender<Heard>, oneshot::Receiver<()>)>,
    asked: u64,
}

struct Fake {
    desk: Mutex<Desk>,
    queued: Notify,
    address: SocketAddr,
}

/// The client's end of a piece of work.
struct Client {
    heard: Receiver<Heard>,
    leave: Option<oneshot::Sender<()>>,
}

impl Client {
    fn next(&self) -> Heard {
        self.heard.recv_timeout(PATIENCE).expect("the broker hears of the work")
    }

    /// The best move, and the last lines before it.
    fn best(&self) -> (String, Option<(u64, usize)>) {
        let mut last = None;
        loop {
            match self.next() {
                Heard::Infos { depth, pvs } => last = Some((depth, pvs)),
                Heard::Best(best) => return (best, last),
                Heard::Wrong(text) => panic!("{text}"),
            }
        }
    }
}

impl Fake {
    fn start() -> Arc<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let fake = Arc::new(Self { desk: Mutex::default(), queued: Notify::new(), address });
        let engines = get(list).post(register);
        let pages = Router::new()
            .route("/api/external-engine", engines)
            .route("/api/external-engine/{id}", axum::routing::put(replace).delete(remove))
            .route("/api/external-engine/work", post(poll))
            .route("/api/external-engine/work/{id}", post(upload))
            .with_state(Arc::clone(&fake));
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                loop {
                    let Ok((stream, _)) = listener.accept().await else { return };
                    let pages = hyper_util::service::TowerToHyperService::new(pages.clone());
                    tokio::spawn(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(hyper_util::rt::TokioIo::new(stream), pages),
                    );
                }
            });
        });
        fake
    }

    fn ask(&self, work: Value) -> Client {
        let mut desk = self.desk.lock().unwrap();
        desk.asked += 1;
        let id = format!("work{:012}", desk.asked);
        let ((send, heard), (leave, left)) = (channel(), oneshot::channel());
        desk.uploads.insert(id.clone(), (work.clone(), send, left));
        desk.queue.push_back(Handed { id, work });
        self.queued.notify_one();
        Client { heard, leave: Some(leave) }
    }

    fn engines(&self) -> Vec<Value> {
        self.desk.lock().unwrap().engines.clone()
    }

    /// A server that takes its work, with a port for JSON lines.
    fn serve(&self, folder: &Folder, more: &[&str]) -> (Server, SocketAddr) {
        let (token, url) = (folder.write("token", GOOD), format!("http://{}", self.address));
        let args = ["--lichess", &token, "--lichess-url", &url, "--lichess-engine-url", &url];
        let mut server = Server::start(&[&args[..], &["--listen", "127.0.0.1:0"], more].concat());
        let address = server.address();
        // Others can read the token.
        while !server.line().contains("is registered as") {}
        (server, address)
    }
}

fn work(more: Value) -> Value {
    let mut work = json!({ "sessionId": "s", "threads": 1, "hash": 16, "multiPv": 1, "variant": "chess",
        "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "moves": [] });
    work.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    work
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

async fn poll(State(fake): State<Arc<Fake>>, text: String) -> Response {
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
    let Some((work, send, mut left)) = fake.desk.lock().unwrap().uploads.remove(&id) else {
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
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words[..] {
        ["bestmove", best] | ["bestmove", best, "ponder", _] => {
            let is_legal = best == "(none)" || legal(&[best]);
            if is_legal { Some(Heard::Best(best.into())) } else { wrong("an illegal best move") }
        }
        ["info", ..] => {
            let (mut at, mut depth, mut multipv, mut is_whole) = (1, 0, 0, 0);
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
            let whole = Heard::Infos { depth: *pvs.iter().min()?, pvs: pvs.len() };
            (pvs.len() as u64 == multipv).then_some(whole)
        }
        _ => wrong("a line that is dropped"),
    }
}

#[test]
fn an_engine_is_registered_once_and_removed() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-register"));
    drop(fake.serve(&folder, &["--lichess-name", "Tower"]));
    let first = fake.engines();
    assert_eq!(
        (&first[0]["name"], &first[0]["maxThreads"], &first[0]["maxHash"]),
        (&json!("Tower"), &json!(1), &json!(1))
    );
    // With another name it is the same one, by the same secret.
    drop(fake.serve(&folder, &["--lichess-name", "Cellar"]));
    let second = fake.engines();
    assert_eq!((second.len(), &second[0]["name"]), (1, &json!("Cellar")));
    assert_eq!((&second[0]["id"], &second[0]["providerSecret"]), (&first[0]["id"], &first[0]["providerSecret"]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(folder.path("token.secret")).expect("a file").mode() & 0o777, 0o600);
    }
    // Those of others stay.
    fake.desk.lock().unwrap().engines.push(json!({ "id": "eei_other", "name": "Cellar", "providerData": null }));
    drop(fake.serve(&folder, &["--lichess-name", "Cellar"]));
    let url = format!("http://{}", fake.address);
    let run = |token: &str, more: &[&str]| {
        let file = folder.write("other-token", token);
        let mut command = std::process::Command::new(crate::PROGRAM);
        command.args(["serve", "--lichess", &file, "--lichess-url", &url, "--lichess-engine-url", &url]);
        let output = command.args(more).output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, said) = run(GOOD, &["--lichess-list"]);
    assert!(code == Some(0) && said.contains("eei_0  Cellar, 1 threads") && said.contains("eei_other"), "{said}");
    let (code, said) = run(GOOD, &["--lichess-remove", "eei_0"]);
    assert!(code == Some(0) && said.contains("eei_0 removed"), "{said}");
    assert_eq!(fake.engines().len(), 1);
    for (token, id, expected) in [
        (GOOD, "eei_0", "404"),
        (GOOD, "../x", "\"../x\" is no id"),
        ("lip_without_scopes", "eei_0", "scopes engine:read and engine:write"),
    ] {
        let (code, said) = run(token, &["--lichess-remove", id]);
        assert!(code == Some(1) && said.contains(expected), "{said}");
    }
    // A wrong token ends the server as well.
    for (token, expected) in [("lip_unknown_token_", "unknown or was revoked"), ("lip_without_scopes", "engine:write")]
    {
        let (code, said) = run(token, &[]);
        assert!(code == Some(1) && said.contains(expected), "{said}");
    }
}

#[test]
fn work_is_answered_within_its_limits() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-work"));
    let (_server, _) = fake.serve(&folder, &[]);
    let (best, last) = fake.ask(work(json!({ "depth": 6, "multiPv": 3 }))).best();
    assert_eq!((best.len(), last), (4, Some((6, 3))));
    let castle =
        json!({ "initialFen": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "moves": ["e1h1", "e8c8"], "nodes": 500 });
    fake.ask(work(castle)).best();
    let frc = json!({ "initialFen": "nqbnrbkr/pppppppp/8/8/8/8/PPPPPPPP/QRBNNBKR w HBhe - 0 1", "movetime": 20 });
    fake.ask(work(frc)).best();
    // What is out of range is brought into it.
    assert_eq!(fake.ask(work(json!({ "depth": 0, "multiPv": 0, "moves": ["a2a3"] }))).best().1, Some((1, 1)));
    assert_eq!(fake.ask(work(json!({ "nodes": 1000, "multiPv": 99 }))).best().1.map(|(_, pvs)| pvs), Some(5));
    for nothing in [
        json!({ "variant": "atomic", "depth": 5 }),
        json!({ "initialFen": "8/8", "depth": 5 }),
        json!({ "moves": ["e2e5"], "depth": 5 }),
        json!({ "initialFen": "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "depth": 5 }),
    ] {
        assert_eq!(fake.ask(work(nothing)).best(), ("(none)".into(), None));
    }
    assert!(fake.ask(work(json!({ "depth": 2 }))).best().1.is_some());
}

#[test]
fn new_work_ends_the_old_and_so_does_its_client() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-turns"));
    let (_server, address) = fake.serve(&folder, &[]);
    let endless = || work(json!({ "movetime": 86_400_000 }));
    let first = fake.ask(endless());
    assert!(matches!(first.next(), Heard::Infos { .. }));
    let second = fake.ask(endless());
    first.best();
    // Two in one breath.
    let (third, mut fourth) = (fake.ask(endless()), fake.ask(endless()));
    second.best();
    third.best();
    assert!(matches!(fourth.next(), Heard::Infos { .. }));
    fourth.leave.take().expect("a client").send(()).expect("the broker listens");
    let mut peer = Peer::connect(address);
    while peer.ask(json!({ "status": true }))["searching"] != 0 {}
    // A query of a program waits for it, and continues.
    peer.send(json!({ "id": "long", "infinite": true, "report_ms": 10 }));
    assert_eq!(peer.answer()["status"], "partial");
    fake.ask(work(json!({ "depth": 5 }))).best();
    assert_eq!(peer.answer()["status"], "partial");
}

#[test]
fn what_was_found_is_shown_at_once() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-known"));
    let (_server, _) = fake.serve(&folder, &["--db", &folder.path("results.db")]);
    assert_eq!(fake.ask(work(json!({ "depth": 8 }))).best().1, Some((8, 1)));
    let again = fake.ask(work(json!({ "depth": 2 })));
    assert_eq!(again.next(), Heard::Infos { depth: 8, pvs: 1 });
    assert_eq!(again.best().1.map(|(depth, _)| depth), Some(8));
}

#[test]
fn failures_of_the_broker_pass() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-failures"));
    let (mut server, _) = fake.serve(&folder, &[]);
    let failures = [503, 500, 415, 502].map(|code| StatusCode::from_u16(code).expect("a status"));
    fake.desk.lock().unwrap().failures.extend(failures);
    let client = fake.ask(work(json!({ "depth": 3 })));
    // One line when it goes, and one when it is back.
    let gone = server.line();
    assert!(gone.contains("answers 503") && gone.contains("trying again"), "{gone}");
    client.best();
    assert!(server.line().contains("it works again"));
}

#[test]
fn a_thousand_requests_are_answered() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-thousand"));
    let (_server, address) = fake.serve(&folder, &[]);
    for number in 0..1000 {
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6"][..number % 5].to_vec();
        let client = fake.ask(work(json!({ "nodes": 1, "sessionId": format!("{}", number % 7), "moves": moves })));
        assert_eq!(client.best().0.len(), 4, "{number}");
    }
    let status = Peer::connect(address).ask(json!({ "status": true }));
    assert_eq!((&status["searching"], &status["waiting"], &status["finished"]), (&json!(0), &json!(0), &json!(1000)));
}
