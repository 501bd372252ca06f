//! Losses by the scores of other engines instead of Lento's own, for measuring only.

mod report;
mod row;
mod set;

pub use report::Comparison;
pub use row::{Judge, Row};
pub use set::NeutralSet;
