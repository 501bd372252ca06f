//! `lento tree` with the real binary.

use super::analysing::{Folder, GAME, analyse, stderr};
use crate::PROGRAM;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};

pub fn tree(args: &[&str]) -> Output {
    Command::new(PROGRAM).arg("tree").args(args).stdin(Stdio::null()).output().expect("the program starts")
}

pub fn done(args: &[&str]) -> String {
    let output = tree(args);
    assert!(output.status.success(), "{args:?}: {}{}", stderr(&output), String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn shown(path: &str, node: &str) -> Value {
    serde_json::from_str(&done(&["show", path, node, "--json"])).expect("JSON")
}

fn moves(shown: &Value) -> Vec<&str> {
    shown["moves"].as_array().unwrap().iter().map(|row| row["san"].as_str().unwrap()).collect()
}

pub const FEW: [&str; 4] = ["--search-nodes", "1000", "--hash", "1"];

fn grow(path: &str, args: &[&str]) -> String {
    done(&[&["grow", path][..], &FEW, args].concat())
}

#[test]
fn growing_is_deterministic_and_trees_are_exported() {
    let folder = Folder::new("tree");
    is_deterministic_and_exported(&folder, &["one.tree", "two.tree"].map(|name| folder.path(name)));
}

pub fn is_deterministic_and_exported(folder: &Folder, paths: &[String; 2]) {
    let printed = paths.each_ref().map(|path| {
        done(&["init", path, "--moves", "e4 c5"]);
        let text = grow(path, &["--positions", "12"]);
        text.lines().filter(|line| line.contains(": ")).map(str::to_owned).collect::<Vec<_>>()
    });
    let [one, two] = &printed;
    assert_eq!(one[..one.len() - 1], two[..two.len() - 1]);
    let root = shown(&paths[0], "");
    assert_eq!((&root["positions"], &root["moves"][0]["expected"]), (&13.into(), &root["expected"]));
    assert_eq!(done(&["verify", &paths[0]]).lines().last().unwrap().split(": ").last(), Some("0 problems"));
    done(&["note", &paths[0], "", "a note {with} braces"]);
    done(&["note", &paths[1], "", "a note {with} braces"]);
    assert_eq!(shown(&paths[0], ""), shown(&paths[1], ""));
    let names = ["out.pgn", "out.bin", "out.epd", "out.html"].map(|name| folder.path(name));
    let [pgn, book, epd, html] = &names;
    let outputs = ["--pgn", pgn, "--polyglot", book, "--epd", epd, "--html", html, "--within", "100cp", "--best", "9"];
    done(&[&["export", &paths[0]][..], &outputs].concat());
    let text = fs::read_to_string(pgn).unwrap();
    assert!(text.contains("a note (with) braces") && text.contains("[%eval ") && text.contains('('), "{text}");
    // The exported main line is the best line of the tree.
    let output = analyse(&[pgn, "--depth", "1", "--jsonl", "--db", &folder.path("read.db")]);
    assert!(output.status.success() && !stderr(&output).contains("line "), "{}", stderr(&output));
    let played: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| Some(serde_json::from_str::<Value>(line).unwrap()["place"]["played"].as_str()?.to_owned()))
        .collect();
    assert!(played[..2] == ["1.e4", "1...c5"], "{played:?}");
    assert!(played[2].ends_with(root["moves"][0]["san"].as_str().unwrap()), "{played:?}");
    let book = fs::read(book).unwrap();
    let entries: Vec<&[u8]> = book.chunks(16).map(|entry| &entry[..8]).collect();
    // The two moves to the root, and twelve positions after it, each reached by one move.
    assert!(book.len() % 16 == 0 && entries.len() == 14 && entries.is_sorted(), "{} entries", entries.len());
    assert_eq!(fs::read_to_string(epd).unwrap().lines().count(), 13);
    assert!(fs::read_to_string(html).unwrap().contains("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR"));
}

#[test]
fn exported_main_lines_are_whole() {
    let folder = Folder::new("tree-whole");
    let (path, pgn) = (folder.path("a.tree"), folder.path("a.pgn"));
    done(&["init", &path]);
    for line in ["d4 d5 Nf3 Nf6 c4", "Nf3 d5 d4 Nf6 c4"] {
        done(&["pin", &path, line]);
    }
    done(&["export", &path, "--pgn", &pgn]);
    let text = fs::read_to_string(&pgn).unwrap().replace('\n', " ");
    assert!(text.trim_end().ends_with("Nf6 3. c4 *"), "{text}");
}

const LOPEZ: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4";

/// The moves to the root are exported, counted and accepted as input; so is a FEN before them.
#[test]
fn moves_to_the_root_are_kept() {
    let folder = Folder::new("tree-opening");
    let (path, pgn) = (folder.path("a.tree"), folder.path("a.pgn"));
    let exported = |args: &[&str]| {
        done(&[&["export"], args, &["--pgn", &pgn]].concat());
        fs::read_to_string(&pgn).unwrap()
    };
    done(&["init", &path, "--moves", LOPEZ]);
    done(&["pin", &path, "Nf6 O-O"]);
    let text = grow(&path, &["--positions", "6"]);
    assert!(text.contains("\nroot (other moves): ") && text.contains("\n4...Nf6 5."), "{text}");
    assert!(!text.contains("\n1.") && !text.contains(", 1."), "{text}");
    let text = exported(&[&path]);
    assert!(text.contains("\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 ") && !text.contains("FEN"), "{text}");
    let behind = folder.path("behind.tree");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5 g1f3";
    done(&["init", &behind, "--fen", fen, "--moves", "Nc6 Bb5 a6 Ba4"]);
    assert_eq!(shown(&behind, "")["opening"], shown(&path, "")["opening"]);
    // Moves from the root or from the start.
    let whole = format!("{LOPEZ} Nf6");
    assert_eq!(shown(&path, "Nf6"), shown(&path, &whole));
    assert_eq!(shown(&path, ""), shown(&path, LOPEZ));
    let root = shown(&path, "");
    assert_eq!(root["opening"]["moves"].as_array().map(Vec::len), Some(7));
    assert!(root["fen"].as_str().is_some_and(|fen| fen.ends_with(" 4")) && root["path"] == serde_json::json!([]));
    assert!(done(&["show", &path]).contains("\n1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4\n"));
    done(&["exclude", &path, &format!("{LOPEZ} Nf6 5. O-O")]);
    assert_eq!(
        shown(&path, "Nf6")["moves"].as_array().unwrap().iter().filter(|row| row["excluded"] == true).count(),
        1
    );
    for (moves, expected) in [
        ("e4 e5", "\"e4\" is not a legal move in r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4"),
        ("e4 e5", "; the root is after 1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4"),
        (&format!("{LOPEZ} Nf9"), "\"Nf9\" is not a legal move in r1bqkbnr/1ppp1ppp/p1n5"),
    ] {
        let output = tree(&["show", &path, moves]);
        assert!(!output.status.success() && stderr(&output).contains(expected), "{}", stderr(&output));
    }
    // A FEN starts a game, even if it names a node.
    let fen = root["fen"].as_str().unwrap();
    let text = exported(&[&path, fen]);
    assert!(text.contains(&format!("[FEN \"{fen}\"]")) && text.contains("\n\n4... "), "{text}");
    let other = folder.path("b.tree");
    done(&["init", &other, "--fen", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 7", "--moves", "e4 Kd7"]);
    let text = exported(&[&other]);
    assert!(text.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 7\"]") && text.contains("\n7. e4 Kd7 *"), "{text}");
    assert!(!text.contains("Variant"), "{text}");
    let chess960 = folder.path("c.tree");
    done(&["init", &chess960, "--fen", "r3k1r1/8/8/8/8/8/8/R3K1R1 w KQkq - 0 1", "--moves", "O-O-O"]);
    let tags = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"r3k1r1/8/8/8/8/8/8/R3K1R1 w GAga - 0 1\"]\n";
    assert!(exported(&[&chess960]).contains(tags));
}

/// The longer opening is kept, in either order; older trees have only the root.
#[test]
fn openings_merge_in_either_order() {
    let folder = Folder::new("tree-openings");
    let path = |name: &str| folder.path(&format!("{name}.tree"));
    let openings = ["e4 e5 Nf3 Nc6", "Nf3 Nc6 e4 e5", "e4 e5 Nf3 Nc6 Ng1 Nb8 Nf3 Nc6"];
    for (name, moves) in ["short", "other", "long", "old"].iter().zip(openings.iter().chain(&openings[..1])) {
        done(&["init", &path(name), "--moves", moves]);
    }
    let old = rusqlite::Connection::open(path("old")).unwrap();
    assert_eq!(old.execute("DELETE FROM setting WHERE name = 'game'", []), Ok(1));
    let line = |name: &str| done(&["show", &path(name)]).lines().nth(1).unwrap().to_owned();
    assert_eq!((line("old").split(' ').next(), line("other").as_str()), (Some("tree"), "1.Nf3 Nc6 2.e4 e5"));
    done(&["export", &path("old"), "--pgn", &path("pgn")]);
    assert!(fs::read_to_string(path("pgn")).unwrap().contains("/PPPP1PPP/RNBQKB1R w KQkq - 2 3\"]"));
    for (merged, expected) in [
        (["short", "other"], "1.e4 e5 2.Nf3 Nc6"),
        (["short", "old"], "1.e4 e5 2.Nf3 Nc6"),
        (["long", "other"], "1.e4 e5 2.Nf3 Nc6 3.Ng1 Nb8 4.Nf3 Nc6"),
    ] {
        for (into, [one, two]) in [("ab", merged), ("ba", [merged[1], merged[0]])] {
            let into = format!("{one}-{into}");
            done(&["merge", &path(&into), &path(one), &path(two)]);
            assert_eq!(line(&into), expected, "{one}, {two}");
        }
    }
}

/// Notes cannot control the terminal.
#[test]
fn control_characters_of_notes_are_escaped() {
    let folder = Folder::new("tree-notes");
    let [theirs, ours] = ["theirs.tree", "ours.tree"].map(|name| folder.path(name));
    done(&["init", &theirs]);
    done(&["pin", &theirs, "e4"]);
    done(&["note", &theirs, "", "\x1b[31mred\x07"]);
    done(&["note", &theirs, "e4", "a\n\u{9b}2Jb"]);
    done(&["merge", &ours, &theirs]);
    for path in [&theirs, &ours] {
        let text = done(&["show", path]);
        assert!(text.contains("\n\\u{1b}[31mred\\u{7}\n") && text.contains("  pinned  a; \\u{9b}2Jb\n"), "{text:?}");
        assert_eq!(shown(path, "")["note"], "\x1b[31mred\x07");
    }
}

#[test]
fn excluded_moves_are_not_grown_and_pinned_ones_are() {
    keeps_marks(&Folder::new("tree-marks").path("a.tree"));
}

pub fn keeps_marks(path: &str) {
    done(&["init", path, "--white-best", "1"]);
    done(&["exclude", path, "e4"]);
    done(&["exclude", path, "d4"]);
    done(&["pin", path, "a4 e5"]);
    grow(path, &["--positions", "10"]);
    let root = shown(path, "");
    let row = |san: &str| root["moves"].as_array().unwrap().iter().find(|row| row["san"] == san).unwrap().clone();
    assert_eq!((&row("e4")["below"], &row("e4")["expected"]), (&1.into(), &Value::Null), "e4 is not searched");
    assert!(row("e4")["excluded"] == true && row("a4")["below"].as_u64() > Some(1));
    assert!(moves(&shown(path, "a4")).contains(&"e5") && shown(path, "a4 e5")["own_expected"].is_number());
    done(&["verify", path]);
    // Marks can be removed.
    done(&["unmark", path, "e4"]);
    grow(path, &["--positions", "1", "--white-best", "3"]);
    assert_eq!(shown(path, "")["moves"].as_array().unwrap().iter().filter(|row| row["excluded"] == true).count(), 1);
    done(&["verify", path]);
}

/// The halfmove clock of a line does not matter, since positions are stored without it.
#[test]
fn lines_of_many_quiet_moves_are_marked() {
    let folder = Folder::new("tree-quiet");
    let (path, line) = (folder.path("a.tree"), "Nf3 Nf6 Ng1 Ng8 ".repeat(6));
    done(&["init", &path]);
    done(&["pin", &path, &line]);
    done(&["exclude", &path, &line]);
    assert_eq!(shown(&path, "Nf3 Nf6 Ng1")["moves"][0]["excluded"], true);
}

/// Moves to positions of the tree add none.
#[test]
fn only_new_positions_are_counted() {
    let folder = Folder::new("tree-counted");
    let path = folder.path("a.tree");
    done(&["init", &path, "--fen", "7k/8/8/8/7p/p7/P6P/K7 w - - 0 1"]);
    // The only move after the first line leads to the end of the second one, but is not in the tree.
    done(&["pin", &path, "h3 Kg8"]);
    done(&["pin", &path, "Kb1 Kg8 h3"]);
    let text = grow(&path, &["--positions", "9"]);
    assert!(text.contains(", 9 positions added, ") && text.ends_with("; the tree has 15 positions\n"), "{text}");
}

#[test]
fn games_and_analyses_become_a_tree() {
    let folder = Folder::new("tree-init");
    let (pgn, db, path) = (folder.write("a.pgn", GAME), folder.path("a.db"), folder.path("a.tree"));
    assert!(analyse(&[&pgn, "--db", &db, "--nodes", "1000"]).status.success());
    done(&["init", &path, "--pgn", &pgn, "--analysis", &db]);
    let root = shown(&path, "");
    assert_eq!(moves(&root).last(), Some(&"f3"), "{root}");
    assert!(root["own_expected"].is_number() && shown(&path, "f3 e5 g4")["expected"] == 1.0);
    assert_eq!(shown(&path, "f3 e5 g4 Qh4#")["expected"], 0.0);
    // A book has the best moves of the tree, although better ones are not in it.
    let book = folder.path("a.bin");
    done(&["export", &path, "--polyglot", &book, "--best", "1"]);
    let weights: Vec<Vec<u8>> = fs::read(&book).unwrap().chunks(16).map(|entry| entry[10..12].to_vec()).collect();
    assert_eq!(weights, [1000_u16.to_be_bytes(); 4]);
    // Positions searched with the same nodes are not searched again.
    let text = grow(&path, &["--positions", "2"]);
    assert!(!text.contains("1.f3: ") && !text.contains("root: "), "{text}");
    done(&["verify", &path]);
    // Variations of a game may reach the root alone.
    let pgn = folder.write("b.pgn", "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5)) (1... e6 2. -- d5 (2... c5)) 2. Nc3 *");
    for (moves, plies, count) in [("", "40", 9), ("", "2", 5), ("e4 c5", "40", 4), ("d4", "40", 1)] {
        let path = folder.path(&format!("{count}.tree"));
        let output = tree(&["init", &path, "--pgn", &pgn, "--moves", moves, "--pgn-plies", plies]);
        assert_eq!(shown(&path, "")["positions"], count);
        assert_eq!(
            stderr(&output).contains("the root is not reached in 1 of 1 game"),
            count == 1,
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn books_become_a_tree() {
    let folder = Folder::new("tree-book");
    let [book, path, cut] = ["a.bin", "a.tree", "cut.tree"].map(|name| folder.path(name));
    let first = folder.path("first.tree");
    done(&["init", &first]);
    // A transposition, castling and a promotion.
    let lines =
        ["Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O", "g3 g6 Nf3 Nf6 Bg2 Bg7 O-O O-O", "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=Q"];
    for line in lines {
        done(&["pin", &first, line]);
    }
    grow(&first, &["--positions", "45"]);
    done(&["export", &first, "--polyglot", &book, "--within", "9999cp", "--best", "99"]);
    let text = done(&["init", &path, "--book", &book]);
    let count = |path: &str| shown(path, "")["positions"].as_u64().unwrap();
    assert!(
        count(&path) == count(&first) && text.contains(&format!("{} positions, 0 searches", count(&first))),
        "{text}"
    );
    for line in lines {
        assert_eq!(shown(&path, line)["fen"], shown(&first, line)["fen"]);
    }
    grow(&path, &["--positions", "2"]);
    done(&["verify", &path]);
    // A limit on the size, and a root that is not in the book.
    let output = tree(&["init", &cut, "--book", &book, "--book-positions", "5"]);
    assert!(count(&cut) == 5 && stderr(&output).contains("a.bin: has more than 5 positions, see --book-positions"));
    done(&["verify", &cut]);
    let output = tree(&["init", &folder.path("b.tree"), "--book", &book, "--moves", "a3"]);
    assert!(output.status.success() && stderr(&output).contains("a.bin: no move for the root"), "{}", stderr(&output));
    // Illegal moves are skipped; other files are refused and leave no tree.
    let mut bytes = fs::read(&book).unwrap();
    let start = [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c];
    let at = bytes.chunks(16).position(|entry| entry[..8] == start).unwrap();
    bytes[16 * at + 8..16 * at + 10].copy_from_slice(&[0x0d, 0x24]);
    let odd = folder.path("odd.bin");
    fs::write(&odd, &bytes).unwrap();
    let output = tree(&["init", &folder.path("c.tree"), "--book", &odd]);
    let message = "odd.bin: \"e7e5\" is not legal in \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"";
    assert!(output.status.success() && stderr(&output).contains(message), "{}", stderr(&output));
    fs::write(&odd, &bytes[1..]).unwrap();
    let output = tree(&["init", &folder.path("d.tree"), "--book", &odd]);
    assert!(
        !output.status.success()
            && stderr(&output).contains("odd.bin: ")
            && stderr(&output).contains("not a multiple of 16")
    );
    assert!(!fs::exists(folder.path("d.tree")).unwrap());
}

#[cfg(unix)]
#[test]
fn full_disk_leaves_no_tree() {
    let folder = Folder::new("tree-full");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" tree init \"$1\"";
    let output = Command::new("sh").args(["-c", script, PROGRAM, &folder.path("a.tree")]).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("a.tree: "), "{}", stderr(&output));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn trees_merge_in_either_order() {
    let folder = Folder::new("tree-merge");
    merges_in_either_order(&folder, &["a.tree", "b.tree", "ab.tree", "ba.tree"].map(|name| folder.path(name)));
}

pub fn merges_in_either_order(folder: &Folder, [a, b, ab, ba]: &[String; 4]) {
    done(&["init", a]);
    done(&["init", b, "--max-ply", "3"]);
    grow(a, &["--positions", "6"]);
    done(&["note", a, "", "from a"]);
    done(&["note", b, "", "from b"]);
    done(&[&["grow", b][..], &["--search-nodes", "1500", "--hash", "1", "--positions", "6"]].concat());
    done(&["merge", ab, a, b]);
    done(&["merge", ba, b, a]);
    let exported = |path: &str| {
        let out = folder.path("out.pgn");
        done(&["export", path, "--pgn", &out, "--best", "99", "--within", "999cp"]);
        let text = fs::read_to_string(&out).unwrap();
        (text.split_once("\n\n").unwrap().1.to_owned(), shown(path, ""))
    };
    let once = exported(ab);
    assert_eq!(once, exported(ba));
    assert_eq!(once.1["note"], "from a\nfrom b");
    done(&["merge", ab, b, a]);
    assert_eq!(once, exported(ab));
    done(&["verify", ab]);
    let other = folder.path("other.tree");
    done(&["init", &other, "--moves", "e4"]);
    assert!(stderr(&tree(&["merge", ab, &other])).contains("other.tree: its root is"));
}

/// A merge that fails after the first tree leaves a valid one.
#[test]
fn failed_merges_leave_a_valid_tree() {
    let folder = Folder::new("tree-merge-fails");
    let [a, ab] = ["a.tree", "ab.tree"].map(|name| folder.path(name));
    done(&["init", &a]);
    grow(&a, &["--positions", "3"]);
    for (name, damage, expected) in [
        ("b.tree", "UPDATE search SET depth = 'much'", "unexpected value"),
        ("c.tree", "DELETE FROM engine", "an engine is missing"),
        ("d.tree", "DELETE FROM node WHERE ply = 1", "a node is missing"),
    ] {
        let b = folder.path(name);
        fs::copy(&a, &b).unwrap();
        let damaged = rusqlite::Connection::open(&b).unwrap();
        damaged.execute(damage, []).unwrap();
        drop(damaged);
        let (output, place) = (tree(&["merge", &ab, &a, &b]), format!("{name} into "));
        let stderr = stderr(&output);
        assert!(!output.status.success() && stderr.contains(&place) && stderr.contains(expected), "{stderr}");
        done(&["verify", &ab]);
        assert_eq!(shown(&ab, ""), shown(&a, ""));
    }
}

#[test]
fn invalid_arguments_are_quoted() {
    let folder = Folder::new("tree-wrong");
    let path = folder.path("a.tree");
    done(&["init", &path]);
    let refused = |args: &[&str], expected: &str| {
        let output = tree(args);
        assert!(!output.status.success() && stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    };
    refused(&["init", &path], "exists; expected a new name");
    refused(&["init", &folder.path("b.tree"), "--pgn", &folder.write("empty.pgn", "")], "empty.pgn: no game");
    let over = folder.path("over.tree");
    assert!(done(&["init", &over, "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - -"]).ends_with(": 1 position, 0 searches\n"));
    assert!(stderr(&tree(&["grow", &over])).contains("the game is over at the root"));
    refused(&["show", &folder.path("none.tree")], "none.tree: no such file");
    refused(&["show", &folder.write("text.tree", &"text ".repeat(999))], "expected a database");
    refused(&["show", &path, "e5"], "\"e5\" is not a legal move");
    refused(&["show", &path, "e4"], "the position after \"e4\" is not in the tree");
    refused(&["show", &path, "8/8"], "invalid FEN \"8/8\"");
    refused(&["show", &path, "4k3/8/8/8/8/8/8/4K3 w - -"], "is not in the tree");
    refused(&["pin", &path, ""], "has no moves");
    refused(&["unmark", &path, "d4"], "1.d4 is not in the tree; `lento tree pin` adds it");
    refused(&["exclude", &path, "d4 d5 c4"], "1.d4 is not in the tree");
    assert_eq!(shown(&path, "")["positions"], 1);
    let drawn = folder.path("drawn.tree");
    done(&["init", &drawn, "--fen", "4k3/8/8/8/8/8/3p4/4K2B w - - 0 1"]);
    refused(&["pin", &drawn, "Kxd2 Kd7 Kd3"], "1.Kxd2 Kd7: the game is over before the last move");
    refused(&["grow", &path, "--white-within", "much"], "expected centipawns");
    refused(&["export", &path], "nothing to write");
    refused(&["export", &path, "--html", &folder.path("./a.tree")], "a.tree: used for two files");
    let pgn = folder.path("a.pgn");
    refused(&["export", &path, "--pgn", &pgn, "--epd", &pgn], "a.pgn: used for two files");
    // A changed value is detected.
    grow(&path, &["--positions", "2"]);
    let change = rusqlite::Connection::open(&path).unwrap();
    change.execute("UPDATE node SET value = value + 1 WHERE ply = 1", []).unwrap();
    let output = tree(&["verify", &path]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.contains(": value ") && !text.contains("Some("), "{text}");
    // a1b1, which is illegal.
    change.execute("UPDATE edge SET mv = 64 WHERE rowid = 1", []).unwrap();
    let output = tree(&["verify", &path]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("illegal move a1b1 in "), "{text}");
}

/// Reading a tree needs no write access to file or folder.
#[cfg(unix)]
#[test]
fn read_only_trees_are_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let [folder, other] = ["tree-read-only", "tree-writable"].map(Folder::new);
    let (path, merged, pgn) = (folder.path("a.tree"), other.path("b.tree"), other.path("a.pgn"));
    done(&["init", &path]);
    let allow = |path: &str, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&path, 0o444);
    allow(&folder.path(""), 0o555);
    allow(&other.path(""), 0o777);
    let names = folder.names();
    for args in [&["show"][..], &["verify"], &["export", "--pgn", &pgn], &["merge", &merged]] {
        let mut command = Command::new(PROGRAM);
        command.arg("tree").args(args).arg(&path).stdin(Stdio::null());
        if fs::metadata(&path).unwrap().uid() == 0 {
            // Root ignores permissions.
            command.uid(65_534).gid(65_534);
        }
        // The other user may have no access to the program.
        let Ok(output) = command.output() else { break };
        assert!(output.status.success() && folder.names() == names, "{args:?}: {}", stderr(&output));
    }
    allow(&folder.path(""), 0o755);
}

/// Two processes grow one tree, one of them killed repeatedly. The tree stays valid, without claims.
#[cfg(unix)]
#[test]
fn killed_processes_leave_a_valid_tree() {
    let folder = Folder::new("tree-killed");
    let path = folder.path("a.tree");
    done(&["init", &path]);
    let start = |positions: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(["tree", "grow", &path, "--jsonl", "--positions", positions]).args(FEW);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    let steady = start("12");
    for nth in 1..=4 {
        let mut killed = start("999");
        let _ = killed.stdout.take().unwrap().read_exact(&mut vec![0; 700 * nth]);
        killed.kill().unwrap();
        killed.wait().unwrap();
    }
    assert!(steady.wait_with_output().unwrap().status.success());
    done(&["verify", &path]);
    let before = shown(&path, "")["positions"].as_u64().unwrap();
    assert!(before > 12, "{before}");
    grow(&path, &["--positions", "3"]);
    done(&["verify", &path]);
    assert_eq!(
        rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("SELECT count(*) FROM node WHERE claim > 0", [], |row| row.get(0)),
        Ok(0)
    );
    assert!(folder.names().iter().all(|name| !name.ends_with(".run")), "{:?}", folder.names());
}
