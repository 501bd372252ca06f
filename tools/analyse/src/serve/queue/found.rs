//! Analyses as JSON.

use super::super::results::white_score;
use crate::database::{Analysis, Line};
use lento::chess::Board;
use lento::score::Score;
use lento_console::document;
use serde_json::{Value, json};
use std::time::Duration;

/// A line for pages, with the score and expected score of White.
pub fn line(board: &Board, line: &Line, chess960: bool) -> Value {
    let score = white_score(board, line.score);
    let (pv, san) = document::notation(board, &line.pv, chess960);
    let expected = crate::report::value::Value::new(board, line.score).expected;
    json!({ "score": score, "expected": expected, "pv": pv, "san": san })
}

/// Depth, selective depth, nodes, milliseconds, and the score and the moves of each line.
pub type Stored = (i32, i32, u64, u64, Vec<(Score, String)>);

/// An analysis for the database.
pub fn stored(board: &Board, found: &Analysis) -> Stored {
    let line = |line: &Line| (line.score, document::notation(board, &line.pv, true).0.join(" "));
    let lines = found.lines.iter().map(line).collect();
    (found.depth, found.seldepth, found.nodes, found.time.as_millis() as u64, lines)
}

/// The analysis of a position from the database.
pub fn restored(board: &Board, (depth, seldepth, nodes, time, lines): Stored) -> Option<Analysis> {
    let line = |(score, text): (Score, String)| {
        let mut board = board.clone();
        let moves = text.split(' ').map_while(|text| {
            let mv = board.parse_uci(text, true)?;
            board = board.after(mv);
            Some(mv)
        });
        Line { score, pv: moves.collect() }
    };
    let lines: Vec<Line> = lines.into_iter().map(line).collect();
    (!lines.is_empty()).then_some(Analysis { depth, seldepth, nodes, time: Duration::from_millis(time), lines })
}
