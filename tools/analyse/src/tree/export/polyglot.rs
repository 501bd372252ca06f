//! Opening books in Polyglot's format.

use super::super::Tree;
use super::super::args::Export;
use super::super::position::{Position, centipawns};
use super::walk;
use lento::chess::{Bitboard, Board, CastlingSide, Color, PieceType, Square};
use std::error::Error;

/// Polyglot's 781 random numbers, big-endian: pieces, castling, en passant, side.
const RANDOM: &[u8; 781 * 8] = include_bytes!("random64.bin");
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const SIDE: usize = 780;
/// Weight of a best move. It halves with every [`HALF_LOSS`] centipawns.
const WEIGHT: f64 = 1000.0;
const HALF_LOSS: f64 = 15.0;

/// Polyglot's key of a position.
pub fn key(board: &Board) -> u64 {
    let random = |at: usize| RANDOM[8 * at..8 * at + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let mut key = 0;
    for square in Square::ALL {
        if let Some(piece) = board.piece_on(square) {
            let kind = 2 * piece.kind() as usize + usize::from(piece.color() == Color::White);
            key ^= random(64 * kind + square.index());
        }
    }
    let rights = [
        (Color::White, CastlingSide::King),
        (Color::White, CastlingSide::Queen),
        (Color::Black, CastlingSide::King),
        (Color::Black, CastlingSide::Queen),
    ];
    for (at, (color, side)) in rights.into_iter().enumerate() {
        if board.castling().has(color, side) {
            key ^= random(CASTLING + at);
        }
    }
    if let Some(square) = board.en_passant() {
        key ^= random(EN_PASSANT + square.file().index());
    }
    if board.side_to_move() == Color::White { key ^ random(SIDE) } else { key }
}

/// The moves below a node as a book. The word of a move is Lento's without its kind, but for promotions.
pub fn book(tree: &Tree, node: i64, position: &Position, args: &Export) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut entries = Vec::new();
    walk(tree, node, position, Some((args.within, args.best)), |visit| {
        let key = key(&visit.position.board);
        let best = visit.rows.iter().filter_map(|row| row.value).max();
        for row in visit.rows.iter().filter(|row| row.child.is_some()) {
            let (Some(best), Some(value)) = (best, row.value) else { continue };
            let loss = f64::from(centipawns(best) - centipawns(value));
            let weight = (WEIGHT * (-loss / HALF_LOSS).exp2()).round().max(1.0) as u16;
            let promoted = row.mv.promoted().map_or(0, |piece| piece as u16);
            let mv = row.mv.to().index() as u16 | (row.mv.from().index() as u16) << 6 | promoted << 12;
            entries.push((key, std::cmp::Reverse(weight), mv));
        }
        Ok(true)
    })?;
    entries.sort_unstable();
    entries.dedup();
    let bytes = entries.iter().flat_map(|(key, weight, mv)| {
        let mut entry = [0; 16];
        entry[..8].copy_from_slice(&key.to_be_bytes());
        entry[8..10].copy_from_slice(&mv.to_be_bytes());
        entry[10..12].copy_from_slice(&weight.0.to_be_bytes());
        entry
    });
    Ok(bytes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_format_description() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
        ] {
            assert_eq!(key(&Board::from_fen(fen).unwrap()), expected, "{fen}");
        }
    }
}
