//! Transcripts of user interfaces, and engine checkers.

pub mod models;
mod programs;

use crate::data;
use crate::harness::{Session, TIMEOUT, field};
use lento_uci::options::same_name;
use models::{INTERFACES, Interface, Seen};
use std::time::Instant;

/// Options for users, which every interface must offer under at least one name.
const USER_OPTIONS: [&str; 8] =
    ["Threads", "Hash", "MultiPV", "NumaPolicy", "Show WDL", "Analyse Mode", "Limit Strength", "Elo"];

/// A transcript being played.
struct Play<'a> {
    interface: &'a Interface,
    session: Session,
    /// Options offered to the user.
    options: Vec<String>,
    /// PVs since the last `bestmove`.
    pv_count: usize,
}

/// Whether a line matches a pattern, in which `*` is any text.
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
    /// Reads up to a matching line. Earlier lines must not be answers or errors.
    fn expect(&mut self, pattern: &str) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.session.line_within(left).unwrap_or_else(|| panic!("no {pattern:?}"));
            let seen = self.interface.read(&line).unwrap_or_else(|why| panic!("{why}"));
            self.note(&line, &seen);
            if matches(pattern, &line) {
                return;
            }
            let is_error = line.starts_with("info string ERROR");
            assert!(seen != Seen::Answer && !is_error, "{line:?} instead of {pattern:?}");
        }
    }

    /// Updates the state and checks answers.
    fn note(&mut self, line: &str, seen: &Seen) {
        match seen {
            Seen::Option(name) => {
                assert!(!self.options.contains(name), "{name} is listed twice");
                self.options.push(name.clone());
            }
            Seen::Info(_) => self.pv_count += 1,
            Seen::Answer if line == "uciok" => {
                for wanted in USER_OPTIONS {
                    assert!(self.options.iter().any(|name| same_name(name, wanted)), "the user cannot set {wanted}");
                }
            }
            Seen::Answer if field(line, "bestmove").is_some_and(|best| best != "0000") => {
                let lines = std::mem::take(&mut self.pv_count);
                assert!(lines > 0, "a move without a PV that the interface reads");
            }
            _ => {}
        }
    }
}

/// Plays a transcript: sends `> line`, waits for `< pattern`; `#` starts a comment.
fn play_transcript(interface: &Interface, transcript: &str) {
    let session = Session::start();
    let mut play = Play { interface, session, options: Vec::new(), pv_count: 0 };
    for line in transcript.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_at(2) {
            ("> ", line) => play.session.send(line),
            ("< ", pattern) => play.expect(pattern),
            _ => panic!("{line:?} in the transcript; expected > or <"),
        }
    }
    let (left, status) = play.session.wait();
    assert!(left.is_empty() && status.success(), "{left:#?}, {status}");
}

#[test]
fn interface_transcripts_match() {
    for interface in &INTERFACES {
        let file = interface.name.to_lowercase().replace(' ', "-");
        eprintln!("{}", interface.name);
        play_transcript(interface, &data::text(data::path(&format!("interfaces/{file}.txt"))));
    }
}

#[test]
fn all_interfaces_are_documented() {
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
fn malformed_lines_are_rejected() {
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
