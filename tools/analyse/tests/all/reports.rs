//! Reports of analysed games with the real binary.

use super::analysing::{Folder, GAME, analyse, records, stderr};
use super::browser::{Browser, point};
use super::tree::done;
use serde_json::Value;
use std::fs;

#[test]
fn reports_are_written() {
    let folder = Folder::new("reports");
    let pgn = folder.write("game.pgn", &GAME.replace("\"a\"", "\"<script>alert(1)</script>\""));
    let [out, html, svg] = ["out.pgn", "game.html", "game.svg"].map(|name| folder.path(name));
    let reports = ["--pgn-out", &out, "--html", &html, "--svg", &svg];
    let args = [&[pgn.as_str()][..], &["--nodes", "3000", "--multipv", "2"], &reports[..]].concat();
    assert!(analyse(&args).status.success());
    assert_eq!(folder.names(), ["game.html", "game.lento.db", "game.pgn", "game.svg", "out.pgn"]);
    let text = fs::read_to_string(&out).unwrap();
    // The moves are read back.
    let played = |path: &str| -> Vec<Value> {
        let records = records(&[path, "--no-search", "--db", &folder.path("game.lento.db")]);
        records.into_iter().map(|record| record["place"]["played"].clone()).collect()
    };
    assert_eq!(played(&out), played(&pgn), "{text}");
    assert!(text.contains("a comment"), "{text}");
    // The NAG of the file is kept.
    assert!(text.contains("2. g4 $2 {[%eval #-1,") && text.contains(" Qh4# ") && text.ends_with(" 0-1\n\n"), "{text}");
    assert!(text.contains("[WhiteAccuracy \"") && text.contains("[BlackAccuracy \""), "{text}");
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains("<script>alert"));
    assert!(fs::read_to_string(&svg).unwrap().contains("</svg>"));
    // The same reports from stored results.
    for path in [&out, &html, &svg] {
        fs::remove_file(path).unwrap();
    }
    assert!(analyse(&[&[pgn.as_str(), "--no-search"][..], &reports[..]].concat()).status.success());
    assert_eq!((fs::read_to_string(&out).unwrap(), fs::read_to_string(&html).unwrap()), (text, page));
}

#[test]
fn too_many_games_for_a_page_are_refused_before_the_search() {
    let folder = Folder::new("too-many");
    let games = ["a.pgn", "b.pgn"].map(|name| folder.write(name, &"1. e4 *\n".repeat(617)));
    let page = |args: &[&str]| {
        let outputs = ["--html", &folder.path("a.html"), "--db", &folder.path("a.db"), "--nodes", "100"];
        analyse(&[&[games[0].as_str(), &games[1]], &outputs[..], args].concat())
    };
    let output = page(&[]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("--html: 1,234 games; expected at most 1000, such as --games 1-1000"));
    assert_eq!(folder.names(), ["a.pgn", "b.pgn"]);
    assert!(page(&["--games", "500-617"]).status.success());
    assert_eq!(fs::read_to_string(folder.path("a.html")).unwrap().matches("<article").count(), 236);
}

/// A null move is written as `--`, and the moves after it are kept.
#[test]
fn null_moves_are_analysed_and_written_back() {
    let folder = Folder::new("null-moves");
    let pgn = folder.write("game.pgn", "[Event \"a\"]\n\n1. e4 null {passes} 2. d4 d5 3. Z0 e5 1-0\n");
    let [out, html, tree] = ["out.pgn", "game.html", "a.tree"].map(|name| folder.path(name));
    let records = records(&[&pgn, "--depth", "1", "--pgn-out", &out, "--html", &html]);
    let played: Vec<&str> = records.iter().filter_map(|record| record["place"]["played"].as_str()).collect();
    assert_eq!(played, ["1.e4", "1...--", "2.d4", "2...d5", "3.--", "3...e5"]);
    let text = fs::read_to_string(&out).unwrap();
    let moves = text.split_once("\n\n").unwrap().1.replace('\n', " ");
    for part in ["} 1... -- {[%eval ", "] passes} 2. d4 {[%eval ", "} 3. -- {[%eval ", "} 3... e5 "] {
        assert!(moves.contains(part), "{part}: {text}");
    }
    let again = analyse(&[&out, "--db", &folder.path("again.db"), "--depth", "1"]);
    assert!(again.status.success() && stderr(&again).is_empty(), "{}", stderr(&again));
    assert!(fs::read_to_string(&html).unwrap().contains("id=\"g1-2\" href=\"#g1-2\">--"));
    // The tree has the moves before the null move.
    assert!(done(&["init", &tree, "--pgn", &pgn]).ends_with(": 2 positions, 0 searches\n"));
    let check = folder.write("check.pgn", "1. e4 f6 2. a3 g5 3. Qh5+ -- 4. Qxe8 1-0\n");
    let output = analyse(&[&check, "--depth", "1"]);
    assert!(stderr(&output).contains("illegal move \"--\" in rnbqkbnr/ppppp2p/"), "{}", stderr(&output));
}

/// Reading results leaves no files beside the database, even if it is read-only.
#[test]
fn reading_results_leaves_no_files() {
    let folder = Folder::new("leaves");
    let pgn = folder.write("game.pgn", GAME);
    assert!(analyse(&[&pgn, "--nodes", "100"]).status.success());
    let names = folder.names();
    let database = folder.path("game.lento.db");
    for protected in [false, true] {
        let mut rights = fs::metadata(&database).unwrap().permissions();
        rights.set_readonly(protected);
        fs::set_permissions(&database, rights).unwrap();
        let output = analyse(&[&pgn, "--no-search", "--jsonl"]);
        assert!(output.status.success() && !output.stdout.is_empty(), "{}", stderr(&output));
        assert_eq!(folder.names(), names, "write-protected: {protected}");
    }
}

#[test]
fn each_game_has_an_svg_file() {
    let folder = Folder::new("pictures");
    let pgn = folder.write("games.pgn", &GAME.repeat(3));
    let [html, svg] = ["games.html", "games.svg"].map(|name| folder.path(name));
    let args = [pgn.as_str(), "--nodes", "100", "--games", "2-", "--html", &html, "--svg", &svg];
    assert!(analyse(&args).status.success());
    assert_eq!(folder.names(), ["games-1.svg", "games-2.svg", "games.html", "games.lento.db", "games.pgn"]);
    assert_eq!(fs::read_to_string(&html).unwrap().matches("<article").count(), 2);
}

/// Unwritable outputs are reported before the search.
#[test]
fn unwritable_reports_are_refused_before_the_search() {
    let folder = Folder::new("refused");
    let (pgn, epd) = (folder.write("game.pgn", GAME), folder.write("a.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n"));
    let (html, missing, database) = (folder.path("a.html"), folder.path("no/a.html"), folder.path("game.lento.db"));
    for (args, part) in [
        (&[epd.as_str(), "--html", &html][..], "expected a file whose name ends with .pgn"),
        (&["--html", &html, "--fen", "4k3/8/8/8/8/8/4P3/4K3 w - -"], "reports need games"),
        (&[&pgn, "--html", &html, "--svg", &html], "used for two files"),
        (&[&pgn, "--html", &database], "used for two files"),
        (&[&pgn, "--html", &pgn], "used for two files"),
        (&[&pgn, "--pgn-out", &folder.path("./game.pgn")], "game.pgn: used for two files"),
        (&[&epd, "--epd-out", &epd], "a.epd: used for two files"),
        (&[&pgn, "--html", &missing], "no/a.html"),
        (&[&pgn, "--pgn-out", folder.path("").as_str()], "a folder"),
    ] {
        let output = analyse(&[args, &["--nodes", "100000000"]].concat());
        assert!(!output.status.success() && stderr(&output).contains(part), "{args:?}: {}", stderr(&output));
    }
    assert_eq!(folder.names(), ["a.epd", "game.pgn"]);
}

#[test]
fn reports_are_navigated() {
    Browser::each(|browser| {
        let folder = Folder::new("walked");
        let html = folder.path("game.html");
        let pgn = folder.write("game.pgn", GAME);
        assert!(analyse(&[&pgn, "--nodes", "1000", "--html", &html]).status.success());
        let page = browser.open(&format!("file://{html}#g1-2"), 390);
        let is_at = |ply: u8, piece: &str, from: &str, to: &str| {
            format!(
                "location.hash === '#g1{}' && document.querySelectorAll('.moves [aria-current]').length === {} &&
                [...document.querySelectorAll('.play [href=\"#{piece}\"]')].some((one) => one.style.transform === '{to}') &&
                ![...document.querySelectorAll('.play [href=\"#{piece}\"]')].some((one) => one.style.transform === '{from}')",
                if ply == 0 { String::new() } else { format!("-{ply}") },
                u8::from(ply > 0),
            )
        };
        // Black's pawn is on e5, and back on e7 one move earlier.
        let [e7, e5] = ["translate(400px, 100px)", "translate(400px, 300px)"];
        browser.wait_for(&page, &is_at(2, "P", e7, e5));
        browser.key(&page, "ArrowLeft");
        browser.wait_for(&page, &is_at(1, "P", e5, e7));
        browser.wait_for(&page, "document.querySelectorAll('.play .lines .arrow').length === 1");
        // A click on the graph goes to the ply.
        for ply in [3, 0, 2, 4] {
            let at = browser.evaluate(
                &page,
                &format!(
                    "(() => {{ const box = document.querySelector('.graph').getBoundingClientRect();
                    return [Math.min(box.right - 2, Math.max(box.left + 1, box.left + box.width * {ply} / 4)), box.top + 9]; }})()"
                ),
            );
            browser.click_at(&page, point(&at));
            let place = if ply == 0 { "#g1".into() } else { format!("#g1-{ply}") };
            browser.wait_for(&page, &format!("location.hash === '{place}'"));
        }
        browser.key(&page, "Home");
        browser.key(&page, "f");
        browser.wait_for(&page, "document.querySelector('.game').classList.contains('turned')");
        // The preview of White's first move, from Black's side.
        browser.click(&page, ".found [data-ply]");
        browser.wait_for(&page, "!document.querySelector('#preview').hidden && document.querySelectorAll('#preview .marks .last').length === 2");
        assert_eq!(browser.evaluate(&page, "document.documentElement.scrollWidth <= 390"), true);
    });
}
