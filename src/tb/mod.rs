//! Endgame tablebases in Syzygy's format: which tables there are, what they say of a position.
//!
//! The format is Ronald de Man's (2013). A table of wins, draws and losses (WDL, `.rtbw`) has a value for each position of its
//! material, a table of distances (DTZ, `.rtbz`) the plies to the next capture or pawn move, for one side to move only.
//! Nothing here trusts a file: whatever its bytes are, reading it gives values or says that it is damaged.

mod checksum;
mod material;
mod numbering;
mod pairs;
mod probe;
mod root;
mod source;
mod table;
mod tables;

pub use material::Material;
pub use probe::Wdl;
pub use root::RootRank;
pub use table::{Damage, Kind};
pub use tables::{MOST_MEN, SEPARATOR, Stock, Tables, TablesError};
