//! The board against other definitions of the same thing, on random games: another library, the position read again
//! from its FEN, brute force.

mod against_cozy;
mod attacks;
mod captures;
mod exchange;
mod games;
mod keys;
mod notation;
mod repetition;
mod words;
