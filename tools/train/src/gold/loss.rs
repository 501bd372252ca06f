//! `lento gold loss`.

use super::losses::{CLASSES, Losses, OBJECTIVE};
use super::neutral::{Comparison, NeutralSet};
use super::set::{self, Origin, checksum};
use crate::formats::packed::to_bytes;
use bulletformat::ChessBoard;
use indicatif::HumanCount;
use lento::eval::nnue::load;
use lento_common::summary;
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// Networks (*.lnn); differences are against the first
    #[arg(required = true, value_name = "NET")]
    networks: Vec<PathBuf>,
    /// The gold set
    #[arg(long, value_name = "FILE", default_value = "nets/gold.bf")]
    gold: PathBuf,
    /// Also compare with the scores of other engines in this file: six columns separated by tabs (FEN, `game` or `inside`, score of
    /// the gold set, expected scores by Berserk and by Stockfish from 0 to 1, value of Stockfish's network in pawns)
    #[arg(long, value_name = "FILE")]
    neutral: Option<PathBuf>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// Measures, and prints what came out.
///
/// # Errors
/// A file cannot be read, or is something else.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut networks = Vec::new();
    for path in &args.networks {
        let network = load(path).map_err(|error| format!("{}: {error}", path.display()))?;
        networks.push((path.display().to_string(), network));
    }
    let gold = set::read(&args.gold)?;
    let neutral = args.neutral.as_deref().map(NeutralSet::read).transpose()?;
    let measured: Vec<(String, Losses)> =
        networks.iter().map(|(path, network)| (path.clone(), Losses::measure(network, &gold))).collect();
    let neutral = neutral.as_ref().map(|set| Comparison::of(set, &networks));
    let json = || {
        let mut document = document(args, &gold, &measured);
        document["neutral"] = neutral.as_ref().map(Comparison::document).into();
        document
    };
    let text = || {
        let neutral = neutral.as_ref().map(|neutral| format!("\n{}", neutral.text()));
        text(args, &gold, &measured) + &neutral.unwrap_or_default()
    };
    summary::show(args.json, json, text)?;
    Ok(ExitCode::SUCCESS)
}

fn shown(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}

/// The class of piece counts in words.
fn class(index: usize) -> String {
    format!("{}-{}", 4 * index + 2, (4 * index + 5).min(32))
}

fn text(args: &Args, gold: &[ChessBoard], measured: &[(String, Losses)]) -> String {
    let [game, search] = Origin::count(gold);
    let whole = HumanCount(gold.len() as u64);
    let mut text = format!(
        "{whole} positions of {} (crc32 {}): {} of games, {} inside searches\n\n",
        args.gold.display(),
        known_by(gold),
        HumanCount(game),
        HumanCount(search)
    );
    let width = measured.iter().map(|(path, _)| path.chars().count()).max().unwrap_or(0).max("network".len());
    text += &format!(
        "{:width$}{:>33}{:>22}\n{:<width$}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}   beyond the first\n",
        "", "", "scale apart:", "network", "loss", "games", "searches", "games", "searches", "off by cp"
    );
    for (path, losses) in measured {
        let [game, search] = losses.origins.map(|mean| shown(mean.get(), 6));
        text += &format!("{path:<width$}{:>11}{game:>11}{search:>11}", shown(losses.all.get(), 6));
        text.extend(losses.fitted.map(|least| format!("{:>11}", shown(least, 6))));
        text += &format!("{:>11}", shown(losses.distance.get(), 2));
        if let Some((_, first)) = measured.first().filter(|(_, first)| !std::ptr::eq(first, losses)) {
            let (more, error) = losses.beyond(first);
            let error = error.map_or_else(String::new, |error| format!(" ± {error:.6}"));
            text += &format!("   {more:+.6}{error}");
        }
        text += "\n";
    }
    text += &format!("\n{:<width$}", "pieces");
    let rows = (0..CLASSES).map(|index| format!("{:>10}", class(index)));
    text.extend(rows.chain(["\n".to_owned()]));
    for (path, losses) in measured {
        text += &format!("{path:<width$}");
        text.extend(losses.classes.iter().map(|mean| format!("{:>10}", shown(mean.get(), 6))));
        text += "\n";
    }
    text
}

/// The checksum of the file.
fn known_by(gold: &[ChessBoard]) -> String {
    checksum(&gold.iter().map(to_bytes).collect::<Vec<_>>())
}

fn document(args: &Args, gold: &[ChessBoard], measured: &[(String, Losses)]) -> Value {
    let [game, search] = Origin::count(gold);
    let network = |(path, losses): &(String, Losses)| {
        let Losses { all, origins: [game, search], fitted: [game_fitted, search_fitted], classes, distance, .. } =
            losses;
        let classes: Vec<Value> = classes
            .iter()
            .enumerate()
            .map(|(index, mean)| json!({"pieces": class(index), "positions": mean.count, "loss": mean.get()}))
            .collect();
        let beyond = measured.first().map(|(_, first)| losses.beyond(first));
        json!({
            "network": path,
            "loss": all.get(),
            "loss_of_games": game.get(),
            "loss_inside_searches": search.get(),
            "loss_of_games_fitted": game_fitted,
            "loss_inside_searches_fitted": search_fitted,
            "mean_distance_cp": distance.get(),
            "by_pieces": classes,
            "beyond_the_first": beyond.map(|(more, _)| more),
            "standard_error": beyond.and_then(|(_, error)| error),
        })
    };
    json!({
        "gold": args.gold.display().to_string(),
        "crc32": known_by(gold),
        "positions": gold.len(),
        "of_games": game,
        "inside_searches": search,
        "scale": OBJECTIVE.scale,
        "networks": measured.iter().map(network).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_by_their_piece_counts() {
        assert_eq!((class(0), class(CLASSES - 1)), ("2-5".to_owned(), "30-32".to_owned()));
    }
}
