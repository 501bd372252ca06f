//! Syzygy endgame tablebases.
//!
//! The format is Ronald de Man's (2013). WDL tables (`.rtbw`) hold the result of each position, DTZ tables (`.rtbz`) the plies to
//! the next capture or pawn move, for one side to move only. Files are not trusted: any contents yield a value or an error.

mod checksum;
mod material;
mod numbering;
mod pairs;
mod probe;
mod root;
mod source;
mod table;
mod tables;
mod wdl;

pub(crate) use material::Material;
pub use numbering::MAX_PIECES;
pub use root::RootRank;
pub use tables::{Summary, Tables};
pub use wdl::Wdl;
