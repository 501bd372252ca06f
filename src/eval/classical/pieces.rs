//! Knights, bishops, rooks and queens: their attacks, piece-square values, mobility and placement.

use super::pair::Pair;
use super::pawns::Structure;
use super::survey::{CENTER_FILES, Survey, slider_blockers};
use super::trace::{Term, Trace};
use super::weights as w;
use crate::chess::{Bitboard, Color, File, Piece, PieceType, Rank, Square, attacks};

const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Enters all pieces in the survey and adds their terms.
pub(super) fn enter(survey: &mut Survey, structure: &Structure, trace: &mut Trace) {
    for color in Color::ALL {
        let outposts = structure.outposts(survey, color);
        enter_kind(survey, outposts, color, PieceType::Knight, trace);
        enter_kind(survey, outposts, color, PieceType::Bishop, trace);
        enter_kind(survey, outposts, color, PieceType::Rook, trace);
    }
    for color in Color::ALL {
        enter_kind(survey, Bitboard::EMPTY, color, PieceType::Queen, trace);
        trace.add(Term::PieceSquare, color, w::square(color, PieceType::King, survey.king[color]));
    }
}

/// Enters a color's pieces of one type. Queens come last: squares defended by lesser enemy pieces do not count for their mobility.
#[inline(always)]
fn enter_kind(survey: &mut Survey, outposts: Bitboard, color: Color, kind: PieceType, trace: &mut Trace) {
    let pieces = survey.board.pieces(color, kind);
    // X-rays: bishops see through queens, rooks through queens and own rooks.
    let queens = survey.board.kind(PieceType::Queen);
    let (occupied, denied) = match kind {
        PieceType::Bishop => (survey.occupied ^ queens, Bitboard::EMPTY),
        PieceType::Rook => (survey.occupied ^ queens ^ pieces, Bitboard::EMPTY),
        PieceType::Queen => {
            let [_, knights, bishops, rooks, _, _] = survey.by[!color];
            (survey.occupied, knights | bishops | rooks)
        }
        _ => (survey.occupied, Bitboard::EMPTY),
    };
    for square in pieces {
        let attacked = survey.enter(color, kind, square, attacks::of(Piece::new(color, kind), square, occupied));
        let reach = (attacked & !denied & survey.area[color]).count() as usize;
        trace.add(Term::PieceSquare, color, w::square(color, kind, square));
        trace.add(Term::Mobility, color, w::MOBILITY[kind.index() - 1][reach]);
        match kind {
            PieceType::Knight => trace.add(Term::Minors, color, knight(survey, color, square, attacked, outposts)),
            PieceType::Bishop => {
                trace.add(Term::Minors, color, bishop(survey, color, square, outposts));
                trace.add(Term::Trapped, color, trapped_bishop(survey, color, square));
            }
            PieceType::Rook => {
                trace.add(Term::Rooks, color, rook(survey, color, square));
                let stuck = reach <= 3 && is_shut_in(survey, color, square);
                trace.add(Term::Trapped, color, w::TRAPPED_ROOK * i32::from(stuck));
            }
            _ => trace.add(Term::Trapped, color, w::WEAK_QUEEN * i32::from(is_weak_queen(survey, color, square))),
        }
    }
}

/// Whether an enemy bishop or rook attacks the queen through one piece, other than an own pawn.
fn is_weak_queen(survey: &Survey, color: Color, square: Square) -> bool {
    let board = survey.board;
    let bishops = board.pieces(!color, PieceType::Bishop);
    let rooks = board.pieces(!color, PieceType::Rook);
    (slider_blockers(board, square, bishops, rooks) & !survey.pawns[color]).any()
}

#[inline(always)]
fn behind_pawn(survey: &Survey, color: Color, square: Square) -> bool {
    let pawns = survey.pawns[0] | survey.pawns[1];
    (square.bitboard().forward(color) & pawns).any()
}

fn knight(survey: &Survey, color: Color, square: Square, attacked: Bitboard, outposts: Bitboard) -> Pair {
    let on = outposts.has(square);
    let reaches = !on && (attacked & outposts & !survey.board.color(color)).any();
    w::KNIGHT_OUTPOST * i32::from(on)
        + w::KNIGHT_REACHES_OUTPOST * i32::from(reaches)
        + w::MINOR_BEHIND_PAWN * i32::from(behind_pawn(survey, color, square))
}

fn bishop(survey: &Survey, color: Color, square: Square, outposts: Bitboard) -> Pair {
    let shade = if Bitboard::LIGHT.has(square) { Bitboard::LIGHT } else { Bitboard::DARK };
    let own = survey.pawns[color] & shade;
    let blocked = own & CENTER_FILES & survey.occupied.forward(!color);
    let sweep = attacks::bishop(square, survey.pawns[0] | survey.pawns[1]) | square.bitboard();
    w::BISHOP_OUTPOST * i32::from(outposts.has(square))
        + w::MINOR_BEHIND_PAWN * i32::from(behind_pawn(survey, color, square))
        + w::BISHOP_PAWN * own.count() as i32
        + w::BISHOP_BLOCKED_PAWN * blocked.count() as i32
        + w::BISHOP_LONG_DIAGONAL * i32::from((sweep & CENTER).more_than_one())
}

fn rook(survey: &Survey, color: Color, square: Square) -> Pair {
    let file = square.file().bitboard();
    let own = survey.pawns[color] & file;
    let mut value = Pair::ZERO;
    if own.is_empty() {
        let open = (survey.pawns[!color] & file).is_empty();
        value += if open { w::ROOK_OPEN_FILE } else { w::ROOK_HALF_OPEN_FILE };
    } else {
        let blocked = (own & survey.occupied.forward(!color)).any();
        value += w::ROOK_CLOSED_FILE * i32::from(blocked);
    }
    if square.rank().relative_to(color) == Rank::Seventh {
        let pawns_there = (survey.pawns[!color] & square.rank().bitboard()).any();
        let king_behind = survey.king[!color].rank().relative_to(color) == Rank::Eighth;
        value += w::ROOK_SEVENTH * i32::from(pawns_there || king_behind);
    }
    value
}

/// Whether a rook is between the edge and its king on the first rank.
fn is_shut_in(survey: &Survey, color: Color, square: Square) -> bool {
    let king = survey.king[color];
    let home = king.rank().relative_to(color) == Rank::First && square.rank().relative_to(color) <= Rank::Second;
    let outside = if king.file() <= File::D { square.file() < king.file() } else { square.file() > king.file() };
    home && outside && !survey.board.castling().any(color)
}

/// A bishop on a7 or h7 trapped by a pawn on b6 or g6.
fn trapped_bishop(survey: &Survey, color: Color, square: Square) -> Pair {
    let door = match square.relative_to(color) {
        Square::A7 => Square::B6,
        Square::H7 => Square::G6,
        _ => return Pair::ZERO,
    };
    let shut = survey.pawns[!color].has(door.relative_to(color));
    w::TRAPPED_BISHOP * i32::from(shut)
}
