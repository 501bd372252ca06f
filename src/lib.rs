//! Lento: a chess engine and the rules of chess as a library, without an extra process or a protocol.
//!
//! Many worker threads share one lock-free transposition table, each with its own histories and Last-Best-Reply
//! tables, each running a principal variation search with late move reductions at staggered depths (Lazy SMP).
//!
//! [`engine::Engine`] is the complete engine, without input and output (`cargo add lento-chess`):
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
//! # Where to start
//!
//! | Module | Contents |
//! |---|---|
//! | [`chess`] | [`Board`](chess::Board) and [`Game`](chess::Game): legal moves, FEN, SAN, draws |
//! | [`engine`] | [`Engine`](engine::Engine): position, options, threads, table, one search at a time |
//! | [`search::limits`], [`search::report`] | Limits and output of a search |
//! | [`eval`] | The evaluation of a position; [`eval::wdl`] turns scores into winning chances |
//! | [`tb`] | Syzygy tablebases |
//! | [`search::observer`] | Hooks in the search, for measurements |
//!
//! # Searching
//!
//! | Method | Use |
//! |---|---|
//! | [`search_blocking`](engine::Engine::search_blocking) | Searches up to its limits |
//! | [`search_until`](engine::Engine::search_until) | The same, with a callback that may stop it |
//! | [`go`](engine::Engine::go), [`next_output`](engine::Engine::next_output), [`stop`](engine::Engine::stop) | The single steps of a search |
//!
//! Dropping an engine stops its search. Scores are internal centipawns from the view of the side to move
//! ([`eval::wdl`] normalises them), depths are plies.
//!
//! # Examples
//!
//! - `examples/analyse.rs`: the best lines of a position.
//! - `examples/two_engines.rs`: two engines in one process play each other.
//! - `examples/instrument.rs`: counts stored entries with an [`Instrument`](search::worker::Instrument).
//!
//! The protocol and the command line are in the packages `lento-uci` and `lento-player`.

#![cfg_attr(all(feature = "internals", not(test)), warn(unreachable_pub))]
// Some items are used only by Lento's own programs.
#![cfg_attr(not(feature = "internals"), allow(dead_code))]

mod bench;
pub mod chess;
pub mod engine;
pub mod eval;
mod files;
pub mod hash_file;
mod huge_pages;
#[cfg(feature = "internals")]
pub mod internals;
pub mod named;
mod processors;
pub mod score;
pub mod search;
mod smp;
mod sync;
pub mod tb;
pub mod tt;
mod version;
