//! Boards in SVG, and game data for the page's script as JSON.

use super::super::value::Value;
use super::super::{Study, san_words};
use lento::chess::{Board, Color, Move, Square};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::iter;

/// Maximum number of lines per position.
const MAX_LINES: usize = 8;

/// The JSON of a game, safe within a `script` element: `start`, the piece placement; `moves`, the board changes of each move,
/// empty for a null move; `positions`, each `null` or value, White's expected score in percent, depth, selective depth, nodes,
/// milliseconds and lines (value, moves, their changes); if the file has clocks, `clocks` after each move, or `null`, and `first`,
/// the side to move first.
pub fn document(study: &Study) -> String {
    let fen = study.boards[0].fen(false);
    let moves = study.game.moves.iter().zip(&study.boards);
    let moves = moves.map(|(ply, board)| ply.mv.map_or_else(String::new, |mv| changes(board, mv)));
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
    let shown = value.text();
    let percent = (1000.0 * value.expected).round() / 10.0;
    // No lines without legal moves.
    let searched = study.analysis(at).filter(|analysis| analysis.lines.iter().any(|line| !line.pv.is_empty()));
    let Some(analysis) = searched else { return json!([shown, percent]) };
    let value = |score| Value::new(board, score).text();
    let lines = analysis.lines.iter().take(MAX_LINES).map(|line| {
        let words = san_words(board, &line.pv);
        let mut board = board.clone();
        let moves = line.pv.iter().take(words.len()).map(|&mv| {
            let changes = changes(&board, mv);
            board = board.after(mv);
            changes
        });
        let moves = moves.collect::<Vec<_>>().join(" ");
        json!([value(line.score), words.join(" "), moves])
    });
    let (ms, lines) = (analysis.time.as_millis() as u64, lines.collect::<Vec<_>>());
    json!([shown, percent, analysis.depth, analysis.seldepth, analysis.nodes, ms, lines])
}

/// A board with its pieces, using the symbols of `pieces.svg`.
pub fn board(board: &Board) -> String {
    let mut text = String::from(
        "<svg class=\"board\" viewBox=\"0 0 800 800\" role=\"img\" aria-label=\"position\"><use href=\"#squares\"/>\
         <use class=\"frame\" href=\"#frame\"/><g class=\"pieces\">",
    );
    for square in board.occupied() {
        let Some(piece) = board.piece_on(square) else { continue };
        let (x, y) = (100 * square.file().index(), 700 - 100 * square.rank().index());
        let color = if piece.color() == Color::White { 'w' } else { 'b' };
        let letter = piece.letter().to_ascii_uppercase();
        text += &format!(r##"<use href="#{letter}" class="{color}" x="{x}" y="{y}" width="100" height="100"/>"##);
    }
    text + "</g></svg>"
}

/// The squares that a move changes, each with its new piece or a dot (`e2.e4P`). The first two are origin and target of the move, or
/// of the king when castling.
fn changes(board: &Board, mv: Move) -> String {
    let (after, uci) = (board.after(mv), board.uci(mv, false));
    let square = |name: &str| name.parse::<Square>().expect("a square");
    let (from, to) = (square(&uci[..2]), square(&uci[2..4]));
    let others = Square::ALL.into_iter().filter(|&square| {
        // The rook may end up on the king's square.
        let before = board.piece_on(square).filter(|_| square != from);
        square != to && before != after.piece_on(square)
    });
    let mut text = format!("{from}.");
    for square in iter::once(to).chain(others) {
        let _ = write!(text, "{square}{}", after.piece_on(square).map_or('.', |piece| piece.letter()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_transform_one_board_into_the_next() {
        for (fen, uci, expected) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e2.e4P"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1.g1Kf1Rh1."),
            ("4k3/8/8/8/8/8/8/1KR5 w C - 0 1", "b1c1", "b1.g1Kc1.f1R"),
            ("4k3/8/8/8/8/8/8/1R3KR1 w BG - 0 1", "f1g1", "f1.g1Kf1R"),
            ("4k3/8/8/8/8/8/8/5RK1 w F - 0 1", "g1f1", "g1.c1Kd1Rf1."),
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "g1.h1.f1Rg1K"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "e5.d6Pd5."),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "a7.b8Q"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(uci, false).unwrap();
            assert_eq!(changes(&board, mv), expected);
        }
    }
}
