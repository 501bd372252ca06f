//! Tablebases, with the real binary: king and rook against king, the one table that the repository has.

use crate::harness::{Session, field, lines, run};
use std::fs;
use std::path::{Path, PathBuf};

/// A win in 14 moves at most.
const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tablebases")
}

/// What is said to this path.
fn set_path(session: &mut Session, value: &str) -> Vec<String> {
    session.say(&format!("setoption name SyzygyPath value {value}"));
    session.sync()
}

/// The last line of a search.
fn searched(session: &mut Session, lines: &str) -> String {
    session.say(lines);
    let told = session.until("bestmove");
    told.iter().rfind(|line| line.contains(" pv ")).expect("a line of play").clone()
}

fn score(line: &str) -> (&str, i32) {
    let kind = field(line, "score").expect("a score");
    (kind, field(line, kind).and_then(|value| value.parse().ok()).expect("a number"))
}

#[test]
fn a_path_says_what_is_there_and_what_is_missing() {
    let mut session = Session::ready();
    let said = set_path(&mut session, &folder().display().to_string());
    assert_eq!(
        said,
        [
            "info string SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
            "info string SyzygyPath: 4 of 5 .rtbw of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
            "info string SyzygyPath: 4 of 5 .rtbz of 3 pieces missing: KQvK, KBvK, KNvK, KPvK",
        ]
    );
    for bad in ["/no/such/folder", "/dev/null", "src", ":::"] {
        let said = set_path(&mut session, bad);
        assert!(said.len() == 1 && said[0].starts_with("info string error: option SyzygyPath"), "{said:?}");
        assert!(
            said[0].contains(bad) && said[0].ends_with("; keeping the 1 WDL and 1 DTZ tables of up to 3 pieces"),
            "{said:?}"
        );
    }
    let line = searched(&mut session, &format!("position fen {ROOK}\ngo depth 4"));
    assert_eq!((score(&line), field(&line, "tbhits")), (("cp", 20_000), Some("15")), "{line}");
    assert!(set_path(&mut session, "<empty>").is_empty());
    let line = searched(&mut session, "ucinewgame\ngo depth 4");
    assert_eq!((score(&line).1 < 19_744, field(&line, "tbhits")), (true, Some("0")), "{line}");
    session.say("setoption name SyzygyProbeDepth value 0");
    assert!(session.sync()[0].contains("expects a whole number from 1 to 100, not \"0\""));
}

/// The line goes on to the mate, and every move of it is legal, which the binary would not survive otherwise.
#[test]
fn a_won_line_is_played_on_to_the_mate() {
    let mut session = Session::ready();
    set_path(&mut session, &folder().display().to_string());
    // Where searches repeat, lines take the time that they take.
    let line =
        searched(&mut session, &format!("setoption name Deterministic value true\nposition fen {ROOK}\ngo depth 5"));
    let moves = line.split(" pv ").nth(1).expect("a line of play").to_owned();
    session.say(&format!("position fen {ROOK} moves {moves}\ngo depth 1"));
    assert!(session.until("bestmove").iter().any(|line| line.contains("no legal move: checkmate")), "{line}");
}

/// Beyond the root, results cut the tree: two pieces more, and the rook wins when they are gone.
#[test]
fn results_count_below_the_root() {
    let mut session = Session::ready();
    set_path(&mut session, &folder().display().to_string());
    // The pawn falls, and what is left is in the table.
    let position = "position fen 7k/8/8/pR6/8/8/K7/8 w - - 0 1";
    let line = searched(&mut session, &format!("{position}\ngo depth 9"));
    let (kind, value) = score(&line);
    assert!(kind == "cp" && (19_900..20_000).contains(&value), "{line}");
    assert!(field(&line, "tbhits").is_some_and(|hits| hits != "0"), "{line}");
    // With a limit below the pieces of the table nothing is probed.
    let line =
        searched(&mut session, &format!("ucinewgame\nsetoption name SyzygyProbeLimit value 2\n{position}\ngo depth 9"));
    assert_eq!(field(&line, "tbhits"), Some("0"), "{line}");
}

/// What happens to the files later harms nobody.
#[test]
fn tables_may_vanish_or_change_while_they_are_in_use() {
    let scratch = std::env::temp_dir().join(format!("lento-vanish-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("a folder");
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        fs::copy(folder().join(name), scratch.join(name)).expect("a copy");
    }
    let mut session = Session::ready();
    set_path(&mut session, &scratch.display().to_string());
    fs::write(scratch.join("KRvK.rtbw"), b"").expect("an empty file");
    fs::remove_file(scratch.join("KRvK.rtbz")).expect("no file");
    let line = searched(&mut session, &format!("position fen {ROOK}\ngo depth 4"));
    assert_eq!(score(&line), ("cp", 20_000), "{line}");
    let said = set_path(&mut session, &scratch.display().to_string());
    assert!(said[0].contains("KRvK.rtbw is damaged") && said[0].contains("; keeping the "), "{said:?}");
    fs::remove_dir_all(&scratch).expect("no folder");
}

#[test]
fn the_command_line_has_them_too() {
    let path = folder().display().to_string();
    let analysed = lines(&run(&["analyse", "--syzygy", &path, "--depth", "4", "--fen", ROOK, "--threads", "1"]));
    assert!(analysed[1].contains("1 WDL and 1 DTZ tables of up to 3 pieces"), "{analysed:#?}");
    let refused = run(&["analyse", "--syzygy", "/no/such/folder", "--depth", "1"]);
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("--syzygy: the folder \"/no/such/folder\" cannot be read"), "{why}");
}
