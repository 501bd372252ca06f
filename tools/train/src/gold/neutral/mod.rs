//! Losses by the scores of other engines instead of Lento's own, only for measuring.

mod set;

pub use set::NeutralSet;

use super::Origin;
use super::fit::{Fit, Line};
use crate::formats::packed;
use crate::objective::expectation;
use crate::report::{Report, shown};
use crate::sample::value;
use indicatif::HumanCount;
use lento::eval::nnue::Network;
use lento_common::columns::columns;
use lento_common::play::GameResult;
use serde_json::{Value, json};
use set::NeutralPosition;
use std::collections::BTreeMap;
use std::sync::Arc;

/// JSON keys of the engines whose searches give the expected scores.
const ENGINES: [&str; 3] = ["berserk", "stockfish", "mean_of_both"];
/// Index of the mean of both engines.
pub const BOTH: usize = 2;

/// Classes of piece counts, including kings and pawns.
const PIECES: [(u32, u32); 4] = [(2, 9), (10, 17), (18, 25), (26, 32)];

/// Consecutive positions per observation for standard errors: positions of a game are correlated, and a gold set has at most ten per
/// game.
const BLOCK: usize = 20;

/// Loss of an evaluation on the positions of an origin by an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedLoss {
    pub fit: Fit,
    /// Squared error of each position.
    errors: Vec<f64>,
}

impl FittedLoss {
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let fit = Fit::to(pairs)?;
        let errors = pairs.iter().map(|&(value, target)| (expectation(fit.line.of(value)) - target).powi(2)).collect();
        Some(Self { fit, errors })
    }

    /// The loss on some positions, with the fit for all; `None` without any.
    fn part(&self, is_in: impl Fn(usize) -> bool) -> Option<Self> {
        let errors: Vec<f64> =
            (0..).zip(&self.errors).filter_map(|(index, &error)| is_in(index).then_some(error)).collect();
        let loss = errors.iter().sum::<f64>() / errors.len() as f64;
        (!errors.is_empty()).then_some(Self { fit: Fit { loss, ..self.fit }, errors })
    }

    /// Scale and offset in the unit of the values: the log odds are (value + offset) / scale. `None` if the values are uncorrelated with
    /// the expected scores.
    fn scale(&self) -> Option<(f64, f64)> {
        let Line { factor, offset } = self.fit.line;
        (factor != 0.0).then(|| (1.0 / factor, offset / factor))
    }

    /// The excess over another loss on the same positions in percent, and its standard error; `None` with too few positions. Not finite
    /// if the other loss is 0.
    fn excess(&self, reference: &Self) -> (f64, Option<f64>) {
        let sum = |errors: &[f64]| errors.iter().sum::<f64>();
        let ratio = sum(&self.errors) / sum(&reference.errors);
        let blocks = self.errors.chunks(BLOCK).zip(reference.errors.chunks(BLOCK));
        // First-order error of a ratio; the residuals sum to zero.
        let residuals: Vec<f64> = blocks.map(|(own, other)| sum(own) - ratio * sum(other)).collect();
        let count = residuals.len() as f64;
        let variance = count / (count - 1.0) * residuals.iter().map(|residual| residual.powi(2)).sum::<f64>();
        let error = 100.0 * variance.sqrt() / sum(&reference.errors);
        (100.0 * (ratio - 1.0), (count >= 2.0).then_some(error))
    }
}

/// Losses of an evaluation.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    unit: &'static str,
    /// By [`Origin`] and engine; `None` without positions of an origin.
    losses: [[Option<FittedLoss>; 3]; 2],
}

impl Row {
    /// Measures an evaluation from the point of view of the side to move.
    fn measure(
        name: &str,
        unit: &'static str,
        set: &NeutralSet,
        evaluate: impl FnMut(&NeutralPosition) -> f64,
    ) -> Self {
        let values: Vec<f64> = set.positions.iter().map(evaluate).collect();
        let expected = |[a, b]: [f64; 2]| [a, b, (a + b) / 2.0];
        let losses = |origin, engine: usize| {
            let positions = set.positions.iter().zip(&values).filter(|(position, _)| position.origin == origin);
            let pairs = positions.map(|(position, &value)| (value, expected(position.expected)[engine]));
            FittedLoss::of(&pairs.collect::<Vec<_>>())
        };
        let losses = Origin::ALL.map(|origin| std::array::from_fn(|engine| losses(origin, engine)));
        Self { name: name.to_owned(), unit, losses }
    }

    /// Measures a network with the engine's integer arithmetic.
    pub fn of_network(name: &str, network: &Network, set: &NeutralSet) -> Self {
        Self::measure(name, "cp", set, |position| {
            let packed = packed::pack(&position.board, position.label, GameResult::Draw);
            f64::from(value(network, &packed))
        })
    }

    /// The loss on positions of an origin by an engine.
    pub fn at(&self, origin: Origin, engine: usize) -> Option<&FittedLoss> {
        self.losses[origin as usize][engine].as_ref()
    }
}

/// Row of Stockfish's network.
const REFERENCE: usize = 0;
/// Row of the scores of the gold set, a bound for networks trained on Lento's searches.
const GOLD_SCORE: usize = 1;
const FIRST_NETWORK: usize = 2;

/// Adds tables and JSON of networks and other evaluations, measured by searches of other engines.
pub fn compare(set: &NeutralSet, networks: &[(String, Arc<Network>)], report: &mut Report) {
    let mut rows = vec![
        Row::measure("Stockfish's network", "pawns", set, |position| position.reference),
        Row::measure("gold score", "cp", set, |position| f64::from(position.label)),
    ];
    rows.extend(networks.iter().map(|(name, network)| Row::of_network(name, network, set)));
    let [games, inside] = Origin::count(set.positions.iter().map(|position| position.origin));
    let (path, crc32) = (set.path.display(), &set.crc32);
    let [all, from_games, inside_searches] = [games + inside, games, inside].map(HumanCount);
    report.text(&format!(
            "\n{all} positions of {path} (crc32 {crc32}): {from_games} from games, {inside_searches} inside searches\n\
             Mean squared error of the expected score by searches of other engines, with scale and offset fitted for each number.\n\
             Excess over Stockfish's network and, for the mean of both, over the first network in percent, ± standard error.\n",
        ));
    let rows: Vec<Value> = rows.iter().map(|row| document(row, &rows, set)).collect();
    for (origin, heading) in [("of_games", "of games"), ("inside_searches", "inside searches")] {
        let header = [heading, "Berserk", "", "Stockfish", "", "mean of both", "", "over first", "scale", "offset"];
        let mut table = vec![header.map(str::to_owned).to_vec()];
        table.extend(rows.iter().enumerate().map(|(index, row)| cells(index, row, origin)));
        report.text(&format!("\n{}", columns(&table)));
    }
    report.text(
        "\nBy pieces: positions, mean of both, and excess over Stockfish's network in percent with the fit for all pieces.\n",
    );
    for (origin, heading) in [("of_games", "of games"), ("inside_searches", "inside searches")] {
        report.text(&format!("\n{}", columns(&by_pieces(&rows, origin, heading))));
    }
    let document = json!({
        "file": path.to_string(),
        "crc32": crc32,
        "positions": games + inside,
        "of_games": games,
        "inside_searches": inside,
        "reference": rows[REFERENCE],
        "gold_score": rows[GOLD_SCORE],
        "networks": rows[FIRST_NETWORK..],
    });
    report.field("neutral", document);
}

fn document(row: &Row, rows: &[Row], set: &NeutralSet) -> Value {
    // Compares a part of the errors with the same part of other rows.
    let compared = |part: &dyn Fn(&Row) -> Option<FittedLoss>| {
        let own = part(row)?;
        let against = |other: usize| {
            let (percent, error) = own.excess(&part(&rows[other])?);
            Some(json!({"percent": percent, "standard_error": error}))
        };
        let document = json!({
            "loss": own.fit.loss,
            "beyond_the_reference": against(REFERENCE),
            "beyond_the_first": against(FIRST_NETWORK),
        });
        Some((own, document))
    };
    let losses = |origin, engine| {
        let (own, mut document) = compared(&|row| row.at(origin, engine).cloned())?;
        let scale = own.scale();
        document["scale"] = json!(scale.map(|(scale, _)| scale));
        document["offset"] = json!(scale.map(|(_, offset)| offset));
        Some(document)
    };
    let of_class = |origin, (min, max): (u32, u32)| {
        let positions = set.positions.iter().filter(|position| position.origin == origin);
        let is_in: Vec<bool> =
            positions.map(|position| (min..=max).contains(&position.board.occupied().count())).collect();
        let (own, mut document) = compared(&|row| row.at(origin, BOTH)?.part(|index| is_in[index]))?;
        document["pieces"] = json!(format!("{min}-{max}"));
        document["positions"] = json!(own.errors.len());
        Some(document)
    };
    let [games, inside] = Origin::ALL.map(|origin| {
        let losses = ENGINES.iter().enumerate().map(|(engine, name)| (*name, json!(losses(origin, engine))));
        let by_pieces: Vec<Value> = PIECES.iter().filter_map(|&class| of_class(origin, class)).collect();
        losses.chain([("by_pieces", json!(by_pieces))]).collect::<BTreeMap<_, _>>()
    });
    json!({"name": row.name, "unit": row.unit, "of_games": games, "inside_searches": inside})
}

/// Excess over the reference in percent, ± standard error.
fn excess(losses: &Value, key: &str) -> String {
    match (losses[key]["percent"].as_f64(), losses[key]["standard_error"].as_f64()) {
        (None, _) => "-".to_owned(),
        (Some(percent), None) => format!("{percent:+.1}"),
        (Some(percent), Some(error)) => format!("{percent:+.1} ± {error:.1}"),
    }
}

/// The table by number of pieces: losses of the reference and excess of others.
fn by_pieces(rows: &[Value], origin: &str, heading: &str) -> Vec<Vec<String>> {
    let classes = |row: &Value, cell: fn(&Value) -> String| {
        row[origin]["by_pieces"].as_array().into_iter().flatten().map(cell).collect::<Vec<_>>()
    };
    let line =
        |name: &str, row: &Value, cell: fn(&Value) -> String| [vec![name.to_owned()], classes(row, cell)].concat();
    let (name, reference) = (|row: &Value| row["name"].as_str().unwrap_or_default().to_owned(), &rows[REFERENCE]);
    let mut table = vec![
        line(heading, reference, |class| class["pieces"].as_str().unwrap_or_default().to_owned()),
        line("positions", reference, |class| class["positions"].to_string()),
        line(&name(reference), reference, |class| shown(class["loss"].as_f64(), 6)),
    ];
    let others = rows[GOLD_SCORE..].iter();
    table.extend(others.map(|row| line(&name(row), row, |class| excess(class, "beyond_the_reference"))));
    table
}

/// The cells of a row: loss and excess over the reference per engine, scale and offset.
fn cells(index: usize, row: &Value, origin: &str) -> Vec<String> {
    let mut cells = vec![row["name"].as_str().unwrap_or_default().to_owned()];
    for engine in ENGINES {
        let losses = &row[origin][engine];
        cells.push(shown(losses["loss"].as_f64(), 6));
        cells.push(if index == REFERENCE { String::new() } else { excess(losses, "beyond_the_reference") });
    }
    let both = &row[origin][ENGINES[BOTH]];
    cells.push(if index == FIRST_NETWORK { String::new() } else { excess(both, "beyond_the_first") });
    if let (Some(scale), Some(offset), Some(unit)) =
        (both["scale"].as_f64(), both["offset"].as_f64(), row["unit"].as_str())
    {
        let decimals = if unit == "cp" { 1 } else { 3 };
        cells.extend([format!("{scale:.decimals$}"), format!("{offset:.decimals$} {unit}")]);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento::eval::nnue::embedded;
    use std::path::PathBuf;

    /// Positions with expected scores computed from the embedded network, with `scales` and an `offset` in centipawns.
    fn set(scales: [f64; 2], offset: f64) -> NeutralSet {
        let network = embedded();
        let positions = sample::positions(6, 21).into_iter().enumerate().map(|(index, packed)| {
            let value = f64::from(value(&network, &packed));
            NeutralPosition {
                board: packed::board(&packed),
                origin: if index % 3 == 0 { Origin::Search } else { Origin::Game },
                label: value as i32,
                expected: scales.map(|scale| expectation((value + offset) / scale)),
                reference: value / 100.0,
            }
        });
        NeutralSet { path: PathBuf::from("set.tsv"), crc32: String::new(), positions: positions.collect() }
    }

    #[test]
    fn recovers_scale_and_offset_for_each_engine() {
        let set = set([120.0, 310.0], 25.0);
        let row = Row::of_network("net", &embedded(), &set);
        for losses in &row.losses {
            for (losses, scale) in losses.iter().zip([120.0, 310.0]) {
                let losses = losses.as_ref().unwrap();
                let (found, offset) = losses.scale().unwrap();
                assert!(losses.fit.loss < 1e-12, "{}", losses.fit.loss);
                assert!((found - scale).abs() < 1e-2 && (offset - 25.0).abs() < 1e-2, "{found} {offset}");
            }
        }
    }

    #[test]
    fn loss_is_independent_of_scale_and_offset() {
        let set = set([120.0, 310.0], 25.0);
        let mut noise = fastrand::Rng::with_seed(3);
        let noise: Vec<f64> = set.positions.iter().map(|_| 300.0 * (noise.f64() - 0.5)).collect();
        let row = |factor: f64, offset: f64| {
            let mut noise = noise.iter();
            Row::measure("noisy", "cp", &set, |position| {
                factor * (f64::from(position.label) + noise.next().unwrap()) + offset
            })
        };
        let (one, other) = (row(1.0, 0.0), row(0.01, -4.0));
        for (one, other) in one.losses.iter().flatten().zip(other.losses.iter().flatten()) {
            let [one, other] = [one, other].map(|losses| losses.as_ref().unwrap().fit.loss);
            assert!(one > 1e-3 && (one / other - 1.0).abs() < 1e-6, "{one} {other}");
        }
    }

    #[test]
    fn excess_and_error_match_manual_computation() {
        let losses =
            |errors: Vec<f64>| FittedLoss { fit: Fit { line: Line { factor: 1.0, offset: 0.0 }, loss: 0.0 }, errors };
        // Two blocks with sums 40 and 20 against 20 and 20. The residuals are 10 and -10.
        let reference = losses(vec![1.0; 2 * BLOCK]);
        let other = losses([vec![2.0; BLOCK], vec![1.0; BLOCK]].concat());
        let (percent, error) = other.excess(&reference);
        assert!((percent - 50.0).abs() < 1e-9, "{percent}");
        // The root of 2 / 1 * (100 + 100), divided by 40.
        assert!((error.unwrap() - 50.0).abs() < 1e-9, "{error:?}");
        assert_eq!(reference.excess(&reference), (0.0, Some(0.0)));
        let single_block = losses(vec![2.0; BLOCK]);
        assert_eq!(single_block.excess(&losses(vec![4.0; BLOCK])), (-50.0, None));
        // A constant factor has no error.
        let (percent, error) = losses(vec![1.25; 3 * BLOCK]).excess(&losses(vec![1.0; 3 * BLOCK]));
        assert!((percent - 25.0).abs() < 1e-9 && error.unwrap() < 1e-9);
    }
}
