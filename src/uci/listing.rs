//! The moves of a position in the order of the search, as a table.
//!
//! The columns up to history are those of `listmoves` in MadChess (Erik Madsen, 2018). The others are Lento's own.

use crate::chess::{Board, PieceType};
use crate::search::listing::ListedMove;
use std::fmt::Write;

/// The depth that reductions are for unless another one is asked for, in plies.
pub const USUAL_DEPTH: i32 = 10;

/// A column: its name, whether it is flush right, and what it says of each move.
struct Column {
    name: String,
    right: bool,
    cells: Vec<String>,
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(String::len).max().unwrap_or(0).max(self.name.len())
    }

    /// Text in the width of the column.
    fn fit(&self, text: &str) -> String {
        let width = self.width();
        if self.right { format!("{text:>width$}") } else { format!("{text:<width$}") }
    }
}

/// A row for each move, best first, below the names of the columns; the last line says how many moves there are.
///
/// `depth` is what the reductions are for.
pub fn listing(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> String {
    let columns = columns(board, moves, depth, chess960);
    let line = |cell: &dyn Fn(&Column) -> String| {
        let cells: Vec<String> = columns.iter().map(|column| column.fit(&cell(column))).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut text = line(&|column| column.name.clone());
    for row in 0..moves.len() {
        let _ = write!(text, "\n{}", line(&|column| column.cells[row].clone()));
    }
    let _ = write!(text, "\n{}", count(board, moves.len()));
    text
}

/// How many moves there are, and if none, why the game is over.
fn count(board: &Board, moves: usize) -> String {
    match moves {
        0 => format!("0 legal moves: {}", if board.in_check() { "checkmate" } else { "stalemate" }),
        1 => "1 legal move".into(),
        _ => format!("{moves} legal moves"),
    }
}

fn columns(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> Vec<Column> {
    let column = |name: &str, right, cell: &dyn Fn(usize, &ListedMove) -> String| Column {
        name: name.into(),
        right,
        cells: moves.iter().enumerate().map(|(index, ranked)| cell(index, ranked)).collect(),
    };
    let mark = |holds: bool| if holds { "yes".into() } else { String::new() };
    let name = |kind: Option<PieceType>| kind.map_or_else(String::new, |kind| kind.name().into());
    vec![
        column("rank", true, &|index, _| (index + 1).to_string()),
        column("move", false, &|_, ranked| board.uci(ranked.mv, chess960)),
        column("best", false, &|_, ranked| mark(ranked.best)),
        column("victim", false, &|_, ranked| name(ranked.victim)),
        column("attacker", false, &|_, ranked| name(ranked.attacker)),
        column("promotion", false, &|_, ranked| name(ranked.promotion)),
        column("killer", false, &|_, ranked| mark(ranked.killer)),
        column("history", true, &|_, ranked| ranked.history.to_string()),
        column("continuation", true, &|_, ranked| {
            ranked.continuation.map_or_else(String::new, |value| value.to_string())
        }),
        column("lbr", false, &|_, ranked| mark(ranked.reply)),
        column("see", true, &|_, ranked| ranked.see.to_string()),
        column(&format!("reduction at depth {depth}"), true, &|_, ranked| ranked.reduction.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(board: &Board, text: &str) -> ListedMove {
        ListedMove {
            mv: board.parse_uci(text, false).expect("a legal move"),
            best: false,
            victim: None,
            attacker: None,
            promotion: None,
            killer: false,
            reply: false,
            history: 0,
            continuation: Some(0),
            see: 0,
            reduction: 0,
        }
    }

    #[test]
    fn a_row_for_each_move_and_their_number() {
        let board = Board::from_fen("1n2k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1").expect("a good FEN");
        let taking = ListedMove {
            best: true,
            victim: Some(PieceType::Knight),
            attacker: Some(PieceType::Pawn),
            promotion: Some(PieceType::Queen),
            history: 12_345,
            continuation: None,
            see: 1200,
            ..quiet(&board, "a7b8q")
        };
        let castling = ListedMove {
            killer: true,
            history: -56,
            continuation: Some(-7),
            reply: true,
            reduction: -1,
            ..quiet(&board, "e1g1")
        };
        assert_eq!(
            listing(&board, &[taking, castling], 12, false),
            "\
rank  move   best  victim  attacker  promotion  killer  history  continuation  lbr   see  reduction at depth 12
   1  a7b8q  yes   knight  pawn      queen                12345                     1200                      0
   2  e1g1                                      yes         -56            -7  yes     0                     -1
2 legal moves"
        );
        assert!(listing(&board, &[castling], 1, true).ends_with("\n1 legal move"));
        assert!(listing(&board, &[castling], 1, true).contains("  e1h1  "));
    }

    #[test]
    fn no_move_has_a_reason() {
        for (fen, why) in
            [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate")]
        {
            let board = Board::from_fen(fen).expect("a good FEN");
            let text = listing(&board, &[], 10, false);
            assert_eq!(text.lines().last(), Some(format!("0 legal moves: {why}").as_str()));
        }
    }
}
