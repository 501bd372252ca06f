//! The page and its WebSocket.

use super::Server;
use super::admission::{FIRST_MESSAGE, Role, Slot, Source, is_own_host};
use super::analysis::Analysis;
use super::board::{Answer, Fields, MAX_FILE, RequestError, Visitor, message};
use super::lines::MAX_STALL;
use super::queue::Queue;
use crate::report::html::{MODULES, STYLES, files};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::http::uri::Authority;
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use lento_uci::words::quoted;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::mem::take;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Maximum bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;
/// Maximum bytes of a message, which may contain a document.
const MAX_MESSAGE: usize = 8 << 20;
/// Timeout of a whole request, which may post a file of `MAX_FILE` bytes at 1 Mbit/s.
const REQUEST: Duration = Duration::from_secs(150);
/// Time after which events are sent before the answer to a request, since a page without messages for long connects again.
const PATIENCE: Duration = Duration::from_secs(2);
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'";

/// Files only of this page.
const FILES: [(&str, &str); 19] = files![
    "page/",
    "page.css",
    "favicon.svg",
    "boards.js",
    "course.js",
    "engine.js",
    "files.js",
    "link.js",
    "main.js",
    "moves.js",
    "notices.js",
    "queue.js",
    "rows.js",
    "report.js",
    "session.js",
    "setup.js",
    "tablebase.js",
    "tags.js",
    "tree.js",
    "treeview.js",
];

pub fn pages(server: &Arc<Server>) -> Router {
    let page =
        concat!(include_str!("page/head.html"), include_str!("../page/pieces.svg"), include_str!("page/body.html"));
    let file =
        |kind: &'static str, text: &'static str| get(move || async move { ([(header::CONTENT_TYPE, kind)], text) });
    let kind = |name: &str| match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    let mut pages = Router::new()
        .route("/", file("text/html; charset=utf-8", page))
        .route("/socket", get(socket))
        .route("/read", post(read).layer(DefaultBodyLimit::max(MAX_FILE)));
    for (name, text) in FILES.iter().chain(&STYLES).chain(&MODULES) {
        pages = pages.route(&format!("/{name}"), file(kind(name), text));
    }
    pages.layer(from_fn_with_state(Arc::clone(server), guard)).layer(from_fn(finish)).with_state(Arc::clone(server))
}

/// The slot of a connection, or the reason for its refusal.
type Admitted = Result<Arc<Slot>, String>;

/// Serves an HTTP connection with one request.
pub async fn connection(server: Arc<Server>, pages: Router, stream: TcpStream, source: Source) {
    let (admission, (begun, first)) = (Arc::clone(&server.admission), oneshot::channel());
    let (begun, pages) = (Mutex::new(Some(begun)), TowerToHyperService::new(pages));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        if let Some(begun) = begun.lock().take() {
            let admitted: Admitted = server.admission.admit(source).map(Arc::new);
            request.extensions_mut().insert(admitted.clone());
            let _ = begun.send(admitted);
        }
        pages.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(FIRST_MESSAGE).max_buf_size(MAX_HEAD);
    let mut serving = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let admitted = tokio::select! {
        _ = &mut serving => return,
        admitted = admission.first_message(first) => match admitted {
            Some(Ok(admitted)) => admitted,
            _ => return,
        },
    };
    let _ = timeout(if admitted.is_ok() { REQUEST } else { FIRST_MESSAGE }, serving).await;
}

/// Refuses requests above the limits, for other hosts, from other sites, and without the token.
async fn guard(State(server): State<Arc<Server>>, mut request: Request, next: Next) -> Response {
    match request.extensions().get::<Admitted>() {
        Some(Ok(_)) => {}
        Some(Err(error)) => return (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response(),
        None => return StatusCode::BAD_REQUEST.into_response(),
    }
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    // An absolute URI also names the host.
    let named = request.uri().authority().map_or(host, Authority::as_str);
    let is_consistent = headers.get_all(header::HOST).iter().count() == 1 && named.eq_ignore_ascii_case(host);
    if !is_consistent || !is_own_host(host, &server.args.host) {
        return (StatusCode::FORBIDDEN, "unknown host; expected an IP address, localhost or a name given by --host\n")
            .into_response();
    }
    if headers.contains_key(header::ORIGIN)
        && text(header::ORIGIN).and_then(|origin| origin.split_once("://")).is_none_or(|(_, site)| site != host)
    {
        return (StatusCode::FORBIDDEN, "a request from another site\n").into_response();
    }
    if server.admission.needs_token()
        && let Some(token) = query_token(request.uri())
    {
        let cookie = format!("{}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000", cookie_name(host));
        return match server.admission.role(token).await {
            Some(_) => {
                let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".into())];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
            None => (StatusCode::UNAUTHORIZED, "wrong token\n").into_response(),
        };
    }
    let token = offered_token(headers, &cookie_name(host)).unwrap_or_default();
    let Some(role) = server.admission.role(token).await else {
        return (StatusCode::UNAUTHORIZED, "expected the address with ?token=TOKEN, once\n").into_response();
    };
    request.extensions_mut().insert(role);
    next.run(request).await
}

/// Adds headers, and closes the connection after the response.
async fn finish(request: Request, next: Next) -> impl IntoResponse {
    let response = next.run(request).await;
    let close = (response.status() != StatusCode::SWITCHING_PROTOCOLS).then_some([(header::CONNECTION, "close")]);
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (close, headers, response)
}

fn query_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Browsers send cookies to all ports of a host, so the name contains the port.
fn cookie_name(host: &str) -> String {
    let port = host.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
    port.map_or_else(|| "lento_token".into(), |port| format!("lento_token_{port}"))
}

/// The token of `Authorization: Bearer`, or of a cookie.
fn offered_token<'a>(headers: &'a HeaderMap, cookie: &str) -> Option<&'a str> {
    let all = |name: HeaderName| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let bearer = |value: &'a str| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    };
    let own = |pair: &'a str| pair.trim().strip_prefix(cookie)?.strip_prefix('=');
    // Other credentials are those of a reverse proxy.
    let token = all(header::AUTHORIZATION).find_map(bearer);
    token.or_else(|| all(header::COOKIE).flat_map(|value| value.split(';')).find_map(own))
}

async fn socket(
    State(server): State<Arc<Server>>,
    Extension(place): Extension<Admitted>,
    Extension(role): Extension<Role>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).on_upgrade(async move |socket| {
        serve_page(&server, role, socket).await;
        drop(place);
    })
}

/// Serves a visitor. One that reads too slowly gets the whole state instead of missed events; one that does not answer a ping is
/// disconnected.
async fn serve_page(server: &Server, role: Role, mut socket: WebSocket) {
    let (queue, mut stopped) = (&server.queue, server.stopped.clone());
    let (mut pings, mut has_answered) = (interval(MAX_STALL / 2), true);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let boards = &server.boards.store;
    let (visitor, mut board_changes) = (Arc::new(boards.visit()), boards.subscribe());
    let mut analysis = Analysis::default();
    let mut events = queue.subscribe();
    if send(&mut socket, [server.hello_event(role).to_string()].into_iter().chain(queue.all())).await.is_none() {
        return;
    }
    loop {
        let sent = tokio::select! {
            // Messages before pings, since a pong may have arrived during the last send.
            biased;
            () = async { drop(stopped.wait_for(|stopped| *stopped).await) } => None,
            message = socket.recv() => {
                has_answered = true;
                match message {
                    Some(Ok(Message::Text(text))) => {
                        let answering = server.answer(role, &visitor, &mut analysis, &text);
                        send_answer(&mut socket, queue, &mut events, answering).await
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Some(()),
                    _ => None,
                }
            }
            _ = pings.tick() => match take(&mut has_answered) {
                true => send(&mut socket, [Message::Ping(Bytes::new())]).await,
                false => None,
            },
            event = events.recv() => send_event(&mut socket, queue, event).await,
            change = board_changes.recv() => match change {
                Ok(change) => send(&mut socket, boards.events(&visitor, Some(&change)).iter().map(Value::to_string)).await,
                Err(RecvError::Lagged(_)) => send(&mut socket, boards.events(&visitor, None).iter().map(Value::to_string)).await,
                Err(RecvError::Closed) => None,
            },
            lines = analysis.next() => send(&mut socket, [lines]).await,
        };
        if sent.is_none() {
            return;
        }
    }
}

/// Requests allowed for read-only visitors.
const VIEW_REQUESTS: &str =
    "position, play, line, setup, read, game, write, boards, open, analyse, stop, queue-look, queue-open, tree";

impl Server {
    async fn answer(&self, role: Role, visitor: &Arc<Visitor>, analysis: &mut Analysis, text: &str) -> Value {
        let request = match serde_json::from_str(text) {
            Ok(Value::Object(request)) => request,
            _ => Map::new(),
        };
        let [id, ask] = ["id", "ask"].map(|field| request.get(field).cloned().unwrap_or_default());
        let answered = match ask.as_str().unwrap_or_default() {
            ask if role == Role::View && !VIEW_REQUESTS.split(", ").any(|allowed| allowed == ask) => {
                Err(RequestError::new("view-only", "", "this token is read-only; expected one with write access"))
            }
            "" => {
                let given = if ask.is_null() { quoted(text) } else { ask.to_string() };
                let text = format!("{given}; expected {{\"id\":1,\"ask\":\"position\"}}");
                Err(RequestError::new("unknown-ask", "ask", text))
            }
            "analyse" => analysis.begin(&self.searches, &request, role).await.map(|()| json!({})),
            "stop" => {
                analysis.stop();
                Ok(json!({}))
            }
            ask @ ("tree" | "mark") => self.tree_answer(ask, &request).await,
            ask => {
                let (boards, queue, visitor) = (Arc::clone(&self.boards), Arc::clone(&self.queue), Arc::clone(visitor));
                let ask = ask.to_owned();
                let work = move || {
                    let fields = Fields::new(&request, "");
                    boards.answer(&visitor, &ask, fields).unwrap_or_else(|| queue.answer(&ask, role, fields))
                };
                blocking(work).await
            }
        };
        let mut answer = message(answered);
        answer["id"] = id;
        answer
    }

    /// The first event of a page.
    fn hello_event(&self, role: Role) -> Value {
        json!({
            "event": "hello",
            "protocol": 1,
            "version": env!("CARGO_PKG_VERSION"),
            "commit": lento::internals::version::COMMIT,
            "engines": self.pool.engines,
            "threads": self.pool.threads,
            "hash_mib": self.pool.hash_mib,
            "may": if role == Role::Edit { "edit" } else { "view" },
            "tree": self.args.tree.is_some(),
        })
    }
}

/// Reads a posted file. Answers like the request `read`, without id.
async fn read(State(server): State<Arc<Server>>, body: Result<Bytes, BytesRejection>) -> Response {
    let (status, answer) = match body {
        Ok(bytes) => (StatusCode::OK, blocking(move || server.boards.files.read(&bytes)).await),
        Err(error) => {
            let text = format!("{error}; expected up to {MAX_FILE} bytes");
            (error.status(), Err(RequestError::new("too-large", "", text)))
        }
    };
    (status, [(header::CONTENT_TYPE, "application/json")], message(answer).to_string()).into_response()
}

/// Runs work that may take long on another thread.
async fn blocking(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(RequestError::new("failed", "", error)))
}

/// Sends an answer once it is known, and events before it if that takes long; `None` once the visitor is disconnected.
async fn send_answer(
    socket: &mut WebSocket,
    queue: &Queue,
    events: &mut broadcast::Receiver<Arc<str>>,
    answering: impl Future<Output = Value>,
) -> Option<()> {
    let mut answering = pin!(answering);
    if let Ok(answer) = timeout(PATIENCE, &mut answering).await {
        return send(socket, [answer.to_string()]).await;
    }
    loop {
        tokio::select! {
            biased;
            answer = &mut answering => return send(socket, [answer.to_string()]).await,
            event = events.recv() => send_event(socket, queue, event).await?,
        }
    }
}

/// Sends an event of the queue, or its whole state after missed ones; `None` once the visitor is disconnected.
async fn send_event(socket: &mut WebSocket, queue: &Queue, event: Result<Arc<str>, RecvError>) -> Option<()> {
    match event {
        Ok(event) => send(socket, [(*event).to_owned()]).await,
        Err(RecvError::Lagged(_)) => send(socket, queue.all()).await,
        Err(RecvError::Closed) => None,
    }
}

/// Sends messages; `None` once the visitor is disconnected.
async fn send(socket: &mut WebSocket, messages: impl IntoIterator<Item: Into<Message>>) -> Option<()> {
    for message in messages {
        timeout(MAX_STALL, socket.send(message.into())).await.ok()?.ok()?;
    }
    Some(())
}
