//! One search on several machines: `mpirun -n 4 lento-cluster` speaks UCI on rank 0.

mod bench;
mod comm;
mod exchange;
mod hello;
mod link;
mod relay;
mod watch;
mod wire;

use clap::{CommandFactory, Parser, Subcommand};
use comm::{Comm, Worker};
use crossbeam::channel::{Sender, unbounded};
use exchange::Team;
use hello::Hello;
use lento::engine::Engine;
use lento::eval::nnue::Network;
use lento::internals::abort_on_panic;
use lento::internals::processors;
use lento::internals::threads::Partners;
use lento_console::{Done, notice};
use lento_uci::command::Command;
use lento_uci::session::{Hook, InputMode, Session};
use lento_uci::task::Message;
use lento_uci::writer::Writer;
use lento_uci::{options, run};
use mpi::Threading;
use mpi::traits::Communicator;
use parking_lot::Mutex;
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

/// For the user when the job is ended from outside.
const ENDED: &str = "the job is being ended, perhaps since a rank has died; the best move so far:";

/// How long MPI may take to be finalised.
const FINALIZE: Duration = Duration::from_secs(10);

/// One search of Lento on several machines. Start it with mpirun or srun; rank 0 speaks UCI.
#[derive(Parser, Clone)]
#[command(name = "lento-cluster", version = lento::internals::version::SHORT, long_version = lento::internals::version::LONG.as_str())]
struct Args {
    /// Least depth of table entries that travel between ranks, in plies; it rises while more come than can be sent
    #[arg(long, value_name = "PLIES", default_value_t = 4, global = true, value_parser = clap::value_parser!(i32).range(1..=100))]
    exchange_depth: i32,
    /// Exchange no table entries
    #[arg(long, global = true)]
    no_exchange: bool,
    /// After this time without an answer a rank counts as gone, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, global = true, value_parser = clap::value_parser!(u64).range(1..))]
    silence: u64,
    /// A rank that has not heard rank 0 for this time ends, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30_000, global = true, value_parser = clap::value_parser!(u64).range(1000..))]
    rank0_timeout: u64,
    /// A rank that has waited for this time until all have started ends, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60_000, global = true, value_parser = clap::value_parser!(u64).range(1..))]
    start_timeout: u64,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand, Clone)]
enum Task {
    /// Search the same positions on 1, 2, 4 ... ranks, up to all; prints JSON
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
    // A rank without one of its threads would keep the others waiting.
    abort_on_panic();
    let starting = watch("have started", Duration::from_millis(args.start_timeout));
    // The main thread alone calls MPI.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("lento-cluster: MPI cannot be initialised");
        return Ok(ExitCode::FAILURE);
    };
    drop(starting);
    processors::prefer_response();
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "unknown".into());
    let mut engine = Engine::new();
    let least = (!args.no_exchange).then_some(args.exchange_depth);
    let mut comm = Comm::new(universe.world(), Team::join(&mut engine), least);
    let code = if comm.rank > 0 {
        let worker = start_worker(engine, comm.rank);
        if !comm::follow(&mut comm, &worker, &host, Duration::from_millis(args.rank0_timeout)) {
            // To finalise MPI would wait for ranks that are gone.
            exit(1);
        }
        ExitCode::SUCCESS
    } else {
        let (all_ended, code) = lead(&mut comm, engine, &args, &host);
        comm.end(all_ended);
        if !all_ended {
            eprintln!("lento-cluster: not all ranks have ended; ending the job");
            universe.world().abort(1);
        }
        code
    };
    let _ending = watch("have ended", FINALIZE);
    drop(universe);
    Ok(code)
}

/// Writes the manual page, the same from every build.
fn man(folder: &Path) -> Done {
    let version = env!("CARGO_PKG_VERSION");
    let command = Args::command().version(version).long_version(version).disable_help_subcommand(true);
    let write = || std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    write().map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs rank 0: the session or the bench on a thread, MPI on this one. Returns whether all ranks have ended, and the exit code.
fn lead(comm: &mut Comm, mut engine: Engine, args: &Args, host: &str) -> (bool, ExitCode) {
    let (orders, ordered) = unbounded();
    let (inbox, messages) = unbounded();
    let relay = Arc::new(Relay::new(comm.size, Hello::own(host), orders, inbox.clone()));
    engine.set_partners(Some(Arc::clone(&relay) as Arc<dyn Partners>));
    let (passing, ranks, task) = (Arc::clone(&relay), comm.size, args.task.clone());
    let session = thread::spawn(move || {
        processors::prefer_response();
        passing.await_all();
        let mut code = ExitCode::SUCCESS;
        if let Some(Task::Bench(args)) = task {
            thread::spawn(move || {
                for message in messages {
                    if let Message::Note(text) = message {
                        eprintln!("lento-cluster: {text}");
                    }
                }
            });
            if let Err(error) = bench::run(&args, engine, &passing, ranks) {
                eprintln!("lento-cluster: {error}");
                code = ExitCode::FAILURE;
            }
        } else {
            pass_input(inbox.clone());
            let mut session = Session::new(engine, InputMode::Live, inbox, Writer::new(io::stdout()));
            let relay = Arc::clone(&passing);
            session.hook = Some(Box::new(move |command, engine| relay.pass_on(command, engine)));
            // Fails if the output is closed.
            let _ = run::serve(&mut session, &messages, run::output_is_gone);
        }
        passing.order(Order::Over);
        code
    });
    let all_ended = comm::lead(comm, &relay, &ordered, Duration::from_millis(args.silence));
    (all_ended, session.join().expect("the session does not panic"))
}

/// Passes standard input to the session, and ends it when the job is ended from outside. `mpirun` does that when it has lost a
/// rank: it sends SIGCONT and closes the input, and a second later sends SIGTERM and SIGKILL.
fn pass_input(inbox: Sender<Message>) {
    let (send, lines) = unbounded();
    let (continued, ending) = (Arc::new(Mutex::new(None::<Instant>)), inbox.clone());
    let latest = Arc::clone(&continued);
    thread::spawn(move || run::read_lines(io::stdin().lock(), &send));
    thread::spawn(move || {
        for message in lines {
            if matches!(message, Message::EndOfInput) {
                // The signal may come a little later.
                thread::sleep(Duration::from_millis(50));
                if latest.lock().is_some_and(|since| since.elapsed() < Duration::from_secs(1)) {
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
                *continued.lock() = Some(Instant::now());
            } else {
                let stop = ["stop", "quit"].map(|line| Message::Line(line.into()));
                std::iter::once(Message::Note(ENDED.into())).chain(stop).for_each(|message| _ = ending.send(message));
                return;
            }
        }
    });
}

/// Starts the session of another rank on a thread.
fn start_worker(mut engine: Engine, rank: usize) -> Worker {
    let (session, messages) = unbounded();
    let (noting, notes) = unbounded();
    let (ending, over) = unbounded::<()>();
    let worker = Worker { session: session.clone(), network: Arc::default(), notes, answered: Arc::default(), over };
    let output = Answers { answered: Arc::clone(&worker.answered), notes: noting };
    let network = Arc::clone(&worker.network);
    engine.settings.search.first_thread = rank;
    thread::spawn(move || {
        let mut session = Session::new(engine, InputMode::Live, session, Writer::new(output));
        session.hook = Some(worker_hook(rank, network));
        let _ = run::serve(&mut session, &messages, || false);
        drop(ending);
    });
    worker
}

/// Gives the threads of a rank numbers of their own, and takes networks that rank 0 has sent.
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

/// The output of another rank's session: answers are counted, and options that failed reported to rank 0.
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
