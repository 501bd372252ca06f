//! Options with valid and invalid values that a small machine can handle.

use super::meaning::{self, Meaning};
use lento::search::params::TUNABLES;
use lento_testing::Random;
use lento_uci::options::{self, same_name};

/// Values that few or no options accept.
const BAD: &[&str] = &[
    "",
    " ",
    "-1",
    "0",
    "1.5",
    "1e3",
    "0x10",
    "yes",
    "TRUE",
    "true false",
    "99999999999999999999",
    "-99999999999999999999",
    "value",
    "name",
    "<empty>",
    "NaN",
    "\u{663}",
    "1 2",
    "+1",
];

/// The only values for string options: `Debug Log File` appends to any file it names.
const FILES: &[&str] = &["", "<empty>", "/nonexistent/folder/file", "/", "/dev/null"];

/// NUMA policies: valid, invalid and too large for any machine.
const POLICIES: &[&str] = &["auto", "none", "system", "0", "0-1", "0:1", "1023", "0:", "0-0,0", "2000", "all"];

/// `setoption` with an existing or unknown option.
pub fn line(random: &mut Random) -> String {
    let (name, value) = match random.below(12) {
        0 => (random.pick(&["Contempts", "SyzygyPath", "Hsh", "", "value", "Hash Hash"]).to_string(), bad(random)),
        1 => {
            let tunable = random.pick(TUNABLES);
            let span = (i64::from(tunable.max) - i64::from(tunable.min) + 1) as usize;
            let inside = i64::from(tunable.min) + random.below(span) as i64;
            let value = *random.pick(&[
                inside,
                inside,
                inside,
                tunable.max.into(),
                tunable.min.into(),
                i64::from(tunable.max) + 1,
            ]);
            (tunable.name.into(), value.to_string())
        }
        _ => {
            let declared: Vec<String> = options::announcements(random.once_in(8)).collect();
            let (name, kind) = random.pick(&declared)["option name ".len()..].split_once(" type ").expect("a type");
            (name.into(), value(name, kind, random))
        }
    };
    match random.below(20) {
        0 => format!("setoption name {name}"),
        1 => format!("setoption {name} {value}"),
        2 => format!("setoption name {} value {value}", name.replace(' ', "").to_uppercase()),
        _ => format!("setoption name {name} value {value}"),
    }
}

fn bad(random: &mut Random) -> String {
    random.pick(BAD).to_string()
}

fn value(name: &str, kind: &str, random: &mut Random) -> String {
    if name == "NumaPolicy" {
        return random.pick(POLICIES).to_string();
    }
    let words: Vec<&str> = kind.split(' ').collect();
    if words[0] == "string" {
        return random.pick(FILES).to_string();
    }
    if random.once_in(6) {
        return bad(random);
    }
    match words[..] {
        _ if name == "AutoSave" => random.pick(&["0", "1", "10080", "10081", "1s", "2s", "0s", "s"]).to_string(),
        ["spin", .., min, "max", max] => {
            number(name, min.parse().expect("a number"), max.parse().expect("a number"), random)
        }
        ["check", ..] => random.pick(&["true", "false"]).to_string(),
        ["combo", ..] => random.pick(&kind.split(" var ").skip(1).collect::<Vec<_>>()).to_string(),
        _ => String::new(),
    }
}

/// A number near the minimum or outside the range.
fn number(name: &str, min: i64, max: i64, random: &mut Random) -> String {
    let small = min.max(-10) + random.below(if name == "Hash" { 64 } else { 8 }) as i64;
    random.pick(&[small, small, small, small, small, small, min, min - 1, max + 1]).to_string()
}

/// `savehash` or `loadhash`, with or without a file.
pub fn hash_file(random: &mut Random) -> String {
    let command = *random.pick(&["savehash", "loadhash"]);
    match random.below(3) {
        0 => command.into(),
        1 => format!("{command} {}", random.pick(FILES)),
        _ => format!("{command} {} zstd", random.pick(&FILES[2..])),
    }
}

/// Whether a line, however it was generated, needs little memory and touches no file but those above.
pub fn is_harmless(line: &[u8]) -> bool {
    String::from_utf8_lossy(line).split('\n').all(|line| match meaning::of(line.trim_end(), false) {
        Meaning::Option(name, value) => {
            let value = value.as_str();
            let at_most = |max: i64| value.parse().map_or(true, |n: i64| n <= max);
            let is = |option: &str| same_name(&name, option);
            if is("Hash") {
                at_most(64) || !at_most(33_554_432)
            } else if is("Threads") {
                at_most(16) || !at_most(1024)
            } else if is("EvalFile") || is("Debug Log File") || is("HashFile") {
                FILES.contains(&value)
            } else {
                true
            }
        }
        Meaning::Work(_) => !meaning::takes_long(line),
        Meaning::HashFile(file) => file.is_none_or(|file| FILES.contains(&file.as_str())),
        _ => true,
    })
}
