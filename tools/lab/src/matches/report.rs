//! The result of a match as text and as JSON.

use super::Args;
use super::session::Session;
use crate::elo::{Estimate, Sprt, Verdict};
use lento_common::play::opening::OpeningArgs;
use lento_common::play::setting::{Setting, texts};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A short state for the progress.
pub fn line(session: &Session) -> String {
    let results = &session.tally.results;
    let mut line = format!("{:.1} %, Elo {:.1}", 100.0 * results.score(), results.elo());
    if let Some(sprt) = session.goal.sprt {
        let (lower, upper) = sprt.bounds();
        let _ = write!(line, ", LLR {:.2} ({lower:.2} to {upper:.2})", sprt.llr(results));
    }
    line
}

/// The table at the end.
pub fn text(args: &Args, session: &Session) -> String {
    let tally = &session.tally;
    let results = &tally.results;
    let [wins, draws, losses] = tally.wins_draws_losses;
    let mut rows = vec![
        ("new", player(&args.new)),
        ("old", player(&args.old)),
        ("conditions", conditions(args)),
        ("games", format!("{}: {wins} won, {draws} drawn, {losses} lost by new", results.games())),
        ("score", format!("{:.2} %", 100.0 * results.score())),
        ("pentanomial", format!("{:?} pairs in which new scored 0, ½, 1, 1½, 2", results.counts)),
        ("Elo", format!("{:.2} (95 %)", results.elo())),
        ("normalized Elo", format!("{:.2} (95 %)", results.normalized_elo())),
        ("LOS", format!("{:.1} %", 100.0 * results.los())),
    ];
    if let Some(sprt) = session.goal.sprt {
        let (lower, upper) = sprt.bounds();
        let Sprt { elo0, elo1, alpha, beta, model } = sprt;
        rows.push(("SPRT", format!("{elo0} against {elo1} {model} Elo, alpha {alpha}, beta {beta}")));
        rows.push(("LLR", format!("{:.2}, to end at {lower:.2} or {upper:.2}", sprt.llr(results))));
        rows.push(("verdict", verdict(&sprt, session.verdict()).to_owned()));
    }
    let endings = tally.endings.iter().map(|(ending, count)| format!("{count} {}", ending.text()));
    rows.push(("endings", endings.collect::<Vec<_>>().join(", ")));
    let (plies, nodes) = (tally.per_game(tally.plies), tally.per_game(tally.nodes));
    rows.push(("a game", format!("{plies:.0} plies, {nodes:.0} nodes")));
    rows.push(("speed", format!("{:.0} games an hour", games_per_hour(session))));
    if !session.is_over() {
        let rest = if session.journal.is_some() { "; the same command resumes it" } else { "" };
        rows.push(("interrupted", format!("after {} pairs{rest}", results.pairs())));
    }
    rows.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name:<15} {value}\n")).collect()
}

fn player(settings: &[Setting]) -> String {
    if settings.is_empty() { "as built".to_owned() } else { texts(settings).join(", ") }
}

fn conditions(args: &Args) -> String {
    let OpeningArgs { book, random_plies, dfrc, seed, .. } = &args.conditions.openings;
    let plies = match random_plies {
        Some(plies) => Some(format!("{plies} random plies")),
        None => book.is_none().then(|| "random plies".to_owned()),
    };
    let words = [
        Some(format!("{}, hash {} MiB", args.limit, args.conditions.hash)),
        book.as_ref().map(|book| format!("book {}", book.display())),
        plies,
        (*dfrc > 0.0).then(|| format!("{} % double Fischer random", 100.0 * dfrc)),
        Some(format!("seed {seed}")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The meaning of a verdict for the new player. H1 of a test from below zero does not show a gain.
fn verdict(sprt: &Sprt, verdict: Option<Verdict>) -> &'static str {
    match (verdict, sprt.elo0 >= 0.0) {
        (Some(Verdict::H1), true) => "new is better: H1 accepted",
        (Some(Verdict::H1), false) => "new is not worse: H1 accepted",
        (Some(Verdict::H0), true) => "new is not better: H0 accepted",
        (Some(Verdict::H0), false) => "new is worse: H0 accepted",
        (None, _) => "open: more games are needed",
    }
}

fn games_per_hour(session: &Session) -> f64 {
    let hours = session.elapsed().as_secs_f64() / 3600.0;
    if hours > 0.0 { session.tally.results.games() as f64 / hours } else { 0.0 }
}

pub fn json(args: &Args, session: &Session) -> Value {
    let tally = &session.tally;
    let results = &tally.results;
    let estimate = |Estimate { elo, error }| json!({"value": elo, "error95": error});
    let sprt = session.goal.sprt.map(|sprt| {
        let (lower, upper) = sprt.bounds();
        json!({
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "alpha": sprt.alpha,
            "beta": sprt.beta,
            "model": sprt.model.to_string(),
            "llr": sprt.llr(results),
            "lower": lower,
            "upper": upper,
            "accepted": session.verdict().map(|verdict| format!("{verdict:?}")),
            "verdict": verdict(&sprt, session.verdict()),
        })
    });
    let endings = tally.endings.iter().map(|(ending, &count)| (ending.text().to_owned(), count.into()));
    let [wins, draws, losses] = tally.wins_draws_losses;
    json!({
        "conditions": args.json(args.conditions.json(args.limit)),
        "pairs": results.pairs(),
        "games": results.games(),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": results.score(),
        "pentanomial": results.counts,
        "elo": estimate(results.elo()),
        "normalized_elo": estimate(results.normalized_elo()),
        "los": results.los(),
        "sprt": sprt,
        "endings": endings.collect::<Map<_, _>>(),
        "plies_per_game": tally.per_game(tally.plies),
        "nodes_per_game": tally.per_game(tally.nodes),
        "seconds": session.elapsed().as_secs_f64(),
        "games_per_hour": games_per_hour(session),
        "interrupted": !session.is_over(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::EloModel;

    #[test]
    fn verdicts_depend_on_the_hypotheses() {
        let say =
            |elo0, elo1, accepted| verdict(&Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap(), accepted);
        assert_eq!(say(0.0, 5.0, Some(Verdict::H1)), "new is better: H1 accepted");
        assert_eq!(say(0.0, 5.0, Some(Verdict::H0)), "new is not better: H0 accepted");
        assert_eq!(say(-5.0, 0.0, Some(Verdict::H1)), "new is not worse: H1 accepted");
        assert_eq!(say(-5.0, 0.0, Some(Verdict::H0)), "new is worse: H0 accepted");
        assert_eq!(say(0.0, 5.0, None), "open: more games are needed");
    }
}
