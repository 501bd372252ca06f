//! Tablebases, with the real binary.

use crate::data;
use crate::harness::{Folder, Session, field, last_pv, lines, number, run};
use std::fs;

/// A win in 14 moves at most.
const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";

/// A folder with the tables of king and rook against king alone.
fn one_table(name: &str) -> Folder {
    Folder::with_copies(name, &data::path("syzygy"), &["KRvK.rtbw", "KRvK.rtbz"])
}

/// A session with all tables of the repository.
fn with_tables() -> Session {
    let mut session = Session::ready();
    session.set("SyzygyPath", data::path("syzygy").to_str().expect("UTF-8"));
    session
}

fn score(line: &str) -> (&str, i32) {
    let kind = field(line, "score").expect("a score");
    (kind, number(line, kind))
}

#[test]
fn a_path_says_what_is_there_and_what_is_missing() {
    let folder = one_table("one-table");
    let mut session = Session::ready();
    let said = session.set("SyzygyPath", folder.path());
    assert_eq!(
        said,
        [
            "info string SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
            "info string SyzygyPath: 4 of 5 .rtbw of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
            "info string SyzygyPath: 4 of 5 .rtbz of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
        ]
    );
    for bad in ["/no/such/folder", "/dev/null", "src", ":::"] {
        let said = session.set("SyzygyPath", bad);
        assert!(said.len() == 1 && said[0].starts_with("info string ERROR: option SyzygyPath"), "{said:?}");
        assert!(
            said[0].contains(bad) && said[0].ends_with("; keeping the 1 WDL and 1 DTZ tables of up to 3 pieces"),
            "{said:?}"
        );
    }
    let told = session.search(&format!("position fen {ROOK}\ngo depth 4"));
    let line = last_pv(&told);
    assert_eq!((score(line), field(line, "tbhits")), (("cp", 20_000), Some("15")), "{line}");
    assert!(session.set("SyzygyPath", "<empty>").is_empty());
    let told = session.search("ucinewgame\ngo depth 4");
    let line = last_pv(&told);
    assert_eq!((score(line).1 < 19_744, field(line, "tbhits")), (true, Some("0")), "{line}");
    assert!(session.set("SyzygyProbeDepth", "0")[0].contains("expects a whole number from 1 to 100, not \"0\""));
}

/// The line goes on to the mate, and every move of it is legal, which the binary would not survive otherwise.
#[test]
fn a_won_line_is_played_on_to_the_mate() {
    let mut session = with_tables();
    // Where searches repeat, lines take the time that they take.
    session.set("Deterministic", "true");
    let told = session.search(&format!("position fen {ROOK}\ngo depth 5"));
    let line = last_pv(&told);
    let moves = line.split(" pv ").nth(1).expect("a line of play").to_owned();
    let told = session.search(&format!("position fen {ROOK} moves {moves}\ngo depth 1"));
    assert!(told.iter().any(|line| line.contains("no legal move: checkmate")), "{moves}");
}

/// Beyond the root, results cut the tree: two pieces more, and the rook wins when they are gone.
#[test]
fn results_count_below_the_root() {
    let mut session = with_tables();
    // The pawn falls, and what is left is in the table.
    let position = "position fen 7k/8/8/pR6/8/8/K7/8 w - - 0 1";
    let told = session.search(&format!("{position}\ngo depth 9"));
    let line = last_pv(&told);
    let (kind, value) = score(line);
    assert!(kind == "cp" && (19_900..20_000).contains(&value), "{line}");
    assert!(field(line, "tbhits").is_some_and(|hits| hits != "0"), "{line}");
    // With a limit below the table's pieces nothing is looked up.
    session.set("SyzygyProbeLimit", "2");
    let told = session.search(&format!("ucinewgame\n{position}\ngo depth 9"));
    assert_eq!(field(last_pv(&told), "tbhits"), Some("0"), "{told:#?}");
}

/// What happens to the files later harms nobody.
#[test]
fn tables_may_vanish_or_change_while_they_are_in_use() {
    let folder = one_table("vanish");
    let mut session = Session::ready();
    session.set("SyzygyPath", folder.path());
    folder.write("KRvK.rtbw", b"");
    fs::remove_file(folder.file("KRvK.rtbz")).expect("no file");
    let told = session.search(&format!("position fen {ROOK}\ngo depth 4"));
    assert_eq!(score(last_pv(&told)), ("cp", 20_000), "{told:#?}");
    let said = session.set("SyzygyPath", folder.path());
    assert!(said[0].contains("KRvK.rtbw is damaged") && said[0].contains("; keeping the "), "{said:?}");
}

/// What is wrong with a folder is said, and good tables are used.
#[test]
fn damaged_tables_are_named() {
    let mut session = Session::ready();
    let whole = data::path("syzygy");
    let folder = Folder::with_copies("damaged-tables", &whole, &["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"]);
    let bytes = fs::read(whole.join("KRvK.rtbw")).expect("a table");
    folder.write("KRvK.rtbw", &bytes[..bytes.len() - 64]);
    folder.write("KPvK.rtbw", b"#!/bin/sh");
    let few = session.set("SyzygyPath", &format!("/no/such/folder:{}", folder.path())).join("\n");
    for expected in [
        "SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
        "the folder \"/no/such/folder\" cannot be read",
        "KRvK.rtbw is damaged: 144 bytes, expected 208",
        "KPvK.rtbw has the wrong magic",
        "4 of 5 .rtbw of 3 pieces missing: KRvK, KBvK, KNvK, KPvK",
    ] {
        assert!(few.contains(expected), "{expected}: {few}");
    }
    // A good copy in another folder takes the place of a damaged one.
    let both = session.set("SyzygyPath", &format!("{}:{}", folder.path(), whole.display()));
    assert!(both[0].ends_with(" WDL and 12 DTZ tables of up to 4 pieces") && both[0].contains(": 12 "), "{both:#?}");
    let told = |part: &str| both.iter().filter(|line| line.contains(part)).count();
    assert_eq!((told(" is damaged"), told(" has the wrong magic")), (1, 1), "{both:#?}");
}

#[test]
fn the_command_line_has_them_too() {
    let folder = one_table("command-line");
    let path = folder.path();
    let analysed = lines(&run(&["analyse", "--syzygy", path, "--depth", "4", "--fen", ROOK, "--threads", "1"]));
    assert!(analysed[1].contains("1 WDL and 1 DTZ tables of up to 3 pieces"), "{analysed:#?}");
    let refused = run(&["analyse", "--syzygy", "/no/such/folder", "--depth", "1"]);
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("--syzygy: the folder \"/no/such/folder\" cannot be read"), "{why}");
}
