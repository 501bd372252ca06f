//! Options of the LMR recipe `rebel`: a switch, a weight and, for some, a margin per starred line of its source,
//! generated from [`LINES`]. They are announced while the recipe is in use, and can always be set.

use super::options::{invalid, same_name};
use crate::search::lmr::Rebel;
use crate::search::lmr::rebel::LINES;
use std::fmt::Write;

enum Value<'a> {
    Switch(&'a mut bool),
    /// A number from 0 to a maximum.
    Number(&'a mut i32, i32),
}

/// The options by name, in announced order.
fn options(rebel: &mut Rebel) -> Vec<(String, Value<'_>)> {
    let mut all = vec![
        ("Rebel P".into(), Value::Number(&mut rebel.percent, Rebel::MAX_PERCENT)),
        ("Rebel Extend".into(), Value::Switch(&mut rebel.extends)),
    ];
    for (line, setting) in LINES.iter().zip(&mut rebel.lines) {
        let name = format!("Rebel {}", line.name);
        let (weight, margin) = (format!("{name} Weight"), format!("{name} Margin"));
        all.push((name, Value::Switch(&mut setting.on)));
        // In 1/10 ply.
        all.push((weight, Value::Number(&mut setting.weight, Rebel::MAX_WEIGHT)));
        if line.margin().is_some() {
            // In centipawns.
            all.push((margin, Value::Number(&mut setting.margin, Rebel::MAX_MARGIN)));
        }
    }
    all
}

/// The names of all options.
pub fn names() -> Vec<String> {
    options(&mut Rebel::default()).into_iter().map(|(name, _)| name).collect()
}

/// Whether there is an option of this name, ignoring case and spaces.
pub fn exists(name: &str) -> bool {
    names().iter().any(|option| same_name(option, name))
}

/// Sets an option; `None` if there is none of this name.
pub fn set(rebel: &mut Rebel, name: &str, value: &str) -> Option<Result<(), String>> {
    let (name, place) = options(rebel).into_iter().find(|(option, _)| same_name(option, name))?;
    let bad = |expected: &str| invalid(&name, expected, value);
    Some(match place {
        Value::Switch(on) => {
            value.to_ascii_lowercase().parse().map(|given| *on = given).map_err(|_| bad("true or false"))
        }
        Value::Number(number, max) => {
            let given = value.parse().ok().filter(|given| (0..=max).contains(given));
            given.map(|given| *number = given).ok_or_else(|| bad(&format!("a whole number from 0 to {max}")))
        }
    })
}

/// The `option` lines of all of them.
pub fn announcements() -> String {
    let mut text = String::new();
    for (name, value) in options(&mut Rebel::default()) {
        let _ = match value {
            Value::Switch(on) => writeln!(text, "option name {name} type check default {on}"),
            Value::Number(number, max) => {
                writeln!(text, "option name {name} type spin default {number} min 0 max {max}")
            }
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::uci::options::{self, Target};
    use crate::uci::writer::Writer;

    fn set(engine: &mut Engine, name: &str, value: &str) -> Result<(), String> {
        options::set(&mut Target { engine, writer: &mut Writer::new(std::io::sink()) }, name, Some(value))
    }

    #[test]
    fn each_option_has_a_unique_line_and_name() {
        let text = announcements();
        assert_eq!(text.lines().count(), names().len());
        for expected in [
            "option name Rebel P type spin default 50 min 0 max 200",
            "option name Rebel Extend type check default false",
            "option name Rebel Passed Pawns Margin type spin default 25 min 0 max 1000",
            "option name Rebel Killer Weight type spin default 10 min 0 max 100",
            "option name Rebel Bad Check type check default true",
        ] {
            assert!(text.lines().any(|line| line == expected), "{expected}\n{text}");
        }
        assert!(!text.contains("Rebel Killer Margin"));
        assert!(names().iter().all(|name| exists(&name.to_uppercase())));
        assert!(!exists("Rebel") && exists("rebelpassedpawns"));
    }

    #[test]
    fn valid_values_apply_and_invalid_ones_are_rejected() {
        let mut engine = Engine::new();
        for (name, value) in
            [("rebel p", "60"), ("Rebel Gain", "FALSE"), ("Rebel Gain Weight", "7"), ("Rebel Gain Margin", "33")]
        {
            assert_eq!(set(&mut engine, name, value), Ok(()), "{name}");
        }
        let rebel = engine.settings().lmr.rebel.clone();
        let gain = rebel.lines[LINES.iter().position(|line| line.name == "Gain").unwrap()];
        assert_eq!((rebel.percent, gain.on, gain.weight, gain.margin), (60, false, 7, 33));
        for (name, value) in [("Rebel P", "201"), ("Rebel Gain", "yes"), ("Rebel Gain Weight", "-1")] {
            let error = set(&mut engine, name, value).unwrap_err();
            assert!(error.contains(name) && error.contains(&format!("{value:?}")), "{error}");
        }
        assert_eq!(engine.settings().lmr.rebel, rebel);
    }
}
