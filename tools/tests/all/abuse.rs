//! What users and machines do to `lento-tools` that nobody hopes for: two runs on one file, damaged files, full disks, files that
//! are none.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes on a slow and busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder that goes away with the test.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("lento-abuse-{name}-")).tempdir().unwrap())
    }

    /// The path of a file in it.
    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }

    /// The names of all files, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

/// The tool with these words, in which `@` stands for the folder.
fn tool(folder: &Folder, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-tools"));
    command.args(words.replace('@', folder.0.path().to_str().unwrap()).split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A run that would go on for hours, and ends with the test at the latest.
struct Endless(Child);

impl Endless {
    fn start(folder: &Folder, words: &str) -> Self {
        Self(tool(folder, words).spawn().unwrap())
    }

    /// Ends it as no program can prevent.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for the end, which must come.
fn finish(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

fn run(folder: &Folder, words: &str) -> Output {
    finish(tool(folder, words).spawn().unwrap())
}

/// What it says when it fails, as it must.
fn refusal(folder: &Folder, words: &str) -> String {
    let output = run(folder, words);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}: {message}");
    assert!(!message.contains("panicked"), "{words}: {message}");
    message
}

fn wait_for(what: &str, mut seen: impl FnMut() -> bool) {
    let start = Instant::now();
    while !seen() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

const MATCH: &str = "match --old LMR=off --limit nodes=300 --hash 1 --concurrency 1 --json";

#[test]
fn of_two_runs_on_one_journal_one_wins_and_a_killed_one_holds_nothing() {
    let folder = Folder::new("journal");
    let words = format!("{MATCH} --pairs 100000 --journal @/journal");
    let first = Endless::start(&folder, &words);
    wait_for("no pair is kept", || lines(&folder.at("journal")) > 2);
    let second = refusal(&folder, &words);
    assert!(second.contains(&format!("journal: in use by another run (process {})", first.0.id())), "{second}");
    // Another tool may not have it, either, nor another match the same games.
    let other = refusal(&folder, "factors rfp_margin=80 --pairs 1 --journal @/journal");
    assert!(other.contains("in use by another run"), "{other}");
    first.kill();
    let kept = lines(&folder.at("journal")) - 1;
    let rest = run(&folder, &format!("{MATCH} --pairs {} --journal @/journal", kept + 1));
    assert!(rest.status.success(), "{rest:?}");
    assert_eq!(folder.names(), ["journal"], "the lock of the killed run is gone");
    assert_eq!(lines(&folder.at("journal")), kept + 2);
}

#[test]
fn two_matches_do_not_share_a_pgn() {
    let folder = Folder::new("pgn");
    let words = format!("{MATCH} --pairs 100000 --pgn @/games.pgn");
    let first = Endless::start(&folder, &words);
    wait_for("no game is saved", || size(&folder.at("games.pgn")) > 0);
    assert!(refusal(&folder, &words).contains("games.pgn: in use by another run"));
    first.kill();
}

#[test]
fn two_runs_do_not_fill_one_folder() {
    let folder = Folder::new("datagen");
    let words = "datagen --limit soft=60 --hash 1 --concurrency 1 --shard 40 --json --output @/data";
    let first = Endless::start(&folder, &format!("{words} --games 100000"));
    wait_for("no game is kept", || size(&folder.at("data/00000.vf")) > 0);
    let second = refusal(&folder, &format!("{words} --games 100000"));
    assert!(second.contains(&format!("run.json: in use by another run (process {})", first.0.id())), "{second}");
    first.kill();
    assert!(run(&folder, &format!("{words} --games 60")).status.success());
    let games = run(&folder, "data inspect --json @/data");
    let games: Value = serde_json::from_slice(&games.stdout).unwrap();
    assert!(games["games"].as_u64() >= Some(60), "{games}");
}

#[test]
fn outputs_are_tried_before_the_work() {
    let folder = Folder::new("outputs");
    datagen(&folder, 30);
    assert!(run(&folder, "data convert @/data --output @/data.bf").status.success());
    folder.write("suite.epd", b"4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\n");
    let source = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../src/search/params.rs"));
    folder.write("params.rs", &source.unwrap_or_default());
    let before = folder.names();
    for words in [
        // Each would take hours.
        "factors rfp_margin=80 --pairs 100000 --markdown @/missing/page.md",
        "factors rfp_margin=80 --pairs 100000 --svg @/missing/effects.svg",
        "spsa rfp_margin --iterations 100000 --svg @/missing/course.svg",
        "spsa rfp_margin --iterations 100000 --write @/missing/params.rs",
        "match --pairs 100000 --pgn @/missing/games.pgn",
        "match --pairs 100000 --journal @/missing/journal",
        "lab recipes --positions @/suite.epd --pairs 100000 --markdown @/missing/page.md",
        "lab recipes --positions @/suite.epd --pairs 100000 --csv @/missing/table.csv",
        "lab recipes --positions @/suite.epd --pairs 100000 --pictures @/suite.epd/pictures",
        "train @/data.bf --epochs 100000 --output @/missing/net.lnn",
        "train @/data.bf --epochs 100000 --output @/net.lnn --svg @/missing/loss.svg",
        "train @/data.bf --epochs 100000 --output @/net.lnn --checkpoint @/missing/run.ckpt",
        "wdl @/data --svg @/missing/chances.svg",
        "wdl @/data --write @/missing/wdl.rs",
        "data inspect @/data --svg @/missing/bars.svg",
        "data convert @/data --output @/missing/data.bf",
        "data shuffle @/data.bf --output @/missing/data.bf",
        "data filter @/data --output @/missing/data.bf",
    ] {
        let message = refusal(&folder, words);
        assert!(message.contains("missing") || message.contains("suite.epd/"), "{words}: {message}");
        assert_eq!(folder.names(), before, "{words}");
    }
}

/// Some games in the folder `data`.
fn datagen(folder: &Folder, games: u32) {
    let words = format!("datagen --limit soft=60 --hash 1 --games {games} --shard 20 --output @/data");
    let output = run(folder, &words);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn damage_is_named_with_its_place() {
    let folder = Folder::new("damage");
    let words = format!("{MATCH} --pairs 3 --journal @/journal");
    assert!(run(&folder, &words).status.success());
    let mut bytes = std::fs::read(folder.at("journal")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("journal", &bytes);
    let line = bytes[..middle].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let message = refusal(&folder, &words);
    assert!(message.contains(&format!("journal:{line}: this line is damaged")), "{message}");

    datagen(&folder, 30);
    assert!(run(&folder, "data convert @/data --output @/data.bf").status.success());
    let flip = |name: &str, at: usize, bit: u8| {
        let mut bytes = std::fs::read(folder.at(name)).unwrap();
        bytes[at] ^= 1 << bit;
        std::fs::write(folder.at(name), bytes).unwrap();
    };
    // A flag of the first move; a piece on a square more.
    for (name, at, bit, tools) in [
        ("data/00000.vf", 33, 7, ["data inspect @/data", "wdl @/data", "data convert @/data --output @/more.bf"]),
        (
            "data.bf",
            0,
            3,
            ["data inspect @/data.bf", "data shuffle @/data.bf --output @/more.bf", "train @/data.bf --output @/n.lnn"],
        ),
    ] {
        flip(name, at, bit);
        for words in tools {
            let message = refusal(&folder, words);
            let place = if name.ends_with(".bf") { "position 1 at byte 0: " } else { "game 1 at byte 0: " };
            assert!(message.contains(name) && message.contains(place), "{words}: {message}");
        }
        flip(name, at, bit);
    }
    // Generation does not go on after games that are none.
    flip("data/00001.vf", 33, 7);
    let words = "datagen --limit soft=60 --hash 1 --games 40 --shard 20 --output @/data";
    assert!(refusal(&folder, words).contains("00001.vf: game 1 at byte 0: ply 1: "), "resumed");
    flip("data/00001.vf", 33, 7);
    let short = std::fs::read(folder.at("data/00000.vf")).unwrap();
    std::fs::write(folder.at("data/00000.vf"), &short[..short.len() - 4]).unwrap();
    assert!(refusal(&folder, words).contains("00000.vf: damaged: 19 games"), "resumed");
    std::fs::write(folder.at("data/00000.vf"), &short).unwrap();
    assert!(run(&folder, words).status.success());
}

/// The tool where no file may have more than so many blocks, as on a full disk.
fn cramped(folder: &Folder, blocks: u32, words: &str) -> Output {
    limited(folder, &format!("trap '' XFSZ; ulimit -f {blocks}"), words)
}

/// The tool after these words of the shell.
fn limited(folder: &Folder, limit: &str, words: &str) -> Output {
    let plain = tool(folder, words);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(plain.get_program());
    shell.args(plain.get_args()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(shell.spawn().unwrap())
}

/// Twenty gigabytes of zeros, and memory for a few.
#[test]
fn large_files_of_something_else_take_no_memory() {
    let folder = Folder::new("large");
    std::fs::File::create(folder.at("zeros")).unwrap().set_len(20 << 30).unwrap();
    for words in [
        "data inspect",
        "wdl",
        "train --output @/net.lnn",
        "data convert --output @/out.bf",
        "epd",
        "match --book",
        "match --journal",
    ] {
        let output = limited(&folder, "ulimit -v 6000000", &format!("{words} @/zeros"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && message.contains("/zeros:"), "{words}: {message}");
    }
}

#[test]
fn a_full_disk_names_the_file_and_keeps_what_is_done() {
    let folder = Folder::new("full");
    let refused = |blocks: u32, words: &str, name: &str| {
        let output = cramped(&folder, blocks, words);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && message.contains(name), "{words}: {message}");
    };
    let words = format!("{MATCH} --pairs 60 --journal @/journal");
    refused(64, &words, "/journal: File too large");
    let kept = lines(&folder.at("journal"));
    assert!(kept > 2, "{kept}");
    assert!(run(&folder, &words).status.success());
    assert_eq!(lines(&folder.at("journal")), 61);

    refused(8, &format!("{MATCH} --pairs 60 --pgn @/games.pgn"), "/games.pgn: File too large");
    let generate = "datagen --limit soft=60 --hash 1 --games 40 --shard 40 --output @/data";
    refused(8, generate, "/data/00000.vf: File too large");
    assert!(size(&folder.at("data/00000.vf")) > 0);
    assert!(run(&folder, generate).status.success());
    refused(8, "data convert @/data --output @/data.bf", "/data.bf: File too large");
    assert!(!folder.at("data.bf").exists());
    assert!(run(&folder, "data convert @/data --output @/data.bf").status.success());
    refused(8, "train @/data.bf --epochs 1 --output @/net.lnn", "/net.lnn: File too large");
    assert!(!folder.at("net.lnn").exists());
    // An older picture stays as it was.
    folder.write("bars.svg", b"old");
    refused(4, "data inspect @/data --svg @/bars.svg", "/bars.svg: File too large");
    assert_eq!(std::fs::read(folder.at("bars.svg")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_or_closed_standard_output_is_told_apart() {
    let folder = Folder::new("stdout");
    folder.write("suite.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;\n");
    let words = "epd --depth 2 --hash 1 @/suite.epd";
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = finish(tool(&folder, words).stdout(full).spawn().unwrap());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message, "lento-tools: standard output: No space left on device (os error 28)\n");
    // Whoever reads a line and goes away wants to hear no more.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = finish(tool(&folder, words).stdout(writer).spawn().unwrap());
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
    // Nobody listens to anything: still no panic, which would end with 101.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let both = writer.try_clone().unwrap();
    let output = finish(tool(&folder, "epd @/missing.epd").stdout(writer).stderr(both).spawn().unwrap());
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_suite_with_bad_lines_is_searched_without_them() {
    let folder = Folder::new("suite");
    let text = b"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id \"one\";\nrubbish\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Nf3;\n\
                 6k1/5ppp/8/8/8/8/8/R5K1 w - - 3 40\n6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id \"M\xfcller\";\n";
    folder.write("suite.epd", text);
    let output = run(&folder, "epd --depth 3 --hash 1 @/suite.epd");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{err}");
    assert!(err.contains("suite.epd:2: skipped \"rubbish\": ") && err.contains("suite.epd:3: skipped "), "{err}");
    let last = out.lines().last().unwrap_or_default();
    assert!(last.starts_with("2 of 2 solved, 1 without a task, ") && last.ends_with(", 2 lines skipped"), "{out}");
    let json = run(&folder, "epd --depth 3 --hash 1 --json @/suite.epd").stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["lines_skipped"], &json["skipped"][0]["line"]), (&2.into(), &2.into()));
    assert_eq!((&json["problems"][1]["solved"], &json["problems"][1]["played"]), (&Value::Null, &"Ra8#".into()));
    folder.write("suite.epd", b"rubbish\nmore\n");
    let message = refusal(&folder, "epd @/suite.epd");
    assert!(message.contains("no position in EPD or FEN") && message.contains("suite.epd:1: \"rubbish\""), "{message}");
}

#[test]
fn unknown_names_are_answered_with_all_there_are() {
    let folder = Folder::new("names");
    let output = run(&folder, "match --new rfp_margn=80 --pairs 1");
    let message = String::from_utf8(output.stderr).unwrap();
    for part in ["\"rfp_margn\"; did you mean rfp_margin?", "options: Threads, Hash", "rfp_margin (30 to 150"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn files_that_never_end_or_never_begin_are_refused() {
    let folder = Folder::new("kinds");
    let fifo = folder.at("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::create_dir(folder.at("folder")).unwrap();
    for words in [
        "data inspect",
        "wdl",
        "train --epochs 1 --output @/net.lnn",
        "train --epochs 1 --output @/net.lnn @/none.bf --init",
        "data convert --output @/out.bf",
        "data filter --output @/out.bf",
        "data shuffle --output @/out.bf",
        "epd --depth 1",
        "epd --depth 1 @/none.epd --journal",
        "match --pairs 1 --book",
        "match --pairs 1 --journal",
        "factors rfp_margin=80 --pairs 1 --journal",
        "factors --pairs 1 --factors",
        "spsa rfp_margin --iterations 1 --journal",
        "spsa rfp_margin --iterations 1 --write",
        "wdl @/none.vf --write",
        "lab recipes --positions",
        "lab recipes --suite",
    ] {
        folder.write("none.epd", b"");
        folder.write("none.bf", b"");
        for file in ["/dev/zero", "@/fifo", "@/folder"] {
            let words = format!("{words} {file}");
            let message = refusal(&folder, &words);
            let name = file.replace('@', folder.0.path().to_str().unwrap());
            assert!(message.contains(&name), "{words}: {message}");
        }
    }
}

#[test]
fn signals_end_it_and_the_work_is_kept() {
    let folder = Folder::new("signals");
    for (signal, times) in [("TERM", 1), ("INT", 1), ("INT", 2)] {
        let words = format!("{MATCH} --pairs 100000 --journal @/journal");
        let child = tool(&folder, &words).spawn().unwrap();
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
}
