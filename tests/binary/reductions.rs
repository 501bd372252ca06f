//! Reduction recipes and their statistics, over UCI and on the command line.

use crate::harness::{MIDDLEGAME, Session, number, run};
use serde_json::Value;
use std::collections::HashSet;

const RECIPES: [&str; 12] = [
    "tuned",
    "off",
    "guide-fixed",
    "guide-adaptive",
    "guide-log",
    "guide-conservative",
    "guide-aggressive",
    "guide-custom",
    "mediocre",
    "madchess",
    "rebel-simple",
    "rebel",
];

/// Nodes of the last search.
fn nodes(output: &[String]) -> u64 {
    let line = output.iter().rfind(|line| line.starts_with("info depth ")).expect("a search");
    number(line, "nodes")
}

#[test]
fn recipes_search_different_trees_and_switch_at_run_time() {
    let mut session = Session::ready();
    let mut count = |recipe: &str| {
        session.set("LMR", recipe);
        nodes(&session.search(&format!("ucinewgame\nposition fen {MIDDLEGAME}\ngo depth 9")))
    };
    let counts = RECIPES.map(&mut count);
    assert_eq!(RECIPES.map(count), counts, "the same recipe gives the same nodes");
    let [tuned, off, ..] = counts;
    assert!(tuned < off, "{counts:?}");
    assert_eq!(counts.iter().collect::<HashSet<_>>().len(), RECIPES.len(), "{counts:?}");
}

#[test]
fn rebel_options_are_shown_while_in_use() {
    let mut session = Session::ready();
    let shown = |session: &mut Session| {
        session.send("uci");
        session.read_until("uciok").iter().filter(|line| line.starts_with("option name Rebel ")).count()
    };
    assert_eq!(shown(&mut session), 0);
    session.send("setoption name LMR value rebel");
    assert_eq!(shown(&mut session), 49);
    // Summed over several positions: in one, a larger reduction can cost nodes.
    let mut count = |setting: &str| -> u64 {
        session.send(&format!("setoption name {setting}"));
        let mut of = |position: &str| nodes(&session.search(&format!("ucinewgame\nposition {position}\ngo depth 9")));
        ["startpos", &format!("fen {MIDDLEGAME}"), "startpos moves e2e4 c7c5 g1f3 d7d6"].into_iter().map(&mut of).sum()
    };
    let default = count("Rebel P value 50");
    assert_ne!(count("Rebel Surplus value false"), default);
    assert_eq!(count("Rebel Surplus value true"), default);
    assert!(count("Rebel P value 100") < default);
    session.send("setoption name LMR Helpers value tuned\nsetoption name LMR value off");
    assert_eq!(shown(&mut session), 0);
    session.send("setoption name LMR Helpers value rebel");
    assert_eq!(shown(&mut session), 49);
    let output = session.set("Rebel Gain Weight", "heavy");
    let message = "option Rebel Gain Weight expects a whole number from 0 to 100, not \"heavy\"";
    assert!(output.iter().any(|line| line.contains(message)), "{output:#?}");
}

#[test]
fn helpers_can_use_other_recipes() {
    let mut session = Session::ready();
    session.send("setoption name Threads value 3");
    for helpers in ["rotate", "rebel", "off", "same"] {
        session.set("LMR Helpers", helpers);
        session.search("position startpos\ngo depth 9");
    }
}

#[test]
fn lmrstats_reports_the_last_search_if_enabled() {
    let mut session = Session::ready();
    session.search("position startpos\ngo depth 9");
    session.send("lmrstats");
    let output = session.sync();
    assert!(output.iter().any(|line| line.contains("with the option LMR Statistics on")), "{output:#?}");
    session.set("LMR Statistics", "true");
    let counted = nodes(&session.search("ucinewgame\nposition startpos\ngo depth 9"));
    session.send("lmrstats");
    let output = session.sync();
    assert!(output.iter().any(|line| *line == format!("recipe tuned to depth 9: {counted} nodes")), "{output:#?}");
    assert!(
        output.iter().any(|line| line.starts_with("moves reduced ") && line.contains("the healthy range, 40 to 60"))
    );
    session.send("lmrstats off\nisready");
    let output = session.read_until("nodes saved");
    let expected = format!("recipe tuned to depth 9: {counted} nodes, ");
    assert!(
        output.iter().any(|line| line.starts_with(&expected) && line.ends_with(" without reductions")),
        "{output:#?}"
    );
    let line = |output: &[String]| output.iter().find(|line| line.ends_with(" without reductions")).cloned();
    // Position and options may change after the search.
    for change in [
        "position startpos moves e2e4",
        "setoption name MultiPV value 4",
        "setoption name MultiPV value 1\nsetoption name UCI_LimitStrength value true",
    ] {
        session.send(&format!("{change}\nlmrstats off"));
        assert_eq!(line(&session.read_until("nodes saved")), line(&output), "{change}");
    }
    session.set("UCI_LimitStrength", "false");
    // A search without any reduction.
    session.set("LMR", "off");
    session.search("position startpos\ngo depth 6");
    session.send("lmrstats");
    let output = session.sync();
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(output.iter().any(|line| words(line)[..] == ["average", "reduction", "-"]), "{output:#?}");
}

/// Without reductions in both searches, their nodes are equal.
#[test]
fn lmrstats_off_uses_lines_and_threads_of_the_search() {
    let mut session = Session::ready();
    let options = [("LMR Statistics", "true"), ("LMR", "off"), ("Deterministic", "true"), ("MultiPV", "3")];
    options.iter().for_each(|(name, value)| drop(session.set(name, value)));
    for threads in ["1", "2"] {
        session.set("Threads", threads);
        session.search("ucinewgame\nposition startpos\ngo depth 6");
        session.send("lmrstats off");
        let line = session.read_until("recipe off to depth 6: ").pop().expect("a line");
        assert_eq!(number::<u64>(&line, "6:"), number::<u64>(&line, "nodes,"), "{threads}: {line}");
    }
}

#[test]
fn stop_cancels_lmrstats_off() {
    let mut session = Session::ready();
    session.set("LMR Statistics", "true");
    session.search("position startpos\ngo depth 16");
    session.send("lmrstats off\nstop\nisready");
    assert!(session.read_until("readyok").iter().all(|line| !line.starts_with("nodes saved")));
}

#[test]
fn bench_reports_lmr_statistics_as_json() {
    let output = run(&["bench", "5", "--lmr", "guide-log", "--stats", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let stats = &document["lmr_stats"];
    assert_eq!(
        (&document["lmr"], &stats["recipe"], &stats["nodes"]),
        (&"guide-log".into(), &"guide-log".into(), &document["nodes"])
    );
    assert!(stats["nodes_without_reductions"].as_u64() > stats["nodes"].as_u64());
    let sum = |key: &str| stats[key].as_array().unwrap().iter().map(|row| row["moves"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("by_depth"), sum("by_number"));
    assert_eq!(stats["measures"][0]["healthy"], serde_json::json!([40.0, 60.0]));
    let refused = run(&["bench", "--lmr", "nonsense"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("expected one of tuned, off, guide-fixed"));
}
