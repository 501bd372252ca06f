//! Output of `listmoves`: the legal moves in search order.
//!
//! Columns up to history follow `listmoves` of MadChess (Erik Madsen, 2018); the others are Lento's own.

use lento::chess::{Board, Piece, PieceType};
use lento::engine::ListedMove;

/// Default depth for reductions, in plies.
pub(crate) const DEFAULT_DEPTH: i32 = 10;

/// A column: name, whether it is left-aligned, and the cell of a move.
type Column = (&'static str, bool, fn(&Board, &ListedMove) -> String);

const COLUMNS: [Column; 10] = [
    ("best", false, |_, row| mark(row.best)),
    ("victim", true, |board, row| name(board.captured(row.mv).map(Piece::kind))),
    ("attacker", true, |board, row| name(board.captured(row.mv).and(board.piece_on(row.mv.from())).map(Piece::kind))),
    ("promotion", true, |_, row| name(row.mv.promoted())),
    ("killer", false, |_, row| mark(row.killer)),
    ("history", false, |_, row| row.history.to_string()),
    ("continuation", false, |_, row| row.continuation.map_or_else(String::new, |value| value.to_string())),
    ("lbr", false, |_, row| mark(row.reply)),
    ("see", false, |board, row| board.see(row.mv).to_string()),
    ("reduction", false, |_, row| row.reduction.to_string()),
];

fn mark(holds: bool) -> String {
    if holds { "yes" } else { "" }.into()
}

fn name(kind: Option<PieceType>) -> String {
    kind.map_or("", PieceType::name).into()
}

/// Formats the moves as a table, best first, then their number or why there are none. `depth` is the depth of the
/// reductions.
pub(crate) fn listing(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> String {
    let names: String = COLUMNS.iter().map(|(name, ..)| format!("  {name:>5}")).collect();
    let row = |(rank, row): (usize, &ListedMove)| {
        let cells = COLUMNS.map(|(name, left, cell)| {
            let (width, cell) = (name.len().max(5), cell(board, row));
            if left { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") }
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
    fn one_row_per_move() {
        let board = Board::from_fen("1n2k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1").expect("a good FEN");
        let capture = ListedMove { best: true, history: 12_345, continuation: None, ..quiet(&board, "a7b8q") };
        let castling = ListedMove {
            killer: true,
            history: -56,
            continuation: Some(-7),
            reply: true,
            reduction: -1,
            ..quiet(&board, "e1g1")
        };
        assert_eq!(
            listing(&board, &[capture, castling], 12, false),
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
    fn checkmate_and_stalemate() {
        for (fen, why) in
            [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate")]
        {
            let board = Board::from_fen(fen).expect("a good FEN");
            let text = listing(&board, &[], 10, false);
            assert_eq!(text.lines().last(), Some(format!("0 legal moves: {why}").as_str()));
        }
    }
}
