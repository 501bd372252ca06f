//! UCI over TCP, for user interfaces that can connect to remote engines.

use super::admission::Source;
use super::input::Lines;
use super::lines::MAX_STALL;
use super::{LAST_ANSWERS, Server};
use lento::engine::Engine;
use lento::tb::Tables;
use lento_uci::command::Command;
use lento_uci::options::{Offer, same_name};
use lento_uci::run;
use lento_uci::session::Refuse;
use lento_uci::words::quoted;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, mpsc as lines_of};
use std::thread;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// Maximum queued commands during a search.
const MAX_QUEUED: usize = 256;
/// Maximum queued writes; above, the session waits for the reader.
const MAX_WRITES: usize = 64;
/// Timeout for a free session, since the previous session of a reconnecting client may still be closing.
const SESSION_WAIT: Duration = Duration::from_secs(1);
/// Options that access files or change the whole process. Two of them also exist as commands; see [`refuse`].
const REFUSED: [&str; 8] =
    ["HashFile", "SaveHash", "LoadHash", "AutoSave", "EvalFile", "SyzygyPath", "Debug Log File", "NumaPolicy"];

/// Runs a session until the connection ends.
pub async fn connection(server: Arc<Server>, stream: TcpStream, source: Source) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = Lines::new(reader);
    let Some(place) = server.admission.open(&mut lines, "UCI", source).await else { return };
    let permits = async {
        let place = place?;
        let session =
            timeout(SESSION_WAIT, Arc::clone(&server.sessions).acquire_owned()).await.ok().and_then(Result::ok);
        let refuse = || format!("{} sessions are open; try again later", server.args.sessions);
        Ok::<_, String>((place, session.ok_or_else(refuse)?))
    };
    let permits = match permits.await {
        Ok(permits) => permits,
        Err(error) => {
            let _ = writer.write_all(format!("info string error: {error}\n").as_bytes()).await;
            let _ = writer.shutdown().await;
            return;
        }
    };
    let (send, received) = lines_of::channel();
    let (output, mut written) = mpsc::channel(MAX_WRITES);
    let (threads, hash_mib, tables) = (server.pool.threads, server.args.hash, server.boards.tables.clone());
    let session = thread::Builder::new().name("session".into()).spawn(move || {
        let _permits = permits;
        session(received, Output(output), threads, hash_mib, tables);
    });
    if session.is_err() {
        return;
    }
    let read = async {
        while let Some(line) = lines.next().await {
            // An unreadable line becomes an unknown command.
            if send.send(line.unwrap_or_else(|error| error.to_string())).is_err() {
                break;
            }
        }
        drop(send);
        sleep(LAST_ANSWERS).await;
    };
    let write = async {
        while let Some(bytes) = written.recv().await {
            if !matches!(timeout(MAX_STALL, writer.write_all(&bytes)).await, Ok(Ok(()))) {
                return;
            }
        }
        let _ = writer.shutdown().await;
    };
    let mut stopped = server.stopped.clone();
    tokio::select! {
        () = read => {}
        () = write => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// Runs the session in this thread.
fn session(
    lines: lines_of::Receiver<String>,
    output: Output,
    threads: usize,
    hash_mib: usize,
    tables: Option<Arc<Tables>>,
) {
    let mut engine = Engine::new();
    engine.set_tables(tables);
    if hash_mib < Engine::DEFAULT_HASH && engine.set_hash(hash_mib).is_err() {
        return;
    }
    let channel = output.0.clone();
    // Fails when the connection has ended.
    let (refuse, offer) = (refuse(threads, hash_mib), offer(threads, hash_mib));
    let _ = run::connection(engine, lines.into_iter(), output, move || channel.is_closed(), refuse, offer);
}

fn name_of(line: &str) -> Option<&str> {
    Some(line.strip_prefix("option name ")?.split_once(" type ")?.0)
}

/// Whether sessions offer the option of this line.
pub fn is_offered(line: &str) -> bool {
    name_of(line).is_some_and(|name| !REFUSED.contains(&name))
}

/// Omits refused options, and limits threads and memory.
fn offer(threads: usize, hash_mib: usize) -> Offer {
    Box::new(move |line| {
        let name = name_of(&line)?;
        let spin = |default: usize, max: usize| {
            Some(format!("option name {name} type spin default {} min 1 max {max}", default.min(max)))
        };
        match name {
            "Threads" => spin(1, threads),
            "Hash" => spin(Engine::DEFAULT_HASH, hash_mib),
            _ => is_offered(&line).then_some(line),
        }
    })
}

/// Refuses commands that access files, and more threads or memory than allowed.
fn refuse(threads: usize, hash_mib: usize) -> Refuse {
    Box::new(move |command, queued| {
        let too_many = |name: &str, value: &Option<String>, max: usize| {
            let number = value.as_ref()?.trim().parse::<u64>().ok()?;
            let text = || format!("option {name} expects up to {max} here, not {number}; value unchanged");
            (number > max as u64).then(text)
        };
        match command {
            Command::Stop | Command::Quit | Command::PonderHit | Command::IsReady => None,
            _ if queued >= MAX_QUEUED => Some(format!("{queued} commands are queued; wait for answers")),
            Command::SetOption(name, _) if REFUSED.iter().any(|refused| same_name(refused, name)) => {
                Some(format!("option {} is not available over a network; value unchanged", quoted(name)))
            }
            Command::SetOption(name, value) if same_name(name, "Threads") => too_many(name, value, threads),
            Command::SetOption(name, value) if same_name(name, "Hash") => too_many(name, value, hash_mib),
            Command::SaveHash(..) | Command::LoadHash(_) | Command::GenFens(_) => {
                Some("savehash, loadhash and genfens are not available over a network".to_owned())
            }
            _ => None,
        }
    })
}

/// Forwards bytes to the connection.
struct Output(mpsc::Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.blocking_send(bytes.to_owned()).map_err(|_| ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_uci::{command, options};

    #[test]
    fn refused_options_are_not_offered() {
        let (refuse, offer) = (refuse(2, 8), offer(2, 8));
        let mut offered = Vec::new();
        for line in options::announcements(true) {
            let name = line.strip_prefix("option name ").and_then(|rest| rest.split(" type ").next()).expect("a name");
            let command = command::parse(&format!("setoption name {name}")).command.expect("a command");
            assert_eq!(offer(line.clone()).is_none(), refuse(&command, 0).is_some(), "{line}");
            offered.extend(offer(line));
        }
        for line in ["Threads type spin default 1 min 1 max 2", "Hash type spin default 8 min 1 max 8"] {
            assert!(offered.contains(&format!("option name {line}")), "{offered:?}");
        }
    }

    #[test]
    fn options_with_file_names_are_refused() {
        let refuse = refuse(2, 64);
        let refused = |line: &str| refuse(&command::parse(line).command.expect("a command"), 0).is_some();
        for line in options::announcements(true).filter(|line| line.contains(" type string ")) {
            let name = line.strip_prefix("option name ").and_then(|rest| rest.split(" type ").next()).expect("a name");
            assert_eq!(refused(&format!("setoption name {name} value x")), name != "UCI_EngineAbout", "{name}");
        }
        for line in [
            "savehash x",
            "setoption name SaveHash",
            "loadhash",
            "genfens 1 seed 1 book x",
            "SETOPTION name  debuglogfile value x",
        ] {
            assert!(refused(line), "{line}");
        }
        for (line, expected) in [
            ("Threads value 2", false),
            ("threads value 3", true),
            ("Hash value 65", true),
            ("UCI_Hash value 64", false),
        ] {
            assert_eq!(refused(&format!("setoption name {line}")), expected, "{line}");
        }
        for line in ["go depth 9", "setoption name Threads value 1"] {
            assert!(refuse(&command::parse(line).command.expect("a command"), MAX_QUEUED).is_some(), "{line}");
        }
    }
}
