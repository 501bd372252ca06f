//! `lento gold loss`: the losses of networks on a gold set.

use super::fit::Fit;
use super::neutral::{self, NeutralSet};
use super::{Origin, checksum};
use crate::formats::in_file;
use crate::formats::packed::to_bytes;
use crate::objective::Objective;
use crate::report::{Report, shown};
use crate::sample::{Sample, value};
use bulletformat::ChessBoard;
use indicatif::HumanCount;
use lento::eval::nnue::network::SCALE;
use lento::eval::nnue::{Network, load};
use lento_common::table::{self, Row};
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// The default objective of `train`, with scores only.
const OBJECTIVE: Objective = Objective { wdl: 0.0, power: 2.0, scale: 160.0 };

/// Classes of piece counts, as the output layers of Lento's networks have them: 2 to 5, 6 to 9 and so on.
const CLASSES: usize = 8;

/// Consecutive positions that count as one observation for standard errors: those of one game are adjacent and alike.
const BLOCK: usize = 100;

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

pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut networks = Vec::new();
    for path in &args.networks {
        networks.push((path.display().to_string(), load(path).map_err(|error| in_file(path, error))?));
    }
    let gold = super::read(&args.gold)?;
    let judged = args.neutral.as_deref().map(NeutralSet::read).transpose()?;
    let measured: Vec<(String, Losses)> =
        networks.iter().map(|(path, network)| (path.clone(), Losses::measure(network, &gold))).collect();
    let mut report = report(args, &gold, &measured);
    if let Some(set) = &judged {
        neutral::compare(set, &networks, &mut report);
    }
    Ok(report.show(args.json, true)?)
}

/// A class of piece counts in words.
fn class(index: usize) -> String {
    format!("{}-{}", 4 * index + 2, (4 * index + 5).min(32))
}

fn report(args: &Args, gold: &[ChessBoard], measured: &[(String, Losses)]) -> Report {
    let crc32 = checksum(&gold.iter().map(to_bytes).collect::<Vec<_>>());
    let counts = Origin::count(gold.iter().map(Origin::of));
    let [games, inside] = counts.map(HumanCount);
    let (path, whole) = (args.gold.display(), HumanCount(gold.len() as u64));
    let (mut classes, mut networks) = (Vec::new(), Vec::new());
    for (index, (path, losses)) in measured.iter().enumerate() {
        let mut row = Row::default();
        row.cell("network", "network", path, path.as_str());
        for (head, key, figure, decimals) in losses.figures() {
            row.number(head, key, figure, decimals);
        }
        let (more, error) = losses.beyond(&measured[0].1);
        let text = format!("{more:+.6}") + &error.map_or_else(String::new, |error| format!(" ± {error:.6}"));
        row.cell("beyond the first", "beyond_the_first", if index > 0 { text } else { String::new() }, more);
        row.data("standard_error", error);
        let by_pieces = losses.classes.iter().enumerate();
        let document = |(index, mean): (usize, &Mean)| json!({"pieces": class(index), "positions": mean.count, "loss": mean.get()});
        row.data("by_pieces", by_pieces.map(document).collect::<Vec<_>>());
        networks.push(row);
        let mut row = Row::default();
        row.text("pieces", path);
        losses.classes.iter().enumerate().for_each(|(index, mean)| row.text(&class(index), shown(mean.get(), 6)));
        classes.push(row);
    }
    let mut report = Report::default();
    report
        .text(&format!("{whole} positions of {path} (crc32 {crc32}): {games} of games, {inside} inside searches\n\n"));
    report.text(&(table::text(&networks) + "\n" + &table::text(&classes)));
    report.field("gold", path.to_string());
    report.field("crc32", crc32);
    report.field("positions", gold.len());
    report.field("of_games", counts[0]);
    report.field("inside_searches", counts[1]);
    report.field("scale", OBJECTIVE.scale);
    report.field("networks", table::json(&networks));
    report.field("neutral", Value::Null);
    report
}

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

    /// `None` without numbers.
    fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// The losses of a network on a gold set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Losses {
    all: Mean,
    /// By [`Origin`].
    origins: [Mean; 2],
    /// By [`Origin`], with the best factor and offset for the values.
    fitted: [Option<f64>; 2],
    /// By number of pieces.
    classes: [Mean; CLASSES],
    /// Distances from the scores, in centipawns.
    distance: Mean,
    /// The mean loss of each block.
    blocks: Vec<f64>,
}

impl Losses {
    /// Measures a network as the engine computes it, in whole numbers.
    pub fn measure(network: &Network, gold: &[ChessBoard]) -> Self {
        let mut losses = Self::default();
        let mut pairs = [Vec::new(), Vec::new()];
        for block in gold.chunks(BLOCK) {
            let mut sum = Mean::default();
            for position in block {
                let sample = Sample::new(position, network.architecture());
                let value = value(network, &sample);
                let target = OBJECTIVE.target(&sample);
                let (loss, _) = OBJECTIVE.of(f64::from(value) / f64::from(SCALE), target);
                let (origin, pieces) = (Origin::of(position) as usize, position.occ.count_ones() as usize);
                pairs[origin].push((f64::from(value) / OBJECTIVE.scale, target));
                sum.add(loss);
                losses.all.add(loss);
                losses.origins[origin].add(loss);
                losses.classes[(pieces.saturating_sub(2) / 4).min(CLASSES - 1)].add(loss);
                losses.distance.add(f64::from((value - i32::from(position.score)).abs()));
            }
            losses.blocks.extend(sum.get());
        }
        losses.fitted = pairs.map(|pairs| Fit::to(&pairs).map(|fit| fit.loss));
        losses
    }

    pub fn mean(&self) -> Option<f64> {
        self.all.get()
    }

    /// The head, key, value and decimals of each column.
    fn figures(&self) -> [(&'static str, &'static str, Option<f64>, usize); 6] {
        let [games, inside] = self.origins.map(Mean::get);
        [
            ("loss", "loss", self.all.get(), 6),
            ("of games", "loss_of_games", games, 6),
            ("inside searches", "loss_inside_searches", inside, 6),
            ("both with scale apart", "loss_of_games_fitted", self.fitted[0], 6),
            // Under the same head, which must not be empty.
            (" ", "loss_inside_searches_fitted", self.fitted[1], 6),
            ("off by cp", "mean_distance_cp", self.distance.get(), 2),
        ]
    }

    /// The difference to the loss of another network on the same positions, and its standard error; `None` with too few positions.
    fn beyond(&self, other: &Self) -> (f64, Option<f64>) {
        let differences: Vec<f64> = self.blocks.iter().zip(&other.blocks).map(|(one, other)| one - other).collect();
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let all = self.all.get().unwrap_or_default() - other.all.get().unwrap_or_default();
        (all, (count >= 2.0).then(|| (variance / count).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento::eval::nnue::embedded;

    #[test]
    fn classes_are_named_by_their_piece_counts() {
        assert_eq!((class(0), class(CLASSES - 1)), ("2-5".to_owned(), "30-32".to_owned()));
    }

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
        assert_eq!(losses.origins.map(|mean| mean.count), Origin::count(gold.iter().map(Origin::of)));
        assert!(losses.fitted.iter().zip(&losses.origins).all(|(least, mean)| *least <= mean.get()));
        assert_eq!(losses.blocks.len(), gold.len().div_ceil(BLOCK));
        assert_eq!(losses.beyond(&losses), (0.0, Some(0.0)));
    }

    #[test]
    fn values_equal_to_the_scores_lose_nothing() {
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
