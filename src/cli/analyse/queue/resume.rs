//! Going on where a search of the same position has stopped: with its hash table if that was saved, else with its lines.

use super::item::Item;
use crate::chess::Board;
use crate::cli::analyse::database::{Database, Stored};
use crate::cli::analyse::game::Line;
use crate::engine::Engine;
use crate::hash_file::{self, Effort, Order, Origin};
use crate::score::{Bound, to_table};
use crate::tt::{Hit, Record, Tt};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Threads that write or read a hash file.
const THREADS: usize = 8;

/// Where the hash table of a position is kept: beside the database, with the number of the position.
fn path(database: &Database, position: i64) -> PathBuf {
    let mut name = OsString::from(database.path());
    name.push(format!("-{position}.lhf"));
    name.into()
}

/// Saves the table of a search that was interrupted.
///
/// # Errors
/// Says why nothing was saved; the search can be taken up by its lines all the same.
pub fn save(engine: &mut Engine, database: &Database, position: i64, item: &Item, depth: i32) -> Result<(), String> {
    let (table, foundations) = engine.lend_table_to_save().map_err(|error| error.to_string())?;
    let origin = Origin { position: origin(item), depth: depth.unsigned_abs() };
    let (path, effort) = (path(database, position), Effort::Threads(THREADS));
    let order = Order { path, compress: false, effort, origin, keep_older: false };
    let saved = hash_file::save(table, &foundations.identity(), &order, &mut |_| ControlFlow::Continue(()));
    saved.map(|_| ()).map_err(|error| error.to_string())
}

/// What a hash file says that it is of.
fn origin(item: &Item) -> String {
    format!("{} {}", item.key.fen, item.key.past).trim_end().to_owned()
}

/// Puts into the table what is known of a position, for the search that comes next.
///
/// # Errors
/// There is no memory for the table.
pub fn take_up(
    engine: &mut Engine,
    database: &Database,
    position: i64,
    item: &Item,
    known: &Stored,
) -> Result<(), String> {
    let (table, foundations) = engine.lend_table_to_load().map_err(|error| error.to_string())?;
    let path = path(database, position);
    if path.exists() {
        let loaded =
            hash_file::load(&path, &foundations.identity(), &table, THREADS, &mut |_| ControlFlow::Continue(()));
        // Without it the lines have to do.
        if loaded.is_ok_and(|loaded| loaded.origin.position == origin(item)) {
            return Ok(());
        }
    }
    known.analysis.lines.iter().for_each(|line| put(&table, item.game.board(), line, known.analysis.depth));
    Ok(())
}

/// The position is done: its table is of no more use.
pub fn forget(database: &Database, position: i64) {
    let _ = std::fs::remove_file(path(database, position));
}

/// Puts a line into the table: each position of it has its score, exact, and one ply less of depth than the one before.
fn put(table: &Tt, root: &Board, line: &Line, depth: i32) {
    let (mut board, mut score) = (root.clone(), line.score);
    for (ply, &mv) in line.pv.iter().enumerate() {
        let depth = depth - ply as i32;
        if depth < 1 {
            return;
        }
        let hit = Hit { mv: Some(mv), score: to_table(score, ply), eval: None, depth, bound: Bound::Exact, pv: true };
        if let Some(record) = Record::of_search(board.key(), hit) {
            table.restore(record);
        }
        (board, score) = (board.after(mv), -score);
    }
}
