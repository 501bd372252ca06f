//! Space.

use super::pair::Pair;
use super::survey::{CENTER_FILES, Survey};
use super::weights::WEIGHTS;
use crate::chess::{Bitboard, Color, PieceType};

/// Ranks 2 to 4 of each color, files c to f.
const GROUND: [Bitboard; 2] =
    [Bitboard(CENTER_FILES.0 & 0x0000_0000_FFFF_FF00), Bitboard(CENTER_FILES.0 & 0x00FF_FFFF_0000_0000)];

/// With fewer pieces, space does not count.
const FEW_PIECES: i32 = 4;

/// Space of a color: safe central squares, twice for those behind its pawns, times the number of pieces.
#[inline(always)]
pub(super) fn space(survey: &Survey, color: Color) -> Pair {
    let (us, them) = (color.index(), color.flip().index());
    let pieces = survey.census.pieces(color);
    if pieces < FEW_PIECES {
        return Pair::ZERO;
    }
    let own = survey.pawns[us];
    let safe = GROUND[us] & !own & !survey.by[them][PieceType::Pawn.index()];
    let back = own.forward(!color);
    let behind = back | back.forward(!color) | back.forward(!color).forward(!color);
    let squares = safe.count() + (safe & behind & !survey.all[them]).count();
    WEIGHTS.space * (squares as i32 * pieces / 7)
}
