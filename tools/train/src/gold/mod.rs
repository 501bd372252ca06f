//! `lento gold`: a fixed set of positions to compare networks.
//!
//! A set is a file in bulletformat whose first unused byte is the origin of a position.

mod fit;
mod loss;
mod make;
mod neutral;
mod sampler;

use crate::formats::in_file;
use crate::formats::packed::{PackedFile, RECORD};
use bulletformat::ChessBoard;
use lento::eval::nnue::Network;
use lento_console::Done;
use loss::Losses;
use neutral::{BOTH, NeutralSet, Row};
use std::error::Error;
use std::path::Path;

/// Tasks for gold sets.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Measure losses of networks on a gold set, in total and by class
    Loss(loss::Args),
    /// Make a gold set: quiet positions of games, scored by long searches
    Make(Box<make::Args>),
}

pub fn run(command: &Command) -> Done {
    match command {
        Command::Loss(args) => loss::run(args),
        Command::Make(args) => make::run(args),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Game,
    /// A position inside a search, in sets of earlier versions.
    Search,
}

impl Origin {
    /// In the order of their byte values.
    const ALL: [Self; 2] = [Self::Game, Self::Search];

    pub fn of(position: &ChessBoard) -> Self {
        if position.extra[0] == Self::Search as u8 { Self::Search } else { Self::Game }
    }

    pub fn count(gold: impl Iterator<Item = Self> + Clone) -> [u64; 2] {
        Self::ALL.map(|origin| gold.clone().filter(|other| *other == origin).count() as u64)
    }
}

/// Reads a gold set. Fails if it has no positions.
fn read(path: &Path) -> Result<Vec<ChessBoard>, String> {
    let gold = PackedFile::open(path)?.collect::<Result<Vec<_>, _>>()?;
    if gold.is_empty() { Err(in_file(path, "no positions; expected a gold set")) } else { Ok(gold) }
}

/// CRC-32 of a set in eight hexadecimal digits.
fn checksum(records: &[[u8; RECORD]]) -> String {
    format!("{:08x}", crc32fast::hash(records.as_flattened()))
}

/// Sets for measuring a network during training; each may be missing.
#[derive(Debug, Default)]
pub struct TestSets {
    gold: Option<Vec<ChessBoard>>,
    neutral: Option<NeutralSet>,
}

/// Losses of a network: on the gold set, and by the mean of other engines with fitted scale and offset for positions of games and
/// inside searches.
pub type TestLosses = [Option<f64>; 3];

impl TestSets {
    pub fn read(gold: Option<&Path>, neutral: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let (gold, neutral) = (gold.map(read).transpose()?, neutral.map(NeutralSet::read).transpose()?);
        Ok(Self { gold, neutral })
    }

    pub fn is_empty(&self) -> bool {
        self.gold.is_none() && self.neutral.is_none()
    }

    /// Measures a network with the engine's integer arithmetic.
    pub fn measure(&self, network: &Network) -> TestLosses {
        let gold = self.gold.as_ref().and_then(|gold| Losses::measure(network, gold).mean());
        let row = self.neutral.as_ref().map(|set| Row::of_network("", network, set));
        let loss = |origin| Some(row.as_ref()?.at(origin, BOTH)?.fit.loss);
        [gold, loss(Origin::Game), loss(Origin::Search)]
    }
}
