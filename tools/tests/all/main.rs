//! `lento-tools` from outside, all in one program: each further one costs a newcomer time to build.

#[cfg(unix)]
mod abuse;
mod damaged;
mod data;
mod datagen;
mod factors;
mod gold;
mod lab;
mod matches;
mod neutral;
mod nnue;
