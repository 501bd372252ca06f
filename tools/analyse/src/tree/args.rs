//! The command line of `lento tree`.

use crate::database::Location;
use lento_common::number::within;
use lento_console::{setup, units};
use std::path::PathBuf;
use std::time::Duration;

/// Grow a tree of searched positions: a file, or a database on a PostgreSQL server (postgresql://USER@HOST/NAME).
#[derive(clap::Args)]
pub struct TreeArgs {
    #[command(subcommand)]
    pub task: Task,
}

#[derive(clap::Subcommand)]
pub enum Task {
    /// Create a tree from a position, games, Polyglot books or an analysis database
    Init(Init),
    /// Search and add positions
    Grow(Grow),
    /// Show a position and its moves
    Show(Show),
    /// Always grow the moves of a line, whatever their value
    Pin(Edit),
    /// Never grow or count a move
    Exclude(Edit),
    /// Neither pin nor exclude a move
    Unmark(Edit),
    /// Write a note to a position; an empty text removes it
    Note {
        /// The tree
        tree: Location,
        /// Moves from the root or from the start of the game, or a FEN, in quotes; empty for the root
        node: String,
        /// Text
        text: String,
    },
    /// Merge trees of the same root into one
    Merge {
        /// Target tree, created if missing
        into: Location,
        /// Source trees
        #[arg(required = true, value_name = "FROM")]
        from: Vec<Location>,
    },
    /// Write the tree as PGN, EPD, Polyglot book or web page
    Export(Export),
    /// Recompute everything and compare
    Verify {
        /// The tree
        tree: Location,
    },
}

/// A node.
#[derive(clap::Args)]
pub struct At {
    /// The tree
    pub tree: Location,
    /// Moves from the root or from the start of the game, or a FEN, in quotes; empty for the root
    #[arg(default_value = "", hide_default_value = true, value_name = "NODE")]
    pub node: String,
}

/// A move.
#[derive(clap::Args)]
pub struct Edit {
    /// The tree
    pub tree: Location,
    /// Moves from the root or from the start of the game, in quotes; applies to the last one, with `pin` to all
    pub moves: String,
}

#[derive(clap::Args)]
pub struct Init {
    /// The tree
    pub tree: Location,
    #[command(flatten)]
    pub setup: setup::Setup,
    /// Moves from that position to the root, in quotes
    #[arg(long, default_value = "", value_name = "MOVES", hide_default_value = true)]
    pub moves: String,
    /// Games whose moves and variations become part of the tree where they reach the root; may be repeated
    #[arg(long, value_name = "FILE")]
    pub pgn: Vec<PathBuf>,
    /// Plies of each line to take
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub pgn_plies: usize,
    /// Polyglot book whose moves from the root become part of the tree; may be repeated
    #[arg(long, value_name = "FILE")]
    pub book: Vec<PathBuf>,
    /// Positions of each book to take, nearest to the root first
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub book_positions: usize,
    /// Database of `lento analyse` whose results become searches; may be repeated
    #[arg(long, value_name = "FILE")]
    pub analysis: Vec<Location>,
    #[command(flatten)]
    pub growth: Growth,
}

/// Which moves are grown; stored in the tree.
#[derive(clap::Args)]
#[command(next_help_heading = "Width and depth, stored in the tree")]
pub struct Growth {
    /// Grow moves of White that lose at most this, such as 30cp
    #[arg(long, value_name = "CP", value_parser = centipawns)]
    pub white_within: Option<i64>,
    /// The same for Black
    #[arg(long, value_name = "CP", value_parser = centipawns)]
    pub black_within: Option<i64>,
    /// Grow at most this many moves of White in each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub white_best: Option<i64>,
    /// The same for Black
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub black_best: Option<i64>,
    /// Percent of the loss of White's moves that counts as cost [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(i64).range(0..=10_000))]
    pub white_weight: Option<i64>,
    /// The same for Black [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(i64).range(0..=10_000))]
    pub black_weight: Option<i64>,
    /// Cost of a ply, in percent of a point [default: 1]
    #[arg(long, value_name = "PERCENT", value_parser = ply_cost)]
    pub ply_cost: Option<i64>,
    /// Maximum plies from the root
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub max_ply: Option<i64>,
}

fn centipawns(text: &str) -> Result<i64, String> {
    within(text.strip_suffix("cp").unwrap_or(text), 0..=10_000, "centipawns such as 30cp, at most 10000")
}

/// Percent of a point, in millionths.
fn ply_cost(text: &str) -> Result<i64, String> {
    let percent: f64 = within(text.trim_end_matches('%'), 0.01..=100.0, "percent from 0.01 to 100")?;
    Ok((percent * 10_000.0).round() as i64)
}

#[derive(clap::Args)]
pub struct Grow {
    /// The tree
    pub tree: Location,
    /// Time to grow: 10s, 2m, 1h [default: until Ctrl-C]
    #[arg(long, value_parser = units::parse_time)]
    pub time: Option<Duration>,
    /// Nodes of all searches
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Positions to add
    #[arg(long, value_name = "N")]
    pub positions: Option<u64>,
    /// Nodes of each search [default: 100000]
    #[arg(long, value_name = "N", conflicts_with = "search_time", value_parser = clap::value_parser!(u64).range(1..))]
    pub search_nodes: Option<u64>,
    /// Time of each search
    #[arg(long, value_name = "TIME", value_parser = setup::positive_time)]
    pub search_time: Option<Duration>,
    /// Threads of this process
    #[arg(long, default_value_t = 1, value_parser = setup::threads)]
    pub threads: usize,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = setup::hash)]
    pub hash: usize,
    /// Folders with Syzygy tablebases, as in the option SyzygyPath
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Lease of a position on a server, after which other processes take it over
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = setup::positive_time)]
    pub lease: Duration,
    /// Print a line of JSON per search
    #[arg(long)]
    pub jsonl: bool,
    #[command(flatten)]
    pub growth: Growth,
}

#[derive(clap::Args)]
pub struct Show {
    #[command(flatten)]
    pub at: At,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct Export {
    #[command(flatten)]
    pub at: At,
    /// Write the moves as a game with variations
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Write a Polyglot opening book
    #[arg(long, value_name = "FILE")]
    pub polyglot: Option<PathBuf>,
    /// Write a line for each searched position
    #[arg(long, value_name = "FILE")]
    pub epd: Option<PathBuf>,
    /// Write a web page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Omit moves that lose more, except in EPD
    #[arg(long, value_name = "CP", default_value = "50cp", value_parser = centipawns)]
    pub within: i64,
    /// Omit all but this many best moves of a position
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub best: usize,
    /// Maximum number of positions of the web page
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_positions: usize,
}
