//! `genfens`, as called by OpenBench.

use crate::harness::{START, Session, lines, number, run};
use lento_testing::Folder;
use std::collections::HashSet;

/// The positions printed by a `genfens` command line, in OpenBench's format.
fn fens(command: &str) -> Vec<String> {
    let output = run(&[command, "quit"]);
    assert!(output.status.success(), "{command}");
    let fens =
        lines(&output).into_iter().map(|line| line.strip_prefix("info string genfens ").expect("a FEN").to_owned());
    let fens: Vec<String> = fens.collect();
    assert!(fens.iter().all(|fen| fen.split(' ').count() == 6));
    fens
}

#[test]
fn openings_are_distinct_and_reproducible() {
    // OpenBench appends a space for further arguments.
    let first = fens("genfens 40 seed 18446744073709551615 book None ");
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 40);
    assert_eq!(first[..10], fens("genfens 10 seed 18446744073709551615 book NONE plies 8"));
    assert_ne!(first[..10], fens("genfens 10 seed 1 book None"));
    // Half of them get one more random ply.
    let black = first.iter().filter(|fen| fen.contains(" b ")).count();
    assert!((10..=30).contains(&black), "{black}");
    let mut session = Session::ready();
    for fen in &first[..20] {
        let found = session.search(&format!("ucinewgame\nposition fen {fen}\ngo nodes 1000"));
        let last = found.iter().rfind(|line| line.contains(" score ")).unwrap();
        assert!(number::<i32>(last, "cp").abs() <= 150, "{fen}: {last}");
    }
}

#[test]
fn openings_start_from_a_book() {
    let folder = Folder::new("genfens");
    let starts = format!("# starts\n\n{}id \"x\";\n8/4k3/4p3/8/8/4P3/4K3/8 w - - 5 30\n", &START[..53]);
    folder.write("book.epd", starts.as_bytes());
    folder.write("broken.epd", b"no position\n");
    let [book, broken] = ["book.epd", "broken.epd"].map(|name| folder.file(name));
    let all: HashSet<String> = fens(&format!("genfens 2 seed 3 book {book} plies 0")).into_iter().collect();
    assert_eq!(all, HashSet::from([START.to_owned(), "8/4k3/4p3/8/8/4P3/4K3/8 w - - 5 30".to_owned()]));
    let walked = fens(&format!("genfens 20 seed 3 book {book} plies 2"));
    assert!(walked.iter().any(|fen| fen.contains("k")) && walked.iter().all(|fen| !all.contains(fen)));
    for (arguments, expected) in [
        (format!("3 seed 3 book {book} plies 0"), "found 2 of 3 openings"),
        (format!("3 seed 3 book {broken}"), "line 1: invalid FEN \"no position\""),
        ("3 seed 3 book no/such.epd".into(), "\"no/such.epd\": "),
        ("3 seed 3 book opening.bin".into(), "\"opening.bin\": a Polyglot book; expected one FEN or EPD per line"),
    ] {
        let output = run(&[&format!("genfens {arguments}"), "quit"]);
        let last = lines(&output).pop().unwrap();
        assert!(last.starts_with("info string ERROR: genfens: ") && last.contains(expected), "{last}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn invalid_arguments_are_quoted() {
    for (arguments, quoted) in [
        ("x seed 1", "\"x\""),
        ("0 seed 1", "\"0\""),
        ("5 seed -1", "\"-1\""),
        ("5", "seed S"),
        ("5 seed 1 blub", "\"blub\""),
    ] {
        let output = run(&[&format!("genfens {arguments}")]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && output.stdout.is_empty() && stderr.contains(quoted), "{stderr}");
    }
}
