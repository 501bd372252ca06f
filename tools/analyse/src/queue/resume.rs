//! Resumes interrupted searches from their saved hash table or their lines.

use super::input::Item;
use crate::database::{Analysis, Database, Stored};
use lento::chess::Board;
use lento::engine::Engine;
use lento::hash_file::{self, Origin, SaveOptions};
use lento::internals::processors;
use lento::score::{Bound, to_table};
use lento::tt::{Record, Tt, TtEntry};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Number of threads for saving and loading hash files.
pub fn hash_file_threads() -> usize {
    processors::count().min(8)
}

/// The hash file of a position, beside the database; `None` on a server.
fn path(database: &Database, position: i64) -> Option<PathBuf> {
    let mut name = OsString::from(database.location().file()?);
    name.push(format!("-{position}.lhf"));
    Some(name.into())
}

/// Saves the table of an interrupted search.
///
/// # Errors
/// If nothing was saved. The search can still be resumed from its lines.
pub fn save(engine: &mut Engine, database: &Database, position: i64, item: &Item, depth: i32) -> Result<(), String> {
    let Some(path) = path(database, position) else { return Ok(()) };
    let table = engine.lend_table_to_save().map_err(|error| error.to_string())?;
    let (identity, origin) = (table.identity(), Origin { position: origin(item), depth: depth.unsigned_abs() });
    let options = SaveOptions { path, compress: false, threads: hash_file_threads(), origin, keeps_older: false };
    let saved = hash_file::save(table, &identity, &options, &mut |_| ControlFlow::Continue(()));
    saved.map(|_| ()).map_err(|error| error.to_string())
}

fn origin(item: &Item) -> String {
    format!("{} {}", item.key.fen, item.key.past).trim_end().to_owned()
}

/// Fills the table with the stored results of a position, for the next search.
pub fn restore(
    engine: &mut Engine,
    database: &Database,
    position: i64,
    item: &Item,
    known: &Stored,
) -> Result<(), String> {
    let table = engine.lend_table_to_load().map_err(|error| error.to_string())?;
    if let Some(path) = path(database, position).filter(|path| path.exists()) {
        let loaded =
            hash_file::load(&path, &table.identity(), &table, hash_file_threads(), &mut |_| ControlFlow::Continue(()));
        // Otherwise fall back to the lines.
        if loaded.is_ok_and(|loaded| loaded.origin.position == origin(item)) {
            return Ok(());
        }
    }
    seed(&table, item.game.board(), &known.analysis);
    Ok(())
}

/// Fills a table with the lines of an analysis as exact scores, one ply shallower per move. The best line is written last, as it
/// replaces entries of the others for the same positions, such as the root.
pub fn seed(table: &Tt, root: &Board, known: &Analysis) {
    for line in known.lines.iter().rev() {
        let (mut board, mut score) = (root.clone(), line.score);
        for (depth, (ply, &mv)) in (1..=known.depth).rev().zip(line.pv.iter().enumerate()) {
            let hit =
                TtEntry { mv: Some(mv), score: to_table(score, ply), eval: None, depth, bound: Bound::Exact, pv: true };
            if let Some(record) = Record::of_search(board.key(), hit) {
                table.restore(record);
            }
            (board, score) = (board.after(mv), -score);
        }
    }
}

/// Removes the hash file of a finished position.
pub fn remove_table(database: &Database, position: i64) {
    if let Some(path) = path(database, position) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{Conditions, Key, Location, SearchLimits};
    use crate::queue::input::Place;
    use lento::chess::Game;
    use lento::engine::Output;
    use lento::search::limits::Limits;
    use lento::search::report::Info;
    use std::time::Duration;

    fn search(engine: &mut Engine, depth: i32) -> Vec<(i32, i32, usize)> {
        let mut infos = Vec::new();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        engine.search_blocking(&limits, |output| {
            if let Output::Info(info) = output {
                infos.push((info.depth, info.score, info.pv.len()));
            }
        });
        infos
    }

    /// Of several lines, the best one stays first; others may have the same score.
    #[test]
    fn lines_are_restored_in_order() {
        let new_engine = || {
            let mut engine = Engine::new();
            engine.set_hash(1).unwrap();
            engine.settings.search.multi_pv = 3;
            engine
        };
        let limits = Limits { depth: Some(9), ..Limits::default() };
        let outcome = new_engine().search_blocking(&limits, |_| ());
        let mut fresh = new_engine();
        let table = fresh.lend_table_to_load().unwrap();
        seed(&table, &Board::start(), &Analysis::new(&outcome.lines, 1, Duration::ZERO));
        drop(table);
        let resumed = fresh.search_blocking(&limits, |_| ()).lines;
        let scores = |lines: &[Info]| lines.iter().map(|line| line.score).collect::<Vec<_>>();
        assert_eq!((scores(&resumed), resumed[0].pv[0]), (scores(&outcome.lines), outcome.lines[0].pv[0]));
    }

    /// Searches restored from lines or from the hash table resume at the known depth.
    #[test]
    fn known_depths_are_not_searched_again() {
        let folder = lento_testing::Folder::new("resume");
        let database = Database::open(&Location::File(folder.at("one.db")), Some(Duration::ZERO)).unwrap();
        let game = Game::from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3").unwrap();
        let (key, place) = (Key::new(&game), Place::Arguments);
        let item = Item { game: game.clone(), key, chess960: false, place, done: 0.0, begins: true };
        let new_engine = || {
            let mut engine = Engine::new();
            engine.set_hash(1).unwrap();
            engine.game = game.clone();
            engine
        };
        let mut engine = new_engine();
        let limits = Limits { depth: Some(9), ..Limits::default() };
        let outcome = engine.search_blocking(&limits, |_| ());
        let analysis = Analysis::new(&outcome.lines, 1, Duration::ZERO);
        let conditions =
            Conditions { requested: SearchLimits::default(), multipv: 1, threads: 1, hash_mib: 1, chess960: false };
        let known = Stored { analysis, conditions, finished: false };
        let resumes_at_depth = |engine: &mut Engine| {
            let infos = search(engine, 11);
            let depths: Vec<i32> = infos.iter().map(|&(depth, ..)| depth).filter(|&depth| depth > 1).collect();
            assert_eq!((depths[0], depths.last()), (9, Some(&11)), "{infos:?}");
            assert_eq!(infos.iter().find(|infos| infos.0 == 9).map(|infos| infos.1), Some(outcome.lines[0].score));
        };
        let mut fresh = new_engine();
        restore(&mut fresh, &database, 1, &item, &known).unwrap();
        resumes_at_depth(&mut fresh);
        save(&mut engine, &database, 1, &item, 9).unwrap();
        let mut fresh = new_engine();
        let none = Stored { analysis: Analysis { lines: Vec::new(), ..known.analysis.clone() }, ..known };
        restore(&mut fresh, &database, 1, &item, &none).unwrap();
        resumes_at_depth(&mut fresh);
        remove_table(&database, 1);
        drop(database);
        assert_eq!(folder.names().len(), 1);
    }
}
