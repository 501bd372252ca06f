//! The event loop: lines in, lines out. The only reader of standard input and the only writer of standard output.

use super::session::{Pace, Session};
use crate::engine::{Engine, Output};
use crate::search::job::Event;
use crossbeam::channel::{Receiver, RecvError, Sender, at, never, select, unbounded};
use std::io::{self, BufRead, IsTerminal, Write};
use std::thread;
use std::time::SystemTime;

/// A line of input, and when it was read.
struct Input {
    line: String,
    at: SystemTime,
}

/// What the loop woke up for.
#[allow(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Wake {
    Input(Result<Input, RecvError>),
    Engine(Result<Event, RecvError>),
    Deadline,
    Chore(Result<String, RecvError>),
}

/// Speaks UCI on standard input and output until `quit` or the end of input.
///
/// # Errors
/// Standard output cannot be written, or the engine has died.
pub fn stdio(engine: Engine) -> io::Result<()> {
    let (send, receive) = unbounded();
    thread::Builder::new().name("input".into()).spawn(move || read_lines(io::stdin().lock(), &send))?;
    let mut session = Session::new(engine, Pace::Live);
    if io::stdin().is_terminal() {
        writeln!(io::stdout(), "Lento {}; `help` lists the commands", env!("CARGO_PKG_VERSION"))?;
    }
    serve(&mut session, receive, io::stdout())
}

/// Runs commands one after the other, each search to its end, and writes the answers to standard output. Returns
/// whether every command could be obeyed.
///
/// # Errors
/// Standard output cannot be written, or the engine has died.
pub fn script(engine: Engine, lines: &[String]) -> io::Result<bool> {
    let (send, receive) = unbounded();
    for line in lines {
        let input = Input { line: line.clone(), at: SystemTime::now() };
        send.send(input).map_err(io::Error::other)?;
    }
    drop(send);
    let mut session = Session::new(engine, Pace::InOrder);
    serve(&mut session, receive, io::stdout())?;
    Ok(!session.has_failed())
}

/// Sends every line, without its line break, until the input ends. Bytes that are not UTF-8 are replaced.
fn read_lines(mut from: impl BufRead, to: &Sender<Input>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match from.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                if to.send(Input { line, at: SystemTime::now() }).is_err() {
                    return;
                }
            }
        }
    }
}

/// The loop. Whatever a wake-up gives to say is written in one piece, then flushed.
fn serve(session: &mut Session, mut input: Receiver<Input>, mut output: impl Write) -> io::Result<()> {
    while !session.is_over() {
        match wait(session, &input) {
            Wake::Input(Ok(Input { line, at })) => {
                session.log_mut().read(at, &line);
                session.read(&line);
            }
            Wake::Input(Err(_)) => {
                input = never();
                session.end_of_input();
            }
            Wake::Engine(event) => {
                let event = event.map_err(|_| io::Error::other("the search threads have died"))?;
                let said = session.engine_mut().digest(event);
                hear(session, said);
            }
            Wake::Deadline => {
                let said = session.engine_mut().digest_deadline();
                hear(session, said);
            }
            Wake::Chore(line) => session.hear_chore(line.ok().as_deref()),
        }
        let text = session.take_text();
        if !text.is_empty() {
            session.log_mut().wrote(&text);
            output.write_all(text.as_bytes())?;
            output.flush()?;
        }
    }
    Ok(())
}

fn hear(session: &mut Session, said: Option<Output>) {
    if let Some(said) = said {
        session.hear(said);
    }
}

/// Sleeps until there is something to do.
fn wait(session: &Session, input: &Receiver<Input>) -> Wake {
    let deadline = session.engine().deadline().map_or_else(never, at);
    let silence = never();
    let chore = session.chore().map_or(&silence, |chore| chore.lines());
    select! {
        recv(input) -> line => Wake::Input(line),
        recv(session.engine().events()) -> event => Wake::Engine(event),
        recv(deadline) -> _ => Wake::Deadline,
        recv(chore) -> line => Wake::Chore(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_bytes_arrive_without_their_breaks() {
        let (send, receive) = unbounded();
        let mut bytes = b"uci\r\n\n\xff go\n".to_vec();
        bytes.extend([b'x'; 100_000]);
        read_lines(&bytes[..], &send);
        drop(send);
        let lines: Vec<String> = receive.iter().map(|input| input.line).collect();
        assert_eq!(lines[..3], ["uci", "", "\u{fffd} go"]);
        assert_eq!((lines.len(), lines[3].len()), (4, 100_000));
    }

    /// What the loop writes for these lines.
    fn answers(pace: Pace, lines: &[&str]) -> String {
        let (send, receive) = unbounded();
        for line in lines {
            assert!(send.send(Input { line: (*line).into(), at: SystemTime::now() }).is_ok());
        }
        drop(send);
        let mut session = Session::new(Engine::new(), pace);
        let mut output = Vec::new();
        assert!(serve(&mut session, receive, &mut output).is_ok());
        String::from_utf8(output).expect("UTF-8")
    }

    #[test]
    fn the_loop_ends_with_the_input() {
        assert_eq!(answers(Pace::Live, &[]), "");
        assert_eq!(answers(Pace::Live, &["isready", "quit", "isready"]), "readyok\n");
        let text = answers(Pace::Live, &["position startpos", "go infinite", "isready"]);
        assert_eq!((text.matches("readyok").count(), text.matches("bestmove").count()), (1, 1));
    }

    #[test]
    fn scripts_keep_their_order() {
        let text = answers(Pace::InOrder, &["position startpos", "go depth 3", "isready", "go depth 2", "quit"]);
        let order: Vec<&str> =
            text.lines().filter(|line| !line.starts_with("info")).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order, ["bestmove", "readyok", "bestmove"]);
        // A search that ends by itself may do so before it is asked.
        let live = answers(Pace::Live, &["position startpos", "go infinite", "isready"]);
        assert!(live.find("readyok") < live.find("bestmove"));
    }

    #[test]
    fn a_closed_output_is_an_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (send, receive) = unbounded();
        assert!(send.send(Input { line: "isready".into(), at: SystemTime::now() }).is_ok());
        let mut session = Session::new(Engine::new(), Pace::Live);
        let error = serve(&mut session, receive, Closed).expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
