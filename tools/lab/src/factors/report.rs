//! The effects as text, page, picture and JSON.

use super::design::{Design, Factor};
use super::regression::{Effect, Regression};
use super::{Args, Session};
use crate::rows;
use lento_common::play::setting::texts;
use lento_common::table::{self, Row};
use lento_common::{quantile, summary};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write;

/// The factors with their effects, the best first; in their order without effects while these are unknown.
fn sorted(session: &Session) -> Vec<(&Factor, Option<Effect>)> {
    let factors = session.design.factors.iter();
    let Some(effects) = session.regression.effects() else { return factors.map(|factor| (factor, None)).collect() };
    let mut sorted: Vec<_> = factors.zip(effects.into_iter().map(Some)).collect();
    let elo = |effect: &Option<Effect>| effect.map_or(0.0, |effect| effect.estimate.elo);
    sorted.sort_by(|(_, one), (_, other)| elo(other).total_cmp(&elo(one)));
    sorted
}

fn table(session: &Session, name: impl Fn(&Factor) -> String) -> Vec<Row> {
    let row = |(factor, effect): (&Factor, Option<Effect>)| {
        let mut row = Row::default();
        row.cell("Factor", "name", name(factor), &*factor.name);
        row.data("settings", texts(&factor.settings));
        let text = effect.map_or_else(|| "-".to_owned(), |effect| format!("{:.1}", effect.estimate));
        row.cell("Elo (95 %)", "elo", text, effect.map(|effect| effect.estimate.elo));
        row.data("error", effect.map(|effect| effect.estimate.error));
        let text = effect.map_or_else(|| "-".to_owned(), |effect| format!("{:+.1}", effect.z));
        row.cell("z", "z", text, effect.map(|effect| effect.z));
        row
    };
    sorted(session).into_iter().map(row).collect()
}

pub fn list(factors: &[Factor]) -> String {
    let wide = factors.iter().map(|factor| factor.name.chars().count()).max().unwrap_or(0);
    factors.iter().map(|factor| format!("{:wide$}  {}\n", factor.name, factor.text())).collect()
}

/// The median error, for the progress.
pub fn line(regression: &Regression) -> String {
    let Some(effects) = regression.effects() else { return String::new() };
    let errors = quantile::sorted(effects.iter().map(|effect| effect.estimate.error));
    format!("± {:.1} Elo", quantile::quantile(&errors, 0.5))
}

/// A warning about options that several factors set.
pub fn shared(design: &Design) -> Option<String> {
    let shared = design.shared();
    let names = shared.iter().map(|(name, factors)| format!("{name} ({})", factors.join("; ")));
    let names = names.collect::<Vec<_>>().join(", ");
    let warning = "a player with several of them has the value of the last one, which hides the others";
    (!shared.is_empty()).then(|| format!("set by more than one factor: {names}; {warning}"))
}

/// The numbers of pairs, games and factors.
fn games(session: &Session) -> String {
    let (pairs, factors) = (session.regression.pairs, session.design.factors.len());
    let of = if session.is_over() { String::new() } else { format!(" of {}, interrupted", session.wanted) };
    let s = if factors == 1 { "" } else { "s" };
    let few = if session.regression.effects().is_none() { "; more pairs than factors are needed" } else { "" };
    format!("{pairs} pairs{of}, {} games, {factors} factor{s}{few}", 2 * pairs)
}

pub fn text(session: &Session) -> String {
    let mut text = table::text(&table(session, |factor| factor.name.clone()));
    let rest = if !session.is_over() && session.journal.is_some() { "; the same command resumes it" } else { "" };
    let _ = writeln!(text, "\n{}{rest}", games(session));
    if let Some(shared) = shared(&session.design) {
        let _ = writeln!(text, "{shared}");
    }
    text
}

pub fn markdown(session: &Session) -> String {
    let mut page = String::from(
        "# Effects of settings, measured together\n\n\
         In each pair of games every factor was assigned at random to one of the two players. A positive number is the gain \
         with the factor, by logistic regression over the pairs. The error is that of 95 % confidence; z is the number in \
         standard deviations. Of a hundred factors without effect about five are beyond ± 2.\n\n",
    );
    let _ = writeln!(page, "{}. This page is written by\n\n```sh\n{}\n```\n", games(session), summary::command());
    if let Some(shared) = shared(&session.design) {
        let _ = writeln!(page, "Options {shared}.\n");
    }
    let name = |factor: &Factor| match factor.text() {
        text if text == factor.name => format!("`{text}`"),
        text => format!("{} (`{text}`)", factor.name),
    };
    page + &table::markdown(&table(session, |factor| name(factor).replace('|', "\\|")))
}

/// A point with its error for each factor, the best above.
pub fn svg(session: &Session) -> Result<String, Box<dyn Error>> {
    let sorted = sorted(session);
    let known = sorted.iter().filter_map(|(factor, effect)| Some((factor.name.as_str(), (*effect)?.estimate)));
    rows::elo(&known.collect::<Vec<_>>(), &format!("Elo with the error of 95 % confidence by {}", games(session)))
}

pub fn json(args: &Args, session: &Session) -> Value {
    let (pairs, shared) = (session.regression.pairs, session.design.shared());
    let shared = shared.iter().map(|(name, factors)| json!({"name": name, "factors": factors}));
    json!({
        "conditions": args.conditions.json(args.limit),
        "set": texts(&session.design.common),
        "factors": table::json(&table(session, |factor| factor.name.clone())),
        "shared": shared.collect::<Vec<_>>(),
        "pairs": pairs,
        "games": 2 * pairs,
        "interrupted": !session.is_over(),
    })
}
