//! The result of a match as text and JSON.

use super::Args;
use super::session::Session;
use crate::document::merged;
use crate::elo::{Estimate, Sprt, Verdict};
use lento_common::play::{OpeningArgs, Setting, texts};
use lento_common::table::Row;
use serde_json::{Map, json};
use std::fmt::Write;

pub fn line(session: &Session) -> String {
    let results = &session.tally.results;
    let mut line = format!("{:.1} %, Elo {:.1}", 100.0 * results.score(), results.elo());
    if let Some(sprt) = session.goal.sprt {
        let (lower, upper) = sprt.bounds();
        let _ = write!(line, ", LLR {:.2} ({lower:.2} to {upper:.2})", sprt.llr(results));
    }
    line
}

/// All results; heads are the labels in the text.
pub fn row(args: &Args, session: &Session) -> Row {
    let tally = &session.tally;
    let results = &tally.results;
    let [wins, draws, losses] = tally.wins_draws_losses;
    let estimate = |Estimate { elo, error }| json!({"value": elo, "error95": error});
    let mut row = Row::default();
    row.text("new", player(&args.new));
    row.text("old", player(&args.old));
    row.cell("conditions", "conditions", conditions(args), args.json(args.conditions.json(args.limit)));
    let games = format!("{}: {wins} won, {draws} drawn, {losses} lost by new", results.games());
    row.cell("games", "games", games, results.games());
    row.data("pairs", results.pairs());
    row.data("wins", wins);
    row.data("draws", draws);
    row.data("losses", losses);
    row.cell("score", "score", format!("{:.2} %", 100.0 * results.score()), results.score());
    let counts = format!("{:?} pairs in which new scored 0, ½, 1, 1½, 2", results.counts);
    row.cell("pentanomial", "pentanomial", counts, results.counts.to_vec());
    let (elo, normalized) = (results.elo(), results.normalized_elo());
    row.cell("Elo", "elo", format!("{elo:.2} (95 %)"), estimate(elo));
    row.cell("normalized Elo", "normalized_elo", format!("{normalized:.2} (95 %)"), estimate(normalized));
    row.cell("LOS", "los", format!("{:.1} %", 100.0 * results.los()), results.los());
    if let Some(sprt) = session.goal.sprt {
        add_sprt(&mut row, &sprt, session);
    }
    let endings = tally.endings.iter().map(|(ending, count)| format!("{count} {}", ending.text()));
    let counts = tally.endings.iter().map(|(ending, &count)| (ending.text().to_owned(), count.into()));
    row.cell("endings", "endings", endings.collect::<Vec<_>>().join(", "), counts.collect::<Map<_, _>>());
    let (plies, nodes) = (tally.per_game(tally.plies), tally.per_game(tally.nodes));
    row.text("per game", format!("{plies:.0} plies, {nodes:.0} nodes"));
    row.data("plies_per_game", plies);
    row.data("nodes_per_game", nodes);
    let seconds = session.elapsed().as_secs_f64();
    let per_hour = if seconds > 0.0 { results.games() as f64 * 3600.0 / seconds } else { 0.0 };
    row.data("seconds", seconds);
    row.cell("speed", "games_per_hour", format!("{per_hour:.0} games per hour"), per_hour);
    let resume = if session.journal.is_some() { "; the same command resumes it" } else { "" };
    let interrupted = format!("after {} pairs{resume}", results.pairs());
    row.data("interrupted", !session.is_over());
    row.text("interrupted", if session.is_over() { String::new() } else { interrupted });
    row
}

fn add_sprt(row: &mut Row, sprt: &Sprt, session: &Session) {
    let ((lower, upper), llr) = (sprt.bounds(), sprt.llr(&session.tally.results));
    let Sprt { elo0, elo1, alpha, beta, model } = sprt;
    let accepted = session.verdict();
    let verdict = verdict(sprt, accepted);
    row.text("SPRT", format!("{elo0} against {elo1} {model} Elo, alpha {alpha}, beta {beta}"));
    row.text("LLR", format!("{llr:.2}, to end at {lower:.2} or {upper:.2}"));
    row.text("verdict", verdict);
    let state = json!({ "llr": llr, "lower": lower, "upper": upper, "accepted": accepted, "verdict": verdict });
    row.data("sprt", merged(json!(sprt), state));
}

fn player(settings: &[Setting]) -> String {
    if settings.is_empty() { "as built".to_owned() } else { texts(settings).join(", ") }
}

fn conditions(args: &Args) -> String {
    let OpeningArgs { book, random_plies, dfrc, endings, seed, .. } = &args.conditions.openings;
    let plies = match random_plies {
        Some(plies) => Some(format!("{plies} random plies")),
        None => book.is_none().then(|| "random plies".to_owned()),
    };
    let words = [
        Some(format!("{}, hash {} MiB", args.limit, args.conditions.hash)),
        book.as_ref().map(|book| format!("book {}", book.display())),
        plies,
        (*dfrc > 0.0).then(|| format!("{} % double Fischer random", 100.0 * dfrc)),
        (*endings > 0.0).then(|| format!("{} % random endings", 100.0 * endings)),
        Some(format!("seed {seed}")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The verdict for the new player. With a negative ELO0, H1 does not show a gain.
fn verdict(sprt: &Sprt, verdict: Option<Verdict>) -> &'static str {
    match (verdict, sprt.elo0 >= 0.0) {
        (Some(Verdict::H1), true) => "new is better: H1 accepted",
        (Some(Verdict::H1), false) => "new is not worse: H1 accepted",
        (Some(Verdict::H0), true) => "new is not better: H0 accepted",
        (Some(Verdict::H0), false) => "new is worse: H0 accepted",
        (None, _) => "open: more games are needed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::EloModel;

    #[test]
    fn verdicts_depend_on_the_hypotheses() {
        let text =
            |elo0, elo1, accepted| verdict(&Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap(), accepted);
        assert_eq!(text(0.0, 5.0, Some(Verdict::H1)), "new is better: H1 accepted");
        assert_eq!(text(0.0, 5.0, Some(Verdict::H0)), "new is not better: H0 accepted");
        assert_eq!(text(-5.0, 0.0, Some(Verdict::H1)), "new is not worse: H1 accepted");
        assert_eq!(text(-5.0, 0.0, Some(Verdict::H0)), "new is worse: H0 accepted");
        assert_eq!(text(0.0, 5.0, None), "open: more games are needed");
    }
}
