//! `lento gold loss`: measures the losses of networks on a gold set.

use super::fit::Fit;
use super::neutral::{self, NeutralSet};
use super::{Origin, checksum};
use crate::formats::in_file;
use crate::formats::packed::to_bytes;
use crate::objective::Objective;
use crate::report::{Report, shown};
use crate::sample::value;
use bulletformat::ChessBoard;
use indicatif::HumanCount;
use lento::eval::nnue::{Network, load};
use lento::internals::nnue::SCALE;
use lento_common::table::{self, Row};
use lento_console::Done;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The default objective of `train` with scores only.
const OBJECTIVE: Objective = Objective { wdl: 0.0, scale: 160.0 };

/// Classes of piece counts, as the output layers of Lento's networks: 2 to 5, 6 to 9 and so on.
const CLASSES: usize = 8;

/// Consecutive positions per observation for standard errors: positions of a game are adjacent and correlated.
const BLOCK: usize = 100;

#[derive(clap::Args)]
pub struct Args {
    /// Networks (*.lnn); differences are relative to the first
    #[arg(required = true, value_name = "NET")]
    networks: Vec<PathBuf>,
    /// Gold set
    #[arg(long, value_name = "FILE", default_value = "nets/gold.bf")]
    gold: PathBuf,
    /// Also compare with the scores of other engines in this file: six tab-separated columns (FEN, `game` or `inside`, score of the
    /// gold set, expected scores by Berserk and Stockfish from 0 to 1, evaluation by Stockfish's network in pawns)
    #[arg(long, value_name = "FILE")]
    neutral: Option<PathBuf>,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Done {
    let network = |path: &PathBuf| Ok((path.display().to_string(), load(path).map_err(|error| in_file(path, error))?));
    let networks = args.networks.iter().map(network).collect::<Result<Vec<_>, String>>()?;
    let gold = super::read(&args.gold)?;
    let neutral_set = args.neutral.as_deref().map(NeutralSet::read).transpose()?;
    let measured: Vec<(String, Losses)> =
        networks.iter().map(|(path, network)| (path.clone(), Losses::measure(network, &gold))).collect();
    let mut report = report(args, &gold, &measured);
    if let Some(set) = &neutral_set {
        neutral::compare(set, &networks, &mut report);
    }
    Ok(report.show(args.json, true)?)
}

fn class_of(position: &ChessBoard) -> usize {
    ((position.occ.count_ones() as usize).saturating_sub(2) / 4).min(CLASSES - 1)
}

/// A class of piece counts as text.
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
        let (difference, error) = losses.difference(&measured[0].1);
        let text = format!("{difference:+.6}") + &error.map_or_else(String::new, |error| format!(" ± {error:.6}"));
        row.cell("minus first", "beyond_the_first", if index > 0 { text } else { String::new() }, difference);
        row.data("standard_error", error);
        let of_class = |index| losses.of(|position| class_of(position) == index);
        let document = |index| {
            let positions = losses.part(|position| class_of(position) == index).count();
            json!({"pieces": class(index), "positions": positions, "loss": of_class(index)})
        };
        row.data("by_pieces", (0..CLASSES).map(document).collect::<Vec<_>>());
        networks.push(row);
        let mut row = Row::default();
        row.text("pieces", path);
        (0..CLASSES).for_each(|index| row.text(&class(index), shown(of_class(index), 6)));
        classes.push(row);
    }
    let mut report = Report::default();
    report.text(&format!(
        "{whole} positions of {path} (crc32 {crc32}): {games} from games, {inside} inside searches\n\n"
    ));
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

/// The mean of numbers; `None` without any.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0_u64), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// Result of a network on a position.
struct Measured<'a> {
    position: &'a ChessBoard,
    /// Evaluation in centipawns.
    value: i32,
    target: f64,
    loss: f64,
}

/// Results of a network on a gold set.
pub struct Losses<'a>(Vec<Measured<'a>>);

impl<'a> Losses<'a> {
    /// Measures a network with the engine's integer arithmetic.
    pub fn measure(network: &Network, gold: &'a [ChessBoard]) -> Self {
        let measure = |position: &'a ChessBoard| {
            let (value, target) = (value(network, position), OBJECTIVE.target(position));
            let (loss, _) = OBJECTIVE.of(f64::from(value) / f64::from(SCALE), target);
            Measured { position, value, target, loss }
        };
        Self(gold.iter().map(measure).collect())
    }

    /// The mean loss.
    pub fn mean(&self) -> Option<f64> {
        self.of(|_| true)
    }

    /// The positions that satisfy a condition.
    fn part(&self, is_in: impl Fn(&ChessBoard) -> bool) -> impl Iterator<Item = &Measured<'a>> {
        self.0.iter().filter(move |measured| is_in(measured.position))
    }

    /// The mean loss of the positions that satisfy a condition.
    fn of(&self, is_in: impl Fn(&ChessBoard) -> bool) -> Option<f64> {
        mean(self.part(is_in).map(|measured| measured.loss))
    }

    /// The loss of an origin with fitted factor and offset of the evaluation.
    fn fitted(&self, origin: Origin) -> Option<f64> {
        let positions = self.part(|position| Origin::of(position) == origin);
        let pairs = positions.map(|measured| (f64::from(measured.value) / OBJECTIVE.scale, measured.target));
        Fit::to(&pairs.collect::<Vec<_>>()).map(|fit| fit.loss)
    }

    /// Mean absolute difference from the scores in centipawns.
    fn distance(&self) -> Option<f64> {
        mean(self.0.iter().map(|measured| f64::from((measured.value - i32::from(measured.position.score)).abs())))
    }

    /// The mean loss of each block.
    fn blocks(&self) -> impl Iterator<Item = f64> {
        self.0.chunks(BLOCK).filter_map(|block| mean(block.iter().map(|measured| measured.loss)))
    }

    /// Head, key, value and decimals of each column.
    fn figures(&self) -> [(&'static str, &'static str, Option<f64>, usize); 6] {
        let [games, inside] = Origin::ALL.map(|origin| self.of(|position| Origin::of(position) == origin));
        [
            ("loss", "loss", self.mean(), 6),
            ("games", "loss_of_games", games, 6),
            ("inside searches", "loss_inside_searches", inside, 6),
            ("both, scale fitted", "loss_of_games_fitted", self.fitted(Origin::Game), 6),
            // Shares the head of the previous column; heads must not be empty.
            (" ", "loss_inside_searches_fitted", self.fitted(Origin::Search), 6),
            ("distance cp", "mean_distance_cp", self.distance(), 2),
        ]
    }

    /// Difference to the loss of another network on the same positions, and its standard error; `None` with too few positions.
    fn difference(&self, other: &Self) -> (f64, Option<f64>) {
        let differences: Vec<f64> = self.blocks().zip(other.blocks()).map(|(own, other)| own - other).collect();
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let all = self.mean().unwrap_or_default() - other.mean().unwrap_or_default();
        (all, (count >= 2.0).then(|| (variance / count).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento::eval::nnue::embedded;

    #[test]
    fn class_names_have_piece_counts() {
        assert_eq!((class(0), class(CLASSES - 1)), ("2-5".to_owned(), "30-32".to_owned()));
    }

    #[test]
    fn losses_of_parts_add_up() {
        let mut gold = sample::positions(8, 3);
        gold.iter_mut().step_by(3).for_each(|position| position.extra[0] = Origin::Search as u8);
        let losses = Losses::measure(&embedded(), &gold);
        let whole = losses.mean().unwrap();
        let by_kind = |kinds: usize, kind: fn(&ChessBoard) -> usize| {
            let parts = (0..kinds).map(|index| {
                let count = losses.part(|position| kind(position) == index).count();
                (losses.of(|position| kind(position) == index).unwrap_or_default() * count as f64, count)
            });
            let (sums, counts): (Vec<f64>, Vec<usize>) = parts.unzip();
            assert!((sums.iter().sum::<f64>() / gold.len() as f64 - whole).abs() < 1e-12);
            counts
        };
        let origins = by_kind(2, |position| Origin::of(position) as usize);
        assert_eq!(
            origins.iter().map(|&count| count as u64).collect::<Vec<_>>(),
            Origin::count(gold.iter().map(Origin::of))
        );
        assert_eq!(by_kind(CLASSES, class_of).iter().sum::<usize>(), gold.len());
        let of = |origin| losses.of(|position| Origin::of(position) == origin);
        assert!(Origin::ALL.into_iter().all(|origin| losses.fitted(origin) <= of(origin)));
        assert_eq!(losses.blocks().count(), gold.len().div_ceil(BLOCK));
        assert_eq!(losses.difference(&losses), (0.0, Some(0.0)));
    }

    #[test]
    fn loss_is_zero_for_equal_values() {
        let mut gold = sample::positions(2, 4);
        let network = embedded();
        for position in &mut gold {
            position.score = value(&network, position) as i16;
        }
        let exact = Losses::measure(&network, &gold);
        assert!(exact.mean().unwrap() * (gold.len() as f64) < 1e-12 && exact.distance() == Some(0.0));
        let mut gold = gold.clone();
        gold.iter_mut().for_each(|position| position.score += 10);
        let shifted = Losses::measure(&network, &gold);
        assert_eq!(shifted.distance(), Some(10.0));
        assert!(shifted.difference(&exact).0 > 0.0 && exact.difference(&shifted).0 < 0.0);
    }
}
