//! Answers of the pool as analyses, and analyses as JSON.

use crate::database::{Analysis, Line};
use lento::chess::{Board, Color, Move};
use lento::eval::wdl;
use lento::score::{Score, TB_WIN, mate_in, mated_in};
use lento_console::document;
use serde_json::{Value, json};
use std::time::Duration;

/// The analysis of an answer or report; `None` without a line.
pub fn read(board: &Board, chess960: bool, answer: &Value) -> Option<Analysis> {
    let best = answer["lines"].get(0)?;
    let line = |line: &Value| {
        let score = score(&line["score"], wdl::material(board))?;
        Some(Line { score, pv: moves(board, chess960, line["pv"].as_array()?.iter().filter_map(Value::as_str)) })
    };
    Some(Analysis {
        depth: best["depth"].as_i64()? as i32,
        seldepth: best["seldepth"].as_i64()? as i32,
        nodes: answer["nodes"].as_u64()?,
        time: Duration::from_millis(answer["time_ms"].as_u64()?),
        lines: answer["lines"].as_array()?.iter().map(line).collect::<Option<_>>()?,
    })
}

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

/// The score that is displayed as this one.
fn score(shown: &Value, material: i32) -> Option<Score> {
    if let Some(mate) = shown["mate"].as_i64() {
        let plies = 2 * mate.unsigned_abs() as usize;
        return Some(if mate > 0 { mate_in(plies - 1) } else { mated_in(plies) });
    }
    let cp = shown["cp"].as_i64()? as Score;
    if cp.abs() > wdl::SHOWN_MAX {
        return Some((TB_WIN - (wdl::SHOWN_TB_WIN - cp.abs())) * cp.signum());
    }
    Some((f64::from(cp) * wdl::FITTED.a(material) / 100.0).round() as Score)
}

/// A line for pages, with the score and expected score of White.
pub fn line(board: &Board, line: &Line, chess960: bool) -> Value {
    let sign = if board.side_to_move() == Color::White { 1 } else { -1 };
    let mut score = document::score(line.score, wdl::material(board));
    if let Some(fields) = score.as_object_mut() {
        fields.values_mut().for_each(|value| *value = (sign * value.as_i64().unwrap_or(0)).into());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_scores_are_read() {
        for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"] {
            let material = wdl::material(&Board::from_fen(fen).unwrap());
            let near = (-3000..=3000).chain([mate_in(1), mate_in(9), mated_in(2), TB_WIN - 7, 20 - TB_WIN]);
            for known in near {
                let shown = document::score(known, material);
                let read = score(&shown, material).unwrap();
                assert_eq!(document::score(read, material), shown, "{known}");
            }
        }
    }
}
