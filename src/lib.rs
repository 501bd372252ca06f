//! Lento: a chess engine.
//!
//! Many worker threads share one lock-free transposition table, each with its own histories and Last-Best-Reply
//! tables, each running a principal variation search with late move reductions at staggered depths (Lazy SMP).
//!
//! [`engine::Engine`] is the whole engine, without any input or output (`cargo add lento-chess --no-default-features`):
//!
//! ```
//! use lento::chess::Game;
//! use lento::engine::Engine;
//! use lento::search::limits::Limits;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::new();
//! engine.set_threads(2)?;
//! engine.game = Game::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")?;
//! let answer = engine.search_blocking(&Limits { depth: Some(5), ..Limits::default() }, |_| ());
//! let best = answer.best.expect("the game is not over");
//! assert_eq!(engine.game.board().san(best), "Ra8#");
//! # Ok(())
//! # }
//! ```
//!
//! [`Engine::search_until`](engine::Engine::search_until) shows the output and stops early; see `examples/analyse.rs`.
//! [`Engine::go`](engine::Engine::go) starts a search, [`Engine::next_output`](engine::Engine::next_output) returns its
//! output, [`Engine::stop`](engine::Engine::stop) the result. Dropping an engine stops its search. The command line is behind
//! the default feature `cli`.

pub mod bench;
pub mod chess;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod eval;
pub mod files;
pub mod hash_file;
pub mod huge_pages;
pub mod named;
pub mod processors;
pub mod score;
pub mod search;
pub mod smp;
mod sync;
pub mod tb;
pub mod tt;
pub mod uci;
pub mod version;
