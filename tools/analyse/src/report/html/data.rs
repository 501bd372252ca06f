//! Game data for the page's script, as JSON.

use super::super::value::Value;
use super::super::{Study, san_words};
use super::board;
use lento::chess::Color;
use serde_json::{Value as Json, json};

/// Maximum number of lines per position.
const MAX_LINES: usize = 8;

/// The JSON of a game, safe within a `script` element: `start`, the piece placement; `moves`, each with board changes
/// and squares; `positions`, each `null` or value, White's expected score in percent, depth, selective depth, nodes,
/// milliseconds and lines (value, moves, squares of the first move); if the file has clocks, `clocks` after each move,
/// or `null`, and `first`, the side to move first.
pub fn document(study: &Study) -> String {
    let fen = study.boards[0].fen(false);
    let moves = study
        .game
        .moves
        .iter()
        .zip(study.boards.windows(2))
        .map(|(ply, boards)| json!([board::changes(&boards[0], &boards[1]), board::ends(&boards[0], ply.mv)]));
    let mut document = json!({
        "start": fen.split(' ').next(),
        "moves": moves.collect::<Vec<_>>(),
        "positions": (0..study.boards.len()).map(|at| position(study, at)).collect::<Vec<_>>(),
    });
    let clocks: Vec<Option<String>> = (0..study.game.moves.len()).map(|at| study.clock(at)).collect();
    if clocks.iter().any(Option::is_some) {
        document["clocks"] = json!(clocks);
        document["first"] = json!(if study.boards[0].side_to_move() == Color::White { "w" } else { "b" });
    }
    // Only `<` is special within a script element.
    document.to_string().replace('<', "\\u003c")
}

fn position(study: &Study, at: usize) -> Json {
    let (Some(value), board) = (study.values[at], &study.boards[at]) else { return Json::Null };
    let percent = (1000.0 * value.expected).round() / 10.0;
    // No lines without legal moves.
    let searched = study.analysis(at).filter(|analysis| analysis.lines.iter().any(|line| !line.pv.is_empty()));
    let Some(analysis) = searched else { return json!([value.text(), percent]) };
    let lines = analysis.lines.iter().take(MAX_LINES).map(|line| {
        let first = line.pv.first().filter(|&&mv| board.is_legal(mv));
        let ends = first.map_or_else(String::new, |&mv| board::ends(board, mv));
        json!([Value::new(board, line.score).text(), san_words(board, &line.pv).join(" "), ends])
    });
    json!([
        value.text(),
        percent,
        analysis.depth,
        analysis.seldepth,
        analysis.nodes,
        analysis.time.as_millis() as u64,
        lines.collect::<Vec<_>>(),
    ])
}
