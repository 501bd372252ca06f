//! Lento: a chess engine.
//!
//! Many worker threads share one lock-free transposition table, each with its own histories and Last-Best-Reply
//! tables, each running a principal variation search with late move reductions at staggered depths (Lazy SMP).

pub mod bench;
pub mod chess;
pub mod engine;
pub mod eval;
pub mod files;
pub mod score;
pub mod search;
pub mod smp;
pub mod tt;
pub mod uci;
