//! `lento-tools gold loss`.

use super::fit;
use super::set::{Origin, checksum};
use crate::common::summary;
use crate::learning::formats::packed::{PackedFile, to_bytes};
use crate::learning::train::{Objective, Sample, value};
use bulletformat::ChessBoard;
use indicatif::HumanCount;
use lento::eval::nnue::network::SCALE;
use lento::eval::nnue::{Network, load};
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
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// What `train` minimises by default, by the scores alone.
const OBJECTIVE: Objective = Objective { wdl: 0.0, power: 2.0, scale: 160.0 };

/// The classes of piece counts, as the output layers of Lento's networks have them: 2 to 5, 6 to 9 and so on.
const CLASSES: usize = 8;

/// Positions of one game lie together and are alike. So many in a row count as one observation, where errors are worked out.
const BLOCK: usize = 100;

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
    let gold = PackedFile::open(&args.gold)?.collect::<Result<Vec<_>, _>>()?;
    if gold.is_empty() {
        return Err(format!("{}: no positions; expected a gold set", args.gold.display()).into());
    }
    let measured: Vec<(String, Losses)> =
        networks.iter().map(|(path, network)| (path.clone(), Losses::measure(network, &gold))).collect();
    summary::show(args.json, || document(args, &gold, &measured), || text(args, &gold, &measured))?;
    Ok(ExitCode::SUCCESS)
}

/// A mean that grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1;
    }

    /// `None` of nothing.
    fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    fn shown(self, decimals: usize) -> String {
        shown(self.get(), decimals)
    }
}

fn shown(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}

/// What a network loses.
#[derive(Clone, Debug, PartialEq)]
struct Losses {
    all: Mean,
    origins: [Mean; 2],
    /// What would be left of those with the best factor and offset for the values.
    fitted: [Option<f64>; 2],
    classes: [Mean; CLASSES],
    /// Distances from the scores, in centipawns.
    distance: Mean,
    /// The mean of each block.
    blocks: Vec<f64>,
}

impl Losses {
    /// Of the network as it is in the program, in whole numbers.
    fn measure(network: &Network, gold: &[ChessBoard]) -> Self {
        let mut losses = Self {
            all: Mean::default(),
            origins: Default::default(),
            fitted: Default::default(),
            classes: Default::default(),
            distance: Mean::default(),
            blocks: Vec::new(),
        };
        let mut pairs = [Vec::new(), Vec::new()];
        for block in gold.chunks(BLOCK) {
            let mut sum = Mean::default();
            for position in block {
                let sample = Sample::new(position, network.architecture());
                let value = value(network, &sample);
                let target = OBJECTIVE.target(&sample);
                let (loss, _) = OBJECTIVE.of(f64::from(value) / f64::from(SCALE), target);
                pairs[Origin::of(position) as usize].push((f64::from(value) / OBJECTIVE.scale, target));
                let pieces = position.occ.count_ones() as usize;
                sum.add(loss);
                losses.all.add(loss);
                losses.origins[Origin::of(position) as usize].add(loss);
                losses.classes[(pieces.saturating_sub(2) / 4).min(CLASSES - 1)].add(loss);
                losses.distance.add(f64::from((value - i32::from(position.score)).abs()));
            }
            losses.blocks.extend(sum.get());
        }
        losses.fitted = pairs.map(|pairs| fit::least(&pairs));
        losses
    }

    /// By how much more than another network on the same positions, and the standard error of that: `None` where there are too few
    /// positions to tell.
    fn beyond(&self, other: &Self) -> (f64, Option<f64>) {
        let differences: Vec<f64> = self.blocks.iter().zip(&other.blocks).map(|(one, other)| one - other).collect();
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let all = self.all.get().unwrap_or_default() - other.all.get().unwrap_or_default();
        (all, (count >= 2.0).then(|| (variance / count).sqrt()))
    }
}

/// The class of piece counts in words.
fn class(index: usize) -> String {
    format!("{}-{}", 4 * index + 2, (4 * index + 5).min(32))
}

fn text(args: &Args, gold: &[ChessBoard], measured: &[(String, Losses)]) -> String {
    let [game, search] = counted(gold);
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
        let [game, search] = losses.origins.map(|mean| mean.shown(6));
        text += &format!("{path:<width$}{:>11}{game:>11}{search:>11}", losses.all.shown(6));
        text.extend(losses.fitted.map(|least| format!("{:>11}", shown(least, 6))));
        text += &format!("{:>11}", losses.distance.shown(2));
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
        text.extend(losses.classes.iter().map(|mean| format!("{:>10}", mean.shown(6))));
        text += "\n";
    }
    text
}

/// The checksum of the file.
fn known_by(gold: &[ChessBoard]) -> String {
    checksum(&gold.iter().map(to_bytes).collect::<Vec<_>>())
}

/// How many positions come from where.
fn counted(gold: &[ChessBoard]) -> [u64; 2] {
    let search = gold.iter().filter(|position| Origin::of(position) == Origin::Search).count() as u64;
    [gold.len() as u64 - search, search]
}

fn document(args: &Args, gold: &[ChessBoard], measured: &[(String, Losses)]) -> Value {
    let [game, search] = counted(gold);
    let network = |(path, losses): &(String, Losses)| {
        let Losses { all, origins: [game, search], fitted: [game_fitted, search_fitted], classes, distance, blocks: _ } =
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
    use crate::learning::sample;
    use lento::eval::nnue::embedded;

    #[test]
    fn losses_are_those_of_their_parts() {
        let mut gold = sample::positions(8, 3);
        gold.iter_mut().step_by(3).for_each(|position| position.extra[0] = Origin::Search as u8);
        let losses = Losses::measure(&embedded(), &gold);
        let whole = losses.all.get().unwrap();
        let mean = |parts: &[Mean]| {
            let sum: f64 = parts.iter().map(|part| part.sum).sum();
            (sum / parts.iter().map(|part| part.count).sum::<u64>() as f64 - whole).abs()
        };
        assert!(mean(&losses.origins) < 1e-12 && mean(&losses.classes) < 1e-12);
        assert_eq!(losses.origins.map(|mean| mean.count), counted(&gold));
        assert!(losses.fitted.iter().zip(&losses.origins).all(|(least, mean)| *least <= mean.get()));
        assert_eq!(losses.blocks.len(), gold.len().div_ceil(BLOCK));
        assert_eq!(losses.beyond(&losses), (0.0, Some(0.0)));
        assert_eq!((class(0), class(7)), ("2-5".to_owned(), "30-32".to_owned()));
    }

    #[test]
    fn who_says_what_the_scores_say_loses_nothing() {
        let mut gold = sample::positions(2, 4);
        let network = embedded();
        for position in &mut gold {
            let sample = Sample::new(position, network.architecture());
            position.score = value(&network, &sample) as i16;
        }
        let exact = Losses::measure(&network, &gold);
        assert!(exact.all.sum < 1e-12 && exact.distance.sum == 0.0);
        gold.iter_mut().for_each(|position| position.score += 10);
        let off = Losses::measure(&network, &gold);
        assert_eq!(off.distance.get(), Some(10.0));
        assert!(off.beyond(&exact).0 > 0.0 && exact.beyond(&off).0 < 0.0);
    }
}
