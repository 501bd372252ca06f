//! The result as a table, source lines and JSON.

use super::optimiser::Spsa;
use super::parameter::Parameter;
use crate::elo::Pentanomial;
use lento::search::params::Tunable;
use lento_common::table::{self, Row};
use serde_json::{Value, json};
use std::fmt::Write;

/// The table, the changed values as settings and declarations, and the iterations done.
pub fn text(spsa: &Spsa, pairs: &Pentanomial, iterations: u64) -> String {
    let z = z(spsa);
    let mut text = table::text(&table(spsa, &z));
    let _ = writeln!(text, "\n{}", signal(&z));
    let settings = settings(spsa);
    if settings.is_empty() {
        text += "\nNo value differs from its default.\n";
    } else {
        let source = source(spsa).join("\n");
        let _ = writeln!(text, "\nTo try them:\n    lento match --new {}", settings.join(" --new "));
        let _ = writeln!(text, "\nFor src/search/params.rs (see --write FILE):\n{source}");
    }
    let (done, games) = (spsa.iteration, pairs.games());
    let rest = if done < iterations { format!(" of {iterations}, interrupted") } else { String::new() };
    text + &format!("\n{done} iterations{rest}, {games} games\n")
}

fn table(spsa: &Spsa, z: &[f64]) -> Vec<Row> {
    let row = |(((parameter, &theta), value), &z): (((&Parameter, &f64), i32), &f64)| {
        let Tunable { name, min, max, default, .. } = parameter.tunable;
        let moved = moved(parameter, theta);
        let mut row = Row::default();
        row.cell("parameter", "name", name, name);
        row.cell("default", "default", default.to_string(), default);
        row.cell("start", "start", parameter.start.to_string(), parameter.start);
        row.cell("final", "final", value.to_string(), value);
        row.number("value", "value", Some(theta), 2);
        row.text("range", format!("{min} to {max}"));
        row.data("min", min);
        row.data("max", max);
        row.number("c", "c", Some(parameter.c_end), 2);
        row.cell("moved", "moved_c", format!("{moved:+.2} c"), moved);
        row.cell("z", "z", format!("{z:+.1}"), z);
        row
    };
    spsa.parameters.iter().zip(&spsa.theta).zip(spsa.rounded()).zip(z).map(row).collect()
}

fn moved(parameter: &Parameter, theta: f64) -> f64 {
    (theta - parameter.start) / parameter.c_end
}

/// Net wins of the higher value per parameter, in standard deviations under chance.
fn z(spsa: &Spsa) -> Vec<f64> {
    let deviation = (spsa.variance as f64).sqrt().max(1.0);
    spsa.won_by_higher.iter().map(|&won| won as f64 / deviation).collect()
}

/// The mean of z², 1 under chance.
fn mean_square(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum::<f64>() / z.len() as f64
}

/// The mean of z² and its range under chance.
fn signal(z: &[f64]) -> String {
    // 95 % of runs without effects.
    let error = 1.96 * (2.0 / z.len() as f64).sqrt();
    let [low, high] = [1.0 - error, 1.0 + error].map(|bound| bound.max(0.0));
    format!("mean of z² {:.2}; by chance {low:.2} to {high:.2}", mean_square(z))
}

/// The parameter that has moved furthest, with a leading comma; empty before the first iteration.
pub fn furthest(spsa: &Spsa) -> String {
    let moves = spsa.parameters.iter().zip(&spsa.theta);
    let moves = moves.map(|(parameter, &theta)| (parameter.tunable.name, moved(parameter, theta)));
    let furthest = moves.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    let furthest = furthest.filter(|(_, moved)| *moved != 0.0);
    furthest.map_or_else(String::new, |(name, moved)| format!(", {name} moved {moved:+.2} c"))
}

fn settings(spsa: &Spsa) -> Vec<String> {
    changed(spsa).map(|(tunable, value)| format!("{}={value}", tunable.name)).collect()
}

fn source(spsa: &Spsa) -> Vec<String> {
    changed(spsa).map(|(tunable, value)| declaration(&tunable, value)).collect()
}

fn changed(spsa: &Spsa) -> impl Iterator<Item = (Tunable, i32)> {
    let tunables = spsa.parameters.iter().map(|parameter| parameter.tunable);
    tunables.zip(spsa.rounded()).filter(|(tunable, value)| tunable.default != *value)
}

/// The declaration of a parameter in the engine's source up to its default.
fn declared(Tunable { name, min, max, .. }: &Tunable) -> String {
    format!("    {name}: {min}..={max} = ")
}

/// The declaration of a parameter with a default.
fn declaration(tunable: &Tunable, default: i32) -> String {
    let off = tunable.off.map_or_else(String::new, |off| format!(", off {off}"));
    format!("{}{default}{off};", declared(tunable))
}

/// Replaces the changed defaults in a source and keeps all other bytes. Fails unless each parameter has one declaration with the range
/// of this program.
pub fn rewrite(source: &str, spsa: &Spsa) -> Result<String, String> {
    let mut text = source.to_owned();
    for (parameter, value) in spsa.parameters.iter().zip(spsa.rounded()) {
        // The default may be that of an earlier run.
        let start = declared(&parameter.tunable);
        let mut lines = source.lines().filter(|line| line.starts_with(&start));
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err(format!("expected one line that starts with {start:?}"));
        };
        let old = &line[..line.find(';').map_or(line.len(), |at| at + 1)];
        let new = declaration(&parameter.tunable, value);
        // Preserves the column of the comment.
        let width = old.len().max(new.len());
        let padded = format!("{old:width$}");
        let old = if text.contains(&padded) { padded } else { old.to_owned() };
        text = text.replacen(&old, &format!("{new:width$}"), 1);
    }
    Ok(text)
}

pub fn json(spsa: &Spsa, pairs: &Pentanomial, iterations: u64) -> Value {
    let z = z(spsa);
    json!({
        "parameters": table::json(&table(spsa, &z)),
        "mean_z_square": mean_square(&z),
        "settings": settings(spsa),
        "source": source(spsa),
        "iterations": spsa.iteration,
        "games": pairs.games(),
        "pairs": pairs.counts,
        "finished": spsa.iteration >= iterations,
    })
}

#[cfg(test)]
mod tests {
    use super::super::optimiser::GainSchedule;
    use super::super::parameter::{ParameterChoice, chosen};
    use super::*;

    fn spsa(choices: &[&str]) -> Spsa {
        let choices: Vec<ParameterChoice> = choices.iter().map(|choice| choice.parse().unwrap()).collect();
        let schedule = GainSchedule { horizon: 10, r_end: 0.002 };
        Spsa::new(chosen(&choices).unwrap(), schedule, 1)
    }

    const NONE: Pentanomial = Pentanomial { counts: [0; 5] };

    #[test]
    fn shows_changed_values_as_settings_and_source() {
        let text = text(&spsa(&["rfp_depth", "rfp_margin:start=80.6,c=8", "lmr_pv:start=-1000"]), &NONE, 1);
        let words = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let default = lento::search::params::Params::default().rfp_margin.to_string();
        let expected = ["rfp_margin", &default, "80.6", "81", "80.60", "30", "to", "150", "8.00", "+0.00", "c", "+0.0"];
        assert_eq!(words("rfp_margin"), expected);
        assert!(text.contains("    lento match --new rfp_margin=81 --new lmr_pv=-1000\n"), "{text}");
        assert!(text.contains("\n    rfp_margin: 30..=150 = 81;\n    lmr_pv: -3072..=1024 = -1000;\n"), "{text}");
        assert!(!text.contains("rfp_depth="), "{text}");
    }

    #[test]
    fn omits_unchanged_values() {
        let same = spsa(&["rfp_*"]);
        assert!(text(&same, &NONE, 1).contains("No value differs"));
        assert_eq!(json(&same, &NONE, 1)["settings"], json!([]));
    }

    #[test]
    fn movement_is_in_units_of_c() {
        let mut spsa = spsa(&["rfp_margin:start=80,c=8"]);
        assert_eq!(furthest(&spsa), "");
        spsa.learn(1);
        let moved = spsa.theta[0] - 80.0;
        let json = json(&spsa, &Pentanomial { counts: [0, 0, 0, 1, 0] }, 1);
        assert!(moved != 0.0);
        assert_eq!(furthest(&spsa), format!(", rfp_margin moved {:+.2} c", moved / 8.0));
        assert_eq!(json["parameters"][0]["moved_c"].as_f64(), Some(moved / 8.0));
        assert_eq!(json["settings"], json!(["rfp_margin=80"]));
    }

    #[test]
    fn z_is_relative_to_chance() {
        let mut spsa = spsa(&["rfp_*"]);
        (0..16).for_each(|_| spsa.learn(1));
        let pairs = Pentanomial { counts: [0, 0, 9, 16, 0] };
        let z = z(&spsa);
        assert_eq!(
            z.iter().map(|z| z * 4.0).collect::<Vec<_>>(),
            spsa.won_by_higher.iter().map(|&won| won as f64).collect::<Vec<_>>()
        );
        assert!(z.iter().all(|z| z.abs() <= 4.0));
        assert_eq!(signal(&[2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 2.0, -2.0]), "mean of z² 2.25; by chance 0.02 to 1.98");
        assert_eq!(json(&spsa, &pairs, 16)["parameters"][1]["z"], json!(z[1]));
    }

    #[test]
    fn rewrite_changes_only_defaults() {
        let source = include_str!("../../../../src/search/params.rs");
        let same = spsa(&["all"]);
        assert_eq!(rewrite(source, &same).as_deref(), Ok(source));
        let mut ends = same;
        ends.theta = ends.parameters.iter().map(|parameter| f64::from(parameter.tunable.max)).collect();
        let written = rewrite(source, &ends).unwrap();
        assert_eq!(written.lines().count(), source.lines().count());
        for parameter in &ends.parameters {
            let line = declaration(&parameter.tunable, parameter.tunable.max);
            assert!(written.lines().any(|written| written.starts_with(&line)), "{line}");
        }
        let differing = source.lines().zip(written.lines()).filter(|(before, after)| before != after).count();
        assert_eq!(differing, changed(&ends).count());
        assert_eq!(rewrite(&written, &ends).as_deref(), Ok(&*written), "again");

        let one = spsa(&["rfp_margin"]);
        let old = declaration(&one.parameters[0].tunable, one.parameters[0].tunable.default);
        for source in [String::new(), format!("{old}\n{old}\n")] {
            assert!(rewrite(&source, &one).unwrap_err().contains("rfp_margin"));
        }
    }
}
