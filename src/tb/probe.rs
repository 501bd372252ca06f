//! Probing, including a search of the captures that tables leave out.

use super::material::{Kind, Material};
use super::source::Damage;
use super::tables::Tables;
use super::wdl::Wdl;
use crate::chess::Board;
use crate::chess::movegen::MoveList;

pub(super) type MayContinue<'a> = &'a dyn Fn() -> bool;

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
pub(super) fn is_mate(board: &Board) -> bool {
    board.in_check() && !board.has_legal_move()
}
