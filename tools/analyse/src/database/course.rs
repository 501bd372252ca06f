//! Results of `lento serve` with the course of their searches.

use super::Database;
use super::analysis::Stored;
use super::engine::{EngineId, find_engine};
use super::key::Key;
use super::results::{insert_position, position, stored};
use crate::sql::{Connection, Result, values};
use lento::chess::{Board, Move};
use lento::score::Score;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::time::Duration;

/// A new depth or best move of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub time: Duration,
    /// In plies.
    pub depth: i32,
    /// Score of the side to move, in internal centipawns.
    pub score: Score,
    pub best: Move,
}

/// Results of any engine for a position, deepest first, each with whether it is of a given one; and the course of the longest search.
pub type Findings = (Vec<(Stored, bool)>, Vec<Point>);

impl Database {
    /// Stores a result and the course of its search, unless better ones are stored.
    pub fn store_with_course(
        &mut self,
        key: &Key,
        board: &Board,
        engine: &EngineId,
        stored: &Stored,
        course: &[Point],
    ) -> Result<()> {
        let position = self.connection.transaction(|connection| insert_position(connection, key))?;
        self.store(position, board, engine, stored)?;
        if course.is_empty() {
            return Ok(());
        }
        self.connection.transaction(|connection| {
            let depth = |course: &[Point]| course.last().map(|point| point.depth);
            if depth(&load_course(connection, position, board)?) > depth(course) {
                return Ok(());
            }
            let upsert = "INSERT INTO course (position, points) VALUES ($1, $2)
                ON CONFLICT (position) DO UPDATE SET points = $2";
            connection.execute(upsert, &values![position, points(board, course)]).map(drop)
        })
    }

    /// The findings of a position, with whether they are of this engine.
    pub fn findings(&mut self, key: &Key, board: &Board, engine: &EngineId) -> Result<Findings> {
        let connection = &mut self.connection;
        let Some(position) = position(connection, key, "")? else { return Ok(Default::default()) };
        let own = find_engine(connection, engine)?;
        let sql = "SELECT DISTINCT engine FROM analysis WHERE position = $1";
        let engines = connection.query(sql, &values![position], |row| row.get::<i64>(0))?;
        let mut found = Vec::new();
        for engine in engines {
            let stored = stored(connection, position, Some(engine), 1, board)?;
            found.extend(stored.into_iter().map(|stored| (stored, own == Some(engine))));
        }
        found.sort_by_key(|(stored, _)| Reverse((stored.analysis.depth, stored.analysis.nodes)));
        Ok((found, load_course(connection, position, board)?))
    }
}

/// A course as JSON: milliseconds, depth, score and move of each point.
fn points(board: &Board, course: &[Point]) -> String {
    let point =
        |point: &Point| json!([point.time.as_millis() as u64, point.depth, point.score, board.uci(point.best, true)]);
    Value::from_iter(course.iter().map(point)).to_string()
}

fn load_course(connection: &mut Connection, position: i64, board: &Board) -> Result<Vec<Point>> {
    let text: Option<String> =
        connection.query_first("SELECT points FROM course WHERE position = $1", &values![position])?;
    let Some(text) = text else { return Ok(Vec::new()) };
    let read = |(time, depth, score, best): (u64, i32, Score, String)| {
        Some(Point { time: Duration::from_millis(time), depth, score, best: board.parse_uci(&best, true)? })
    };
    let course = serde_json::from_str(&text).ok().and_then(|list: Vec<_>| list.into_iter().map(read).collect());
    course.ok_or_else(|| connection.error(format!("the course of position {position} is damaged")))
}
