//! Syzygy tablebases.

use crate::data;
use crate::harness::{Session, field, last_pv, lines, number, run};
use lento_testing::Folder;
use std::fs;

/// Won in at most 14 moves.
const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";

/// A folder with the KRvK tables only.
fn one_table(name: &str) -> Folder {
    Folder::with_copies(name, &data::path("syzygy"), &["KRvK.rtbw", "KRvK.rtbz"])
}

/// A session with all tables in tests/data.
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
fn syzygy_path_reports_found_and_missing_tables() {
    let folder = one_table("one-table");
    let mut session = Session::ready();
    let output = session.set("SyzygyPath", &folder.file(""));
    assert_eq!(
        output,
        [
            "info string SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
            "info string SyzygyPath: 4 of 5 .rtbw of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
            "info string SyzygyPath: 4 of 5 .rtbz of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
        ]
    );
    for bad in ["/no/such/folder", "/dev/null", "src", ":::"] {
        let output = session.set("SyzygyPath", bad);
        assert!(output.len() == 1 && output[0].starts_with("info string ERROR: option SyzygyPath"), "{output:?}");
        assert!(
            output[0].contains(bad) && output[0].ends_with("; keeping the 1 WDL and 1 DTZ tables of up to 3 pieces"),
            "{output:?}"
        );
    }
    let lines = session.search(&format!("position fen {ROOK}\ngo depth 4"));
    let line = last_pv(&lines);
    assert_eq!((score(line), field(line, "tbhits")), (("cp", 20_000), Some("15")), "{line}");
    assert!(session.set("SyzygyPath", "<empty>").is_empty());
    let lines = session.search("ucinewgame\ngo depth 4");
    let line = last_pv(&lines);
    assert_eq!((score(line).1 < 19_744, field(line, "tbhits")), (true, Some("0")), "{line}");
    assert!(session.set("SyzygyProbeDepth", "0")[0].contains("expects a whole number from 1 to 100, not \"0\""));
}

/// The PV is extended to mate, and all its moves are legal.
#[test]
fn won_pv_is_extended_to_mate() {
    let mut session = with_tables();
    // `Deterministic` disables the time limit of the extension.
    session.set("Deterministic", "true");
    let lines = session.search(&format!("position fen {ROOK}\ngo depth 5"));
    let line = last_pv(&lines);
    let moves = line.split(" pv ").nth(1).expect("a PV").to_owned();
    let lines = session.search(&format!("position fen {ROOK} moves {moves}\ngo depth 1"));
    assert!(lines.iter().any(|line| line.contains("no legal move: checkmate")), "{moves}");
}

/// Below the root, WDL results cut the tree: the root has two pieces more than the table.
#[test]
fn results_cut_below_the_root() {
    let mut session = with_tables();
    // The pawn falls, which leads into the table.
    let position = "position fen 7k/8/8/pR6/8/8/K7/8 w - - 0 1";
    let lines = session.search(&format!("{position}\ngo depth 9"));
    let line = last_pv(&lines);
    let (kind, value) = score(line);
    assert!(kind == "cp" && (19_900..20_000).contains(&value), "{line}");
    assert!(field(line, "tbhits").is_some_and(|hits| hits != "0"), "{line}");
    // No probes if `SyzygyProbeLimit` is below the size of the table.
    session.set("SyzygyProbeLimit", "2");
    let lines = session.search(&format!("ucinewgame\n{position}\ngo depth 9"));
    assert_eq!(field(last_pv(&lines), "tbhits"), Some("0"), "{lines:#?}");
}

#[test]
fn tables_may_change_or_disappear_in_use() {
    let folder = one_table("vanish");
    let mut session = Session::ready();
    session.set("SyzygyPath", &folder.file(""));
    folder.write("KRvK.rtbw", b"");
    fs::remove_file(folder.file("KRvK.rtbz")).expect("no file");
    let lines = session.search(&format!("position fen {ROOK}\ngo depth 4"));
    assert_eq!(score(last_pv(&lines)), ("cp", 20_000), "{lines:#?}");
    let output = session.set("SyzygyPath", &folder.file(""));
    assert!(output[0].contains("KRvK.rtbw is damaged") && output[0].contains("; keeping the "), "{output:?}");
}

/// The good tables of the folder are used.
#[test]
fn damaged_tables_are_reported() {
    let mut session = Session::ready();
    let tables = data::path("syzygy");
    let folder = Folder::with_copies("damaged-tables", &tables, &["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"]);
    let bytes = fs::read(tables.join("KRvK.rtbw")).expect("a table");
    folder.write("KRvK.rtbw", &bytes[..bytes.len() - 64]);
    folder.write("KPvK.rtbw", b"#!/bin/sh");
    let output = session.set("SyzygyPath", &format!("/no/such/folder:{}", folder.file(""))).join("\n");
    for expected in [
        "SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
        "the folder \"/no/such/folder\" cannot be read",
        "KRvK.rtbw is damaged: 144 bytes, expected 208",
        "KPvK.rtbw has the wrong magic",
        "4 of 5 .rtbw of 3 pieces missing: KRvK, KBvK, KNvK, KPvK",
    ] {
        assert!(output.contains(expected), "{expected}: {output}");
    }
    // A good copy in another folder replaces a damaged one.
    let output = session.set("SyzygyPath", &format!("{}:{}", folder.file(""), tables.display()));
    assert!(
        output[0].ends_with(" WDL and 12 DTZ tables of up to 4 pieces") && output[0].contains(": 12 "),
        "{output:#?}"
    );
    let lines_with = |part: &str| output.iter().filter(|line| line.contains(part)).count();
    assert_eq!((lines_with(" is damaged"), lines_with(" has the wrong magic")), (1, 1), "{output:#?}");
}

#[test]
fn analyse_accepts_syzygy_folders() {
    let folder = one_table("command-line");
    let path = folder.file("");
    let analysed = lines(&run(&["analyse", "--syzygy", &path, "--depth", "4", "--fen", ROOK, "--threads", "1"]));
    assert!(analysed[1].contains("1 WDL and 1 DTZ tables of up to 3 pieces"), "{analysed:#?}");
    let refused = run(&["analyse", "--syzygy", "/no/such/folder", "--depth", "1"]);
    assert!(!refused.status.success());
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(stderr.contains("--syzygy: the folder \"/no/such/folder\" cannot be read"), "{stderr}");
}
