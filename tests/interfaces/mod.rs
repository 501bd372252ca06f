//! Conversations as user interfaces hold them, and the programs that check engines.

pub mod models;
mod programs;

use crate::data;
use crate::harness::{PATIENCE, Session, field};
use lento_uci::options::same_name;
use models::{INTERFACES, Interface, Seen};
use std::time::Instant;

/// Options that users set themselves, which no interface may hide under all of their names.
const OF_USERS: [&str; 8] =
    ["Threads", "Hash", "MultiPV", "NumaPolicy", "Show WDL", "Analyse Mode", "Limit Strength", "Elo"];

/// A conversation of a transcript in progress.
struct Play<'a> {
    interface: &'a Interface,
    session: Session,
    /// The options that the user can set.
    options: Vec<String>,
    /// Lines of play since the last `bestmove`.
    lines_of_play: usize,
}

/// Whether a line is what a pattern says, in which `*` is any text.
fn matches(pattern: &str, line: &str) -> bool {
    let (first, rest) = pattern.split_once('*').unwrap_or((pattern, ""));
    let Some(mut line) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = line.split_once(part) else { return false };
        line = behind;
    }
    if pattern.contains('*') { line.ends_with(last) } else { line.is_empty() }
}

impl Play<'_> {
    /// Waits for a line. Others may come before it, if they are neither answers nor messages that the user sees.
    fn expect(&mut self, pattern: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.session.line_within(left).unwrap_or_else(|| panic!("no {pattern:?}"));
            let seen = self.interface.read(&line).unwrap_or_else(|why| panic!("{why}"));
            self.note(&line, &seen);
            if matches(pattern, &line) {
                return;
            }
            let is_error = line.starts_with("info string ERROR");
            assert!(seen != Seen::Answer && !is_error, "{line:?} in the place of {pattern:?}");
        }
    }

    /// Keeps count, and checks what an answer has to bring.
    fn note(&mut self, line: &str, seen: &Seen) {
        match seen {
            Seen::Option(name) => {
                assert!(!self.options.contains(name), "{name} is announced twice");
                self.options.push(name.clone());
            }
            Seen::Info(_) => self.lines_of_play += 1,
            Seen::Answer if line == "uciok" => {
                for wanted in OF_USERS {
                    assert!(self.options.iter().any(|name| same_name(name, wanted)), "the user cannot set {wanted}");
                }
            }
            Seen::Answer if field(line, "bestmove").is_some_and(|best| best != "0000") => {
                let lines = std::mem::take(&mut self.lines_of_play);
                assert!(lines > 0, "a move without a line of play that the interface reads");
            }
            _ => {}
        }
    }
}

/// Holds the conversation of a transcript: `> line` is sent, `< pattern` is waited for, `#` starts a comment.
fn hold(interface: &Interface, transcript: &str) {
    let session = Session::start();
    let mut play = Play { interface, session, options: Vec::new(), lines_of_play: 0 };
    for line in transcript.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_at(2) {
            ("> ", line) => play.session.say(line),
            ("< ", pattern) => play.expect(pattern),
            _ => panic!("{line:?} in the transcript; expected > or <"),
        }
    }
    let (left, status) = play.session.end();
    assert!(left.is_empty() && status.success(), "{left:#?}, {status}");
}

#[test]
fn conversations_of_interfaces_go_as_they_expect() {
    for interface in &INTERFACES {
        let file = interface.name.to_lowercase().replace(' ', "-");
        eprintln!("{}", interface.name);
        hold(interface, &data::text(data::path(&format!("interfaces/{file}.txt"))));
    }
}

#[test]
fn every_interface_is_on_the_page() {
    let page = data::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/playing.md"));
    for interface in &INTERFACES {
        assert!(page.contains(&format!("| {} |", interface.name)), "{}", interface.name);
    }
}

#[test]
fn patterns_match_whole_lines() {
    for (pattern, line, expected) in [
        ("uciok", "uciok", true),
        ("uciok", "uciok ", false),
        ("a*b", "ab", true),
        ("a*b", "axbx", false),
        ("a * c * e", "a b c d e", true),
        ("a * c * e", "a b d e", false),
        ("*x", "abx", true),
        ("a*", "ba", false),
    ] {
        assert_eq!(matches(pattern, line), expected, "{pattern} {line}");
    }
}

#[test]
fn what_interfaces_cannot_read_is_found() {
    let arena = &INTERFACES[0];
    for line in [
        "",
        " uciok",
        "readyok ",
        "info depth 3 score cp 5 pv",
        "info depth 3 nps",
        "info depth 3.5",
        "info depth 3 wdl 1 2 3",
        "info strings",
        "bestmove e2e9",
        "bestmove",
        "bestmove e2e4 ponder",
        "option name A type spin default 1 min 0 max 2147483648",
        "option name A type spin default 3 min 0 max 2",
        "option name A type string default",
        "option name A type combo default x var y",
        "Lento",
    ] {
        assert!(arena.read(line).is_err(), "{line:?}");
    }
    let seen = |name: &str, line: &str| {
        let interface = INTERFACES.iter().find(|interface| interface.name == name).expect(name);
        interface.read(line).expect(line) != Seen::Nothing
    };
    let show = "option name UCI_ShowWDL type check default false";
    assert!(seen("Arena", show) && !seen("Cute Chess", show) && !seen("DroidFish", show));
    let bound = "info depth 1 score cp 5 lowerbound nodes 5 pv e2e4";
    assert!(seen("Scid", bound) && !seen("Nibbler", bound));
    let progress = "info depth 1 nodes 5 nps 3 time 1";
    assert!(seen("Arena", progress) && !seen("Scid", progress) && !seen("Lichess external engine", progress));
    let long = "info depth 1 score cp 5 nodes 5 nps 3 time 2147483648 pv e2e4";
    assert!(seen("Cute Chess", long) && !seen("DroidFish", long));
}
