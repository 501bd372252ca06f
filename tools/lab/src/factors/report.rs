//! What factors are worth, as text, page, picture and JSON.

use super::Args;
use super::design::{Design, Shared};
use super::factor::Factor;
use super::regression::Effect;
use super::session::Session;
use crate::rows;
use lento_common::play::setting::Setting;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write;

/// What stands in place of an effect that is not known.
const UNKNOWN: &str = "more pairs than factors are needed";

/// The factors with their effects, the best first; none as long as the pairs do not tell.
fn sorted(session: &Session) -> Option<Vec<(&Factor, Effect)>> {
    let effects = session.regression().effects()?;
    let mut sorted: Vec<(&Factor, Effect)> = session.design().factors().iter().zip(effects).collect();
    sorted.sort_by(|(_, one), (_, other)| other.estimate.elo.total_cmp(&one.estimate.elo));
    Some(sorted)
}

/// The factors with their settings.
pub fn list(factors: &[Factor]) -> String {
    let wide = factors.iter().map(|factor| factor.name.chars().count()).max().unwrap_or(0);
    factors.iter().map(|factor| format!("{:wide$}  {}\n", factor.name, factor.text())).collect()
}

/// How exact the effects are, for the progress: the error in the middle.
pub fn line(session: &Session) -> String {
    let Some(effects) = session.regression().effects() else { return String::new() };
    let mut errors: Vec<f64> = effects.iter().map(|effect| effect.estimate.error).collect();
    errors.sort_by(f64::total_cmp);
    format!("± {:.1} Elo", errors[errors.len() / 2])
}

/// A warning where factors set the same name.
pub fn shared(design: &Design) -> Option<String> {
    let shared = design.shared();
    let names = shared.iter().map(|Shared { name, factors }| format!("{name} ({})", factors.join("; ")));
    (!shared.is_empty()).then(|| {
        let names = names.collect::<Vec<_>>().join(", ");
        format!("set by more than one factor: {names}; where a player has several the last one counts, which hides the others")
    })
}

/// How many games there are, and whether they are all.
fn games(session: &Session) -> String {
    let (pairs, factors) = (session.pairs(), session.design().factors().len());
    let of = if session.is_over() { String::new() } else { format!(" of {}, interrupted", session.wanted()) };
    let s = if factors == 1 { "" } else { "s" };
    format!("{pairs} pairs{of}, {} games, {factors} factor{s}", 2 * pairs)
}

/// The table for a terminal.
pub fn text(session: &Session) -> String {
    let mut text = String::new();
    match sorted(session) {
        Some(sorted) => {
            let wide = sorted.iter().map(|(factor, _)| factor.name.chars().count()).max().unwrap_or(0);
            let _ = writeln!(text, "{:wide$}  {:>16} {:>6}", "Factor", "Elo (95 %)", "z");
            for (factor, Effect { estimate, z }) in sorted {
                let _ = writeln!(text, "{:wide$}  {:>16} {z:>+6.1}", factor.name, format!("{estimate:.1}"));
            }
        }
        None => text += &format!("no result: {UNKNOWN}\n"),
    }
    let rest = if !session.is_over() && session.is_kept() { "; the same command goes on" } else { "" };
    let _ = writeln!(text, "\n{}{rest}", games(session));
    if let Some(shared) = shared(session.design()) {
        let _ = writeln!(text, "{shared}");
    }
    text
}

/// The page.
pub fn markdown(args: &Args, session: &Session) -> String {
    let mut page = String::from(
        "# What settings are worth, measured together\n\n\
         In each pair of games every factor was given by lot to one of the two players. A positive number is what a player gains \
         with the factor, where all others are had by lot, too. The error is that of 95 % confidence, by least squares \
         over the pairs; z is the number in standard deviations. Of a hundred factors worth nothing about five are beyond \
         ± 2.\n\n",
    );
    let _ = writeln!(page, "{}. This page is written by\n\n```sh\n{}\n```\n", games(session), command(args));
    if let Some(shared) = shared(session.design()) {
        let _ = writeln!(page, "Settings {shared}.\n");
    }
    let Some(sorted) = sorted(session) else { return page + "No result: " + UNKNOWN + ".\n" };
    page.push_str("| Factor | Settings | Elo with it | z |\n|---|---|---:|---:|\n");
    for (factor, Effect { estimate, z }) in sorted {
        let settings = factor.settings.iter().map(|setting| format!("`{setting}`")).collect::<Vec<_>>().join(", ");
        let name = if factor.name == factor.text() { String::new() } else { factor.name.replace('|', "\\|") };
        let _ = writeln!(page, "| {name} | {} | {estimate:.1} | {z:+.1} |", settings.replace('|', "\\|"));
    }
    page
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-=,.+/:".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// The command that repeats the run.
fn command(args: &Args) -> String {
    let mut words = vec!["lento factors".to_owned()];
    words.extend(args.factor.iter().map(|factor| quoted(&factor.text())));
    if let Some(name) = args.factors.as_ref().and_then(|path| path.file_name()) {
        words.push(format!("--factors {}", quoted(&name.to_string_lossy())));
    }
    for part in &args.ideas {
        words.push(if part.is_empty() { "--ideas".to_owned() } else { quoted(&format!("--ideas={part}")) });
    }
    words.extend(args.set.iter().map(|setting| format!("--set {}", quoted(&setting.to_string()))));
    words.push(format!("--limit {} --pairs {} {}", args.limit, args.pairs, args.conditions.words()));
    words.join(" ")
}

/// A point with its error for each factor, the best above.
///
/// # Errors
/// The picture cannot be composed.
pub fn svg(session: &Session) -> Result<String, Box<dyn Error>> {
    let sorted = sorted(session).unwrap_or_default();
    let points: Vec<_> = sorted.iter().map(|(factor, effect)| (factor.name.as_str(), effect.estimate)).collect();
    let told = if points.is_empty() { UNKNOWN } else { "with the error of 95 % confidence" };
    rows::elo(&points, &format!("Elo by {}, {told}", games(session)))
}

/// Everything for programs.
pub fn json(args: &Args, session: &Session) -> Value {
    let settings = |settings: &[Setting]| settings.iter().map(Setting::to_string).collect::<Vec<_>>();
    let factor = |factor: &Factor, effect: Option<Effect>| {
        json!({
            "name": factor.name,
            "settings": settings(&factor.settings),
            "elo": effect.map(|effect| effect.estimate.elo),
            "error": effect.map(|effect| effect.estimate.error),
            "z": effect.map(|effect| effect.z),
        })
    };
    let factors: Vec<Value> = match sorted(session) {
        Some(sorted) => sorted.into_iter().map(|(of, effect)| factor(of, Some(effect))).collect(),
        None => session.design().factors().iter().map(|of| factor(of, None)).collect(),
    };
    let shared = session.design().shared();
    json!({
        "conditions": args.conditions.json(args.limit),
        "set": settings(session.design().common()),
        "factors": factors,
        "shared": shared.iter().map(|Shared { name, factors }| json!({"name": name, "factors": factors})).collect::<Vec<_>>(),
        "pairs": session.pairs(),
        "games": 2 * session.pairs(),
        "interrupted": !session.is_over(),
    })
}
