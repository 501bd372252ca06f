//! Games with analyses from the database.

use super::input::Source;
use crate::Args;
use crate::database::{Database, DatabaseError, Key};
use crate::game::{AnalysedGame, Ply};
use crate::pgn::{PgnGame, Reader};
use lento::chess::Game;
use lento::files::open_regular;
use std::error::Error;
use std::fs::OpenOptions;
use std::io::BufReader;

impl AnalysedGame {
    /// Combines a game with the best stored analysis of each position.
    ///
    /// # Errors
    /// The database is unreadable or inconsistent.
    pub fn load(mut read: PgnGame, database: &Database) -> Result<Self, DatabaseError> {
        let mut game = Game::from(read.start.clone());
        let mut plies = Vec::with_capacity(read.moves.len());
        for played in std::mem::take(&mut read.moves) {
            let before = database.best(&Key::new(&game), game.board())?;
            game.play(played.mv);
            plies.push(Ply { mv: played.mv, remarks: played.remarks, before });
        }
        let last = database.best(&Key::new(&game), game.board())?;
        let PgnGame { tags, chess960, start, comment, result, .. } = read;
        Ok(Self { tags, chess960, start, comment, plies, last, result })
    }
}

/// Passes the selected games with their stored analyses to a callback, without searching.
///
/// # Errors
/// A file or the database is unreadable, or the callback fails.
pub fn games(
    args: &Args,
    database: &Database,
    take: &mut dyn FnMut(AnalysedGame) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    for source in &args.queue.sources()? {
        let Source::Pgn(path) = source else { continue };
        let refuse = |error| format!("{}: {error}", path.display());
        let file = open_regular(path, OpenOptions::new().read(true)).map_err(refuse)?;
        let mut reader = Reader::new(BufReader::new(file));
        while let Some(reading) = reader.next_game().map_err(refuse)? {
            if let Some(read) = reading.game.filter(|_| args.queue.selection.has_game(reading.number)) {
                take(AnalysedGame::load(read, database)?)?;
            }
            if args.queue.selection.ends_with_game(reading.number) {
                break;
            }
        }
    }
    Ok(())
}
