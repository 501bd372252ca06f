//! The search, its threads and the table that they share.

mod crowded;
mod determinism;
mod drawish;
mod mates;
mod ordering;
mod tt_race;
