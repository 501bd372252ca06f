//! `lento gold`: one set of positions by which all networks are compared.

mod fit;
mod harvest;
mod loss;
mod make;
mod neutral;
mod set;

use bulletformat::ChessBoard;
use lento::eval::nnue::Network;
use loss::Losses;
use neutral::{BOTH, NeutralSet, Row};
use set::Origin;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// What to do with the gold set.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Say what networks lose on the gold set, in all and apart
    Loss(loss::Args),
    /// Make a gold set: quiet positions of games, each with the score of a long search
    Make(Box<make::Args>),
}

pub fn run(command: &Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Loss(args) => loss::run(args),
        Command::Make(args) => make::run(args),
    }
}

/// Sets on which a network is measured while it is trained; each may be missing.
#[derive(Debug, Default)]
pub struct Gauge {
    gold: Option<Vec<ChessBoard>>,
    neutral: Option<NeutralSet>,
}

/// The losses of a network on these sets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauged {
    pub gold: Option<f64>,
    /// By the mean of the other engines, scale and offset fitted: of games, and inside searches.
    pub neutral: [Option<f64>; 2],
}

impl Gauge {
    pub fn read(gold: Option<&Path>, neutral: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let (gold, neutral) = (gold.map(set::read).transpose()?, neutral.map(NeutralSet::read).transpose()?);
        Ok(Self { gold, neutral })
    }

    pub fn is_empty(&self) -> bool {
        self.gold.is_none() && self.neutral.is_none()
    }

    /// Measures a network as the engine computes it.
    pub fn measure(&self, network: &Network) -> Gauged {
        let gold = self.gold.as_ref().and_then(|gold| Losses::measure(network, gold).mean());
        let row = self.neutral.as_ref().map(|set| Row::of_network("", network, set));
        let loss = |origin| Some(row.as_ref()?.at(origin, BOTH)?.fit.loss);
        Gauged { gold, neutral: Origin::ALL.map(loss) }
    }
}
