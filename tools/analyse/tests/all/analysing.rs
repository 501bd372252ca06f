//! Analyses of many positions with the real binary: database, interruptions.

use super::tree::{done, shown};
use crate::PROGRAM;
use serde_json::Value;
use std::fs;
use std::io::Read;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};

/// A temporary folder with paths as text, removed on drop.
pub struct Folder(lento_testing::Folder);

impl Folder {
    pub fn new(name: &str) -> Self {
        Self(lento_testing::Folder::new(name))
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        self.0.write(name, text.as_bytes());
        self.path(name)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.at(name).to_str().unwrap().to_owned()
    }

    /// All file names, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

pub const GAME: &str = "[Event \"a\"]\n[Result \"0-1\"]\n\n1. f3 {a comment} e5 (1...d5) 2. g4? Qh4# 0-1\n";
const SMALL: [&str; 4] = ["--threads", "1", "--hash", "1"];

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill").success());
}

pub fn analyse(args: &[&str]) -> Output {
    run(&[args, &SMALL[..]].concat())
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The output of `--jsonl` without fields that vary between runs.
pub fn records(args: &[&str]) -> Vec<Value> {
    let output = analyse(&[args, &["--jsonl"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let parse = |line: String| {
        let mut value: Value = serde_json::from_str(&line).expect("JSON");
        for volatile in ["time_ms", "nps"] {
            value.as_object_mut().unwrap().remove(volatile).expect("a measurement");
        }
        value
    };
    lines(&output).into_iter().map(parse).collect()
}

/// Removes the origin of records.
pub fn found(mut records: Vec<Value>) -> Vec<Value> {
    for record in &mut records {
        record.as_object_mut().unwrap().remove("from");
    }
    records
}

#[test]
fn games_are_analysed_once() {
    let folder = Folder::new("once");
    let pgn = folder.write("games.pgn", GAME);
    let first = records(&[&pgn, "--nodes", "2000"]);
    assert_eq!(first.len(), 5);
    assert!(first.iter().all(|record| record["from"] == "search" && record["schema"] == 1));
    assert_eq!((&first[2]["place"]["played"], &first[2]["place"]["ply"]), (&"2.g4".into(), &3.into()));
    assert_eq!((&first[3]["best"]["san"], &first[3]["lines"][0]["score"]["mate"]), (&"Qh4#".into(), &1.into()));
    assert_eq!((&first[4]["best"], &first[4]["place"]["played"]), (&Value::Null, &Value::Null));
    assert_eq!(folder.names(), ["games.lento.db", "games.pgn"], "no other files are left");
    let second = records(&[&pgn, "--nodes", "2000"]);
    assert!(second.iter().all(|record| record["from"] == "database"));
    assert_eq!(found(first.clone()), found(second));
    assert_eq!(found(first), found(records(&[&pgn, "--no-search"])));
    // Smaller limits are met by stored results; larger ones and other numbers of lines are searched.
    let sources = |args: &[&str]| records(&[&[pgn.as_str()], args].concat())[0]["from"].clone();
    assert_eq!(sources(&["--nodes", "1000"]), "database");
    assert_eq!(sources(&["--nodes", "1000", "--multipv", "2"]), "search");
    assert_eq!(sources(&["--nodes", "500"]), "database");
    assert_eq!(sources(&["--nodes", "3000"]), "search");
    assert_eq!(sources(&["--nodes", "2500"]), "database");
}

/// Limits below the first iteration do not interrupt it, so that each result has a score.
#[test]
fn first_iteration_is_completed() {
    let (folder, fen) = (Folder::new("first-iteration"), "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1");
    for (nodes, multipv) in [("1", "1"), ("15", "1"), ("20", "3")] {
        let (db, name) = (folder.path(&format!("{nodes}.db")), format!("{nodes}.tree"));
        let found = records(&["--fen", fen, "--nodes", nodes, "--multipv", multipv, "--db", &db]);
        assert_eq!(found[0]["lines"][0]["score"]["mate"], 1, "{found:?}");
        let tree = folder.path(&name);
        done(&["init", &tree, "--fen", fen]);
        done(&["grow", &tree, "--search-nodes", nodes, "--nodes", "1", "--hash", "1"]);
        assert_eq!(shown(&tree, "")["expected"], 1.0);
    }
}

/// Databases hold node limits up to 2^63 - 1; greater ones count as that.
#[test]
fn greatest_node_limits_are_stored() {
    let (folder, fen, nodes) = (Folder::new("greatest"), "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", u64::MAX.to_string());
    let (db, tree) = (folder.path("a.db"), folder.path("a.tree"));
    let from = || records(&["--fen", fen, "--nodes", &nodes, "--db", &db])[0]["from"].clone();
    assert_eq!([from(), from()], ["search", "database"]);
    done(&["init", &tree, "--fen", fen]);
    done(&["grow", &tree, "--search-nodes", &nodes, "--nodes", "1", "--hash", "1"]);
    let tree = rusqlite::Connection::open(&tree).unwrap();
    assert_eq!(tree.query_row("SELECT asked_nodes FROM search", [], |row| row.get(0)), Ok(i64::MAX));
}

/// A stalemate has no chance of a win or a loss, as with `--json` and in the database.
#[test]
fn stalemates_are_certain_draws() {
    let folder = Folder::new("stalemate");
    let (db, fen) = (folder.path("a.db"), "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let found = records(&["--fen", fen, "--depth", "1", "--db", &db]);
    assert_eq!(found[0]["lines"][0]["wdl"], serde_json::json!([0, 1000, 0]), "{found:?}");
}

#[test]
fn games_and_positions_are_selected() {
    let folder = Folder::new("chosen");
    let pgn = folder.write("games.pgn", &format!("{GAME}\n{GAME}\n{GAME}"));
    let db = folder.path("one.db");
    let places = |args: &[&str]| -> Vec<(u64, u64)> {
        let records = records(&[&[pgn.as_str(), "--db", &db, "--depth", "1"], args].concat());
        let number = |record: &Value, name| record["place"][name].as_u64().unwrap();
        records.iter().map(|record| (number(record, "game"), number(record, "ply"))).collect()
    };
    assert_eq!(places(&["--games", "2", "--plies", "2-3"]), [(2, 2), (2, 3)]);
    assert_eq!(places(&["--games", "1,3", "--last", "1"]), [(1, 5), (3, 5)]);
    assert_eq!(places(&["--games", "-1", "--color", "black"]), [(1, 2), (1, 4)]);
    let mut parts: Vec<(u64, u64)> = (1..=3).flat_map(|part| places(&["--shard", &format!("{part}/3")])).collect();
    parts.sort_unstable();
    assert_eq!(parts, places(&[]));
}

#[test]
fn invalid_positions_are_quoted_and_skipped() {
    let folder = Folder::new("bad");
    let epd = folder.write("bad.epd", "# mine\n8/8 w\n4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8+; id \"x\";\nrubbish\n");
    let pgn = folder.write("bad.pgn", &format!("{GAME}\n[Event \"b\"]\n\n1.e4 e5 2.Ke3 *\n[FEN \"8/8\"]\n1.e4 *\n"));
    let out = folder.path("out.epd");
    let output = analyse(&[&epd, &pgn, "--depth", "1", "--epd-out", &out]);
    assert!(output.status.success(), "{}", stderr(&output));
    for part in
        ["line 2: invalid FEN \"8/8 w", "line 4: ", "game 2, line 8: illegal move \"Ke3\"", "game 3, line 9: tag FEN"]
    {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    let text = fs::read_to_string(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 5 + 3);
    assert!(lines[0].starts_with("4k3/8/8/8/8/8/8/R3K3 w - - hmvc 0; fmvn 1; acd 1; acn "), "{}", lines[0]);
    assert!(lines[0].contains(" pv ") && lines[0].ends_with(" bm Ra8+; id \"x\";"), "{}", lines[0]);
    assert!(lines[4].contains(" ce 32766; pv Qh4#;") && lines[5].contains(" ce -32767;"), "{lines:#?}");
}

#[test]
fn input_without_positions_leaves_no_database() {
    let folder = Folder::new("nothing");
    let [pgn, empty, epd, broken] = [
        folder.write("games.pgn", &GAME.repeat(3)),
        folder.write("empty.pgn", "\n"),
        folder.write("empty.epd", "# nothing\n"),
        folder.write("broken.pgn", "[FEN \"8/8\"]\n1. e4 *\n"),
    ];
    let names = folder.names();
    for (args, expected) in [
        (&[empty.as_str()][..], "empty.pgn: no position; expected games in PGN, or lines of EPD or FEN"),
        (&[&empty, &epd], "empty.pgn, "),
        (&[&broken], "game 1, line 1: tag FEN"),
        (&[&broken], "broken.pgn: no position"),
        (&[&pgn, "--games", "99"], "--games 99: no position of the 3 games in "),
        (&[&pgn, "--games", "-2", "--plies", "9-"], "--games 1-2 --plies 9-: no position of the "),
        (&[&pgn, "--games", "99", "--pgn-out", &folder.path("out.pgn")], "expected another selection"),
    ] {
        let output = analyse(args);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
        assert_eq!(folder.names(), names, "{args:?}");
    }
    // Shards may be empty.
    let one = folder.write("one.pgn", "*\n");
    let searched = [1, 2].map(|part| records(&[&one, "--shard", &format!("{part}/2"), "--depth", "1"]).len());
    assert_eq!(searched[0] + searched[1], 1);
}

#[test]
fn control_characters_of_files_are_escaped() {
    let folder = Folder::new("control");
    let epd = folder.write("a.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - id \"\x1b]0;me\x07\";\n4k3/8 \x1b w\n");
    let output = analyse(&[&epd, "--depth", "1"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(text.contains("a.epd, line 1, \\u{1b}]0;me\\u{7}: depth 1, "), "{text:?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn merging_databases_is_idempotent() {
    let folder = Folder::new("merge");
    let pgn = folder.write("games.pgn", GAME);
    let dbs: Vec<String> = (1..=2).map(|part| folder.path(&format!("part{part}.db"))).collect();
    for (part, db) in (1..).zip(&dbs) {
        records(&[&pgn, "--db", db, "--shard", &format!("{part}/2"), "--nodes", "1000"]);
    }
    let all = folder.path("all.db");
    let merge = || lines(&run(&["merge", &all, &dbs[0], &dbs[1]])).pop().unwrap();
    assert_eq!(merge(), "total: 5 of 5 analyses taken");
    assert_eq!(merge(), "total: 0 of 5 analyses taken");
    let whole = records(&[&pgn, "--db", &all, "--nodes", "1000"]);
    assert!(whole.len() == 5 && whole.iter().all(|record| record["from"] == "database"));
    let fresh = records(&[&pgn, "--db", &folder.path("fresh.db"), "--nodes", "1000"]);
    assert_eq!(found(whole), found(fresh), "shards have the results of a single run");
    let output = run(&["merge", &folder.path("new.db"), &dbs[0], &folder.path("missing.db")]);
    assert!(stderr(&output).contains("missing.db: no such file") && !folder.names().contains(&"new.db".into()));
    // Deeper wins.
    records(&[&pgn, "--db", &dbs[0], "--nodes", "5000"]);
    assert_eq!(merge(), "total: 4 of 8 analyses taken");
}

#[test]
fn options_for_one_position_are_refused_for_files() {
    let folder = Folder::new("one-position");
    let epd = folder.write("a.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n");
    for option in [&["--infinite"][..], &["--json"], &["--avoid", "e4"], &["--threat"]] {
        let output = analyse(&[&[epd.as_str()][..], option].concat());
        let expected = format!("{} works only for one position", option[0]);
        assert!(!output.status.success() && stderr(&output).contains(&expected), "{}", stderr(&output));
    }
    assert_eq!(folder.names(), ["a.epd"]);
}

#[test]
fn invalid_databases_are_refused() {
    let folder = Folder::new("refused");
    let pgn = folder.write("games.pgn", GAME);
    let try_db = |db: &str| {
        let output = analyse(&[&pgn, "--db", db, "--depth", "1"]);
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    assert!(try_db(&folder.write("text.db", &"no database ".repeat(1000))).contains("expected a database"));
    assert!(try_db(&folder.path("no/such/folder.db")).contains("expected a writable folder"));
    assert!(try_db(&folder.path("")).contains("not a regular file"));
    fs::create_dir(folder.path("games.lento.db-wal")).unwrap();
    assert!(stderr(&analyse(&[&pgn, "--depth", "1"])).contains("without --db the results go beside the first file"));
    let newer = folder.path("newer.db");
    records(&[&pgn, "--db", &newer, "--depth", "1"]);
    let mut bytes = fs::read(&newer).unwrap();
    // The header's user_version.
    bytes[60..64].copy_from_slice(&7_u32.to_be_bytes());
    fs::write(&newer, &bytes).unwrap();
    assert!(try_db(&newer).contains("schema version 7, expected 1"));
    bytes[68..72].copy_from_slice(&7_u32.to_be_bytes());
    fs::write(&newer, &bytes).unwrap();
    assert!(try_db(&newer).contains("another program's database"));
    assert_eq!(fs::read(&newer).unwrap(), bytes, "the file is unchanged");
    #[cfg(not(feature = "postgres"))]
    {
        let stderr = try_db("postgresql://me:secret@server/games");
        assert!(
            stderr.contains("postgresql://me@server/games: ") && stderr.contains("--features postgres"),
            "{stderr}"
        );
    }
    for (name, expected) in
        [("", "expected the name of a file"), (":memory:", "':memory:'"), ("file:x", "without `file:`")]
    {
        let output = analyse(&[&pgn, "--db", name]);
        assert!(output.status.code() == Some(2) && stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let output = analyse(&["--jsonl"]);
    assert!(stderr(&output).contains("expected --db FILE"));
    let output = analyse(&["games.txt"]);
    assert!(stderr(&output).contains("games.txt: expected a name ending in .pgn, .epd or .fen"));
}

/// A run with fixed nodes, killed repeatedly, ends with the results of an uninterrupted one.
#[cfg(unix)]
#[test]
fn killed_runs_lose_nothing() {
    let folder = Folder::new("killed");
    let pgn = folder.write("games.pgn", &format!("{GAME}\n1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 1/2-1/2\n"));
    let (db, args) = (folder.path("killed.db"), ["--nodes", "20000"]);
    let mut done = Vec::new();
    for nth in 1..=6 {
        let mut child = Command::new(PROGRAM)
            .args([&pgn, "--db", &db, "--jsonl"])
            .args(args)
            .args(SMALL)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Kills it after part of the output.
        let mut some = vec![0; 1500 * nth];
        let mut output = child.stdout.take().unwrap();
        let _ = output.read_exact(&mut some);
        child.kill().unwrap();
        child.wait().unwrap();
        done.push(records(&[&pgn, "--db", &db, "--no-search"]).len());
    }
    assert!(done.is_sorted() && done[5] > 2, "{done:?}");
    let ended = records(&[&[pgn.as_str(), "--db", &db], &args[..]].concat());
    let fresh = records(&[&[pgn.as_str(), "--db", &folder.path("fresh.db")], &args[..]].concat());
    assert_eq!(found(ended), found(fresh));
    // Killed runs leave only the database.
    assert_eq!(folder.names(), ["fresh.db", "games.pgn", "killed.db"]);
}

/// Ctrl-C keeps partial results, and the same command resumes.
#[cfg(unix)]
#[test]
fn interrupted_search_is_resumed() {
    let folder = Folder::new("interrupted");
    let db = folder.path("one.db");
    let args = ["--db", &db, "--time", "3s", "--jsonl"];
    // On a busy machine the search may not have started yet.
    let interrupted = (1..10).find_map(|halves| {
        let mut command = Command::new(PROGRAM);
        let child = command.args(args).args(SMALL).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&folder.path("one.db-wal"));
        std::thread::sleep(halves * std::time::Duration::from_millis(500));
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        (!output.stdout.is_empty()).then_some(output)
    });
    let record: Value = serde_json::from_slice(&interrupted.expect("a started search").stdout).unwrap();
    assert_eq!(record["finished"], false);
    assert_eq!(folder.names(), ["one.db", "one.db-1.lhf"]);
    let stored = &records(&["--db", &db, "--no-search"])[0];
    assert_eq!((&stored["finished"], &stored["asked"]), (&record["finished"], &record["asked"]));
    let again: Value = serde_json::from_slice(&run(&[&args[..], &SMALL[..]].concat()).stdout).unwrap();
    assert_eq!((&again["finished"], &again["from"]), (&true.into(), &"search".into()));
    assert!(again["nodes"].as_u64() > record["nodes"].as_u64() && again["depth"].as_u64() >= record["depth"].as_u64());
    let time = again["time_ms"].as_u64().unwrap();
    assert!(time >= 2900, "{time} ms in total");
    assert_eq!(folder.names(), ["one.db"], "the hash file is removed");
}

/// Two runs together search each position once.
#[test]
fn two_processes_share_a_database() {
    let folder = Folder::new("shared");
    let pgn = folder.write("games.pgn", "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7 1/2-1/2\n");
    let db = folder.path("both.db");
    let start = || {
        Command::new(PROGRAM)
            .args([&pgn, "--db", &db, "--jsonl", "--nodes", "20000"])
            .args(SMALL)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let outputs = [start(), start()].map(|child| child.wait_with_output().unwrap());
    let mut searched = 0;
    for output in &outputs {
        assert!(output.status.success(), "{}", stderr(output));
        let lines = lines(output);
        assert_eq!(lines.len(), 11);
        searched += lines.iter().filter(|line| line.contains("\"from\":\"search\"")).count();
    }
    assert_eq!(searched, 11, "no position is searched twice");
}

#[cfg(unix)]
fn wait_for(path: &str) {
    for _ in 0..600 {
        if fs::exists(path).unwrap() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{path} does not exist");
}

/// A task of a Slurm array keeps the results of a killed program.
#[cfg(unix)]
#[test]
fn arrays_keep_results_of_killed_programs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("array");
    folder.write("games.pgn", GAME);
    // Kills the analysis after its first result.
    let script = format!(
        "#!/bin/sh\nshift\n[ \"$1\" != merge ] || exec '{PROGRAM}' \"$@\"\n'{PROGRAM}' \"$@\" &\n\
         until [ -s part-1.jsonl ]; do sleep 0.02; done\nkill -9 $!\nexit 137\n"
    );
    let lento = folder.write("lento", &script);
    // The task is stopped while it copies the results.
    let copy = folder.write("cp", "#!/bin/sh\nkill -TERM $PPID\nexec /bin/cp \"$@\"\n");
    for program in [&lento, &copy] {
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut array = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../slurm/array"));
    array.env("PATH", format!("{}:{}", folder.path(""), std::env::var("PATH").unwrap()));
    array.args(["games.pgn", "--nodes", "300000", "--hash", "1"]).current_dir(folder.path("")).env("LENTO", &lento);
    array.envs([("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_MAX", "1")]);
    assert_eq!(array.status().expect("bash").code(), Some(137));
    let merged = run(&["merge", &folder.path("all.db"), &folder.path("part-1.db")]);
    let text = String::from_utf8_lossy(&merged.stdout).into_owned();
    assert!(merged.status.success() && !text.contains(": 0 of "), "{text}{}", stderr(&merged));
}
