//! Subjects of searches and their results.

use super::query::Query;
use crate::database::{Conditions, Key, Point, Stored};
use lento::chess::Board;

#[derive(Clone, Debug)]
pub struct Finding {
    pub stored: Stored,
    pub course: Vec<Point>,
    /// Whether it is of this engine.
    pub is_own: bool,
}

impl Finding {
    pub fn depth(&self) -> i32 {
        self.stored.analysis.depth
    }

    pub fn lines(&self) -> usize {
        self.stored.conditions.multipv.into()
    }
}

/// A position to search, with root moves and conditions.
#[derive(Clone)]
pub struct Subject {
    /// Identifies position, history and root moves.
    pub name: String,
    pub key: Key,
    /// Whether all root moves are searched, so that results can be stored for the position.
    pub is_whole: bool,
    pub board: Board,
    pub conditions: Conditions,
}

impl Subject {
    pub fn new(query: &Query, threads: usize, hash_mib: usize) -> Self {
        let (board, key) = (query.game.board().clone(), Key::new(&query.game));
        let moves: Vec<String> = query.moves.iter().map(|&mv| board.uci(mv, true)).collect();
        let name = format!("{} {} {}", key.fen, key.past, moves.join(" "));
        let requested = (&query.limits).into();
        let (multipv, chess960) = (query.multipv as u16, query.chess960);
        let conditions = Conditions { requested, multipv, threads, hash_mib, chess960 };
        Self { name, key, is_whole: query.moves.is_empty(), board, conditions }
    }
}
