//! `threat` and `analyse --threat`.

use crate::harness::{Session, count, field, last_pv, lines, run};
use serde_json::Value;

/// White to move; Black threatens mate on the back rank.
const FEN: &str = "6k1/5ppp/8/8/8/8/r4PPP/6K1 w - - 0 1";

#[test]
fn threat_searches_for_the_opponent() {
    let mut session = Session::ready();
    session.send(&format!("position fen {FEN}\nthreat depth 5"));
    let found = session.read_until("threat ");
    assert_eq!(found[found.len() - 1], "threat a2a1");
    assert!(last_pv(&found).contains(" score mate 1 ") && last_pv(&found).ends_with(" pv a2a1"), "{found:#?}");
    session.send("threat depth 5 avoidmoves a2a1");
    assert_ne!(session.read_until("threat ").pop().unwrap(), "threat a2a1");
    assert_eq!(session.fen(), FEN);
    assert_eq!((count(session.received(), "threat "), count(session.received(), "bestmove")), (2, 0));
}

#[test]
fn threats_have_full_strength() {
    let mut session = Session::ready();
    let [full, limited] = [false, true].map(|is_limited| {
        session
            .send(&format!("setoption name UCI_LimitStrength value {is_limited}\nposition fen {FEN}\nthreat depth 6"));
        found(&session.read_until("threat "))
    });
    assert_eq!(full, limited);
}

/// Nodes and PVs, the output that does not depend on time.
fn found(lines: &[String]) -> Vec<(String, String)> {
    let pvs = lines.iter().filter(|line| line.contains(" pv "));
    pvs.map(|line| (field(line, "nodes").unwrap().into(), line.split_once(" pv ").unwrap().1.into())).collect()
}

#[test]
fn threat_does_not_affect_later_searches() {
    let [with, without] = ["threat depth 8", "isready"].map(|between| {
        let mut session = Session::ready();
        let mut all = session.search("position startpos moves e2e4 e7e5 g1f3\ngo depth 8");
        session.send(between);
        session.read_until(between.split(' ').next().unwrap().trim_start_matches("is"));
        all.extend(session.search("go depth 9"));
        all.extend(session.search("position startpos moves e2e4 e7e5 g1f3 b8c6\ngo depth 8"));
        found(&all)
    });
    assert!(with.len() > 20);
    assert_eq!(with, without);
}

#[test]
fn missing_threat_is_explained() {
    let mut session = Session::ready();
    for (fen, why) in [
        ("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "the side to move is in check"),
        ("6k1/5ppp/8/8/8/8/5PPP/r5K1 w - - 0 1", "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
    ] {
        session.send(&format!("position fen {fen}\nthreat depth 3"));
        assert_eq!(session.sync(), [format!("info string no threat in {fen}: {why}"), "threat 0000".into()]);
    }
    // The opponent is stalemated.
    session.send("position fen 7k/5K2/6Q1/8/8/8/8/8 w - - 0 1\nthreat depth 3");
    let lines = session.read_until("threat 0000");
    assert!(lines.iter().any(|line| line.contains("no legal move: stalemate")), "{lines:#?}");
    let output = run(&["analyse", "--fen", "4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "--threat", "--depth", "2"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty() && stderr.contains("in check"), "{stderr}");
}

#[test]
fn threat_obeys_stop_and_waits_for_searches() {
    let mut session = Session::ready();
    session.send(&format!("position fen {FEN}\nthreat"));
    session.read_until("info depth 5 ");
    session.send("stop");
    session.read_until("threat a2a1");
    session.send("position startpos\ngo infinite\nthreat depth 3");
    let lines = [session.read_until("info depth 10 "), session.settle()].concat();
    assert_eq!(count(&lines, "threat"), 0);
    session.send("stop");
    session.read_until("bestmove ");
    session.read_until("threat ");
    session.send("threat infinite\nposition startpos moves e2e4");
    session.read_until("info depth 4 ");
    session.send("quit");
    let (last, status) = session.wait();
    assert_eq!((count(&last, "threat "), status.success()), (1, true), "{last:#?}");
}

#[test]
fn threat_accepts_the_limits_of_go() {
    let output = run(&[&format!("position fen {FEN}"), "setoption name Threads value 2", "threat nodes 5000"]);
    assert!(output.status.success());
    assert_eq!(lines(&output).pop().unwrap(), "threat a2a1");
    for arguments in ["perft 3", "ponder depth 2"] {
        let output = run(&[&format!("threat {arguments}")]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(arguments), "{stderr}");
    }
}

/// The null move clears the en passant square.
#[test]
fn analyse_shows_the_threat() {
    let args = ["analyse", "--moves", "e4 a6 e5 d5", "--threat", "--depth", "4", "--hash", "1", "--threads", "1"];
    let shown = lines(&run(&args));
    assert_eq!(shown[0], "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 1 3");
    assert_eq!(shown[1], "1 thread, hash 1 MiB, depth 4, threat");
    let output = run(&["analyse", "--fen", FEN, "--threat", "--depth", "4", "--hash", "1", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["best"]["san"], &json["lines"][0]["score"]["mate"]), (&"Ra1#".into(), &1.into()));
}
