//! The result of an ablation as text, page and JSON.

use super::Args;
use super::session::Trial;
use crate::play::ideas::Idea;
use serde_json::{Value, json};
use std::fmt::Write;

/// The ideas and what switches them off.
pub fn list(ideas: &[&Idea]) -> String {
    let wide = ideas.iter().map(|idea| idea.name.chars().count()).max().unwrap_or(0);
    let line = |idea: &&Idea| format!("{:10}  {:wide$}  {}\n", idea.family.text(), idea.name, idea.off);
    ideas.iter().map(line).collect()
}

/// How a trial stands.
pub fn line(trial: &Trial) -> String {
    let estimate = trial.results.elo();
    format!("{:+.1} ± {:.1} Elo without it, {} games", estimate.elo, estimate.error, trial.results.games())
}

/// The trials, those first that cost most when they are switched off.
fn sorted(trials: &[Trial]) -> Vec<&Trial> {
    let mut sorted: Vec<&Trial> = trials.iter().filter(|trial| trial.results.pairs() > 0).collect();
    sorted.sort_by(|one, other| one.results.elo().elo.total_cmp(&other.results.elo().elo));
    sorted
}

/// The table for a terminal.
pub fn text(trials: &[Trial]) -> String {
    let sorted = sorted(trials);
    let wide = sorted.iter().map(|trial| trial.idea.name.chars().count()).max().unwrap_or(0).max(12);
    let mut text = format!("{:wide$}  {:>8} {:>7} {:>6}  pairs by points\n", "Without", "Elo", "±", "games");
    for trial in sorted {
        let (estimate, results) = (trial.results.elo(), trial.results);
        let _ = writeln!(
            text,
            "{:wide$}  {:>+8.1} {:>7.1} {:>6}  {:?}",
            trial.idea.name,
            estimate.elo,
            estimate.error,
            results.games(),
            results.counts
        );
    }
    text
}

/// The page.
pub fn markdown(args: &Args, trials: &[Trial]) -> String {
    let mut page = String::from(
        "# What each idea of the search is worth\n\n\
         Each idea was switched off in turn, and the engine without it played the engine as it is. A negative number is what \
         the engine loses without the idea. The error is that of 95 % confidence, by pairs of games from one opening.\n\n\
         This page is written by\n\n```sh\n",
    );
    let _ = writeln!(page, "{}\n```\n", command(args));
    page.push_str("| Idea | Family | Switched off by | Elo without it | Games | Pairs by points 0, ½, 1, 1½, 2 |\n");
    page.push_str("|---|---|---|---:|---:|---|\n");
    for trial in sorted(trials) {
        let (idea, estimate) = (trial.idea, trial.results.elo());
        let counts = trial.results.counts.map(|count| count.to_string()).join(", ");
        let _ = writeln!(
            page,
            "| {} | {} | `{}` | {:+.1} ± {:.1} | {} | {counts} |",
            idea.name,
            idea.family.text(),
            idea.off,
            estimate.elo,
            estimate.error,
            trial.results.games(),
        );
    }
    page
}

/// The command that repeats the run.
fn command(args: &Args) -> String {
    let mut words = vec!["cargo run --release -p lento-tools -- ablate".to_owned()];
    words.extend(args.ideas.iter().map(|idea| format!("'{idea}'")));
    words.push(format!("--limit {} --pairs {}", args.limit, args.pairs));
    if let Some(most) = args.most_pairs {
        words.push(format!("--most-pairs {most}"));
    }
    words.push(format!("{} --markdown docs/results/ablation.md", args.conditions.words()));
    words.join(" ")
}

/// Everything for programs.
pub fn json(args: &Args, trials: &[Trial]) -> Value {
    let trial = |trial: &Trial| {
        let estimate = trial.results.elo();
        json!({
            "idea": trial.idea.name,
            "family": trial.idea.family.text(),
            "off": trial.idea.off,
            "games": trial.results.games(),
            "pentanomial": trial.results.counts,
            "elo": estimate.elo,
            "error": estimate.error,
        })
    };
    json!({
        "conditions": args.conditions.json(args.limit),
        "ideas": trials.iter().map(trial).collect::<Vec<_>>(),
    })
}
