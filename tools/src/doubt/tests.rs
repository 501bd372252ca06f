//! Whole runs.

use super::*;
use crate::common::arguments::parse;
use lento::chess::Game;

fn args(words: &str) -> Args {
    parse(std::iter::once("doubt").chain(words.split_whitespace())).unwrap()
}

fn found(words: &str) -> Found {
    let args = args(words);
    let positions = Positions::of(&args).unwrap();
    examine_all(&args, &positions, &Stop::default(), |_| ()).unwrap()
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_threads() {
    let few = "--games 3 --nodes 8000 --every 40 --hash 1";
    let one = found(&format!("{few} --threads 1"));
    assert_eq!(one, found(&format!("{few} --threads 3")));
    assert!(one.doubted.len() > 50 && one.positions == 3, "{}", one.doubted.len());
    assert_ne!(one.doubted, found(&format!("{few} --threads 2 --seed 2")).doubted);
}

#[test]
fn a_rule_alone_is_doubted_as_among_all() {
    let few = "--games 2 --nodes 8000 --every 30 --hash 1 --threads 1";
    let (all, alone) = (found(few), found(&format!("{few} --rule futility")));
    assert_eq!(all.of(Rule::Futility), alone.of(Rule::Futility));
    assert_eq!(all.cuts[Rule::Futility as usize], alone.cuts[Rule::Futility as usize]);
    assert_eq!(alone.cuts.iter().filter(|&&cuts| cuts > 0).count(), 1);
    assert!(alone.doubted.len() > 5 && alone.doubted.iter().all(|doubted| doubted.rule == Rule::Futility));
    let deep = found(&format!("{few} --from-depth 4"));
    assert!(deep.doubted.iter().all(|doubted| doubted.facts.depth >= 4));
    assert_eq!(deep.of(Rule::QuiesceFutility), Default::default());
}

#[test]
fn documents_are_json_and_hold_what_the_tables_do() {
    let given = args("--games 2 --nodes 8000 --every 25 --by depth+margin --hash 1");
    let found = found("--games 2 --nodes 8000 --every 25 --hash 1");
    let document = report::json(&given, &found);
    assert_eq!(serde_json::from_str::<Value>(&document.to_string()).unwrap(), document);
    for rule in document["rules"].as_array().unwrap() {
        let rows = rule["breakdowns"][0]["rows"].as_array().unwrap();
        let sampled: u64 = rows.iter().map(|row| row["sampled"].as_u64().unwrap()).sum();
        assert_eq!(sampled, rule["sampled"].as_u64().unwrap(), "{}", rule["rule"]);
        assert!(rule["cuts"].as_u64().unwrap() >= sampled);
    }
    let text = report::text(&given, &found);
    assert!(text.contains("\nreverse-futility by depth+margin\ndepth") && !text.contains("by node"), "{text}");
    let page = report::markdown(&given, &found);
    assert!(page.contains("\n| rule | cuts | sampled |") && page.contains("--by depth+margin"), "{page}");
}

#[test]
fn what_was_not_finished_is_not_counted() {
    let given = args("--nodes 1000000000 --hash 1 --threads 2");
    let stop = Stop::default();
    let asked = stop.clone();
    let later = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        asked.ask();
    });
    let found = examine_all(&given, &Positions::of(&given).unwrap(), &stop, |_| ()).unwrap();
    later.join().unwrap();
    assert_eq!(found, Found::default());
    assert!(report::text(&given, &found).contains("0 positions"));
    assert!(report::json(&given, &found)["rules"][0]["by_moves"].is_null());
}

#[test]
fn positions_of_games_repeat_and_can_be_searched() {
    let given = args("--games 4");
    let mut examiner = Examiner::new(&given).unwrap();
    let (positions, never) = (Positions::of(&given).unwrap(), Stop::default());
    let mut fens = |numbers: &[u64]| -> Vec<String> {
        let mut get = |&number: &u64| positions.get(number, &mut examiner, [&never, &never]).unwrap();
        numbers.iter().map(|number| get(number).board().fen(false)).collect()
    };
    let four = fens(&[0, 1, 2, 3]);
    assert_eq!(fens(&[3, 1]), [four[3].clone(), four[1].clone()]);
    assert!(four.iter().all(|fen| Game::from_fen(fen).unwrap().verdict().is_none()));
    assert!(four.iter().collect::<std::collections::HashSet<_>>().len() == 4);
}
