//! Hash files: saving and loading at any time, damaged and foreign files, a full disk, concurrent saves.

use crate::data;
use crate::harness::{Session, count, depths, last_pv, limited, number, run};
use lento_testing::Folder;
use std::fs;
use std::path::Path;
use std::process::Command;

const POSITION: &str = "position fen r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1 moves a7a5";
const DEPTH: u32 = 12;

/// Result of searching the position to `DEPTH`.
struct Found {
    nodes: u64,
    depths: Vec<u32>,
}

impl Found {
    /// Whether the search resumed at `DEPTH`: then no depth in between is reported.
    fn resumed(&self) -> bool {
        self.depths.iter().all(|&depth| depth <= 1 || depth >= DEPTH)
    }
}

fn search(session: &mut Session) -> Found {
    let lines = session.search(&format!("{POSITION}\ngo depth {DEPTH}"));
    let depths = depths(&lines);
    assert_eq!(depths.last(), Some(&DEPTH));
    Found { nodes: number(last_pv(&lines), "nodes"), depths }
}

/// Sends a command and returns its reply.
fn reply(session: &mut Session, command: &str) -> String {
    session.send(command);
    let word = command.split(' ').next().expect("a word");
    loop {
        let line = session.read_until("info string ").pop().expect("a line");
        if line.starts_with(&format!("info string {word}: ")) || line.starts_with("info string ERROR: ") {
            return line;
        }
    }
}

/// Saves a table in which the position was searched to `DEPTH`; returns its path and the nodes of that search.
fn saved(folder: &Folder, name: &str) -> (String, u64) {
    let mut session = Session::ready();
    let nodes = search(&mut session).nodes;
    let file = folder.file(name);
    let line = reply(&mut session, &format!("savehash {file}"));
    assert!(line.contains(" entries, ") && line.contains(&file), "{line}");
    (file, nodes)
}

#[test]
fn loaded_table_resumes_the_search() {
    let folder = Folder::new("outlives");
    let (plain, nodes) = saved(&folder, "table");
    let (packed, _) = saved(&folder, "my table.zst");
    let size = |file: &str| fs::metadata(file).unwrap().len();
    assert!(size(&packed) < size(&plain) && nodes > 5000);
    for (file, hash, threads) in [(&plain, 16, 1), (&packed, 1, 2), (&plain, 33, 3)] {
        let mut session = Session::ready();
        session.send(&format!("setoption name Hash value {hash}\nsetoption name Threads value {threads}"));
        session.send(&format!("setoption name HashFile value {file}\nsetoption name LoadHash"));
        let line = session.read_until("info string loadhash: ").pop().unwrap();
        assert!(line.contains("position \"fen r1bq1rk1/") && line.ends_with(&format!(", depth {DEPTH}")), "{line}");
        // A table of 1 MiB may lose some entries.
        let again = search(&mut session);
        assert!(again.resumed() || hash == 1, "{:?}", again.depths);
        // Helpers search deeper until the main thread is scheduled.
        assert!(again.nodes < nodes / 10 || threads > 1, "{} of {nodes} nodes", again.nodes);
        assert_eq!(count(session.received(), "info string ERROR"), 0);
    }
}

#[test]
fn table_can_be_saved_during_a_search() {
    let folder = Folder::new("beside");
    let file = folder.file("table");
    let mut session = Session::ready();
    session.send(&format!("{POSITION}\ngo infinite"));
    session.read_until("info depth 5 ");
    for _ in 0..3 {
        let line = reply(&mut session, &format!("savehash {file}"));
        assert!(line.starts_with("info string savehash: "), "{line}");
    }
    // Loading waits until the search ends.
    session.send(&format!("loadhash {file}\nisready"));
    let output = session.read_until("readyok");
    assert_eq!(count(&output, "info string loadhash"), 0);
    session.send("stop");
    session.best_move();
    session.read_until("info string loadhash: ");
    assert_eq!(count(session.received(), "bestmove "), 1);
    assert_eq!(folder.names(), ["table"]);
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_files_are_refused() {
    let folder = Folder::new("names");
    let [fifo, sparse] = folder.special_files();
    let mut session = Session::ready();
    search(&mut session);
    let no_file = "it is a FIFO, a device or a socket, expected a regular file";
    let cases = [
        ("savehash", "/dev/zero".to_owned(), no_file),
        ("savehash", fifo.clone(), no_file),
        ("savehash", folder.file(""), "it is a folder, expected a regular file"),
        ("savehash", folder.file("none/table"), "No such file"),
        ("loadhash", "/dev/zero".to_owned(), no_file),
        ("loadhash", fifo, no_file),
        ("loadhash", folder.file(""), "it is a folder, expected a regular file"),
        ("loadhash", folder.file("none"), "No such file"),
        ("loadhash", sparse, "it does not begin with LENTOHSH"),
    ];
    for (command, file, reason) in cases {
        let line = reply(&mut session, &format!("{command} {file}"));
        assert!(line.starts_with("info string ERROR: ") && line.contains(reason) && line.contains(&file), "{line}");
    }
    for command in ["savehash", "loadhash"] {
        let line = reply(&mut session, command);
        assert!(line.contains(&format!("`{command}` expects a file name")), "{line}");
    }
    assert_eq!(folder.names(), ["fifo", "sparse"]);
    session.send("go nodes 50");
    session.best_move();
}

/// `/dev/stdout` is a link to the file, after whose content the table is written.
#[cfg(unix)]
#[test]
fn redirected_output_is_continued() {
    let folder = Folder::new("redirected");
    let file = fs::File::create_new(folder.file("out")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento"));
    assert!(command.args(["go depth 6", "savehash /dev/stdout"]).stdout(file).status().unwrap().success());
    let out = fs::read(folder.file("out")).unwrap();
    let place = |text: &[u8]| out.windows(text.len()).position(|window| window == text).expect("the text");
    let [best, table, message] = [&b"\nbestmove "[..], b"LENTOHSH", b"info string savehash: "].map(place);
    assert!(best < table && table < message && folder.names() == ["out"]);
    fs::write(folder.file("table"), &out[table..message]).unwrap();
    let line = reply(&mut Session::ready(), &format!("loadhash {}", folder.file("table")));
    assert!(line.starts_with("info string loadhash: "), "{line}");
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = Folder::new("damaged");
    let (file, _) = saved(&folder, "table");
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[4096 + 1000] ^= 1;
    fs::write(&file, damaged).unwrap();
    let mut session = Session::ready();
    let line = reply(&mut session, &format!("loadhash {file}"));
    assert!(line.contains("it is damaged or incomplete") && line.contains(&file), "{line}");
    fs::write(&file, whole).unwrap();
    assert!(reply(&mut session, &format!("loadhash {file}")).starts_with("info string loadhash: "));
    session.send("setoption name Drawish Endings value true");
    let line = reply(&mut session, &format!("loadhash {file}"));
    assert!(line.contains(": it was saved by") && line.contains("expected \"Lento "), "{line}");
    // The refused file added no values of another evaluation.
    let line = reply(&mut session, &format!("savehash {}", folder.file("again")));
    assert!(line.starts_with("info string savehash: "), "{line}");
    // A table with values of two evaluations cannot be saved.
    session.send("go depth 2");
    session.best_move();
    let line = reply(&mut session, &format!("savehash {file}"));
    assert!(line.contains("values of more than one evaluation"), "{line}");
}

/// `ulimit -f` simulates a full disk.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_leaves_the_old_file() {
    let folder = Folder::new("full");
    let file = folder.file("table");
    fs::write(&file, "old").unwrap();
    let mut session = limited("trap '' XFSZ; ulimit -f 2");
    session.sync();
    search(&mut session);
    let line = reply(&mut session, &format!("savehash {file}"));
    assert!(line.starts_with("info string ERROR: savehash: ") && line.contains(&file), "{line}");
    assert!(line.contains("any older file unchanged"), "{line}");
    assert_eq!((folder.names(), fs::read(&file).unwrap()), (vec!["table".to_owned()], b"old".to_vec()));
    assert!(search(&mut session).nodes > 0);
}

#[test]
fn autosave_survives_a_kill() {
    let folder = Folder::new("auto");
    let file = folder.file("table");
    fs::write(&file, "foreign").unwrap();
    fs::write(folder.file("table.old"), "older").unwrap();
    let mut session = Session::ready();
    session.send(&format!(
        "setoption name HashFile value {file}\nsetoption name AutoSave value 1s\n{POSITION}\ngo infinite"
    ));
    session.read_until("info string AutoSave: ");
    let line = session.read_until("info string AutoSave: ").pop().unwrap();
    assert!(line.contains(" entries, "), "{line}");
    drop(session);
    // The kill may have interrupted a save.
    let names: Vec<String> = folder.names().into_iter().filter(|name| !name.ends_with(".part")).collect();
    assert_eq!(names, ["table", "table.old", "table.old2"]);
    assert_eq!(fs::read(folder.file("table.old2")).unwrap(), b"foreign");
    let mut session = Session::ready();
    let line = reply(&mut session, &format!("loadhash {file}"));
    assert!(line.starts_with("info string loadhash: "), "{line}");
    assert_eq!(count(session.received(), "info string ERROR"), 0);
}

/// In analyse mode a new game clears the table only if the evaluation has changed. The table is then no longer that of the file.
#[test]
fn file_of_a_cleared_table_is_set_aside() {
    let tables = data::path("syzygy");
    let tables = tables.to_str().expect("UTF-8");
    let own = &["table"][..];
    let foreign = &["table", "table.old"][..];
    for (option, names) in [
        ("", own),
        ("setoption name Hash value 16", own),
        ("setoption name Hash value 0", own),
        ("setoption name SyzygyPath value TABLES", own),
        ("savehash other", own),
        ("setoption name Drawish Endings value true", foreign),
        ("setoption name SyzygyPath value <empty>", foreign),
        ("setoption name Hash value 15", foreign),
    ] {
        let folder = Folder::new("aside");
        let (file, _) = saved(&folder, "table");
        // Not counted below.
        let option = option.replace("other", &folder.file("other.part")).replace("TABLES", tables);
        let mut session = Session::ready();
        session.set("SyzygyPath", tables);
        session.send("setoption name UCI_AnalyseMode value true");
        assert!(reply(&mut session, &format!("loadhash {file}")).starts_with("info string loadhash: "));
        session.send(&format!(
            "{option}\nucinewgame\nsetoption name HashFile value {file}\nsetoption name AutoSave value 1s\n{POSITION}\ngo infinite"
        ));
        while !session.read_until("info string AutoSave: ").iter().any(|line| line.contains(" entries, ")) {}
        session.send("stop");
        session.best_move();
        drop(session);
        let found: Vec<String> = folder.names().into_iter().filter(|name| !name.ends_with(".part")).collect();
        assert_eq!(found, names, "{option}");
    }
}

#[test]
fn file_loaded_in_part_is_set_aside() {
    let folder = Folder::new("part");
    let (file, _) = saved(&folder, "table");
    let whole = fs::read(&file).unwrap();
    let mut session = Session::ready();
    session.send(&format!("setoption name Hash value 1\nsetoption name HashFile value {file}"));
    let line = reply(&mut session, "loadhash");
    let words: Vec<&str> = line.split(' ').collect();
    assert_ne!(words[3], words[5], "{line}");
    session.send(&format!("setoption name AutoSave value 10\n{POSITION}\ngo depth 6\nquit"));
    session.wait();
    assert_eq!(folder.names(), ["table", "table.old"]);
    assert_eq!(fs::read(folder.file("table.old")).unwrap(), whole);
}

/// Neither after a new game nor with limited strength, which has a table of its own.
#[test]
fn empty_table_leaves_the_file() {
    for commands in ["go depth 6\nucinewgame", "setoption name UCI_LimitStrength value true\ngo depth 6"] {
        let folder = Folder::new("empty");
        let (file, _) = saved(&folder, "table");
        let whole = fs::read(&file).unwrap();
        let mut session = Session::ready();
        session
            .send(&format!("setoption name HashFile value {file}\nsetoption name AutoSave value 10\n{commands}\nquit"));
        let (output, _) = session.wait();
        assert_eq!((folder.names(), fs::read(&file).unwrap()), (vec!["table".to_owned()], whole), "{output:?}");
    }
}

#[test]
fn limited_strength_leaves_the_origin() {
    let folder = Folder::new("origin");
    let (file, _) = saved(&folder, "table");
    let mut session = Session::ready();
    reply(&mut session, &format!("loadhash {file}"));
    session.search("setoption name UCI_LimitStrength value true\nposition startpos\ngo depth 6");
    reply(&mut session, &format!("savehash {file}"));
    let line = reply(&mut session, &format!("loadhash {file}"));
    assert!(line.contains("position \"fen r1bq1rk1/") && line.ends_with(&format!(", depth {DEPTH}")), "{line}");
}

#[test]
fn quit_waits_for_pending_saves() {
    let folder = Folder::new("quit");
    let file = folder.file("table");
    // A change of the table's size, cancelled by `quit`, does not empty it.
    for last in [
        "savehash\nquit",
        "setoption name AutoSave value 5\nquit",
        "setoption name AutoSave value 5\ngo infinite\nsetoption name Hash value 17\nquit",
    ] {
        let mut session = Session::ready();
        session.send(&format!("setoption name HashFile value {file}\n{POSITION}\ngo depth 8"));
        session.best_move();
        session.send(last);
        let (output, status) = session.wait();
        assert!(status.success() && output.iter().any(|line| line.contains(" entries, ")), "{output:?}");
        assert_eq!(folder.names(), ["table"]);
        fs::remove_file(&file).unwrap();
    }
}

/// The input has ended when the save fails.
#[test]
fn failed_save_to_another_file_leaves_autosave() {
    let folder = Folder::new("other");
    let options =
        [format!("setoption name HashFile value {}", folder.file("table")), "setoption name AutoSave value 5".into()];
    let save = format!("savehash {}", folder.file("none/table"));
    let output = run(&[&options[0], &options[1], POSITION, "go depth 6", &save]);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(folder.names(), ["table"], "{output:?}");
}

#[test]
fn two_programs_can_save_to_one_file() {
    let folder = Folder::new("two");
    let file = folder.file("table");
    let mut sessions = [Session::ready(), Session::ready()];
    sessions.iter_mut().for_each(|session| _ = search(session));
    for _ in 0..10 {
        sessions.iter_mut().for_each(|session| session.send(&format!("savehash {file}")));
        for session in &mut sessions {
            session.read_until("info string savehash: ");
        }
        assert_eq!(folder.names(), ["table"]);
        let line = reply(&mut sessions[0], &format!("loadhash {file}"));
        assert!(line.starts_with("info string loadhash: "), "{line}");
    }
    assert!(sessions.iter().all(|session| count(session.received(), "info string ERROR") == 0));
    assert!(Path::new(&file).is_file());
}

#[test]
fn analysis_survives_new_games_and_other_positions() {
    let mut session = Session::ready();
    session.send("setoption name UCI_AnalyseMode value true");
    let nodes = search(&mut session).nodes;
    session.send("position startpos\ngo depth 7");
    session.best_move();
    session.send("ucinewgame\nsetoption name Threads value 2\nposition startpos moves e2e4\ngo depth 7");
    session.best_move();
    let again = search(&mut session);
    assert!(again.resumed(), "{:?}", again.depths);
    session.send("setoption name Threads value 1");
    let again = search(&mut session);
    assert!(again.resumed() && again.nodes < nodes / 10, "{:?}, {} of {nodes}", again.depths, again.nodes);
    session.send("setoption name MultiPV value 2");
    search(&mut session);
    session.send("setoption name MultiPV value 1\nsetoption name UCI_AnalyseMode value false\nucinewgame");
    assert_eq!(search(&mut session).nodes, nodes, "without the option a new game clears the table");
}

/// The lines arrive at once: the input ends, or `quit` comes, during the load.
#[test]
fn save_behind_a_load_keeps_its_entries() {
    let folder = Folder::new("behind");
    let (file, _) = saved(&folder, "table");
    let size = fs::metadata(&file).unwrap().len();
    for end in ["", "quit\n"] {
        let mut session = Session::start();
        session.write(format!("loadhash {file}\n{POSITION}\ngo depth 3\nsavehash {file}\n{end}").as_bytes());
        session.end_input();
        let (output, _) = session.wait();
        assert!(fs::metadata(&file).unwrap().len() > size / 2, "{output:?}");
    }
}
