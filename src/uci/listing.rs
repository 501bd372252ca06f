//! The moves of a position in the order of the search, as a table.
//!
//! The columns up to history are those of `listmoves` in MadChess (Erik Madsen, 2018). The others are Lento's own.

use crate::chess::{Board, PieceType};
use crate::search::listing::ListedMove;
use std::fmt::Write;

/// The depth that reductions are for unless another one is asked for, in plies.
pub const USUAL_DEPTH: i32 = 10;

/// A row for each move, best first, below the names of the columns; the last line says how many moves there are, or why there
/// is none.
///
/// `depth` is what the reductions are for.
pub fn listing(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> String {
    let names = "rank move best victim attacker promotion killer history continuation lbr see";
    let reduction = format!("reduction at depth {depth}");
    let head: Vec<String> = names.split(' ').chain([&*reduction]).map(String::from).collect();
    let rows = moves.iter().zip(1..).map(|(ranked, rank)| cells(board, ranked, rank, chess960));
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut text = String::new();
    for row in &rows {
        let line = row.iter().enumerate().fold(String::new(), |line, (column, cell)| {
            let width = rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
            // Numbers are flush right.
            let fitted = if matches!(column, 0 | 7 | 8 | 10 | 11) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            };
            line + &fitted + "  "
        });
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text + &match moves.len() {
        0 => format!("0 legal moves: {}", if board.in_check() { "checkmate" } else { "stalemate" }),
        1 => "1 legal move".into(),
        many => format!("{many} legal moves"),
    }
}

/// What the columns say of a move.
fn cells(board: &Board, ranked: &ListedMove, rank: usize, chess960: bool) -> Vec<String> {
    let mark = |holds: bool| if holds { "yes" } else { "" }.to_owned();
    let name = |kind: Option<PieceType>| kind.map_or("", PieceType::name).to_owned();
    vec![
        rank.to_string(),
        board.uci(ranked.mv, chess960),
        mark(ranked.best),
        name(ranked.victim),
        name(ranked.attacker),
        name(ranked.promotion),
        mark(ranked.killer),
        ranked.history.to_string(),
        ranked.continuation.map_or_else(String::new, |value| value.to_string()),
        mark(ranked.reply),
        ranked.see.to_string(),
        ranked.reduction.to_string(),
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
