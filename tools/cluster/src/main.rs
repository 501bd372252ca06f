//! One search on several machines: `mpirun -n 4 lento-cluster` speaks UCI on rank 0.

mod bench;
mod comm;
mod exchange;
mod link;
mod rank_info;
mod relay;
mod watch;
mod wire;

use clap::{CommandFactory, Parser, Subcommand};
use comm::{Comm, Worker};
use crossbeam::channel::{Sender, unbounded};
use exchange::Team;
use lento::engine::Engine;
use lento::eval::nnue::Network;
use lento::internals::{Partners, abort_on_panic, processors};
use lento_console::{Done, notice};
use lento_uci::command::Command;
use lento_uci::session::{Hook, InputMode, Session};
use lento_uci::task::Message;
use lento_uci::writer::Writer;
use lento_uci::{options, run};
use mpi::Threading;
use mpi::traits::Communicator;
use parking_lot::Mutex;
use rank_info::RankInfo;
use relay::{Order, Relay};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use watch::watch;

#[cfg(target_arch = "x86_64")]
lento_console::instructions::check_at_start!();

/// Shown when the job is terminated from outside.
const ENDED: &str = "the job is being terminated, perhaps because a rank has died; best move so far:";

/// Time limit for finalising MPI.
const FINALIZE_TIMEOUT: Duration = Duration::from_secs(10);

/// One Lento search on several machines. Start it with mpirun or srun; rank 0 speaks UCI.
#[derive(Parser, Clone)]
#[command(name = "lento-cluster", version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str())]
struct Args {
    /// Minimum depth of exchanged table entries, in plies; rises while more arrive than can be sent
    #[arg(long, value_name = "PLIES", default_value_t = 4, global = true, value_parser = clap::value_parser!(i32).range(1..=100))]
    exchange_depth: i32,
    /// Disable the exchange of table entries
    #[arg(long, global = true)]
    no_exchange: bool,
    /// Time without a message after which a rank is considered lost, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, global = true, value_parser = clap::value_parser!(u64).range(1..))]
    silence: u64,
    /// Time without a message from rank 0 after which a rank exits, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30_000, global = true, value_parser = clap::value_parser!(u64).range(1000..))]
    rank0_timeout: u64,
    /// Time that a rank waits for all others to start before it exits, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60_000, global = true, value_parser = clap::value_parser!(u64).range(1..))]
    start_timeout: u64,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand, Clone)]
enum Task {
    /// Search the same positions on 1, 2, 4, ... ranks; prints JSON
    Bench(bench::Args),
    /// Write the manual pages into a folder
    Man { folder: PathBuf },
}

fn main() -> ExitCode {
    notice::run(run)
}

fn run(args: Args) -> Done {
    if let Some(Task::Man { folder }) = &args.task {
        return man(folder);
    }
    // A rank with a panicked thread would block the others.
    abort_on_panic();
    let starting = watch("to start", Duration::from_millis(args.start_timeout));
    // Only the main thread calls MPI.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("lento-cluster: MPI cannot be initialised");
        return Ok(ExitCode::FAILURE);
    };
    drop(starting);
    processors::prefer_response();
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "unknown".into());
    let mut engine = Engine::new();
    let min_depth = (!args.no_exchange).then_some(args.exchange_depth);
    let mut comm = Comm::new(universe.world(), Team::join(&mut engine), min_depth);
    let code = if comm.rank > 0 {
        // `srun` copies standard input to all ranks, and stalls once one of them does not read it.
        thread::spawn(|| io::copy(&mut io::stdin().lock(), &mut io::sink()));
        let worker = start_worker(engine, comm.rank);
        let (silence, timeout) = (Duration::from_millis(args.silence), Duration::from_millis(args.rank0_timeout));
        if !comm::follow(&mut comm, &worker, &host, silence, timeout) {
            // Finalising MPI would wait for lost ranks.
            exit(1);
        }
        ExitCode::SUCCESS
    } else {
        let (all_ended, code) = lead(&mut comm, engine, &args, &host);
        comm.end(all_ended);
        if !all_ended {
            eprintln!("lento-cluster: not all ranks have exited; aborting the job");
            universe.world().abort(1);
        }
        code
    };
    let _ending = watch("to exit", FINALIZE_TIMEOUT);
    drop(universe);
    Ok(code)
}

/// Writes the manual page, identical for every build.
fn man(folder: &Path) -> Done {
    let version = env!("CARGO_PKG_VERSION");
    let command = Args::command().version(version).long_version(version).disable_help_subcommand(true);
    let write = || std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    write().map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs rank 0: session or bench on a thread, MPI on this one. Returns whether all ranks have ended, and the exit code.
fn lead(comm: &mut Comm, mut engine: Engine, args: &Args, host: &str) -> (bool, ExitCode) {
    let (orders, order_receiver) = unbounded();
    let (inbox, messages) = unbounded();
    let relay = Arc::new(Relay::new(comm.size, RankInfo::own(host), orders, inbox.clone()));
    engine.set_partners(Some(Arc::clone(&relay) as Arc<dyn Partners>));
    let (session_relay, ranks, task) = (Arc::clone(&relay), comm.size, args.task.clone());
    let session = thread::spawn(move || {
        processors::prefer_response();
        session_relay.wait_for_ranks();
        let mut code = ExitCode::SUCCESS;
        if let Some(Task::Bench(args)) = task {
            thread::spawn(move || {
                for message in messages {
                    if let Message::Note(text) = message {
                        eprintln!("lento-cluster: {text}");
                    }
                }
            });
            if let Err(error) = bench::run(&args, engine, &session_relay, ranks) {
                eprintln!("lento-cluster: {error}");
                code = ExitCode::FAILURE;
            }
        } else {
            pass_input(inbox.clone());
            let mut session = Session::new(engine, InputMode::Live, inbox, Writer::new(io::stdout()));
            let relay = Arc::clone(&session_relay);
            session.hook = Some(Box::new(move |command, engine| relay.pass_on(command, engine)));
            // Fails if the output is closed.
            let _ = run::serve(&mut session, &messages, run::output_is_gone);
        }
        session_relay.order(Order::End);
        code
    });
    let all_ended = comm::lead(comm, &relay, &order_receiver, Duration::from_millis(args.silence));
    (all_ended, session.join().expect("the session does not panic"))
}

/// Passes standard input to the session, and ends it when the job is terminated from outside. After losing a rank, `mpirun` sends
/// SIGCONT and closes the input, and a second later sends SIGTERM and SIGKILL.
fn pass_input(inbox: Sender<Message>) {
    let (send, lines) = unbounded();
    let (last_continue, signal_inbox) = (Arc::new(Mutex::new(None::<Instant>)), inbox.clone());
    let latest_signal = Arc::clone(&last_continue);
    thread::spawn(move || run::read_lines(io::stdin().lock(), &send));
    thread::spawn(move || {
        for message in lines {
            if matches!(message, Message::EndOfInput) {
                // The signal may arrive slightly later.
                thread::sleep(Duration::from_millis(50));
                if latest_signal.lock().is_some_and(|since| since.elapsed() < Duration::from_secs(1)) {
                    let _ = inbox.send(Message::Note(ENDED.into()));
                }
            }
            let _ = inbox.send(message);
        }
    });
    let Ok(mut signals) = Signals::new([SIGCONT, SIGHUP, SIGINT, SIGTERM]) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT {
                *last_continue.lock() = Some(Instant::now());
            } else {
                let stop = ["stop", "quit"].map(|line| Message::Line(line.into()));
                std::iter::once(Message::Note(ENDED.into()))
                    .chain(stop)
                    .for_each(|message| _ = signal_inbox.send(message));
                return;
            }
        }
    });
}

/// Starts the session of another rank on a thread.
fn start_worker(mut engine: Engine, rank: usize) -> Worker {
    let (session, messages) = unbounded();
    let (note_sender, notes) = unbounded();
    let (end_sender, session_end) = unbounded::<()>();
    let worker =
        Worker { session: session.clone(), network: Arc::default(), notes, answered: Arc::default(), session_end };
    let output = Answers { answered: Arc::clone(&worker.answered), notes: note_sender };
    let network = Arc::clone(&worker.network);
    engine.settings.search.first_thread = rank;
    thread::spawn(move || {
        let mut session = Session::new(engine, InputMode::Live, session, Writer::new(output));
        session.hook = Some(worker_hook(rank, network));
        let _ = run::serve(&mut session, &messages, || false);
        drop(end_sender);
    });
    worker
}

/// Gives the threads of a rank distinct numbers, and loads networks sent by rank 0.
fn worker_hook(rank: usize, received: Arc<Mutex<Vec<u8>>>) -> Hook {
    Box::new(move |command, engine| {
        match command {
            Command::Go(_) => engine.settings.search.first_thread = rank * engine.threads(),
            Command::SetOption(name, Some(value)) if value == "received" && options::same_name(name, "EvalFile") => {
                if let Ok(network) = Network::from_bytes(&received.lock()) {
                    engine.network = Arc::new(network);
                }
                *command = Command::Register;
            }
            _ => {}
        }
        None
    })
}

/// Session output of another rank: counts answers, and reports failed options to rank 0.
struct Answers {
    answered: Arc<AtomicU64>,
    notes: Sender<String>,
}

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            if line.starts_with("bestmove") {
                self.answered.fetch_add(1, Relaxed);
            } else if let Some(text) =
                line.strip_prefix("info string ").filter(|text| text.contains(" cannot be set to "))
            {
                let _ = self.notes.send(text.to_owned());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
