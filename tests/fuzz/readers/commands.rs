//! UCI commands.

use super::cases;
use lento_testing::{Random, mutate};
use lento_uci::command::{Command, ParsedLine, parse, usage};
use proptest::prelude::*;

/// Words from the usage texts, in any order.
fn words() -> impl Strategy<Value = String> {
    let known: Vec<String> = usage()
        .flat_map(|usage| usage.split([' ', ':', '|', '[', ']', '<', '>']).map(String::from).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .chain(["-1", "0", "5", "99999999999999999999", "e2e4", "e7e8q", "startpos", "true", "Hash"].map(String::from))
        .collect();
    prop::collection::vec(prop::sample::select(known), 0..12).prop_map(|words| words.join(" "))
}

/// Parses a line: the result is a command, a problem, or nothing for an empty line; messages are short and on one line.
fn parse_checked(text: &str) -> Result<ParsedLine, TestCaseError> {
    let line = parse(text);
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    let is_empty = trimmed.is_empty() || trimmed.starts_with('#');
    prop_assert_eq!(is_empty, line.command.is_none() && line.problems.is_empty(), "{:?}", text);
    for problem in &line.problems {
        let message = problem.to_string();
        prop_assert!(!message.contains('\n') && message.len() < 2000, "{:?}", message);
    }
    Ok(line)
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn arbitrary_text_is_parsed_or_reported(text in "\\PC{0,200}|[ -~\\x00-\\x1f]{0,60}") {
        parse_checked(&text)?;
    }

    #[test]
    fn known_words_in_any_order_are_parsed_or_reported(text in words(), seed: u64) {
        let line = parse_checked(&text)?;
        // White space around and between words makes no difference, except within quotes.
        let spaced = format!(" \t{}\r", text.replace(' ', " \t "));
        let other = parse_checked(&spaced)?;
        prop_assert_eq!(line.command.is_some(), other.command.is_some(), "{:?}", text);
        prop_assert_eq!(line.problems.len(), other.problems.len(), "{:?}", text);
        parse_checked(&String::from_utf8_lossy(&mutate(text.into_bytes(), &mut Random::new(seed))))?;
    }

    #[test]
    fn limits_are_parsed_in_any_order(depth in prop::option::of(0..1000_i32), nodes in prop::option::of(0..u64::MAX / 2),
        movetime in prop::option::of(any::<i64>()), clock in prop::option::of(any::<i64>()), infinite: bool, ponder: bool,
        seed: u64) {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(depth.map(|n| format!("depth {n}")));
        parts.extend(nodes.map(|n| format!("nodes {n}")));
        parts.extend(movetime.map(|n| format!("movetime {n}")));
        parts.extend(clock.map(|n| format!("wtime {n}")));
        parts.extend(infinite.then(|| "infinite".into()));
        parts.extend(ponder.then(|| "ponder".into()));
        let mut random = Random::new(seed);
        for last in (1..parts.len()).rev() {
            parts.swap(last, random.below(last + 1));
        }
        let line = parse(&format!("go {}", parts.join(" ")));
        prop_assert!(line.problems.is_empty(), "{:?}", line.problems);
        let Some(Command::Go(go)) = line.command else { return Err(TestCaseError::fail("no go")) };
        prop_assert_eq!((go.limits.depth, go.limits.nodes, go.limits.movetime), (depth, nodes, movetime));
        prop_assert_eq!((go.limits.clock, go.limits.infinite, go.limits.ponder), ([clock, None], infinite, ponder));
    }
}
