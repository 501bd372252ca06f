//! Random positions of rare kinds: many queens, promotions and pieces, and castling from any file.

use lento::chess::{Board, Color, PieceType, Rank};
use lento_testing::Random;

/// The first valid position.
fn first(mut fen: impl FnMut() -> String) -> Board {
    std::iter::repeat_with(|| Board::from_fen(&fen())).find_map(Result::ok).expect("an endless iterator")
}

/// Puts a piece on a random square of these ranks, counted from the top, if it is empty.
fn put(squares: &mut [u8; 64], ranks: std::ops::Range<usize>, piece: u8, random: &mut Random) {
    let index = 8 * ranks.start + random.below(8 * ranks.len());
    if squares[index] == b'1' {
        squares[index] = piece;
    }
}

fn fen(squares: &[u8; 64], rights: &str, random: &mut Random) -> String {
    let rows: Vec<String> = squares.chunks(8).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    format!("{} {} {rights} - 0 1", rows.join("/"), random.pick(&['w', 'b']))
}

/// Pawns on the seventh rank, nine queens per side, or up to 32 pieces of any kind.
pub fn crowd(random: &mut Random) -> Board {
    let kind = random.below(3);
    first(|| {
        let mut squares = [b'1'; 64];
        put(&mut squares, 0..8, b'K', random);
        put(&mut squares, 0..8, b'k', random);
        match kind {
            0 => {
                (0..12).for_each(|_| put(&mut squares, 1..2, b'P', random));
                (0..12).for_each(|_| put(&mut squares, 6..7, b'p', random));
                (0..14).for_each(|_| put(&mut squares, 2..6, *random.pick(b"NBRQnbrq"), random));
            }
            1 => (0..18).for_each(|nth| put(&mut squares, 0..8, b"Qq"[nth % 2], random)),
            _ => (0..30).for_each(|_| put(&mut squares, 1..7, *random.pick(b"NBRQPnbrqp"), random)),
        }
        fen(&squares, "-", random)
    })
}

/// Whether a few plies may take long.
pub fn is_crowded(board: &Board) -> bool {
    let pieces = |color| {
        let promoting = board.pieces(color, PieceType::Pawn) & Rank::Seventh.relative_to(color).bitboard();
        let queens = board.pieces(color, PieceType::Queen);
        (promoting | queens).count()
    };
    let pawns = board.kind(PieceType::Pawn).count();
    Color::ALL.into_iter().all(|color| pieces(color) > 2) || board.occupied().count() - pawns > 18
}

/// Kings on any file of the back rank, with castling rights and few other pieces.
pub fn castlers(random: &mut Random) -> Board {
    first(|| {
        let mut squares = [b'1'; 64];
        let mut rights = String::new();
        for (row, king, rook, first) in [(7, b'K', b'R', b'A'), (0, b'k', b'r', b'a')] {
            squares[8 * row + random.below(8)] = king;
            for _ in 0..1 + random.below(2) {
                let file = random.below(8);
                if squares[8 * row + file] == b'1' {
                    squares[8 * row + file] = rook;
                    rights.push(char::from(first + file as u8));
                }
            }
        }
        (0..random.below(5)).for_each(|_| put(&mut squares, 0..8, *random.pick(b"NBnb"), random));
        fen(&squares, if rights.is_empty() { "-" } else { &rights }, random)
    })
}

/// A position without a legal move.
pub fn ended(random: &mut Random) -> Board {
    std::iter::repeat_with(|| {
        let mut squares = [b'1'; 64];
        [b'K', b'k', b'Q', b'Q', b'q', b'R'].iter().for_each(|&piece| put(&mut squares, 0..8, piece, random));
        Board::from_fen(&fen(&squares, "-", random))
    })
    .find_map(|board| board.ok().filter(|board| !board.has_legal_move()))
    .expect("an endless iterator")
}
