//! Self-play within the process.

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
