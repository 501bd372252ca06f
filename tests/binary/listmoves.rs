//! `listmoves`, over UCI and on the command line.

use crate::harness::{Session, lines, run};

/// Rank and move of a row.
fn first_two(row: &str) -> (usize, &str) {
    let mut words = row.split_whitespace();
    let rank = words.next().and_then(|rank| rank.parse().ok()).expect("a rank");
    (rank, words.next().expect("a move"))
}

/// Checks a table of this many moves and returns its rows.
fn rows(said: &[String], moves: usize, depth: i32) -> Vec<String> {
    let header = said.iter().position(|line| line.starts_with("rank  move  ")).expect("a header");
    assert!(said[header].ends_with(&format!("  see  reduction at depth {depth}")), "{}", said[header]);
    assert_eq!(said[header + moves + 1], format!("{moves} legal moves"), "{said:#?}");
    let rows = said[header + 1..=header + moves].to_vec();
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(first_two(row).0, index + 1, "{row}");
        assert_eq!(row.len(), said[header].len() - format!(" at depth {depth}").len(), "{row}");
    }
    rows
}

#[test]
fn moves_are_listed_over_uci() {
    let mut session = Session::ready();
    session.say("position startpos\nlistmoves");
    rows(&session.sync(), 20, 10);
    session.say("go depth 9");
    let best = session.best_move();
    session.say("ListMoves depth 4");
    let listed = rows(&session.sync(), 20, 4);
    assert_eq!(first_two(&listed[0]).1, best);
    assert!(listed[0].contains(" yes "), "{}", listed[0]);
    assert!(listed.iter().any(|row| row.contains(" -")), "no move was tried in vain: {listed:#?}");
    session.say("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\nlistmoves");
    assert_eq!(session.sync().last().map(String::as_str), Some("0 legal moves: stalemate"));
}

#[test]
fn a_listing_waits_for_the_end_of_the_search() {
    let mut session = Session::ready();
    session.say("position startpos moves e2e4\ngo infinite\nlistmoves\nisready\nstop");
    let said = session.until("20 legal moves");
    let place = |start: &str| said.iter().position(|line| line.starts_with(start)).expect(start);
    assert!(place("readyok") < place("bestmove") && place("bestmove") < place("20 legal moves"), "{said:#?}");
}

#[test]
fn bad_arguments_are_quoted() {
    let mut session = Session::ready();
    for (line, message) in [
        ("listmoves deep", "`listmoves` expects depth N or the end of the line, not \"deep\""),
        ("listmoves depth x", "`depth` expects a whole number of at least 1, not \"x\""),
        ("listmoves depth 0", "`depth` expects a whole number of at least 1, not \"0\""),
        ("listmoves depth", "`depth` expects a whole number of at least 1, not \"\""),
    ] {
        session.say(line);
        let said = session.sync();
        assert!(said.len() == 1 && said[0].starts_with(&format!("info string ERROR: {message}")), "{said:#?}");
    }
    let output = run(&["listmoves deep"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn the_command_line_lists_and_searches_first() {
    rows(&lines(&run(&["position startpos moves e2e4 e7e5", "listmoves depth 6"])), 29, 6);
    let searched = lines(&run(&["position startpos", "go nodes 20000", "listmoves"]));
    let listed = rows(&searched, 20, 10);
    assert!(listed[0].contains(" yes "), "{}", listed[0]);
}
