//! Games of the engine against itself, in process.

pub mod adjudicate;
pub mod arena;
pub mod conditions;
mod endgame;
pub mod game;
pub mod limit;
pub mod opening;
pub mod player;
pub mod record;
pub mod setting;
