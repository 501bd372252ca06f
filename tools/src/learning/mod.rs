//! Learning from games: the formats they are kept in, and the tools that make, prepare and learn from them.

pub mod adam;
pub mod data;
pub mod datagen;
pub mod formats;
pub mod gold;
mod label;
mod line;
pub mod losses;
#[cfg(test)]
pub mod sample;
pub mod train;
pub mod wdl;
