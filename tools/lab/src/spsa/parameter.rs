//! Tuned parameters.

use lento::search::params::{TUNABLES, Tunable};
use std::str::FromStr;

/// Minimum distance; the rounded sides always differ.
pub const MIN_C_END: f64 = 0.5;

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub tunable: Tunable,
    pub start: f64,
    /// Distance of the two sides from the value at the end of the run.
    pub c_end: f64,
}

impl Parameter {
    /// A parameter that starts at its default, with a twentieth of its range as distance.
    pub fn new(tunable: Tunable) -> Self {
        let range = f64::from(tunable.max) - f64::from(tunable.min);
        Self { tunable, start: f64::from(tunable.default), c_end: (range / 20.0).max(MIN_C_END) }
    }

    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(f64::from(self.tunable.min), f64::from(self.tunable.max))
    }

    /// The nearest integer in the range.
    pub fn round(&self, value: f64) -> i32 {
        self.clamp(value.round()) as i32
    }
}

/// Parameters by name or pattern, with an optional start and distance: `rfp_*`, `lmr_pv:start=-900,c=64`.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterChoice {
    /// A name in which `*` matches any text.
    pattern: String,
    start: Option<f64>,
    c_end: Option<f64>,
}

impl FromStr for ParameterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, details) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let pattern = if pattern == "all" { "*" } else { pattern };
        let mut choice = Self { pattern: pattern.to_owned(), start: None, c_end: None };
        if !TUNABLES.iter().any(|tunable| matches_pattern(pattern, tunable.name)) {
            return Err(format!("unknown parameter '{pattern}', expected a name, a pattern such as rfp_*, or all"));
        }
        for detail in details.into_iter().flat_map(|details| details.split(',')) {
            let expected = || format!("'{detail}', expected start=NUMBER or c=NUMBER");
            let (key, value) = detail.split_once('=').ok_or_else(expected)?;
            let value: f64 = value.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(expected)?;
            match key {
                "start" => choice.start = Some(value),
                "c" => choice.c_end = Some(value),
                _ => return Err(expected()),
            }
        }
        Ok(choice)
    }
}

/// The chosen parameters in declaration order. Later choices override earlier ones.
pub fn chosen(choices: &[ParameterChoice]) -> Result<Vec<Parameter>, String> {
    let chosen = |tunable: &Tunable| {
        let matching = choices.iter().filter(|choice| matches_pattern(&choice.pattern, tunable.name));
        matching.fold(None, |parameter, choice| {
            let mut parameter = parameter.unwrap_or_else(|| Parameter::new(*tunable));
            parameter.start = choice.start.unwrap_or(parameter.start);
            parameter.c_end = choice.c_end.unwrap_or(parameter.c_end);
            Some(parameter)
        })
    };
    TUNABLES.iter().filter_map(chosen).map(checked).collect()
}

fn checked(parameter: Parameter) -> Result<Parameter, String> {
    let Parameter { tunable: Tunable { name, min, max, .. }, start, c_end } = parameter;
    let half = (f64::from(max) - f64::from(min)) / 2.0;
    if parameter.clamp(start) != start {
        return Err(format!("start={start} for {name}, expected {min} to {max}"));
    }
    if !(MIN_C_END..=half).contains(&c_end) {
        return Err(format!("c={c_end} for {name}, expected {MIN_C_END} to {half}, half of its range"));
    }
    Ok(parameter)
}

fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            rest.char_indices().any(|(at, _)| matches_pattern(tail, &rest[at..])) || matches_pattern(tail, "")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(texts: &[&str]) -> Vec<ParameterChoice> {
        texts.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
    }

    fn names(texts: &[&str]) -> Vec<&'static str> {
        chosen(&choices(texts)).unwrap().iter().map(|parameter| parameter.tunable.name).collect()
    }

    #[test]
    fn patterns_match_names() {
        assert_eq!(names(&["rfp_*"]), ["rfp_depth", "rfp_margin", "rfp_worsening", "rfp_all", "rfp_history"]);
        assert_eq!(names(&["*_pv", "rfp_margin"]), ["rfp_margin", "lmr_pv", "lmr_tt_pv"], "in order of declaration");
        assert_eq!(names(&["lmr*base"]), ["lmr_quiet_base", "lmr_noisy_base"]);
        assert_eq!(names(&["all"]).len(), TUNABLES.len());
        assert_eq!(names(&["*"]), names(&["all"]));
        assert!(
            matches_pattern("a*b*c", "abbc")
                && matches_pattern("a*", "a")
                && !matches_pattern("a*b", "ab_")
                && !matches_pattern("rfp", "rfp_margin")
        );
    }

    #[test]
    fn later_choices_override_earlier_ones() {
        let list =
            chosen(&choices(&["rfp_*:c=8", "rfp_margin:start=80.5", "rfp_depth:c=2", "rfp_margin:c=9"])).unwrap();
        assert_eq!((list[0].start, list[0].c_end), (f64::from(list[0].tunable.default), 2.0));
        assert_eq!((list[1].start, list[1].c_end), (80.5, 9.0));
    }

    #[test]
    fn default_distance_depends_on_the_range() {
        let tunable = Tunable { name: "x", min: 0, max: 100, default: 30, off: None };
        let parameter = Parameter::new(tunable);
        assert_eq!((parameter.start, parameter.c_end), (30.0, 5.0));
        assert_eq!(Parameter::new(Tunable { max: 8, default: 3, ..tunable }).c_end, MIN_C_END);
        assert_eq!([-0.6, 29.5, 100.4].map(|value| parameter.round(value)), [0, 30, 100]);
    }

    #[test]
    fn errors_quote_invalid_choices() {
        let message = |text: &str| text.parse::<ParameterChoice>().and_then(|choice| chosen(&[choice])).unwrap_err();
        for (text, quoted) in [
            ("rfp_margn", "'rfp_margn'"),
            ("", "''"),
            ("rfp_margin:", "''"),
            ("rfp_margin:start", "'start'"),
            ("rfp_margin:start=many", "'start=many'"),
            ("rfp_margin:c=NaN", "'c=NaN'"),
            ("rfp_margin:step=3", "'step=3'"),
            ("rfp_margin:start=1000", "start=1000 for rfp_margin, expected 30 to 150"),
            ("rfp_margin:c=0.1", "c=0.1 for rfp_margin"),
            ("all:c=60", "c=60 for"),
        ] {
            assert!(message(text).contains(quoted), "{text}: {}", message(text));
        }
    }
}
