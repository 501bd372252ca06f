//! Output of `listmoves`: the legal moves in search order.
//!
//! Columns up to history follow `listmoves` of MadChess (Erik Madsen, 2018); the others are Lento's own.

use crate::chess::{Board, Piece, PieceType};
use crate::engine::listing::ListedMove;
use Cell::{Mark, Name, Number};

/// Default depth for reductions, in plies.
pub const DEFAULT_DEPTH: i32 = 10;

/// A table cell.
enum Cell {
    /// "yes" or blank.
    Mark(bool),
    /// A piece name.
    Name(Option<&'static str>),
    /// A number.
    Number(Option<i32>),
}

/// A column's name and its value for a move.
type Column = (&'static str, fn(&Board, &ListedMove) -> Cell);

/// The columns after rank and move.
const COLUMNS: [Column; 10] = [
    ("best", |_, row| Mark(row.best)),
    ("victim", |board, row| name(board.captured(row.mv))),
    ("attacker", |board, row| name(board.captured(row.mv).and(board.piece_on(row.mv.from())))),
    ("promotion", |_, row| Name(row.mv.promoted().map(PieceType::name))),
    ("killer", |_, row| Mark(row.killer)),
    ("history", |_, row| Number(Some(row.history))),
    ("continuation", |_, row| Number(row.continuation)),
    ("lbr", |_, row| Mark(row.reply)),
    ("see", |board, row| Number(Some(board.see(row.mv)))),
    ("reduction", |_, row| Number(Some(row.reduction))),
];

fn name(piece: Option<Piece>) -> Cell {
    Name(piece.map(|piece| piece.kind().name()))
}

/// Formats the moves as a table, best first, ending with their number or the reason there are none. `depth` is that of
/// the reductions.
pub fn listing(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> String {
    let names: String = COLUMNS.iter().map(|(name, _)| format!("  {name:>5}")).collect();
    let row = |(rank, row): (usize, &ListedMove)| {
        let cells = COLUMNS.map(|(name, cell)| {
            let width = name.len().max(5);
            match cell(board, row) {
                Mark(holds) => format!("  {:>width$}", if holds { "yes" } else { "" }),
                Name(name) => format!("  {:<width$}", name.unwrap_or("")),
                Number(number) => format!("  {:>width$}", number.map_or_else(String::new, |n| n.to_string())),
            }
        });
        format!("{rank:>4}  {:<5}{}\n", board.uci(row.mv, chess960), cells.concat())
    };
    let rows: String = (1..).zip(moves).map(row).collect();
    let end = match moves.len() {
        0 => &format!("0 legal moves: {}", if board.in_check() { "checkmate" } else { "stalemate" }),
        1 => "1 legal move",
        many => &format!("{many} legal moves"),
    };
    format!("rank  move {names} at depth {depth}\n{rows}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(board: &Board, text: &str) -> ListedMove {
        ListedMove {
            mv: board.parse_uci(text, false).expect("a legal move"),
            best: false,
            killer: false,
            reply: false,
            history: 0,
            continuation: Some(0),
            reduction: 0,
        }
    }

    #[test]
    fn one_row_per_move_then_their_number() {
        let board = Board::from_fen("1n2k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1").expect("a good FEN");
        let taking = ListedMove { best: true, history: 12_345, continuation: None, ..quiet(&board, "a7b8q") };
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
rank  move    best  victim  attacker  promotion  killer  history  continuation    lbr    see  reduction at depth 12
   1  a7b8q    yes  knight  pawn      queen                12345                        1200          0
   2  e1g1                                          yes      -56            -7    yes      0         -1
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
