//! `lento serve`: engines for other programs and for the page.

mod admission;
mod analysis;
mod board;
mod client;
mod hash;
mod input;
mod lichess;
mod lines;
mod pool;
mod query;
mod queue;
mod result_db;
mod results;
mod scheduler;
mod subject;
mod tree;
mod uci;
#[cfg(unix)]
mod unix;
mod web;

use crate::database::{EngineId, Location};
pub use admission::token_of;
use admission::{Admission, AdmissionArgs, Source, source};
use analysis::Searches;
use axum::serve::{Listener, ListenerExt};
use board::{Boards, Files, Store};
use clap::value_parser;
use lento::engine::Engine;
use lento::internals::processors;
use lento::tb::Tables;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::{Done, setup};
use lento_player::analyse;
use parking_lot::Mutex;
use pool::Pool;
use queue::Queue;
use results::Results;
use socket2::{SockRef, TcpKeepalive};
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
pub use uci::is_offered;

/// The version of requests and answers.
const SCHEMA: &str = "lento-serve/1";

/// The JSON fields, for the help.
const FIELDS: &str = "\
A request is one line of JSON, and so is each answer. A query has:
  id                      a string or number, which its answers repeat
  fen, moves              the position: a FEN, and moves in UCI or SAN as one
                          text or a list [default: the start position]
  plies                   \"all\" or a list: searches these plies of the game,
                          each with an answer, which has ply
  chess960                true for Chess960 notation
  depth, nodes, time_ms   limits
  infinite                true to search until cancelled
  priority                higher ones are searched first [default: 0]
  multipv                 number of lines [default: 1]
  searchmoves, avoidmoves root moves to search, or not to
  report_ms               interval of answers with the status partial
  iterations              true for all lines of play in the answer
  fresh                   true to clear hash table and histories first
An answer has schema (lento-serve/1), id and status: partial; or done,
cancelled or error, once for each query. A partial or final answer of a search
has the fields of `lento analyse --json`; an error has error, code and
field.
Other requests:
  {\"cancel\":ID}           cancels a query, which is also answered; answers
                          {cancel, found}
  {\"cancel_all\":true}     cancels all queries of the connection; answers
                          their number as found
  {\"status\":true}         answers version, engines, threads, hash_mib,
                          waiting, searching, finished, nodes and problem
A connection that needs a token sends the line `token TOKEN` first.";

/// Replaces database errors for clients, since they may name server and user.
const UNAVAILABLE: &str = "the database is not available; see the messages of the server";

/// Timeout for the last answers: after Ctrl-C, at the end of input, and of a search for Lichess that new work replaces.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// TCP keep-alive: idle time, interval and number of probes.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEP_ALIVE_RETRIES: u32 = 4;

/// Arguments of `lento serve`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "", after_long_help = FIELDS)]
pub struct Args {
    /// Engines that search at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    engines: u16,
    /// Threads of each engine [default: the cores, shared by the engines]
    #[arg(long, value_name = "T", value_parser = setup::threads)]
    threads: Option<usize>,
    /// Hash table of each engine in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = setup::hash)]
    hash: usize,
    /// Maximum unanswered queries of a connection
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u32).range(1..))]
    queue: u32,
    /// JSON lines over TCP, such as 127.0.0.1:4617, instead of standard input and output; may be repeated
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Vec<SocketAddr>,
    /// JSON lines over a Unix socket
    #[cfg(unix)]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// A page for browsers [default address: 127.0.0.1:8617]; may be repeated
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "8617", value_parser = address)]
    web: Vec<SocketAddr>,
    /// A tree of `lento tree` to show and mark on the page
    #[arg(long, value_name = "FILE|URL", requires = "web")]
    tree: Option<Location>,
    /// A database of `lento analyse` for results, boards and the queue, otherwise lost at the end; created if missing
    #[arg(long, value_name = "FILE|URL")]
    db: Option<Location>,
    /// Folders with Syzygy tablebases
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
    /// Load the engines' hash tables from this file and save them at the end; engines after the first append their number
    #[arg(long, value_name = "FILE")]
    hash_file: Option<PathBuf>,
    /// Accepted Host header besides localhost and IP addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// UCI over TCP, a session for each connection; may be repeated
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    uci: Vec<SocketAddr>,
    /// Maximum number of UCI sessions; each has its own engine, with up to --threads and --hash
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u16).range(1..=256))]
    sessions: u16,
    #[command(flatten)]
    admission: AdmissionArgs,
    #[command(flatten)]
    lichess: lichess::LichessArgs,
}

/// State shared by all connections.
struct Server {
    pool: Arc<Pool>,
    queue: Arc<Queue>,
    boards: Arc<Boards>,
    searches: Searches,
    args: Args,
    /// The latest error of the tree's database.
    tree_error: Mutex<String>,
    /// Permits of UCI sessions.
    sessions: Arc<Semaphore>,
    admission: Arc<Admission>,
    /// True after Ctrl-C.
    stopped: watch::Receiver<bool>,
}

/// Parses an address to listen on: an IP address or `localhost` with a port, or a port on 127.0.0.1.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text).parse::<u16>().ok();
    let local = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let expected = || "expected an IP address or localhost with a port, such as 127.0.0.1:4617, or a port".to_owned();
    local.or_else(|| text.parse().ok()).ok_or_else(expected)
}

pub fn run(args: &Args) -> Done {
    if args.lichess.is_given() && !cfg!(feature = "lichess") {
        let build = "`cargo build --release -p lento-analyse --features lichess`";
        return Err(format!("--lichess: not in this build; expected a release, or a build by {build}").into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    #[cfg(feature = "lichess")]
    if args.lichess.manages() {
        runtime.block_on(args.lichess.manage())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(location) = &args.tree {
        crate::tree::look(location, "")?;
    }
    let admission = args.admission.admission(&[&args.listen[..], &args.uci, &args.web].concat())?;
    let tables = args.syzygy.as_deref().map(analyse::tables).transpose()?;
    let mut engines = args.engines(tables.as_ref())?;
    let results = Arc::new(Results::new(args.db.as_ref(), || EngineId::new(&mut engines[0]))?);
    let pool = Pool::start(engines, args, Arc::clone(&results))?;
    let searches = Searches::new(&pool);
    let stop = Stop::on_ctrl_c()?;
    let (stop_sender, stopped) = watch::channel(false);
    let (sessions, tree_error) = (Arc::new(Semaphore::new(args.sessions.into())), Mutex::default());
    // Only a page needs its boards and the queue, which one server at a time owns.
    let db = args.db.as_ref().filter(|_| !args.web.is_empty());
    let boards = Arc::new(Boards { files: Files::default(), store: Store::load(db)?, tables });
    let (queue, engines) = (Arc::new(Queue::start(&pool, &boards, db)?), Arc::clone(&pool));
    let last = Arc::clone(&queue);
    let server = Server { pool, queue, boards, searches, args: args.clone(), tree_error, sessions, admission, stopped };
    let (waiter, sender) = (stop.waiter().clone(), stop_sender.clone());
    thread::Builder::new().name("stop".into()).spawn(move || {
        let _ = waiter.recv();
        sender.send_replace(true);
    })?;
    let served = runtime.block_on(args.serve(server, &stop, &stop_sender));
    // A thread may still be reading standard input.
    runtime.shutdown_background();
    engines.finish();
    last.finish();
    results.finish();
    Ok(served?)
}

impl Args {
    /// Whether there are only UCI sessions, which have engines of their own.
    fn has_only_sessions(&self) -> bool {
        #[cfg(unix)]
        let has_socket = self.socket.is_some();
        #[cfg(not(unix))]
        let has_socket = false;
        let has_queries = has_socket || self.lichess.is_given() || !(self.listen.is_empty() && self.web.is_empty());
        !self.uci.is_empty() && !has_queries && self.hash_file.is_none()
    }

    fn engines(&self, tables: Option<&Arc<Tables>>) -> Result<Vec<Engine>, Box<dyn Error>> {
        let count = usize::from(self.engines);
        let threads = self.threads.unwrap_or_else(|| (processors::count() / count).clamp(1, Engine::MAX_THREADS));
        let engine = |number: usize| -> Result<Engine, Box<dyn Error>> {
            let mut engine = Engine::new();
            engine.set_threads(threads)?;
            if !self.has_only_sessions() {
                engine.set_hash(self.hash)?;
            }
            engine.set_tables(tables.cloned());
            if let Some(file) = &self.hash_file {
                hash::load(&mut engine, &hash::path(file, number))?;
            }
            Ok(engine)
        };
        (0..count).map(engine).collect()
    }

    /// Serves until the end of standard input, or until Ctrl-C if there are addresses.
    async fn serve(&self, server: Server, stop: &Stop, stop_sender: &watch::Sender<bool>) -> Result<ExitCode, String> {
        let (mut stopped, server) = (server.stopped.clone(), Arc::new(server));
        let mut listeners = JoinSet::new();
        for &address in &self.listen {
            let listener = listen(address, "JSON lines on ").await?;
            listeners.spawn(accept(listener, source, Arc::clone(&server), lines::connection));
        }
        for &address in &self.uci {
            let listener = listen(address, "UCI on ").await?;
            listeners.spawn(accept(listener, source, Arc::clone(&server), uci::connection));
        }
        for &address in &self.web {
            let (listener, pages) = (listen(address, "page on http://").await?, web::pages(&server));
            let serve = move |server, stream, source| web::connection(server, pages.clone(), stream, source);
            listeners.spawn(accept(listener, source, Arc::clone(&server), serve));
        }
        if !self.web.is_empty() {
            listeners.spawn(Arc::clone(&server.queue).run());
        }
        #[cfg(unix)]
        let _bound = self.socket.as_deref().map(unix::Bound::new).transpose()?.map(|(bound, listener)| {
            listeners.spawn(accept(listener, |_| None, Arc::clone(&server), lines::connection));
            bound
        });
        let mut provided = JoinSet::<Result<(), String>>::new();
        #[cfg(feature = "lichess")]
        if self.lichess.is_given() {
            // UCI sessions have their own engines.
            let is_shared = listeners.len() > self.uci.len();
            provided.spawn(self.lichess.clone().provide(Arc::clone(&server), is_shared));
        }
        if listeners.is_empty() && provided.is_empty() {
            lines::stdio(&server).await;
            return Ok(stop.exit_code());
        }
        let ended = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => Ok(()),
            Some(ended) = provided.join_next() => ended.unwrap_or(Ok(())),
        };
        // The last search for Lichess ends by itself.
        provided.detach_all();
        drop((listeners, server, stopped));
        ended?;
        // Connections send their last answers.
        let _ = timeout(LAST_ANSWERS, stop_sender.closed()).await;
        // A regular end for a service manager.
        Ok(ExitCode::SUCCESS)
    }
}

/// Listens, and reports the address.
async fn listen(address: SocketAddr, what: &str) -> Result<impl Listener<Io = TcpStream, Addr = SocketAddr>, String> {
    let listener = TcpListener::bind(address).await.map_err(|error| format!("{address}: {error}"))?;
    // Port 0 selects a free port.
    let address = listener.local_addr().unwrap_or(address);
    notice(format_args!("{what}{address}"));
    // Fails if the peer has disconnected.
    Ok(listener.tap_io(|stream| drop(prepare(stream))))
}

/// Serves each connection in a separate task.
async fn accept<L: Listener, F: Future<Output = ()> + Send + 'static>(
    mut listener: L,
    source: impl Fn(L::Addr) -> Source,
    server: Arc<Server>,
    serve: impl Fn(Arc<Server>, L::Io, Source) -> F,
) {
    loop {
        let (stream, address) = listener.accept().await;
        tokio::spawn(serve(Arc::clone(&server), stream, source(address)));
    }
}

/// Sets socket options, with keep-alive to detect dead peers.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    socket.set_tcp_nodelay(true)?;
    let probes = TcpKeepalive::new().with_time(KEEP_ALIVE).with_interval(KEEP_ALIVE_INTERVAL);
    socket.set_tcp_keepalive(&probes.with_retries(KEEP_ALIVE_RETRIES))?;
    // The same timeout with unacknowledged data.
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(KEEP_ALIVE + KEEP_ALIVE_INTERVAL * KEEP_ALIVE_RETRIES))?;
    Ok(())
}
