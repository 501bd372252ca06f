//! Command-line tasks of the real binary.

use crate::harness::{count, lines, run};
use lento::search::lmr::rebel::LINES;
use serde_json::Value;

#[test]
fn uci_commands_as_arguments_run_in_order() {
    let output = run(&["position startpos moves e2e4", "go depth 5", "position startpos", "go depth 3", "d"]);
    assert!(output.status.success());
    let lines = lines(&output);
    assert_eq!(count(&lines, "bestmove "), 2);
    assert!(lines.iter().any(|line| line.starts_with("info depth 5 ")), "the search ran to its end");
    assert!(lines.last().is_some_and(|line| line.starts_with("Checkers:")), "the board comes last");
}

#[test]
fn help_describes_an_option() {
    let output = run(&["help move overhead", "help Sense of Humour"]);
    let lines = lines(&output);
    assert!(lines[0].starts_with("Move Overhead: 0 to 5000 [default: 10]. Milliseconds "), "{lines:#?}");
    assert!(lines[1].contains("unknown option \"Sense of Humour\"; known options are Threads, "), "{lines:#?}");
}

#[test]
fn unknown_commands_run_nothing() {
    for args in [&["analise"][..], &["isready", "go depht 3"], &["go", "depth", "3"], &["position startpos e2e4"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
    let output = run(&["position startpos moves e2e5", "isready"]);
    assert_eq!(output.status.code(), Some(1), "errors are reflected in the exit code");
    assert_eq!(lines(&output).last().map(String::as_str), Some("readyok"));
}

#[test]
fn perft() {
    let output = run(&["perft", "3", "--fen", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"]);
    let lines = lines(&output);
    assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 2812"));
    assert_eq!(lines.len(), 16);
    let castling = run(&["perft", "1", "--chess960", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]);
    assert!(crate::harness::lines(&castling).contains(&"e1h1: 1".into()));
    let output = run(&["perft", "2", "--fen", "nonsense"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("nonsense"));
}

#[test]
fn bench_in_both_forms() {
    let plain = lines(&run(&["bench", "3"]));
    let last: Vec<&str> = plain.last().expect("a summary").split(' ').collect();
    assert_eq!((last[1], last[3]), ("nodes", "nps"));
    let json: Value = serde_json::from_slice(&run(&["bench", "3", "--json"]).stdout).expect("JSON");
    assert_eq!(json["nodes"].to_string(), last[0], "the node count repeats");
    assert_eq!(json["positions"].as_array().map(Vec::len), Some(plain.len() - 1));
}

#[test]
fn bench_reports_last_best_reply_statistics() {
    let args = ["bench", "6", "--lbr", "pair+quiet", "--set", "history_one=0", "--stats"];
    let plain = lines(&run(&args));
    let summary: Vec<&str> = plain.last().expect("a summary").split(' ').collect();
    let start = plain.iter().position(|line| line == "Last Best Reply").expect("a table");
    let table = &plain[start..start + 6];
    let json: Value = serde_json::from_slice(&run(&[&args[..], &["--json"]].concat()).stdout).expect("JSON");
    assert_eq!((&json["lbr"], &json["numbers"]["history_one"]), (&"pair+quiet".into(), &0.into()));
    assert_eq!(json["nodes"].to_string(), summary[0]);
    let names = ["nodes", "first_matches", "second_matches", "best", "cutoffs"];
    for (name, row) in names.into_iter().zip(&table[1..]) {
        let count = json["lbr_stats"][name].to_string();
        assert!(count != "0" && row.split(' ').any(|word| word == count), "{name} {count}: {row}");
    }
    let usual: Value = serde_json::from_slice(&run(&["bench", "6", "--json"]).stdout).expect("JSON");
    assert_eq!((&usual["lbr"], usual.get("lbr_stats")), (&"reply".into(), None));
    assert_ne!(usual["nodes"], json["nodes"]);
}

#[test]
fn bench_quotes_invalid_arguments() {
    for (args, quoted, expected) in [
        (["--lbr", "triple"], "triple", "two-plies"),
        (["--set", "history_one"], "history_one", "NAME=VALUE"),
        (["--set", "history_one=x"], "x", "whole number"),
        (["--set", "history_one=-7"], "-7", "0 to"),
        (["--set", "histery_one=0"], "histery_one", "unknown parameter"),
        (["--stats", "--threads=2"], "--stats", "cannot be used with"),
    ] {
        let output = run(&["bench", "1", args[0], args[1]]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}");
        assert!(stderr.contains(quoted) && stderr.contains(expected), "{args:?}: {stderr}");
    }
}

#[test]
fn eval_prints_its_stages() {
    // At a fifty-move clock of 50 the static evaluation differs from the network output.
    let output = run(&["eval", "--fen", "r3kb1r/3n1pp1/p6p/2pPp2q/Pp2N3/3B2PP/1PQ2P2/R3K2R w KQkq - 50 90"]);
    let lines = lines(&output);
    assert!(output.status.success() && lines.len() > 3);
    let [.., network, evaluation, shown, chances] = lines.as_slice() else { panic!("{lines:#?}") };
    let number = |line: &str, name: &str, unit: &str| -> f64 {
        let rest = line.strip_prefix(name).unwrap_or_else(|| panic!("{line}"));
        rest.split_once(unit).unwrap_or_else(|| panic!("{line}")).0.parse().unwrap()
    };
    let network = number(network, "network output ", " internal centipawns, White's view");
    let evaluation = number(evaluation, "static evaluation ", " internal centipawns, White's view: ");
    let shown = number(shown, "shown as ", " pawns, White's view");
    assert!(network.abs() > evaluation.abs() && evaluation.abs() > 0.0 && shown != 0.0, "{lines:#?}");
    assert!(chances.starts_with("White wins "), "{lines:#?}");
}

#[test]
fn analyse_prints_table_and_best_move() {
    let output = run(&["analyse", "--moves", "1. e4 e5 2. Nf3", "--depth", "6", "--threads", "2", "--hash", "16"]);
    assert!(output.status.success());
    let lines = lines(&output);
    assert_eq!(lines[0], "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    assert_eq!(lines[1], "2 threads, hash 16 MiB, depth 6");
    let header = lines.iter().position(|line| line.ends_with("line")).expect("a header");
    let column = lines[header].find("line").expect("a column");
    let rows: Vec<&String> = lines[header + 1..].iter().take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() >= 6 && rows.iter().all(|row| row[column..].starts_with("2...")), "{rows:#?}");
    assert!(lines.iter().any(|line| line.starts_with("best move ")));
    assert!(!String::from_utf8_lossy(&output.stdout).contains('\x1b'), "no escape codes in a pipe");
}

#[test]
fn analyse_writes_json() {
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let output =
        run(&["analyse", "--fen", fen, "--depth", "4", "--threads", "1", "--hash", "1", "--multipv", "2", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["fen"], &json["threads"], &json["hash_mib"]), (&fen.into(), &1.into(), &1.into()));
    assert_eq!((&json["best"]["uci"], &json["best"]["san"]), (&"a1a8".into(), &"Ra8#".into()));
    assert_eq!(json["ponder"], Value::Null);
    let first = &json["lines"][0];
    assert_eq!(
        (&first["score"]["mate"], &first["bound"], &first["pv"][0]),
        (&1.into(), &"exact".into(), &"a1a8".into())
    );
    assert_eq!(first["wdl"], serde_json::json!([1000, 0, 0]));
    assert_eq!(json["lines"].as_array().map(Vec::len), Some(2));
    assert!(json["iterations"].as_array().is_some_and(|iterations| iterations.len() >= 2));
}

#[test]
fn analyse_reports_checkmate() {
    let output = run(&["analyse", "--moves", "f3 e5 g4 Qh4#", "--time", "10", "--hash", "1", "--threads", "1"]);
    assert!(output.status.success());
    assert_eq!(lines(&output).last().map(String::as_str), Some("no legal move: checkmate"));
}

#[test]
fn help() {
    for (args, word) in
        [(&["--help"][..], "analyse"), (&["analyse", "--help"], "iterations"), (&["uci", "--help"], "UCI")]
    {
        let output = run(args);
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains(word), "{args:?}");
    }
}

/// `Lento 0.1.0 (ea86e73, 2026-11-21; x86_64-unknown-linux-gnu, rustc 1.95.0, release; built for AVX2 BMI2; runs AVX-512)`.
#[test]
fn version_names_commit_and_build() {
    let [long, short] = ["--version", "-V"].map(|arg| lines(&run(&[arg])));
    let start = format!("Lento {} ({}", env!("CARGO_PKG_VERSION"), lento::internals::version::COMMIT);
    assert_eq!(short, [format!("{start})")]);
    assert!(
        long[0].starts_with(&start) && long[0].ends_with(')') && long[1].starts_with("evaluation nnue "),
        "{long:#?}"
    );
    let parts: Vec<&str> = long[0].split("; ").collect();
    let [_, compiler, built, runs] = parts.as_slice() else { panic!("{long:#?}") };
    assert!(compiler.contains(std::env::consts::ARCH) && compiler.contains(", rustc 1."), "{compiler}");
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    assert_eq!(compiler.split(", ").nth(2), Some(profile), "{compiler}");
    assert!(built.starts_with("built for ") && runs.starts_with("runs "), "{built}; {runs}");
    let vectors = cfg!(any(target_feature = "sse4.2", target_feature = "neon"));
    assert_eq!(built.contains("any processor"), !vectors, "{built}");
}

#[test]
fn version_names_the_checked_out_commit() {
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").args(args).current_dir(crate::data::ROOT).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let root = std::path::Path::new(crate::data::ROOT).canonicalize().unwrap();
    let here = git(&["rev-parse", "--show-toplevel"]).is_some_and(|top| std::path::Path::new(&top) == root);
    let expected = match git(&["log", "-1", "--format=%H %cs"]) {
        _ if cfg!(debug_assertions) => "debug build".to_owned(),
        Some(answer) if here => format!("{}, {}", &answer[..7], &answer[41..]),
        _ => "commit unknown".to_owned(),
    };
    assert_eq!(lento::internals::version::COMMIT, expected);
}

/// Row of an option of the `rebel` recipe in docs/search.md, without the last column.
fn documented(name: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/search.md")).expect("the page");
    let row = text.lines().find(|row| row.starts_with(&format!("| `{name}` | "))).unwrap_or_else(|| panic!("{name}"));
    row.trim_end_matches(" |").rsplit_once(" | ").expect("columns").0.to_owned()
}

#[test]
fn rebel_lines_are_documented() {
    let output = run(&["setoption name LMR value rebel", "uci"]);
    let announced = String::from_utf8(output.stdout).expect("UTF-8");
    let kinds = announced.lines().filter_map(|line| line.strip_prefix("option name ")?.split_once(" type "));
    let numbers = kinds.filter_map(|(name, kind)| Some((name, kind.strip_prefix("spin default ")?)));
    let mut found = 0;
    for (name, numbers) in numbers.filter(|(name, _)| name.starts_with("Rebel ")) {
        let default = numbers.split(' ').next().expect("a number");
        if let Some(line) = name.strip_suffix(" Weight") {
            documented(line);
            assert_eq!(default, "10", "{name}: the page states one default");
            found += 1;
        } else if let Some(line) = name.strip_suffix(" Margin") {
            let row = documented(line);
            assert!(row.ends_with(&format!(" | {default}")), "{name} {default}: {row}");
        }
    }
    assert_eq!(found, LINES.len());
}
