//! Boards in SVG, and game data for the page's script as JSON.

use super::super::value::Value;
use super::super::{Study, san_words};
use lento::chess::{Board, Color, Move, Square};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Maximum number of lines per position.
const MAX_LINES: usize = 8;

/// The JSON of a game, safe within a `script` element: `start`, the piece placement; `moves`, each with board changes
/// and squares, both empty for a null move; `positions`, each `null` or value, White's expected score in percent, depth,
/// selective depth, nodes, milliseconds and lines (value, moves, squares of the first move); if the file has clocks,
/// `clocks` after each move, or `null`, and `first`, the side to move first.
pub fn document(study: &Study) -> String {
    let fen = study.boards[0].fen(false);
    let moves = study.game.moves.iter().zip(study.boards.windows(2)).map(|(ply, boards)| {
        json!([changes(&boards[0], &boards[1]), ply.mv.map_or_else(String::new, |mv| ends(&boards[0], mv))])
    });
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
    data(&document)
}

/// JSON that is safe within a `script` element, where only `<` is special.
pub fn data(document: &Json) -> String {
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
        let ends = first.map_or_else(String::new, |&mv| ends(board, mv));
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

/// A board with its pieces, using the symbols of `pieces.svg`.
pub fn board(board: &Board, label: &str) -> String {
    let mut text = format!(
        "<svg class=\"board\" viewBox=\"0 0 800 800\" role=\"img\" aria-label=\"{label}\"><use href=\"#squares\"/>\
         <g class=\"trail\"></g><use class=\"frame\" href=\"#frame\"/><g class=\"pieces\">"
    );
    for square in board.occupied() {
        if let Some(piece) = board.piece_on(square) {
            let (x, y) = (100 * square.file().index(), 700 - 100 * square.rank().index());
            let color = if piece.color() == Color::White { 'w' } else { 'b' };
            let letter = piece.letter().to_ascii_uppercase();
            let _ = write!(
                text,
                "<use href=\"#{letter}\" class=\"{color}\" x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\"/>"
            );
        }
    }
    text + "</g><g class=\"arrow\"></g></svg>"
}

/// Squares that differ, each with its piece on the second board: `e2.e4P`.
fn changes(before: &Board, after: &Board) -> String {
    let mut text = String::new();
    for square in Square::ALL {
        let piece = after.piece_on(square);
        if before.piece_on(square) != piece {
            let _ = write!(text, "{square}{}", piece.map_or('.', |piece| piece.letter()));
        }
    }
    text
}

/// From and to squares of a move: `e2e4`. For castling, the king's.
fn ends(board: &Board, mv: Move) -> String {
    let mut text = board.uci(mv, false);
    text.truncate(4);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_transform_one_board_into_the_next() {
        for (fen, uci, expected, ends_at) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e2.e4P", "e2e4"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1.f1Rg1Kh1.", "e1g1"),
            ("4k3/8/8/8/8/8/8/1KR5 w C - 0 1", "b1c1", "b1.c1.f1Rg1K", "b1g1"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "d5.e5.d6P", "e5d6"),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "a7.b8Q", "a7b8"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(uci, false).unwrap();
            assert_eq!(changes(&board, &board.after(mv)), expected);
            assert_eq!(ends(&board, mv), ends_at);
        }
    }
}
