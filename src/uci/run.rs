//! The event loop. Reads standard input; all output goes through the session's [`Writer`].

use super::options::Offer;
use super::session::{InputMode, Refuse, Session};
use super::task::Message;
use super::writer::Writer;
use crossbeam::channel::{Receiver, Sender, unbounded};
use lento::engine::{Engine, Wake};
use lento::internals::processors;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::thread;
use std::time::{Duration, Instant};

/// Interval of checks, while work is running, that the output is still open.
const CHECK_OUTPUT: Duration = Duration::from_millis(500);

/// Runs UCI on standard input and output until `quit`, the end of input or a closed output.
pub fn stdio(engine: Engine) -> io::Result<()> {
    let (send, receive) = unbounded();
    processors::prefer_response();
    let mut session = Session::new(engine, InputMode::Live, send.clone(), Writer::new(io::stdout()));
    thread::Builder::new().name("input".into()).spawn(move || {
        processors::prefer_response();
        read_lines(io::stdin().lock(), &send);
    })?;
    if io::stdin().is_terminal() {
        writeln!(io::stdout(), "Lento {}; `help` lists the commands", env!("CARGO_PKG_VERSION"))?;
    }
    serve(&mut session, &receive, output_is_gone)
}

/// Runs UCI on a connection until `quit`, the end of input or a closed output.
pub fn connection(
    engine: Engine,
    lines: impl Iterator<Item = String> + Send + 'static,
    output: impl Write + 'static,
    is_gone: impl Fn() -> bool,
    refuse: Refuse,
    offer: Offer,
) -> io::Result<()> {
    let (send, receive) = unbounded();
    let mut session = Session::new(engine, InputMode::Live, send.clone(), Writer::new(output));
    (session.refuse, session.offer) = (refuse, offer);
    thread::Builder::new().name("input".into()).spawn(move || send_lines(lines, &send))?;
    serve(&mut session, &receive, is_gone)
}

/// Runs commands in order, each search to completion, with answers on standard output. Returns whether all succeeded.
pub fn script(engine: Engine, lines: &[String]) -> io::Result<bool> {
    let (send, receive) = unbounded();
    send_lines(lines.iter().cloned(), &send);
    let mut session = Session::new(engine, InputMode::Script, send, Writer::new(io::stdout()));
    serve(&mut session, &receive, output_is_gone)?;
    Ok(!session.failed)
}

/// Sends each line, without its line break, and the end of input. Replaces invalid UTF-8.
pub fn read_lines(from: impl BufRead, to: &Sender<Message>) {
    let lines = from.split(b'\n').map_while(Result::ok);
    send_lines(lines.map(|line| decode(&line).trim_end().to_owned()), to);
}

/// A line as text. On Windows, invalid UTF-8 is read as Latin-1, which older interfaces send in paths.
fn decode(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Err(_) if cfg!(windows) => line.iter().map(|&byte| char::from(byte)).collect(),
        _ => String::from_utf8_lossy(line).into_owned(),
    }
}

/// Sends lines and the end of input, unless the session ends first.
fn send_lines(lines: impl Iterator<Item = String>, to: &Sender<Message>) {
    let _ = lines.map(Message::Line).chain([Message::EndOfInput]).try_for_each(|message| to.send(message));
}

/// Processes messages and engine output until the session is over, then waits for saves to finish. Fails if the output
/// cannot be written, or if `is_gone` returns that it has been closed; `AutoSave` still saves unsaved results.
pub fn serve(session: &mut Session, inbox: &Receiver<Message>, is_gone: impl Fn() -> bool) -> io::Result<()> {
    let served = loop {
        session.auto_save();
        if session.is_over() {
            break session.writer.flush();
        }
        let check = session.is_working().then(|| Instant::now() + CHECK_OUTPUT);
        let until = check.into_iter().chain(session.auto_save_due()).chain(session.repeat_due()).min();
        match session.engine.wait(inbox, until) {
            Wake::Message(message) => session.handle_message(message),
            Wake::Output(output) => session.handle_output(output),
            Wake::Timeout if is_gone() => break Err(ErrorKind::BrokenPipe.into()),
            Wake::Timeout => {}
            Wake::Closed => break Err(io::Error::other("the input thread exited")),
        }
        session.repeat_lines();
        if let Err(error) = session.writer.flush() {
            break Err(error);
        }
    };
    if served.is_err() {
        session.abandon();
        session.auto_save();
        while session.is_working()
            && let Ok(message) = inbox.recv()
        {
            if matches!(message, Message::Task(..)) {
                session.handle_message(message);
                session.auto_save();
            }
        }
    }
    session.engine.await_table();
    served
}

/// Whether standard output is a pipe or connection without a reader; always false on systems other than Unix.
pub fn output_is_gone() -> bool {
    #[cfg(not(unix))]
    return false;
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let no_wait = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut watched, Some(&no_wait)).is_ok()
            && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::tests::TestOutput;
    use lento::search::limits::Limits;
    use lento_testing::Folder;

    #[test]
    fn invalid_utf8_and_line_breaks_are_handled() {
        let (send, receive) = unbounded();
        let mut bytes = b"uci\r\n\n\xff go\n".to_vec();
        bytes.extend([b'x'; 100_000]);
        read_lines(&bytes[..], &send);
        drop(send);
        let mut messages: Vec<Message> = receive.iter().collect();
        assert!(matches!(messages.pop(), Some(Message::EndOfInput)));
        let lines: Vec<&str> = messages
            .iter()
            .map(|message| match message {
                Message::Line(line) => line.as_str(),
                _ => panic!("expected lines"),
            })
            .collect();
        assert_eq!(lines[..3], ["uci", "", if cfg!(windows) { "\u{ff} go" } else { "\u{fffd} go" }]);
        assert_eq!((lines.len(), lines[3].len()), (4, 100_000));
    }

    /// A session with these lines in its inbox.
    fn session_with(mode: InputMode, lines: &[&str], output: &TestOutput) -> (Session, Receiver<Message>) {
        let (send, receive) = unbounded();
        let input = lines.iter().map(|line| Message::Line((*line).into()));
        for message in input.chain([Message::EndOfInput]) {
            assert!(send.send(message).is_ok());
        }
        (Session::new(Engine::new(), mode, send, Writer::new(output.clone())), receive)
    }

    fn answers(mode: InputMode, lines: &[&str]) -> String {
        let output = TestOutput::open();
        let (mut session, receive) = session_with(mode, lines, &output);
        assert!(serve(&mut session, &receive, || false).is_ok());
        output.text()
    }

    #[test]
    fn loop_ends_with_the_input() {
        assert_eq!(answers(InputMode::Live, &[]), "");
        assert_eq!(answers(InputMode::Live, &["isready", "quit", "isready"]), "readyok\n");
        let text = answers(InputMode::Live, &["position startpos", "go infinite", "isready"]);
        assert_eq!((text.matches("readyok").count(), text.matches("bestmove").count()), (1, 1));
    }

    #[test]
    fn scripts_keep_their_order() {
        let text = answers(InputMode::Script, &["position startpos", "go depth 3", "isready", "go depth 2", "quit"]);
        let order: Vec<&str> =
            text.lines().filter(|line| !line.starts_with("info")).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order, ["bestmove", "readyok", "bestmove"]);
        // A finite search may end before `isready` is read.
        let live = answers(InputMode::Live, &["position startpos", "go infinite", "isready"]);
        assert!(live.find("readyok") < live.find("bestmove"));
    }

    #[test]
    fn lines_are_repeated_during_a_long_iteration() {
        let (send, receive) = unbounded();
        let output = TestOutput::open();
        let mut session = Session::new(Engine::new(), InputMode::Live, send.clone(), Writer::new(output.clone()));
        session.repeat_after = Duration::from_millis(20);
        for line in ["setoption name MultiPV value 3", "position startpos", "go infinite"] {
            assert!(send.send(Message::Line(line.into())).is_ok());
        }
        // Counts repetitions that differ only in nodes and time.
        let repetitions = |text: &str, multipv: i32| {
            let start = format!(" multipv {multipv} ");
            let lines: Vec<&str> = text.lines().filter(|line| line.contains(&start)).collect();
            let state = |line: &str| {
                let (before, after) = line.split_once(" nodes ").expect("nodes");
                (before.to_owned(), after.split_once(" pv ").expect("a line").1.to_owned())
            };
            lines.windows(2).filter(|pair| state(pair[0]) == state(pair[1]) && pair[0] != pair[1]).count()
        };
        let repeated = |text: &str| (1..=3).all(|multipv| repetitions(text, multipv) >= 3);
        let deadline = Instant::now() + Duration::from_secs(60);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !repeated(&output.text()) && Instant::now() < deadline {
                    thread::sleep(Duration::from_millis(20));
                }
                assert!(send.send(Message::Line("quit".into())).is_ok());
            });
            assert!(serve(&mut session, &receive, || false).is_ok());
        });
        assert!(repeated(&output.text()), "{}", output.text());
    }

    #[test]
    fn closed_output_is_an_error() {
        let (mut session, receive) = session_with(InputMode::Live, &["isready"], &TestOutput::default());
        let error = serve(&mut session, &receive, || false).expect_err("closed output");
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }

    #[test]
    fn closed_output_ends_a_search() {
        let (send, receive) = unbounded();
        assert!(send.send(Message::Line("go infinite".into())).is_ok());
        let mut session = Session::new(Engine::new(), InputMode::Live, send, Writer::new(io::sink()));
        let error = serve(&mut session, &receive, || true).expect_err("closed output");
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }

    #[test]
    fn closed_output_saves_unsaved_results() {
        let folder = Folder::new("closed-output");
        let file = folder.at("table");
        let mut engine = Engine::new();
        engine.search_blocking(&Limits { depth: Some(4), ..Limits::default() }, |_| ());
        let (send, receive) = unbounded();
        let option = format!("setoption name HashFile value {}", file.display());
        for line in [option.as_str(), "setoption name AutoSave value 60", "go infinite", "quit"] {
            assert!(send.send(Message::Line(line.into())).is_ok());
        }
        let mut session = Session::new(engine, InputMode::Live, send, Writer::new(TestOutput::default()));
        assert!(serve(&mut session, &receive, || false).is_err());
        assert!(file.exists());
    }

    #[test]
    fn perft_and_bench_finish_when_the_input_ends() {
        for last in [&["perft 4", "quit"][..], &["perft 4"]] {
            assert!(answers(InputMode::Live, last).ends_with("Nodes searched: 197281\n"));
        }
        assert!(answers(InputMode::Live, &["bench 1", "quit"]).trim_end().ends_with(" nps"));
        assert!(answers(InputMode::Live, &["perft 20", "quit", "quit"]).ends_with("info string stopped\n"));
        assert!(answers(InputMode::Live, &["perft 20", "stop", "perft 1"]).ends_with("Nodes searched: 20\n"));
    }
}
