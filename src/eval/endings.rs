//! Values of known endgames.

use super::kpk;
use crate::chess::{Bitboard, Board, Color, File, PieceType, Rank, Square};
use crate::score::Score;

/// Maximum pieces of a known endgame, unless one king is bare.
const FEW_PIECES: u32 = 4;
/// Bonus for a known win, beyond material.
const WIN: Score = 1000;
/// Piece values in centipawns, pawn to queen.
const MATERIAL: [Score; 5] = [108, 361, 370, 607, 1109];

/// Value of a known endgame in centipawns from the side to move's view.
#[inline(always)]
pub fn known(board: &Board) -> Option<Score> {
    let alone = |color| !board.color(color).more_than_one();
    let candidate = board.occupied().count() <= FEW_PIECES || alone(Color::White) || alone(Color::Black);
    if candidate { by_material(board).map(|value| value * board.side_to_move().sign()) } else { None }
}

#[cold]
fn by_material(board: &Board) -> Option<Score> {
    if board.insufficient_material() {
        return Some(0);
    }
    Color::ALL.into_iter().find_map(|strong| {
        let value = match [strong, !strong].map(|color| board.color(color).count()) {
            [_, 1] => lone_king(board, strong)?,
            [2, 2] => one_piece_each(board, strong)?,
            _ => return None,
        };
        Some(value * strong.sign())
    })
}

fn count(board: &Board, color: Color, kind: PieceType) -> i32 {
    board.pieces(color, kind).count() as i32
}

/// Value of a color's pieces.
fn worth(board: &Board, color: Color) -> Score {
    PieceType::ALL.into_iter().zip(MATERIAL).map(|(kind, value)| count(board, color, kind) * value).sum()
}

/// Proximity to a corner: 0 in the centre to 6 in a corner.
fn cornered(king: Square) -> Score {
    let off_center = |index: usize| if index < 4 { 3 - index } else { index - 4 };
    (off_center(king.file().index()) + off_center(king.rank().index())) as Score
}

/// Proximity of two squares: 0 (seven steps) to 6 (adjacent).
fn near(a: Square, b: Square) -> Score {
    7 - a.distance(b) as Score
}

/// Any pieces against a bare king.
fn lone_king(board: &Board, strong: Color) -> Option<Score> {
    let (king, prey) = (board.king(strong), board.king(!strong));
    let of = |kind| count(board, strong, kind);
    let [pawns, knights, bishops] = [PieceType::Pawn, PieceType::Knight, PieceType::Bishop].map(of);
    let majors = of(PieceType::Rook) + of(PieceType::Queen);
    let bishop_squares = board.pieces(strong, PieceType::Bishop);
    let both_shades = (bishop_squares & Bitboard::LIGHT).any() && (bishop_squares & Bitboard::DARK).any();
    if pawns == 1 && knights + bishops + majors == 0 {
        let pawn = board.pieces(strong, PieceType::Pawn).first()?;
        let won = kpk::wins(strong, king, pawn, prey, board.side_to_move());
        let rank = pawn.rank().relative_to(strong).index() as Score;
        return Some(if won { 250 + 25 * rank } else { 0 });
    }
    if majors > 0 || both_shades || (knights >= 3 && pawns == 0) {
        // Drive the king to the edge and bring the own king closer.
        return Some(worth(board, strong) + WIN + 16 * cornered(prey) + 9 * near(king, prey));
    }
    if pawns > 0 {
        return None;
    }
    if knights > 0 && bishops > 0 {
        let light = (bishop_squares & Bitboard::LIGHT).any();
        return Some(worth(board, strong) + WIN + knight_and_bishop(king, prey, light));
    }
    // Two knights can't force mate.
    Some(0)
}

/// KBNK: mate is possible only in a corner of the bishop's color.
fn knight_and_bishop(king: Square, prey: Square, light: bool) -> Score {
    // With a1 and h8 as the mating corners: 7 there, 0 on the diagonal between the others.
    let prey = if light { Square::from_index(prey.index() ^ 7) } else { prey };
    let king = if light { Square::from_index(king.index() ^ 7) } else { king };
    let to_corner = (7 - prey.file().index() as Score - prey.rank().index() as Score).abs();
    36 * to_corner + 8 * cornered(prey) + 9 * near(king, prey)
}

fn one_piece_each(board: &Board, strong: Color) -> Option<Score> {
    let only = |color| PieceType::ALL.into_iter().find(|kind| count(board, color, *kind) > 0);
    let (king, prey) = (board.king(strong), board.king(!strong));
    let edge = cornered(prey);
    let weak_piece = (board.color(!strong) & !prey.bitboard()).first()?;
    match (only(strong)?, only(!strong)?) {
        (PieceType::Queen, PieceType::Pawn) => Some(queen_against_pawn(board, strong, weak_piece)),
        (PieceType::Queen, PieceType::Rook) => Some(420 + 9 * edge + 8 * near(king, prey)),
        (PieceType::Queen, PieceType::Bishop | PieceType::Knight) => Some(WIN + 9 * edge + 8 * near(king, prey)),
        (PieceType::Rook, PieceType::Pawn) => Some(rook_against_pawn(board, strong, weak_piece)),
        (PieceType::Rook, PieceType::Bishop) => Some(6 + 3 * edge),
        (PieceType::Rook, PieceType::Knight) => Some(6 + 3 * edge + 2 * (6 - near(prey, weak_piece))),
        _ => None,
    }
}

/// KQKP: won, unless a rook or bishop pawn is about to promote next to its king.
fn queen_against_pawn(board: &Board, strong: Color, pawn: Square) -> Score {
    let (king, prey) = (board.king(strong), board.king(!strong));
    let close = 10 * near(king, promotion(!strong, pawn));
    let seventh = pawn.rank().relative_to(!strong).index() == 6;
    let saving_file = matches!(pawn.file(), File::A | File::C | File::F | File::H);
    if seventh && saving_file && prey.distance(pawn) == 1 { close } else { worth(board, strong) - 100 + close }
}

/// KRKP: the rook wins if its king is in front of the pawn or the pawn's king is far away.
fn rook_against_pawn(board: &Board, strong: Color, pawn: Square) -> Score {
    let (king, prey) = (board.king(strong), board.king(!strong));
    let stop = pawn.forward(!strong);
    let front = stop.bitboard().fill_forward(!strong);
    let rook_moves = i32::from(board.side_to_move() == strong);
    let prey_distance = prey.distance(pawn) as Score;
    let rank = pawn.rank().relative_to(!strong).index() as Score;
    let win = worth(board, strong) - 8 * king.distance(pawn) as Score;
    if front.has(king) || prey_distance >= 4 - rook_moves {
        win
    } else if rank >= 4 && prey_distance == 1 && king.distance(stop) as Score > 2 + rook_moves {
        // The king is too far away; the rook must be given up for the pawn.
        (60 - 8 * king.distance(stop) as Score).max(5)
    } else {
        200 + 10 * (prey.distance(stop) as Score - king.distance(stop) as Score) - 10 * rank
    }
}

fn promotion(color: Color, pawn: Square) -> Square {
    Square::new(pawn.file(), Rank::Eighth.relative_to(color))
}

#[cfg(test)]
mod tests {
    use crate::chess::Board;

    /// The value from White's view.
    fn white(fen: &str) -> i32 {
        let board = Board::from_fen(fen).unwrap();
        super::known(&board).unwrap() * board.side_to_move().sign()
    }

    #[test]
    fn dead_draws_are_zero() {
        for fen in [
            "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
            "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
            "8/8/4k3/8/8/3KNN2/8/8 w - - 0 1",
            "8/8/4k3/4p3/4K3/8/8/8 w - - 0 1",
            "k7/8/1K6/P7/8/8/8/8 w - - 0 1",
        ] {
            assert_eq!(white(fen), 0, "{fen}");
        }
    }

    #[test]
    fn rook_against_minor_piece_is_nearly_drawn() {
        for fen in ["8/8/4k3/4b3/8/3K4/8/3R4 w - - 0 1", "8/8/4k3/4n3/8/3K4/8/3R4 w - - 0 1"] {
            assert!(white(fen).abs() <= 80, "{fen}: {}", white(fen));
        }
    }

    #[test]
    fn lone_kings_are_driven_to_the_edge() {
        let middle = white("8/8/8/4k3/8/8/3RK3/8 w - - 0 1");
        let edge = white("4k3/8/8/8/8/8/3RK3/8 w - - 0 1");
        let near = white("4k3/8/4K3/8/8/8/3R4/8 w - - 0 1");
        assert!(middle > 1000 && middle < edge && edge < near);
        assert_eq!(white("8/3rk3/8/8/4K3/8/8/8 b - - 0 1"), -middle);
    }

    #[test]
    fn knight_and_bishop_mate_in_the_bishops_corner() {
        // Dark-squared bishop: mate in a1 or h8 only.
        let right = white("7k/8/5K2/8/3B2N1/8/8/8 w - - 0 1");
        let wrong = white("k7/8/2K5/8/1N1B4/8/8/8 w - - 0 1");
        assert!(right > wrong + 150);
        let right = white("k7/8/2K5/8/1N2B3/8/8/8 w - - 0 1");
        let wrong = white("7k/8/5K2/8/4B1N1/8/8/8 w - - 0 1");
        assert!(right > wrong + 150);
    }

    #[test]
    fn king_and_pawn_is_exact_and_less_than_a_queen() {
        let won = white("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1");
        assert!(won > 300);
        assert_eq!(white("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"), 0);
        assert!(white("4k3/8/8/8/8/4K3/8/Q7 w - - 0 1") > won + 500);
    }

    #[test]
    fn queen_and_rook_against_a_far_pawn() {
        assert!(white("8/8/8/8/Q6K/8/1kp5/8 w - - 0 1") < 100);
        assert!(white("8/8/8/8/Q6K/8/1k1p4/8 w - - 0 1") > 700);
        assert!(white("8/8/8/7R/8/4K3/4p3/k7 w - - 0 1") > 400);
        assert!(white("7K/8/8/7R/8/2k5/2p5/8 b - - 0 1") < 100);
        assert!(white("8/8/8/3q4/8/3k4/8/5RK1 w - - 0 1") < -400);
    }
}
