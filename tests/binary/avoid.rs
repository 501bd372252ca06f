//! `avoidmoves` and `--avoid`.

use crate::harness::{Session, count, field, lines, run};
use serde_json::Value;

/// White mates on the back rank.
const FEN: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

#[test]
fn avoided_moves_are_not_searched() {
    let mut session = Session::ready();
    session.send(&format!("setoption name MultiPV value 256\nposition fen {FEN}\ngo depth 3 avoidmoves a1a8"));
    let lines = session.read_until("bestmove");
    let first_move = |line: &String| field(line, "pv").map(str::to_owned);
    assert!(lines.iter().filter_map(first_move).all(|mv| mv != "a1a8"), "{lines:#?}");
    assert!(lines.iter().any(|line| rank(line) > 10), "all other moves are searched: {lines:#?}");
    session.send("go depth 3 avoidmoves a1a8 a1a7 searchmoves a1a8 a1a7 a1a6");
    assert_eq!(session.best_move(), "a1a6");
    session.send("go depth 3 avoidmoves a1a9");
    let lines = session.read_until("bestmove");
    assert!(lines[0].starts_with("info string ERROR: ") && lines[0].contains("\"a1a9\""), "{}", lines[0]);
    assert_eq!(lines[lines.len() - 1], "bestmove a1a8");
    // An `avoidmoves` that leaves no move is ignored.
    session.send("position startpos\ngo depth 2 searchmoves b1c3 avoidmoves b1c3");
    let lines = session.read_until("bestmove b1c3");
    assert!(lines[0].contains("`avoidmoves` \"b1c3\" leaves no move to search"), "{lines:#?}");
    assert_eq!(count(&session.sync(), "bestmove"), 0);
}

/// The MultiPV rank of a line, 0 for other lines.
fn rank(line: &str) -> u32 {
    field(line, "multipv").map_or(0, |rank| rank.parse().expect("a number"))
}

#[test]
fn analyse_accepts_avoided_moves_in_san_and_uci() {
    for avoided in ["Ra8#", "a1a8", "Ra7,a1a8"] {
        let output = run(&["analyse", "--fen", FEN, "--avoid", avoided, "--depth", "3", "--hash", "1", "--json"]);
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all: Vec<&Value> =
            json["iterations"].as_array().expect("lines").iter().map(|line| &line["san"][0]).collect();
        assert!(
            !all.is_empty() && all.iter().all(|san| !avoided.contains(san.as_str().unwrap())),
            "{avoided}: {all:?}"
        );
        assert_ne!(json["best"]["uci"], "a1a8");
    }
    let output = run(&["analyse", "--fen", FEN, "--avoid", "Ra8", "--depth", "3", "--hash", "1", "--threads", "1"]);
    assert_eq!(lines(&output)[1], "1 thread, hash 1 MiB, depth 3, without Ra8");
    let one_move = "7k/8/8/8/8/8/6q1/K7 w - - 0 1";
    for (fen, avoided, expected) in
        [(FEN, "Ra9", "\"Ra9\" is not a legal move in "), (one_move, "Kb1", "--avoid \"Kb1\" leaves no move in ")]
    {
        let output = run(&["analyse", "--fen", fen, "--avoid", avoided, "--depth", "3", "--hash", "1"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty() && stderr.contains(expected), "{stderr}");
    }
}
