//! Search, threads and the shared table.

mod contempt;
mod crowded;
mod determinism;
mod drawish;
mod mates;
mod ordering;
mod strength;
mod tablebases;
mod tt_race;
