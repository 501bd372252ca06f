//! What tables say of a position, with the captures that they leave out.

use super::material::Material;
use super::table::{Damage, Distance, Kind};
use super::tables::Tables;
use crate::chess::movegen::MoveList;
use crate::chess::{Board, CastlingRights};
use std::ops::Neg;

/// Whether looking up may go on.
pub type GoesOn<'a> = &'a dyn Fn() -> bool;
/// It may.
const PATIENT: GoesOn = &|| true;

/// The result of a position with best play for the side to move, if the last move was a capture or a pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// It loses.
    Loss,
    /// It would lose, but not before the fifty-move rule makes it a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// It would win, but not before the fifty-move rule makes it a draw.
    CursedWin,
    /// It wins.
    Win,
}

impl Wdl {
    const ALL: [Self; 5] = [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];

    /// From -2 for a loss to 2 for a win.
    pub const fn value(self) -> i8 {
        self as i8 - 2
    }

    fn from_value(value: i8) -> Option<Self> {
        Self::ALL.get(usize::try_from(value + 2).ok()?).copied()
    }

    /// The result where the fifty-move rule does not count, unless it does.
    #[must_use]
    pub const fn ruled(self, fifty_moves: bool) -> Self {
        match self {
            Self::CursedWin if !fifty_moves => Self::Win,
            Self::BlessedLoss if !fifty_moves => Self::Loss,
            _ => self,
        }
    }

    /// The distance, in plies, of a position whose best move captures or moves a pawn.
    pub(super) const fn zeroing_distance(self) -> i32 {
        match self {
            Self::Loss => -1,
            Self::BlessedLoss => -101,
            Self::Draw => 0,
            Self::CursedWin => 101,
            Self::Win => 1,
        }
    }
}

impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ALL[4 - self as usize]
    }
}

/// A result, and whether a capture (or a pawn move, where these were looked at) brings it about.
#[derive(Clone, Copy, Debug)]
struct Resolved {
    wdl: Wdl,
    zeroing: bool,
}

impl Tables {
    /// The result of a position; `None` if a table is missing, unreadable or damaged. Nobody may have the right to castle.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        self.resolve(board, false).map(|resolved| resolved.wdl)
    }

    /// Plies to the next capture or pawn move with best play, by which side the sign says: positive if the side to move wins,
    /// beyond 100 if the fifty-move rule makes a draw of that, 0 for a draw. It may be one ply more. `None` as for
    /// [`wdl`](Self::wdl).
    pub fn dtz(&self, board: &Board) -> Option<i32> {
        self.dtz_while(board, PATIENT)
    }

    /// [`dtz`](Self::dtz) as long as it may go on: it reads a file many times, and storage may be slow. `None` if it may not.
    pub(super) fn dtz_while(&self, board: &Board, goes_on: GoesOn) -> Option<i32> {
        self.dtz_turning(board, true, goes_on)
    }

    /// `turns`: whether the moves may be looked at where the table is about the other side to move. After one move it is not.
    fn dtz_turning(&self, board: &Board, turns: bool, goes_on: GoesOn) -> Option<i32> {
        let Resolved { wdl, zeroing } = self.resolve(board, true)?;
        if wdl == Wdl::Draw || zeroing {
            return Some(wdl.zeroing_distance());
        }
        let (material, _) = Material::of(board);
        let table = self.table(material, Kind::Dtz)?;
        let sign = i32::from(wdl.value().signum());
        match self.noting(material, Kind::Dtz, table.dtz(board, wdl.value()))? {
            Distance::Plies(plies) => {
                let beyond = if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) { 100 } else { 0 };
                Some(sign * (plies + beyond))
            }
            Distance::OtherSide if turns => self.dtz_by_moves(board, sign, goes_on),
            Distance::OtherSide => self.noting(material, Kind::Dtz, Err(Damage::Values)),
        }
    }

    /// The result of a position as it is, with the plies since the last capture or pawn move: a draw where the fifty-move rule
    /// ends what would be won. `None` if anybody may castle, if tables do not say, or if a ply decides: distances are not that
    /// exact.
    pub fn result_now(&self, board: &Board) -> Option<Wdl> {
        if board.castling() != CastlingRights::NONE || board.occupied().count() > self.most_men() {
            return None;
        }
        let wdl = self.wdl(board)?;
        let clock = board.halfmove_clock() as i32;
        match wdl {
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Some(Wdl::Draw),
            Wdl::Win | Wdl::Loss if clock == 0 => Some(wdl),
            Wdl::Win | Wdl::Loss => match self.dtz(board)?.abs() + clock {
                ..100 => Some(wdl),
                100 | 101 => None,
                _ => Some(Wdl::Draw),
            },
        }
    }

    /// The distance where the table is about the other side to move: a ply more than the best move's.
    fn dtz_by_moves(&self, board: &Board, sign: i32, goes_on: GoesOn) -> Option<i32> {
        let mut least: Option<i32> = None;
        for mv in board.legal_moves() {
            if !goes_on() {
                return None;
            }
            let after = board.after(mv);
            let distance = if after.halfmove_clock() == 0 {
                (-self.wdl(&after)?).zeroing_distance()
            } else {
                let distance = -self.dtz_turning(&after, false, goes_on)?;
                let mates = distance == 1 && is_mate(&after);
                if mates { 1 } else { distance + distance.signum() }
            };
            if distance.signum() == sign {
                least = Some(least.map_or(distance, |least| least.min(distance)));
            }
        }
        // Without a move that keeps the result the side to move is mated.
        Some(least.unwrap_or(-1))
    }

    /// The table's result, or that of a capture that is better. A table need not be right where a capture is best, and it knows
    /// nothing of en passant. With `pawns` pawn moves are looked at as captures are.
    fn resolve(&self, board: &Board, pawns: bool) -> Option<Resolved> {
        let (mut best, mut searched) = (Wdl::Loss, 0);
        let mut moves = MoveList::new();
        // Quiet moves matter when there may be none: en passant can be the only move.
        let all = pawns || board.en_passant().is_some();
        if all {
            board.generate::<true, true>(&mut moves)
        } else {
            board.generate::<true, false>(&mut moves)
        }
        for &mv in &moves {
            let after = board.after(mv);
            if !(mv.is_capture() || pawns && after.halfmove_clock() == 0) {
                continue;
            }
            searched += 1;
            let wdl = -self.resolve(&after, false)?.wdl;
            if wdl == Wdl::Win {
                return Some(Resolved { wdl, zeroing: true });
            }
            best = best.max(wdl);
        }
        let nothing_else = all && searched > 0 && searched == moves.len();
        let stored = if nothing_else { best } else { self.stored(board)? };
        Some(if best >= stored {
            Resolved { wdl: best, zeroing: best > Wdl::Draw || nothing_else }
        } else {
            Resolved { wdl: stored, zeroing: false }
        })
    }

    /// The table's result.
    fn stored(&self, board: &Board) -> Option<Wdl> {
        let (material, _) = Material::of(board);
        if material.men() == 2 {
            return Some(Wdl::Draw);
        }
        let value = self.noting(material, Kind::Wdl, self.table(material, Kind::Wdl)?.wdl(board))?;
        Wdl::from_value(value)
    }
}

/// Whether the side to move is mated.
pub fn is_mate(board: &Board) -> bool {
    board.in_check() && !board.has_legal_move()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_turn_over() {
        for wdl in Wdl::ALL {
            assert_eq!((-wdl).value(), -wdl.value());
            assert_eq!(Wdl::from_value(wdl.value()), Some(wdl));
            assert_eq!((-wdl).zeroing_distance(), -wdl.zeroing_distance());
        }
        assert_eq!([Wdl::from_value(3), Wdl::from_value(-3)], [None; 2]);
        assert_eq!(Wdl::CursedWin.ruled(true), Wdl::CursedWin);
        assert_eq!((Wdl::CursedWin.ruled(false), Wdl::BlessedLoss.ruled(false)), (Wdl::Win, Wdl::Loss));
    }
}
