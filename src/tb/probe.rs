//! Probing, including a search of the captures that tables leave out.

use super::material::Material;
use super::table::{Damage, Kind};
use super::tables::Tables;
use crate::chess::Board;
use crate::chess::movegen::MoveList;
use std::ops::Neg;

/// Whether to continue probing.
pub type MayContinue<'a> = &'a dyn Fn() -> bool;

/// Result of a position for the side to move, with the halfmove clock at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// Loss.
    Loss,
    /// Loss turned into a draw by the fifty-move rule.
    BlessedLoss,
    /// Draw.
    Draw,
    /// Win turned into a draw by the fifty-move rule.
    CursedWin,
    /// Win.
    Win,
}

impl Wdl {
    pub(super) const ALL: [Self; 5] = [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];

    /// -2 for a loss to 2 for a win.
    pub const fn value(self) -> i8 {
        self as i8 - 2
    }

    /// Maps cursed wins to wins and blessed losses to losses if the fifty-move rule is off.
    #[must_use]
    pub const fn ruled(self, fifty_moves: bool) -> Self {
        match self {
            Self::CursedWin if !fifty_moves => Self::Win,
            Self::BlessedLoss if !fifty_moves => Self::Loss,
            _ => self,
        }
    }

    /// DTZ in plies if the best move is a capture or pawn move.
    pub(super) const fn zeroing_distance(self) -> i32 {
        [-1, -101, 0, 101, 1][self as usize]
    }
}

impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ALL[4 - self as usize]
    }
}

impl Tables {
    /// Probes WDL. `None` if a table is missing, unreadable or damaged. Castling rights must be empty.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        self.resolve(board, false).map(|(wdl, _)| wdl)
    }

    /// Probes DTZ: plies to the next capture or pawn move, positive if the side to move wins, more than 100 if the fifty-move rule
    /// makes it a draw, 0 for a draw. May be one ply too small. `None` as for [`wdl`](Self::wdl).
    pub fn dtz(&self, board: &Board) -> Option<i32> {
        self.dtz_from_table(board, true, &|| true)
    }

    /// With `try_moves`, searches one ply if the table is for the other side to move. `None` also once `may_continue` fails: many reads
    /// of slow storage take time.
    fn dtz_from_table(&self, board: &Board, try_moves: bool, may_continue: MayContinue) -> Option<i32> {
        let (wdl, zeroing) = self.resolve(board, true)?;
        if wdl == Wdl::Draw || zeroing {
            return Some(wdl.zeroing_distance());
        }
        let (material, _) = Material::of(board);
        let table = self.table(material, Kind::Dtz)?;
        let sign = i32::from(wdl.value().signum());
        match self.ok_or_report(material, Kind::Dtz, table.dtz(board, wdl))? {
            Some(plies) => {
                let beyond = if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) { 100 } else { 0 };
                Some(sign * (plies + beyond))
            }
            None if try_moves => self.dtz_by_moves(board, sign, may_continue),
            None => self.ok_or_report(material, Kind::Dtz, Err(Damage::Values)),
        }
    }

    /// DTZ of a move to this position, for the side that has moved. `try_moves` as for [`dtz_from_table`](Self::dtz_from_table).
    pub(super) fn dtz_of_move(&self, after: &Board, try_moves: bool, may_continue: MayContinue) -> Option<i32> {
        if is_mate(after) {
            return Some(1);
        }
        if after.halfmove_clock() == 0 {
            return Some((-self.wdl(after)?).zeroing_distance());
        }
        let dtz = -self.dtz_from_table(after, try_moves, may_continue)?;
        Some(dtz + dtz.signum())
    }

    /// DTZ by a one-ply search, for tables of the other side to move.
    fn dtz_by_moves(&self, board: &Board, sign: i32, may_continue: MayContinue) -> Option<i32> {
        let mut least: Option<i32> = None;
        for mv in board.legal_moves() {
            if !may_continue() {
                return None;
            }
            let distance = self.dtz_of_move(&board.after(mv), false, may_continue)?;
            if distance.signum() == sign {
                least = Some(least.map_or(distance, |least| least.min(distance)));
            }
        }
        // Without a move that keeps the result, the side to move is mated.
        Some(least.unwrap_or(-1))
    }

    /// The better of the table's result and of all captures, and whether it comes from a capture: a table need not be correct if a
    /// capture is best, and it ignores en passant. With `pawns`, pawn moves count as captures.
    fn resolve(&self, board: &Board, pawns: bool) -> Option<(Wdl, bool)> {
        let (mut best, mut searched) = (Wdl::Loss, 0);
        let mut moves = MoveList::new();
        // Search quiet moves too if en passant may be the only legal move.
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
            let wdl = -self.wdl(&after)?;
            if wdl == Wdl::Win {
                return Some((wdl, true));
            }
            best = best.max(wdl);
        }
        let nothing_else = all && searched > 0 && searched == moves.len();
        let stored = if nothing_else { best } else { self.stored(board)? };
        Some(if best >= stored { (best, best > Wdl::Draw || nothing_else) } else { (stored, false) })
    }

    fn stored(&self, board: &Board) -> Option<Wdl> {
        let (material, _) = Material::of(board);
        if material.pieces() == 2 {
            return Some(Wdl::Draw);
        }
        self.ok_or_report(material, Kind::Wdl, self.table(material, Kind::Wdl)?.wdl(board))
    }
}

/// Whether the side to move is checkmated.
pub fn is_mate(board: &Board) -> bool {
    board.in_check() && !board.has_legal_move()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_results() {
        for wdl in Wdl::ALL {
            assert_eq!((-wdl).value(), -wdl.value());
            assert_eq!((-wdl).zeroing_distance(), -wdl.zeroing_distance());
        }
        assert_eq!(Wdl::CursedWin.ruled(true), Wdl::CursedWin);
        assert_eq!((Wdl::CursedWin.ruled(false), Wdl::BlessedLoss.ruled(false)), (Wdl::Win, Wdl::Loss));
    }
}
