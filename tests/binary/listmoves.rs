//! `listmoves`, over UCI and on the command line.

use crate::harness::{Session, lines, run};

/// Rank and move of a row.
fn first_two(row: &str) -> (usize, &str) {
    let mut words = row.split_whitespace();
    let rank = words.next().and_then(|rank| rank.parse().ok()).expect("a rank");
    (rank, words.next().expect("a move"))
}

/// Checks a table of `moves` moves and returns its rows.
fn rows(output: &[String], moves: usize, depth: i32) -> Vec<String> {
    let header = output.iter().position(|line| line.starts_with("rank  move  ")).expect("a header");
    assert!(output[header].ends_with(&format!("  see  reduction at depth {depth}")), "{}", output[header]);
    assert_eq!(output[header + moves + 1], format!("{moves} legal moves"), "{output:#?}");
    let rows = output[header + 1..=header + moves].to_vec();
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(first_two(row).0, index + 1, "{row}");
        assert_eq!(row.len(), output[header].len() - format!(" at depth {depth}").len(), "{row}");
    }
    rows
}

/// The cell of a row in a right-aligned column of this table.
fn cell<'a>(output: &[String], row: &'a str, column: &str) -> &'a str {
    let header = output.iter().find(|line| line.starts_with("rank  move  ")).expect("a header");
    let end = header.find(column).expect("a column") + column.len();
    row[end - column.len().max(5)..end].trim()
}

#[test]
fn listmoves_over_uci() {
    let mut session = Session::ready();
    session.send("position startpos\nlistmoves");
    rows(&session.sync(), 20, 10);
    session.send("go depth 9");
    let best = session.best_move();
    session.send("ListMoves depth 4");
    let listed = rows(&session.sync(), 20, 4);
    assert_eq!(first_two(&listed[0]).1, best);
    assert!(listed[0].contains(" yes "), "{}", listed[0]);
    assert!(listed.iter().any(|row| row.contains(" -")), "no move has failed low: {listed:#?}");
    session.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\nlistmoves");
    assert_eq!(session.sync().last().map(String::as_str), Some("0 legal moves: stalemate"));
}

#[test]
fn listmoves_waits_for_the_search() {
    let mut session = Session::ready();
    session.send("position startpos moves e2e4\ngo infinite\nlistmoves\nisready\nstop");
    let output = session.read_until("20 legal moves");
    let position = |start: &str| output.iter().position(|line| line.starts_with(start)).expect(start);
    assert!(
        position("readyok") < position("bestmove") && position("bestmove") < position("20 legal moves"),
        "{output:#?}"
    );
}

/// In analysis contempt is off by default.
#[test]
fn tt_move_is_found_with_the_contempt_of_the_search() {
    let mut session = Session::ready();
    session.send("setoption name Contempt value 50\nposition startpos\ngo infinite");
    session.read_until("info depth 8 ");
    session.send("stop\nlistmoves");
    let output = session.sync();
    let listed = rows(&output, 20, 10);
    assert_eq!(cell(&output, &listed[0], "best"), "yes", "{output:#?}");
}

#[test]
fn histories_of_several_threads_are_listed() {
    let mut session = Session::ready();
    session.send("setoption name Threads value 2");
    let mut has_continuations = || {
        session.search("position startpos\ngo depth 9");
        session.send("position startpos moves e2e4\nlistmoves");
        let output = session.sync();
        rows(&output, 20, 10).iter().any(|row| cell(&output, row, "continuation") != "0")
    };
    // The thread may move to CPUs with another cache, and so with other histories.
    assert!((0..5).any(|_| has_continuations()));
}

#[test]
fn invalid_arguments_are_quoted() {
    let mut session = Session::ready();
    for (line, message) in [
        ("listmoves deep", "`listmoves` expects depth N or the end of the line, not \"deep\""),
        ("listmoves depth x", "`depth` expects a whole number of at least 1, not \"x\""),
        ("listmoves depth 0", "`depth` expects a whole number of at least 1, not \"0\""),
        ("listmoves depth", "`depth` expects a whole number of at least 1, not \"\""),
    ] {
        session.send(line);
        let output = session.sync();
        assert!(output.len() == 1 && output[0].starts_with(&format!("info string ERROR: {message}")), "{output:#?}");
    }
    let output = run(&["listmoves deep"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn listmoves_on_the_command_line() {
    rows(&lines(&run(&["position startpos moves e2e4 e7e5", "listmoves depth 6"])), 29, 6);
    let searched = lines(&run(&["position startpos", "go nodes 20000", "listmoves"]));
    let listed = rows(&searched, 20, 10);
    assert!(listed[0].contains(" yes "), "{}", listed[0]);
}
