//! Self-play within the process.

mod adjudicate;
mod arena;
mod conditions;
mod endgame;
mod game;
mod limit;
mod opening;
mod player;
mod record;
mod setting;

pub use adjudicate::{Adjudicator, Rules, Tablebases};
pub use arena::{Arena, GamePair};
pub use conditions::{Conditions, signature};
pub use game::play;
pub use limit::Limit;
pub use opening::{Book, OpeningArgs, Openings, double_fischer, read_book};
pub use player::Player;
pub use record::{Ending, GameResult, Ply, Record, by_rules};
pub use setting::{Setting, texts};
