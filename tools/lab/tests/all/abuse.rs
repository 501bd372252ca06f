//! Two runs on one file, damaged files, full disks, special files and signals.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::driver::*;
use serde_json::Value;
use std::process::Command;

const MATCH: &str = "match --old LMR=off --limit nodes=300 --hash 1 --concurrency 1 --json";

#[test]
fn journal_is_locked_until_the_run_is_killed() {
    let folder = Folder::new("journal");
    let words = format!("{MATCH} --pairs 100000 --journal @/journal");
    let first = TOOL.start(&folder, &words);
    wait_for("no pair is stored", || lines(&folder.at("journal")) > 2);
    let second = TOOL.fails(&folder, &words);
    assert!(second.contains(&format!("journal: in use by another run (process {})", first.0.id())), "{second}");
    // Another task cannot open it either.
    let other = TOOL.fails(&folder, "factors rfp_margin=80 --pairs 1 --journal @/journal");
    assert!(other.contains("in use by another run"), "{other}");
    first.kill();
    let stored = lines(&folder.at("journal")) - 1;
    let rest = TOOL.run(&folder, &format!("{MATCH} --pairs {} --journal @/journal", stored + 1));
    assert!(rest.status.success(), "{rest:?}");
    assert_eq!(folder.names(), ["journal"], "the lock file is removed");
    assert_eq!(lines(&folder.at("journal")), stored + 2);
}

#[test]
fn pgn_file_is_locked() {
    let folder = Folder::new("pgn");
    let words = format!("{MATCH} --pairs 100000 --pgn @/games.pgn");
    let first = TOOL.start(&folder, &words);
    wait_for("no game is saved", || size(&folder.at("games.pgn")) > 0);
    assert!(TOOL.fails(&folder, &words).contains("games.pgn: in use by another run"));
    first.kill();
}

#[test]
fn outputs_are_checked_before_the_run() {
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
    TOOL.rejects_outputs(&folder, &commands);
    folder.write("book.epd", b"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
    for words in [
        "match --pairs 9 --journal @/new --pgn @/new",
        "match --pairs 9 --book @/book.epd --pgn @/book.epd",
        "factors rfp_margin=80 --pairs 9 --journal @/new --svg @/./new",
        "spsa rfp_margin --iterations 9 --journal @/new --svg @/new",
        "recipes --positions @/book.epd --markdown @/book.epd",
        "scaling --json @/new --svg @/new",
    ] {
        assert!(TOOL.fails(&folder, words).contains("used for two files"), "{words}");
    }
    assert_eq!(folder.names(), ["book.epd", "params.rs", "suite.epd"]);
    for (words, warned) in [
        ("match --pairs 2 --book @/book.epd", true),
        ("match --pairs 2 --book @/book.epd --endings 0.1", true),
        ("match --pairs 2 --book @/book.epd --random-plies 1", false),
        ("match --pairs 1 --book @/book.epd", false),
        ("match --pairs 2", false),
        ("match --pairs 2 --random-plies 0", true),
        ("spsa rfp_margin --iterations 1 --pairs 2 --book @/book.epd", true),
        ("spsa rfp_margin --iterations 2 --pairs 1 --book @/book.epd", false),
        ("factors LMR=off --pairs 2 --book @/book.epd", true),
        ("factors LMR=off rfp_margin=80 --pairs 2 --book @/book.epd", false),
        ("match --pairs 2 --book @/book.epd --limit tc=0.2+0.002 --new nodestime=50", false),
        ("match --pairs 2 --book @/book.epd --limit tc=0.2+0.002 --new nodestime=50 --old nodestime=50", true),
    ] {
        let limit = if words.contains("--limit") { "" } else { " --limit nodes=300" };
        let output = TOOL.succeeds(&folder, &format!("{words}{limit} --hash 1"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.contains("games repeat after opening 1;"), warned, "{words}: {message}");
    }
}

#[test]
fn damaged_journal_is_reported_with_its_line() {
    let folder = Folder::new("damage");
    let words = format!("{MATCH} --pairs 3 --journal @/journal");
    assert!(TOOL.run(&folder, &words).status.success());
    let mut bytes = std::fs::read(folder.at("journal")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("journal", &bytes);
    let line = bytes[..middle].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let message = TOOL.fails(&folder, &words);
    assert!(message.contains(&format!("journal:{line}: damaged line")), "{message}");
}

#[test]
fn large_foreign_files_are_not_read_into_memory() {
    TOOL.rejects_large_files(&["epd", "match --book", "match --journal", "spsa rfp_margin --journal"]);
}

#[test]
fn full_disk_is_reported_and_finished_work_is_kept() {
    let folder = Folder::new("full");
    let words = format!("{MATCH} --pairs 30 --journal @/journal");
    TOOL.fails_on_full_disk(&folder, 32, &words, "/journal: File too large");
    let stored = lines(&folder.at("journal"));
    assert!(stored > 2, "{stored}");
    assert!(TOOL.run(&folder, &words).status.success());
    assert_eq!(lines(&folder.at("journal")), 31);
    let words = format!("{MATCH} --pairs 30 --pgn @/games.pgn");
    TOOL.fails_on_full_disk(&folder, 8, &words, "/games.pgn: File too large");
    // The result is printed all the same.
    for (words, file, result) in [
        (&*words, "games.pgn", "\"games\": "),
        ("factors LMR=off --pairs 2 --limit nodes=50 --hash 1 --svg @/effects.svg", "effects.svg", "LMR=off"),
    ] {
        let output = TOOL.limited(&folder, "trap '' XFSZ; ulimit -f 1", words);
        let (text, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(result) && message.contains(file), "{words}: {text}{message}");
        assert_eq!(output.status.code(), Some(1), "{words}");
    }
    for (words, result) in
        [("factors LMR=off --pairs 90", "LMR=off"), ("spsa rfp_margin --iterations 90 --pairs 1", "rfp_margin")]
    {
        let words = format!("{words} --limit nodes=50 --hash 1 --journal @/{}", &words[..4]);
        let output = TOOL.limited(&folder, "trap '' XFSZ; ulimit -f 4", &words);
        let (text, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(result) && message.contains("File too large"), "{words}: {text}{message}");
        assert_eq!(output.status.code(), Some(1), "{words}");
    }
    std::fs::create_dir(folder.at("pictures")).unwrap();
    let words = "spsa rfp_margin --iterations 9 --pairs 8 --limit nodes=100 --hash 1 --svg @/pictures/values.svg";
    let child = TOOL.command(&folder, words).spawn().unwrap();
    wait_for("no picture", || folder.at("pictures/values.svg").exists());
    std::fs::rename(folder.at("pictures"), folder.at("moved")).unwrap();
    let output = finish(child);
    let (text, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("\n9 iterations, ") && message.contains("/pictures/values.svg: "), "{text}{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_standard_output_is_an_error_but_a_closed_one_is_not() {
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
    // The reader is closed.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = finish(TOOL.command(&folder, words).stdout(writer).spawn().unwrap());
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    // With standard error closed as well, a panic would exit with 101.
    for (words, code) in [("epd @/missing.epd", 1), ("epd --nonsense", 2)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let both = writer.try_clone().unwrap();
        let output = finish(TOOL.command(&folder, words).stdout(writer).stderr(both).spawn().unwrap());
        assert_eq!(output.status.code(), Some(code), "{words}");
    }
}

#[test]
fn invalid_lines_of_a_suite_are_skipped() {
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
    let json = json(&TOOL.run(&folder, "epd --depth 3 --hash 1 --json @/suite.epd"));
    assert_eq!((&json["lines_skipped"], &json["skipped"][0]["line"]), (&2.into(), &2.into()));
    assert_eq!((&json["problems"][1]["solved"], &json["problems"][1]["played"]), (&Value::Null, &"Ra8#".into()));
    folder.write("suite.epd", b"\n");
    assert!(TOOL.fails(&folder, "epd @/suite.epd").contains("suite.epd: no position in EPD or FEN"));
    folder.write("suite.epd", b"rubbish\nmore\n");
    let message = TOOL.fails(&folder, "epd @/suite.epd");
    assert!(message.contains("no position in EPD or FEN") && message.contains("suite.epd:1: \"rubbish\""), "{message}");
}

#[test]
fn errors_for_unknown_names_list_valid_ones() {
    let folder = Folder::new("names");
    let output = TOOL.run(&folder, "match --new rfp_margn=80 --pairs 1");
    let message = String::from_utf8(output.stderr).unwrap();
    for part in ["\"rfp_margn\"; did you mean rfp_margin?", "options: Threads, Hash", "rfp_margin (30 to 150"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn special_files_are_errors() {
    TOOL.rejects_special_files(&[
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
fn signals_end_the_run_and_work_is_kept() {
    let folder = Folder::new("signals");
    for (signal, times) in [("TERM", 1), ("INT", 1), ("INT", 2)] {
        let words = format!("{MATCH} --pairs 100000 --journal @/journal");
        let child = TOOL.command(&folder, &words).spawn().unwrap();
        let before = lines(&folder.at("journal"));
        wait_for("no pair is stored", || lines(&folder.at("journal")) > before + 1);
        for _ in 0..times {
            assert!(
                Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
            );
        }
        let output = finish(child);
        assert_eq!(output.status.code(), Some(130), "{signal}: {output:?}");
    }
    // Searches that take hours.
    for (number, limit) in ["depth=200", "nodes=99999999999", "movetime=9999999ms", "tc=999+99"].iter().enumerate() {
        let words = format!("match --limit {limit} --pairs 9 --new Threads={} --journal @/{number}", 1 + number % 2);
        let child = TOOL.command(&folder, &words).spawn().unwrap();
        wait_for("no journal", || lines(&folder.at(&number.to_string())) == 1);
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        let output = finish(child);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.starts_with("lento-lab: interrupted: s"), "{message}");
        assert_eq!(output.status.code(), Some(130), "{limit}");
    }
}
