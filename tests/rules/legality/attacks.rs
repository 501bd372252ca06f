//! Attack tables compared with square-by-square rays.

use super::games;
use lento::chess::{Bitboard, Board, Color, File, Piece, PieceType, Rank, Square, attacks};

const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The square at an offset, if it is on the board.
fn step(from: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    let (file, rank) = (from.file().index() as i32 + files, from.rank().index() as i32 + ranks);
    let inside = (0..8).contains(&file) && (0..8).contains(&rank);
    inside.then(|| Square::new(File::from_index(file as usize), Rank::from_index(rank as usize)))
}

fn slide(from: Square, directions: &[(i32, i32)], occupied: Bitboard) -> Bitboard {
    let mut reached = Bitboard::EMPTY;
    for &direction in directions {
        let mut square = from;
        while let Some(next) = step(square, direction) {
            reached |= next.bitboard();
            if occupied.has(next) {
                break;
            }
            square = next;
        }
    }
    reached
}

/// Squares attacked by a piece.
pub fn attacked_by(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let leap = |steps: &[(i32, i32)]| steps.iter().filter_map(|&by| step(from, by)).collect();
    match piece.kind() {
        PieceType::Pawn => leap(&[(-1, piece.color().sign()), (1, piece.color().sign())]),
        PieceType::Knight => leap(&KNIGHT),
        PieceType::King => leap(&[STRAIGHT, DIAGONAL].concat()),
        PieceType::Bishop => slide(from, &DIAGONAL, occupied),
        PieceType::Rook => slide(from, &STRAIGHT, occupied),
        PieceType::Queen => slide(from, &[STRAIGHT, DIAGONAL].concat(), occupied),
    }
}

/// Pieces of a color within `occupied` that attack a square.
pub fn attackers(board: &Board, color: Color, target: Square, occupied: Bitboard) -> Bitboard {
    let pieces = board.color(color) & occupied;
    pieces
        .filter(|&square| {
            let piece = board.piece_on(square).expect("a piece");
            attacked_by(piece, square, occupied).has(target)
        })
        .collect()
}

#[test]
fn threats_match_the_reference() {
    games::play(12, 0x5448_5245, |game, _, _| {
        let board = game.board();
        let (us, them) = (board.side_to_move(), !board.side_to_move());
        let without_king = board.occupied() ^ board.king(us).bitboard();
        let attacked = board
            .color(them)
            .map(|square| attacked_by(board.piece_on(square).unwrap(), square, without_king))
            .fold(Bitboard::EMPTY, |all, some| all | some);
        assert_eq!(board.threats(), attacked, "{}", board.fen(true));
        for square in Square::ALL {
            let both =
                attackers(board, us, square, board.occupied()) | attackers(board, them, square, board.occupied());
            assert_eq!(board.attackers_to(square, board.occupied()), both, "{square} in {}", board.fen(true));
        }
    });
}

/// Every piece on every square, with random occupancies.
#[test]
fn attack_tables_match_the_reference() {
    games::play(3, 0x5441_424C, |game, _, random| {
        let occupied = game.board().occupied() & Bitboard(random.u64(..) | random.u64(..));
        for square in Square::ALL {
            for piece in Piece::ALL {
                let found = attacks::of(piece, square, occupied);
                assert_eq!(found, attacked_by(piece, square, occupied), "{piece:?} on {square} with {occupied:?}");
            }
        }
    });
}

#[test]
fn between_and_line_match_the_reference() {
    for a in Square::ALL {
        for b in Square::ALL {
            let (mut between, mut line) = (Bitboard::EMPTY, Bitboard::EMPTY);
            for direction in [STRAIGHT, DIAGONAL].concat() {
                let ray = slide(a, &[direction], Bitboard::EMPTY);
                if ray.has(b) {
                    let back = slide(a, &[(-direction.0, -direction.1)], Bitboard::EMPTY);
                    line = ray | back | a.bitboard();
                    between = slide(a, &[direction], b.bitboard()) & !b.bitboard();
                }
            }
            assert_eq!(attacks::between(a, b), between, "between {a} and {b}");
            assert_eq!(attacks::line(a, b), line, "the line through {a} and {b}");
        }
    }
}
