//! What came out: a table, the lines to paste, and JSON.

use super::games::{Pairs, deviation};
use super::optimiser::Spsa;
use super::source::declaration;
use lento::search::params::Tunable;
use serde_json::{Value, json};
use std::fmt::Write;

/// The table of a run with these pairs, and below it what changed, as settings and as the engine's source holds it.
pub fn text(spsa: &Spsa, pairs: &Pairs) -> String {
    let mut text = row(&["parameter", "default", "start", "final", "value", "range", "c", "moved", "z"]);
    let z = z(spsa, pairs);
    let found = spsa.parameters().iter().zip(spsa.theta()).zip(spsa.rounded());
    for (((parameter, &theta), value), z) in found.zip(&z) {
        let tunable = parameter.tunable;
        text += &row(&[
            tunable.name,
            &tunable.default.to_string(),
            &parameter.start.to_string(),
            &value.to_string(),
            &format!("{theta:.2}"),
            &format!("{} to {}", tunable.min, tunable.max),
            &format!("{:.2}", parameter.c_end),
            &format!("{:+.2} c", (theta - parameter.start) / parameter.c_end),
            &format!("{z:+.1}"),
        ]);
    }
    let _ = writeln!(text, "\n{}", signal(&z));
    let settings = settings(spsa);
    if settings.is_empty() {
        text += "\nNo value differs from its default.\n";
        return text;
    }
    let _ = writeln!(text, "\nTo try them:\n    lento match --new {}", settings.join(" --new "));
    let _ =
        writeln!(text, "\nTo keep them, in src/search/params.rs (--write FILE does it):\n{}", source(spsa).join("\n"));
    text
}

fn row(cells: &[&str; 9]) -> String {
    let [name, default, start, last, value, range, c, moved, z] = cells;
    format!("{name:<20} {default:>7} {start:>8} {last:>7} {value:>10} {range:>15} {c:>8} {moved:>10} {z:>6}\n")
}

/// For each parameter what the sides with its higher value have won net, in standard deviations of chance.
fn z(spsa: &Spsa, pairs: &Pairs) -> Vec<f64> {
    let deviation = deviation(pairs).max(1.0);
    spsa.won_by_higher().iter().map(|&won| won as f64 / deviation).collect()
}

/// The mean of z²: 1 where chance alone has moved all values.
fn mean_square(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum::<f64>() / z.len() as f64
}

/// How much of what was found may be chance.
fn signal(z: &[f64]) -> String {
    // 95 of 100 runs in which no parameter matters.
    let error = 1.96 * (2.0 / z.len() as f64).sqrt();
    let [low, high] = [1.0 - error, 1.0 + error].map(|bound| bound.max(0.0));
    format!("mean of z² {:.2}; chance alone gives {low:.2} to {high:.2}", mean_square(z))
}

/// Who has moved furthest so far, in units of c, after a comma; nothing before the first iteration.
pub fn furthest(spsa: &Spsa) -> String {
    let moves = spsa.parameters().iter().zip(spsa.theta()).map(|(parameter, theta)| {
        let moved = (theta - parameter.start) / parameter.c_end;
        (parameter.tunable.name, moved)
    });
    let furthest = moves.max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
    let furthest = furthest.filter(|(_, moved)| *moved != 0.0);
    furthest.map_or_else(String::new, |(name, moved)| format!(", {name} moved {moved:+.2} c"))
}

/// `NAME=VALUE` for each value that is not the default.
fn settings(spsa: &Spsa) -> Vec<String> {
    changed(spsa).map(|(tunable, value)| format!("{}={value}", tunable.name)).collect()
}

/// The declaration of each value that is not the default.
fn source(spsa: &Spsa) -> Vec<String> {
    changed(spsa).map(|(tunable, value)| declaration(&tunable, value)).collect()
}

fn changed(spsa: &Spsa) -> impl Iterator<Item = (Tunable, i32)> {
    let tunables = spsa.parameters().iter().map(|parameter| parameter.tunable);
    tunables.zip(spsa.rounded()).filter(|(tunable, value)| tunable.default != *value)
}

/// What came out as JSON: the parameters, and the same lines as in the text.
pub fn json(spsa: &Spsa, pairs: &Pairs) -> Value {
    let z = z(spsa, pairs);
    let parameters: Vec<Value> = (spsa.parameters().iter().zip(spsa.theta()).zip(spsa.rounded()).zip(&z))
        .map(|(((parameter, &theta), value), z)| {
            json!({
                "name": parameter.tunable.name,
                "min": parameter.tunable.min,
                "max": parameter.tunable.max,
                "default": parameter.tunable.default,
                "start": parameter.start,
                "c": parameter.c_end,
                "value": theta,
                "final": value,
                "moved_c": (theta - parameter.start) / parameter.c_end,
                "z": z,
            })
        })
        .collect();
    json!({ "parameters": parameters, "mean_z_square": mean_square(&z), "settings": settings(spsa), "source": source(spsa) })
}

#[cfg(test)]
mod tests {
    use super::super::parameter::{ParameterChoice, chosen};
    use super::super::schedule::GainSchedule;
    use super::*;

    fn spsa(choices: &[&str]) -> Spsa {
        let choices: Vec<ParameterChoice> = choices.iter().map(|choice| choice.parse().unwrap()).collect();
        let schedule = GainSchedule { horizon: 10, r_end: 0.002, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 };
        Spsa::new(chosen(&choices).unwrap(), schedule, 1)
    }

    const NONE: Pairs = [0; 5];

    #[test]
    fn what_changed_can_be_pasted() {
        let text = text(&spsa(&["rfp_depth", "rfp_margin:start=80.6,c=8", "lmr_pv:start=-1000"]), &NONE);
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
    fn nothing_changed() {
        let same = spsa(&["rfp_*"]);
        assert!(text(&same, &NONE).contains("No value differs"));
        assert_eq!(json(&same, &NONE)["settings"], json!([]));
    }

    #[test]
    fn movement_is_told_in_units_of_c() {
        let mut spsa = spsa(&["rfp_margin:start=80,c=8"]);
        assert_eq!(furthest(&spsa), "");
        spsa.learn(1);
        let moved = spsa.theta()[0] - 80.0;
        let json = json(&spsa, &[0, 0, 0, 1, 0]);
        assert!(moved != 0.0);
        assert_eq!(furthest(&spsa), format!(", rfp_margin moved {:+.2} c", moved / 8.0));
        assert_eq!(json["parameters"][0]["moved_c"].as_f64(), Some(moved / 8.0));
        assert_eq!(json["settings"], json!(["rfp_margin=80"]));
    }

    #[test]
    fn what_may_be_chance_is_told() {
        let mut spsa = spsa(&["rfp_*"]);
        (0..16).for_each(|_| spsa.learn(1));
        let pairs = [0, 0, 9, 16, 0];
        let z = z(&spsa, &pairs);
        assert_eq!(
            z.iter().map(|z| z * 4.0).collect::<Vec<_>>(),
            spsa.won_by_higher().iter().map(|&won| won as f64).collect::<Vec<_>>()
        );
        assert!(z.iter().all(|z| z.abs() <= 4.0));
        assert_eq!(
            signal(&[2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 2.0, -2.0]),
            "mean of z² 2.25; chance alone gives 0.02 to 1.98"
        );
        assert_eq!(json(&spsa, &pairs)["parameters"][1]["z"], json!(z[1]));
    }
}
