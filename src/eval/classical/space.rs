//! Space: room behind one's own front to bring pieces about.

use super::pair::Pair;
use super::survey::{CENTER_FILES, Survey};
use super::tracer::{Tracer, take};
use super::weights::WEIGHTS;
use crate::chess::{Bitboard, Color, PieceType};

/// The second to fourth rank of each color, files c to f.
const GROUND: [Bitboard; 2] =
    [Bitboard(CENTER_FILES.0 & 0x0000_0000_FFFF_FF00), Bitboard(CENTER_FILES.0 & 0x00FF_FFFF_0000_0000)];

/// Fewer pieces than this need no room.
const FEW_PIECES: i32 = 4;

/// The space of a color: safe central squares, those behind its pawns twice, for as many pieces as there are to use them.
#[inline(always)]
pub(super) fn space<T: Tracer>(survey: &Survey, color: Color, tracer: &mut T) -> Pair {
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
    take(tracer, color, &WEIGHTS.space, squares as i32 * pieces / 7)
}
