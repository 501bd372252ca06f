//! `UCI_LimitStrength` and `UCI_Elo`.

use crate::harness::{Session, count, field};
use std::time::{Duration, Instant};

const SICILIAN: &str = "position startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6";

fn limited(elo: u32, seed: u32) -> Session {
    let mut session = Session::ready();
    for (name, value) in
        [("UCI_LimitStrength", "true"), ("UCI_Elo", &elo.to_string()), ("Strength Seed", &seed.to_string())]
    {
        assert!(session.set(name, value).is_empty());
    }
    session
}

#[test]
fn same_seed_plays_the_same_moves() {
    let play = |seed| {
        let mut session = limited(1000, seed);
        ["startpos", &SICILIAN["position ".len()..]].map(|position| {
            let lines = session.search(&format!("position {position}\ngo nodes 100000"));
            let [line, best] = &lines[lines.len() - 2..] else { panic!("{lines:?}") };
            assert_eq!(field(line, "pv"), best.split(' ').nth(1), "{lines:#?}");
            format!("{best} {:?}", field(line, "nodes"))
        })
    };
    assert_eq!(play(11), play(11));
    let many: Vec<_> = (1..6).map(play).collect();
    assert!(many.iter().any(|moves| *moves != many[0]), "{many:?}");
}

#[test]
fn limited_search_respects_every_limit() {
    let mut session = limited(1200, 1);
    let start = Instant::now();
    session.search(&format!("{SICILIAN}\ngo wtime 60000 btime 60000"));
    assert!(start.elapsed() > Duration::from_millis(100), "{:?}", start.elapsed());
    for go in [
        "go movetime 60",
        "go wtime 100 btime 100",
        "go wtime 1 btime 1",
        "go wtime -5 btime -5",
        "go nodes 50",
        "go depth 1",
    ] {
        session.search(&format!("{SICILIAN}\n{go}"));
    }
    // `isready` is answered during the artificial delay, and `stop` ends it.
    session.send(&format!("{SICILIAN}\ngo wtime 36000000 btime 36000000"));
    assert_eq!(count(&session.sync(), "bestmove"), 0);
    session.send("stop");
    session.best_move();
}

#[test]
fn ponder_and_infinite_withhold_the_answer() {
    let mut session = limited(1500, 2);
    session.send(&format!("setoption name Ponder value true\n{SICILIAN} c1g5\ngo ponder wtime 10 btime 10"));
    let lines = [session.read_until("info depth 1 "), session.settle()].concat();
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:#?}");
    session.send("ponderhit");
    session.best_move();
    session.send("go ponder wtime 3600000 btime 3600000\nstop");
    session.best_move();
    // The pause counts from `go`: `ponderhit` does not end it.
    session.send("go ponder wtime 36000000 btime 36000000");
    session.read_for(Duration::from_millis(300));
    session.send("ponderhit");
    assert_eq!(count(&session.settle(), "bestmove"), 0);
    session.send("stop");
    session.best_move();
    session.send("go infinite");
    let lines = [session.read_until("info depth 1 "), session.settle()].concat();
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:#?}");
    session.send("stop\ngo ponder infinite\nponderhit\nstop");
    session.best_move();
    session.best_move();
    assert!(session.sync().is_empty());
}

#[test]
fn searchmoves_and_chess960_are_supported() {
    let mut session = limited(800, 4);
    for moves in ["h2h3", "a2a3 h2h4"] {
        session.send(&format!("{SICILIAN}\ngo searchmoves {moves} nodes 10000"));
        let best = session.best_move();
        assert!(moves.contains(&best), "{best}");
    }
    session.send(
        "setoption name UCI_Chess960 value true\nposition fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1\ngo searchmoves f1g1",
    );
    assert_eq!(session.best_move(), "f1g1");
    session.send("position fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1\ngo nodes 10000");
    session.best_move();
    session.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo nodes 10000");
    assert_eq!(session.best_move(), "0000");
    assert!(session.set("UCI_Elo", "799")[0].contains("option UCI_Elo expects a whole number from 800 to "));
}
