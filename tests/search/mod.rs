//! The search, its threads and the table that they share.

mod contempt;
mod crowded;
mod determinism;
mod drawish;
mod mates;
mod ordering;
mod strength;
mod tablebases;
mod tt_race;
