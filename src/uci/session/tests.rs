use super::*;
use crossbeam::channel::unbounded;

fn session() -> Session {
    Session::new(Engine::new(), InputMode::Live, unbounded().0, Writer::new(io::sink()))
}

/// Feeds lines and returns the immediate output.
fn run(session: &mut Session, lines: &[&str]) -> String {
    for &line in lines {
        session.handle_message(Message::Line(line.into()));
    }
    session.writer.take_text()
}

#[test]
fn simple_commands_are_answered() {
    let mut session = session();
    assert_eq!(run(&mut session, &["isready", "", "# nothing"]), "readyok\n");
    assert!(run(&mut session, &["uci"]).ends_with("\nuciok\n"));
    assert_eq!(run(&mut session, &["register later", "debug on", "stop", "ponderhit", "wait"]), "");
    assert!(!session.failed);
    assert!(run(&mut session, &["fly"]).starts_with("info string ERROR: unknown command \"fly\""));
    assert!(session.failed && !session.is_over());
    run(&mut session, &["quit"]);
    assert!(session.is_over());
}

#[test]
fn only_urgent_commands_run_during_a_search() {
    let mut session = session();
    run(&mut session, &["position startpos", "go infinite"]);
    assert!(session.engine.is_searching());
    assert!(run(&mut session, &["d"]).contains("Fen: rnbqkbnr/"));
    // `d` queues behind a queued `position`.
    assert_eq!(run(&mut session, &["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "d", "isready"]), "readyok\n");
    assert_eq!(session.engine.game.board().fen(false), Game::start().board().fen(false));
    let text = run(&mut session, &["stop"]);
    assert_eq!(text.matches("bestmove").count(), 1);
    assert!(text.find("bestmove") < text.find("Fen: 4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "{text}");
}

#[test]
fn stop_and_ponderhit_give_one_bestmove_in_any_order() {
    for go in ["go infinite", "go ponder infinite", "go ponder depth 1", "go ponder wtime 1 btime 1"] {
        for last in [["stop", "ponderhit"], ["ponderhit", "stop"], ["stop", "stop"]] {
            let mut session = session();
            let text = run(&mut session, &[go, last[0], last[1], "quit"]);
            assert_eq!(text.matches("bestmove").count(), 1, "{go}, {last:?}: {text}");
            assert!(session.is_over(), "{go}, {last:?}");
        }
    }
}

#[test]
fn wait_applies_to_searches_after_ponderhit() {
    let mut session = session();
    let text = run(&mut session, &["go ponder movetime 600000", "ponderhit", "wait", "quit"]);
    assert!(!text.contains("bestmove") && session.engine.is_searching(), "{text}");
    assert_eq!(run(&mut session, &["stop"]).matches("bestmove").count(), 1);
    assert!(session.is_over());
}

#[test]
fn stop_ends_a_long_queue() {
    let mut session = session();
    run(&mut session, &["go infinite"]);
    let text = run(&mut session, &["go infinite"; 2000]);
    assert_eq!(text.matches("bestmove").count(), 0);
    assert_eq!(run(&mut session, &["stop"]).matches("bestmove").count(), 2001);
}

/// So that `quit` does not come while the table is taken out.
#[test]
fn unchanged_hash_size_starts_no_task() {
    let mut session = session();
    run(&mut session, &["isready", "setoption name Hash value 16"]);
    assert!(!session.is_working());
}

#[test]
fn isready_waits_for_a_command_that_waits_for_a_save() {
    // A save has the entries of one evaluation.
    for command in ["ucinewgame", "setoption name Drawish Endings value true"] {
        let (inbox, messages) = unbounded();
        let mut session = Session::new(Engine::new(), InputMode::Live, inbox, Writer::new(io::sink()));
        let (end, ended) = unbounded::<()>();
        let save = session.start_task(move |_| _ = ended.recv()).unwrap();
        session.hash_files.saves.push(save);
        assert_eq!(run(&mut session, &["isready"]), "readyok\n");
        assert_eq!(run(&mut session, &[command, "isready", "position startpos moves e2e4"]), "", "{command}");
        drop(end);
        session.handle_message(messages.recv().unwrap());
        assert_eq!(session.writer.take_text(), "readyok\n", "{command}");
        assert_eq!(session.engine.game.board().fullmove_number(), 1);
        assert!(session.queue.is_empty() && !session.is_working());
    }
}

#[test]
fn isready_waits_for_a_load() {
    let (inbox, messages) = unbounded();
    let mut session = Session::new(Engine::new(), InputMode::Live, inbox, Writer::new(io::sink()));
    let (end, ended) = unbounded::<()>();
    let queued = Queued { command: Command::LoadHash(None), stopped: false, ponderhit: false, waited: false };
    session.begin_task(queued, move |_| _ = ended.recv());
    assert_eq!(run(&mut session, &["isready"]), "");
    drop(end);
    session.handle_message(messages.recv().unwrap());
    assert_eq!(session.writer.take_text(), "readyok\n");
}
