//! The board on random games, compared with independent references: cozy-chess, FEN round trips, brute force.

mod against_cozy;
mod attacks;
mod captures;
mod exchange;
mod games;
mod keys;
mod notation;
mod repetition;
mod words;
