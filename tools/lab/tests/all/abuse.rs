//! Misuse of `lento-lab`: two runs on one file, damaged files, full disks, special files.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::driver::*;
use serde_json::Value;
use std::io::Read;
use std::process::{Child, Command};

const MATCH: &str = "match --old LMR=off --limit nodes=300 --hash 1 --concurrency 1 --json";

#[test]
fn of_two_runs_on_one_journal_one_wins_and_a_killed_one_holds_nothing() {
    let folder = Folder::new("journal");
    let words = format!("{MATCH} --pairs 100000 --journal @/journal");
    let first = TOOL.start(&folder, &words);
    wait_for("no pair is kept", || lines(&folder.at("journal")) > 2);
    let second = TOOL.refusal(&folder, &words);
    assert!(second.contains(&format!("journal: in use by another run (process {})", first.0.id())), "{second}");
    // Another tool may not have it, either, nor another match the same games.
    let other = TOOL.refusal(&folder, "factors rfp_margin=80 --pairs 1 --journal @/journal");
    assert!(other.contains("in use by another run"), "{other}");
    first.kill();
    let kept = lines(&folder.at("journal")) - 1;
    let rest = TOOL.run(&folder, &format!("{MATCH} --pairs {} --journal @/journal", kept + 1));
    assert!(rest.status.success(), "{rest:?}");
    assert_eq!(folder.names(), ["journal"], "the lock of the killed run is gone");
    assert_eq!(lines(&folder.at("journal")), kept + 2);
}

#[test]
fn two_matches_do_not_share_a_pgn() {
    let folder = Folder::new("pgn");
    let words = format!("{MATCH} --pairs 100000 --pgn @/games.pgn");
    let first = TOOL.start(&folder, &words);
    wait_for("no game is saved", || size(&folder.at("games.pgn")) > 0);
    assert!(TOOL.refusal(&folder, &words).contains("games.pgn: in use by another run"));
    first.kill();
}

#[test]
fn outputs_are_tried_before_the_work() {
    let folder = Folder::new("outputs");
    folder.write("suite.epd", b"4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\n");
    let source = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/search/params.rs"));
    folder.write("params.rs", &source.unwrap_or_default());
    let commands = [
        "factors rfp_margin=80 --pairs 100000 --markdown @/missing/page.md",
        "factors rfp_margin=80 --pairs 100000 --svg @/missing/effects.svg",
        "spsa rfp_margin --iterations 100000 --svg @/missing/course.svg",
        "spsa rfp_margin --iterations 100000 --write @/missing/params.rs",
        "match --pairs 100000 --pgn @/missing/games.pgn",
        "match --pairs 100000 --journal @/missing/journal",
        "recipes --positions @/suite.epd --pairs 100000 --markdown @/missing/page.md",
        "recipes --positions @/suite.epd --pairs 100000 --pictures @/suite.epd/pictures",
    ];
    TOOL.refuse_outputs(&folder, &commands);
    folder.write("book.epd", b"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
    for words in [
        "match --pairs 9 --journal @/new --pgn @/new",
        "match --pairs 9 --book @/book.epd --pgn @/book.epd",
        "factors rfp_margin=80 --pairs 9 --journal @/new --svg @/./new",
        "spsa rfp_margin --iterations 9 --journal @/new --svg @/new",
        "recipes --positions @/book.epd --markdown @/book.epd",
        "scaling --json @/new --svg @/new",
    ] {
        assert!(TOOL.refusal(&folder, words).contains("used for two files"), "{words}");
    }
    assert_eq!(folder.names(), ["book.epd", "params.rs", "suite.epd"]);
    for (more, warned) in [("--pairs 2", true), ("--pairs 2 --random-plies 1", false), ("--pairs 1", false)] {
        let output = TOOL.succeeds(&folder, &format!("{MATCH} --book @/book.epd {more}"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("book.epd: games repeat after opening 1;"), warned, "{more}: {said}");
    }
}

#[test]
fn damage_of_a_journal_is_named_with_its_line() {
    let folder = Folder::new("damage");
    let words = format!("{MATCH} --pairs 3 --journal @/journal");
    assert!(TOOL.run(&folder, &words).status.success());
    let mut bytes = std::fs::read(folder.at("journal")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("journal", &bytes);
    let line = bytes[..middle].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let message = TOOL.refusal(&folder, &words);
    assert!(message.contains(&format!("journal:{line}: damaged line")), "{message}");
}

#[test]
fn large_files_of_something_else_take_no_memory() {
    TOOL.refuse_large_files(&["epd", "match --book", "match --journal"]);
}

#[test]
fn a_full_disk_names_the_file_and_keeps_what_is_done() {
    let folder = Folder::new("full");
    let words = format!("{MATCH} --pairs 30 --journal @/journal");
    TOOL.refuse_full_disk(&folder, 32, &words, "/journal: File too large");
    let kept = lines(&folder.at("journal"));
    assert!(kept > 2, "{kept}");
    assert!(TOOL.run(&folder, &words).status.success());
    assert_eq!(lines(&folder.at("journal")), 31);
    let words = format!("{MATCH} --pairs 30 --pgn @/games.pgn");
    TOOL.refuse_full_disk(&folder, 8, &words, "/games.pgn: File too large");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_and_a_closed_standard_output_differ() {
    let folder = Folder::new("stdout");
    folder.write("suite.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;\n");
    let words = "epd --depth 2 --hash 1 @/suite.epd";
    for words in [words, "--help", "epd --help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = finish(TOOL.command(&folder, words).stdout(full).spawn().unwrap());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message, "lento-lab: standard output: No space left on device (os error 28)\n", "{words}");
        assert_eq!(output.status.code(), Some(1), "{words}");
    }
    // A reader that has gone away.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = finish(TOOL.command(&folder, words).stdout(writer).spawn().unwrap());
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    // Standard error is closed, too: still no panic, which would end with 101.
    for (words, code) in [("epd @/missing.epd", 1), ("epd --nonsense", 2)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let both = writer.try_clone().unwrap();
        let output = finish(TOOL.command(&folder, words).stdout(writer).stderr(both).spawn().unwrap());
        assert_eq!(output.status.code(), Some(code), "{words}");
    }
}

#[test]
fn a_suite_with_bad_lines_is_searched_without_them() {
    let folder = Folder::new("suite");
    let text = b"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id \"one\";\nrubbish\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Nf3;\n\
                 6k1/5ppp/8/8/8/8/8/R5K1 w - - 3 40\n6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id \"M\xfcller\";\n";
    folder.write("suite.epd", text);
    let output = TOOL.run(&folder, "epd --depth 3 --hash 1 @/suite.epd");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{err}");
    assert!(err.contains("suite.epd:2: skipped \"rubbish\": ") && err.contains("suite.epd:3: skipped "), "{err}");
    let last = out.lines().last().unwrap_or_default();
    assert!(last.starts_with("2 of 2 solved, 1 without a task, ") && last.ends_with(", 2 lines skipped"), "{out}");
    let json = TOOL.run(&folder, "epd --depth 3 --hash 1 --json @/suite.epd").stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["lines_skipped"], &json["skipped"][0]["line"]), (&2.into(), &2.into()));
    assert_eq!((&json["problems"][1]["solved"], &json["problems"][1]["played"]), (&Value::Null, &"Ra8#".into()));
    folder.write("suite.epd", b"\n");
    assert!(TOOL.refusal(&folder, "epd @/suite.epd").contains("suite.epd: no position in EPD or FEN"));
    folder.write("suite.epd", b"rubbish\nmore\n");
    let message = TOOL.refusal(&folder, "epd @/suite.epd");
    assert!(message.contains("no position in EPD or FEN") && message.contains("suite.epd:1: \"rubbish\""), "{message}");
}

#[test]
fn unknown_names_are_answered_with_all_there_are() {
    let folder = Folder::new("names");
    let output = TOOL.run(&folder, "match --new rfp_margn=80 --pairs 1");
    let message = String::from_utf8(output.stderr).unwrap();
    for part in ["\"rfp_margn\"; did you mean rfp_margin?", "options: Threads, Hash", "rfp_margin (30 to 150"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn files_that_never_end_or_never_begin_are_refused() {
    TOOL.refuse_special_files(&[
        "epd --depth 1",
        "epd --depth 1 @/one.epd --journal",
        "match --pairs 1 --book",
        "match --pairs 1 --journal",
        "factors rfp_margin=80 --pairs 1 --journal",
        "factors --pairs 1 --factors",
        "spsa rfp_margin --iterations 1 --journal",
        "spsa rfp_margin --iterations 1 --write",
        "recipes --positions",
        "recipes --suite",
    ]);
}

#[test]
fn signals_end_it_and_the_work_is_kept() {
    let folder = Folder::new("signals");
    for (signal, times) in [("TERM", 1), ("INT", 1), ("INT", 2)] {
        let words = format!("{MATCH} --pairs 100000 --journal @/journal");
        let child = TOOL.command(&folder, &words).spawn().unwrap();
        let before = lines(&folder.at("journal"));
        wait_for("no pair is kept", || lines(&folder.at("journal")) > before + 1);
        for _ in 0..times {
            assert!(
                Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
            );
        }
        let output = finish(child);
        assert_eq!(output.status.code(), Some(130), "{signal}: {output:?}");
    }
    // Searches that take hours.
    let mut child = TOOL.command(&folder, "match --limit depth=200 --pairs 9 --journal @/long").spawn().unwrap();
    wait_for("no journal", || lines(&folder.at("long")) == 1);
    let kill = |child: &Child| Command::new("kill").arg(child.id().to_string()).status().unwrap();
    kill(&child);
    let mut said = [0; 25];
    child.stderr.as_mut().unwrap().read_exact(&mut said).unwrap();
    assert_eq!(said.as_slice(), b"lento-lab: interrupted: f");
    kill(&child);
    assert_eq!(finish(child).status.code(), Some(130));
}
