//! Analyses as JSON.

use super::super::results::white_score;
use crate::database::{Analysis, Line};
use lento::chess::{Board, Move};
use lento::score::Score;
use lento_console::document;
use serde_json::{Value, json};
use std::time::Duration;

/// The legal moves of a line.
fn moves<'a>(board: &Board, chess960: bool, line: impl Iterator<Item = &'a str>) -> Vec<Move> {
    let mut board = board.clone();
    line.map_while(|text| {
        let mv = board.parse_uci(text, chess960)?;
        board = board.after(mv);
        Some(mv)
    })
    .collect()
}

/// A line for pages, with the score and expected score of White.
pub fn line(board: &Board, line: &Line, chess960: bool) -> Value {
    let score = white_score(board, line.score);
    let (pv, san) = document::notation(board, &line.pv, chess960);
    let expected = crate::report::value::Value::new(board, line.score).expected;
    json!({ "score": score, "expected": expected, "pv": pv, "san": san })
}

/// JSON for the database.
pub fn stored(board: &Board, found: &Analysis) -> Value {
    let line = |line: &Line| json!([line.score, document::notation(board, &line.pv, true).0.join(" ")]);
    let lines: Vec<Value> = found.lines.iter().map(line).collect();
    json!([found.depth, found.seldepth, found.nodes, found.time.as_millis() as u64, lines])
}

/// The analysis of a position from the database.
pub fn restored(board: &Board, stored: &Value) -> Option<Analysis> {
    let number = |at: usize| stored[at].as_u64();
    let line = |line: &Value| {
        Some(Line { score: line[0].as_i64()? as Score, pv: moves(board, true, line[1].as_str()?.split(' ')) })
    };
    let lines: Vec<Line> = stored[4].as_array()?.iter().map(line).collect::<Option<_>>()?;
    let found = Analysis {
        depth: number(0)? as i32,
        seldepth: number(1)? as i32,
        nodes: number(2)?,
        time: Duration::from_millis(number(3)?),
        lines,
    };
    (!found.lines.is_empty()).then_some(found)
}
