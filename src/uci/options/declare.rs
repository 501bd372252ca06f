//! Declares options of each type.

use super::{Applied, Protocol, Target};
use lento::engine::Settings;
use lento::named::Named;
use std::time::Duration;

/// Parses and applies a value; `None` if it is invalid.
type Set = dyn Fn(&mut Target, &str) -> Option<Applied> + Send + Sync;

/// A UCI option.
pub struct UciOption {
    /// The name, as announced.
    pub name: String,
    /// Type, default and range, as announced.
    pub(super) kind: String,
    /// The default; empty for buttons.
    pub default: String,
    /// The valid values, in Markdown.
    pub values: String,
    /// Precedes the valid values in messages.
    noun: &'static str,
    /// Description in Markdown. Pages are named as `(docs/PAGE.md)`.
    pub meaning: &'static str,
    pub(super) set: Box<Set>,
}

fn option(
    name: &str,
    kind: String,
    default: &str,
    (noun, values): (&'static str, String),
    set: impl Fn(&mut Target, &str) -> Option<Applied> + Send + Sync + 'static,
) -> UciOption {
    UciOption { name: name.into(), kind, default: default.into(), values, noun, meaning: "", set: Box::new(set) }
}

impl UciOption {
    pub(super) fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    pub(super) fn expected(&self) -> String {
        format!("{}{}", self.noun, self.values)
    }
}

pub(super) fn spin(
    name: &str,
    default: i64,
    range: (i64, i64),
    apply: impl Fn(&mut Target, i64) -> Applied + Send + Sync + 'static,
) -> UciOption {
    let (min, max) = range;
    let kind = format!("spin default {default} min {min} max {max}");
    let values = ("a whole number from ", format!("{min} to {max}"));
    option(name, kind, &default.to_string(), values, move |to, value| {
        Some(apply(to, value.parse().ok().filter(|n| (min..=max).contains(n))?))
    })
}

/// A number in the settings, with its range.
pub(super) fn number<T: TryFrom<i64> + TryInto<i64> + Copy>(
    name: &str,
    range: (i64, i64),
    field: impl Fn(&mut Settings) -> &mut T + Send + Sync + 'static,
) -> UciOption {
    let default = (*field(&mut Settings::default())).try_into().unwrap_or(range.0);
    spin(name, default, range, move |to, number| {
        if let Ok(number) = number.try_into() {
            *field(&mut to.engine.settings) = number;
        }
        Ok(None)
    })
}

/// A boolean field of the settings.
pub(super) fn check<T: From<bool> + PartialEq>(
    name: &str,
    field: impl Fn(&mut Settings) -> &mut T + Send + Sync + 'static,
) -> UciOption {
    let default = *field(&mut Settings::default()) == true.into();
    boolean(name, default, move |to, value| *field(&mut to.engine.settings) = value.into())
}

/// A boolean field of the protocol, false by default.
pub(super) fn flag(name: &str, field: fn(&mut Protocol) -> &mut bool) -> UciOption {
    boolean(name, false, move |to, value| *field(to.protocol) = value)
}

fn boolean(name: &str, default: bool, apply: impl Fn(&mut Target, bool) + Send + Sync + 'static) -> UciOption {
    let default = default.to_string();
    option(name, format!("check default {default}"), &default, ("", "true or false".into()), move |to, value| {
        apply(to, value.to_ascii_lowercase().parse().ok()?);
        Some(Ok(None))
    })
}

pub(super) fn combo(
    name: &str,
    default: &str,
    choices: Vec<&'static str>,
    apply: impl Fn(&mut Settings, &'static str) + Send + Sync + 'static,
) -> UciOption {
    let kind = format!("combo default {default} var {}", choices.join(" var "));
    option(name, kind, default, ("one of ", choices.join(", ")), move |to, value| {
        apply(&mut to.engine.settings, choices.iter().find(|choice| choice.eq_ignore_ascii_case(value))?);
        Some(Ok(None))
    })
}

/// A field of the settings with named values.
pub(super) fn named<T: Named>(name: &str, field: fn(&mut Settings) -> &mut T) -> UciOption {
    let default = field(&mut Settings::default()).name();
    combo(name, default, T::names(), move |settings, choice| {
        if let Ok(value) = T::from_name(choice) {
            *field(settings) = value;
        }
    })
}

/// A duration field of the protocol: whole minutes up to a maximum, or seconds with the suffix `s`.
pub(super) fn interval(name: &str, max: u64, field: fn(&mut Protocol) -> &mut Duration) -> UciOption {
    let default = (field(&mut Protocol::default()).as_secs() / 60).to_string();
    let kind = format!("spin default {default} min 0 max {max}");
    option(name, kind, &default, ("", format!("0 to {max} minutes, or seconds such as 30s")), move |to, value| {
        *field(to.protocol) = parse_interval(value, max)?;
        Some(Ok(None))
    })
}

/// An action; its value is ignored.
pub(super) fn button(name: &str, apply: fn(&mut Target)) -> UciOption {
    option(name, "button".into(), "", ("", "(button)".into()), move |to, _| {
        apply(to);
        Some(Ok(None))
    })
}

/// Any text. `values` describes the valid ones.
pub(super) fn text(name: &str, default: &str, values: &str, apply: fn(&mut Target, &str) -> Applied) -> UciOption {
    option(name, format!("string default {default}"), default, ("", values.into()), move |to, value| {
        Some(apply(to, if value == "<empty>" { "" } else { value }))
    })
}

/// Parses minutes (`10`) or seconds (`30s`), up to `max` minutes.
pub(super) fn parse_interval(value: &str, max: u64) -> Option<Duration> {
    let (number, unit) = value.strip_suffix('s').map_or((value, 60), |seconds| (seconds.trim_end(), 1));
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (seconds <= max * 60).then(|| Duration::from_secs(seconds))
}
