//! Options of the LMR recipe `rebel`: a switch, a weight and, for some, a margin per starred line of its source,
//! generated from [`LINES`]. They are announced while the recipe is in use, and can always be set.

use super::options::{Target, same_name};
use super::problem::OptionError;
use crate::search::lmr::Rebel;
use crate::search::lmr::rebel::{LINES, RebelLine};
use RebelOption::{Extends, Margin, Percent, Switch, Weight};
use std::fmt::Write;

/// An option of the recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebelOption {
    /// Whether a line is enabled.
    Switch(usize),
    /// A line's weight, in 1/10 ply.
    Weight(usize),
    /// A line's margin, in centipawns.
    Margin(usize),
    /// The percentage of the sum that is applied.
    Percent,
    /// Whether a negative sum extends.
    Extends,
}

enum Value<'a> {
    Switch(&'a mut bool),
    Number { value: &'a mut i32, max: i32 },
}

/// All options, in announced order.
pub fn all() -> impl Iterator<Item = RebelOption> {
    let of_line = |(index, line): (usize, &RebelLine)| {
        let margin = line.margin().map(|_| Margin(index));
        [Some(Switch(index)), Some(Weight(index)), margin].into_iter().flatten()
    };
    [Percent, Extends].into_iter().chain(LINES.iter().enumerate().flat_map(of_line))
}

/// Finds an option by name, ignoring case and spaces.
pub fn find(name: &str) -> Option<RebelOption> {
    all().find(|option| same_name(&option.name(), name))
}

/// The `option` lines of all of them.
pub fn announcements() -> String {
    all().fold(String::new(), |mut text, option| {
        let _ = write!(text, "option name {} ", option.name());
        let _ = match option.value(&mut Rebel::default()) {
            Value::Switch(on) => writeln!(text, "type check default {on}"),
            Value::Number { value, max } => writeln!(text, "type spin default {value} min 0 max {max}"),
        };
        text
    })
}

/// The documentation's table of starred lines.
pub fn markdown() -> String {
    let mut table = String::from("| Line | Weight, 1/10 ply | Margin, cp | What it does |\n|---|---:|---:|---|\n");
    for (line, setting) in LINES.iter().zip(Rebel::default().lines) {
        let margin = line.margin().map_or(String::new(), |margin| margin.to_string());
        let _ = writeln!(table, "| `Rebel {}` | {} | {} | {} |", line.name, setting.weight, margin, line.help);
    }
    table
}

impl RebelOption {
    /// The announced name.
    pub fn name(self) -> String {
        match self {
            Switch(line) => format!("Rebel {}", LINES[line].name),
            Weight(line) => format!("Rebel {} Weight", LINES[line].name),
            Margin(line) => format!("Rebel {} Margin", LINES[line].name),
            Percent => "Rebel P".into(),
            Extends => "Rebel Extend".into(),
        }
    }

    fn value(self, rebel: &mut Rebel) -> Value<'_> {
        match self {
            Switch(line) => Value::Switch(&mut rebel.lines[line].on),
            Weight(line) => Value::Number { value: &mut rebel.lines[line].weight, max: Rebel::MAX_WEIGHT },
            Margin(line) => Value::Number { value: &mut rebel.lines[line].margin, max: Rebel::MAX_MARGIN },
            Percent => Value::Number { value: &mut rebel.percent, max: Rebel::MAX_PERCENT },
            Extends => Value::Switch(&mut rebel.extends),
        }
    }

    /// Parses and applies a value. On an error nothing changes.
    ///
    /// # Errors
    /// The value is invalid.
    pub fn set(self, target: &mut Target, value: &str) -> Result<(), OptionError> {
        let bad = |expected: String| OptionError::value(self.name(), expected, value);
        match self.value(&mut target.engine.settings_mut().lmr.rebel) {
            Value::Switch(on) => {
                *on = value.to_ascii_lowercase().parse().map_err(|_| bad("true or false".into()))?;
            }
            Value::Number { value: number, max } => {
                let given = value.parse().ok().filter(|given| (0..=max).contains(given));
                *number = given.ok_or_else(|| bad(format!("a whole number from 0 to {max}")))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::uci::writer::Writer;

    fn set(engine: &mut Engine, name: &str, value: &str) -> Result<(), OptionError> {
        crate::uci::options::set(&mut Target { engine, writer: &mut Writer::new(std::io::sink()) }, name, Some(value))
    }

    #[test]
    fn each_option_has_a_unique_line_and_name() {
        let text = announcements();
        assert_eq!(text.lines().count(), all().count());
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
        for option in all() {
            assert_eq!(find(&option.name().to_uppercase()), Some(option));
        }
        assert_eq!((find("Rebel"), find("rebelpassedpawns")), (None, find("Rebel Passed Pawns")));
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
            let error = set(&mut engine, name, value).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(&format!("{value:?}")), "{error}");
        }
        assert_eq!(engine.settings().lmr.rebel, rebel);
    }
}
