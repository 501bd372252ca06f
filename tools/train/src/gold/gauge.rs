//! The losses of a network that is being trained, on sets from which it does not learn.

use super::losses::Losses;
use super::neutral::{Judge, NeutralSet, Row};
use super::set::{self, Origin};
use bulletformat::ChessBoard;
use lento::eval::nnue::Network;
use std::error::Error;
use std::path::Path;

/// The sets, each of which may be missing.
#[derive(Debug, Default)]
pub struct Gauge {
    gold: Option<Vec<ChessBoard>>,
    neutral: Option<NeutralSet>,
}

/// What a network loses on them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauged {
    /// The loss on the gold set.
    pub gold: Option<f64>,
    /// By the mean of the other engines, scale and offset fitted: of games, and inside searches.
    pub neutral: [Option<f64>; 2],
}

impl Gauge {
    /// Reads the sets.
    ///
    /// # Errors
    /// A file cannot be read, or is in another format.
    pub fn read(gold: Option<&Path>, neutral: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let (gold, neutral) = (gold.map(set::read).transpose()?, neutral.map(NeutralSet::read).transpose()?);
        Ok(Self { gold, neutral })
    }

    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.gold.is_none() && self.neutral.is_none()
    }

    /// Measures a network as the engine computes it.
    pub fn measure(&self, network: &Network) -> Gauged {
        let gold = self.gold.as_ref().and_then(|gold| Losses::measure(network, gold).all.get());
        let row = self.neutral.as_ref().map(|set| Row::of_network("", network, set));
        let loss = |origin| Some(row.as_ref()?.at(origin, Judge::Both)?.fit.loss);
        Gauged { gold, neutral: Origin::ALL.map(loss) }
    }
}
