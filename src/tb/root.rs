//! Ranks root moves, and finds lines of best play.

use super::probe::{MayContinue, is_mate};
use super::tables::Tables;
use super::wdl::Wdl;
use crate::chess::{Board, Game, Move};

/// Tablebase rank of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRank {
    /// Greater is better; moves of equal rank preserve the same result. 0 for a draw.
    pub rank: i32,
    /// Result for the side to move, given the halfmove clock.
    pub wdl: Wdl,
    /// Whether the tables leave open if the fifty-move rule makes this win or loss a draw.
    pub is_open: bool,
}

/// Rank of a win safe from the fifty-move rule.
const CERTAIN: i32 = 1 << 18;
/// Other wins rank below this by the plies to the next capture or pawn move plus the halfmove clock.
const BY_DISTANCE: i32 = 1 << 17;

impl RootRank {
    /// Ranks by DTZ, with the halfmove `clock`. After a repetition only the fastest win makes progress.
    const fn by_distance(dtz: i32, clock: i32, repeated: bool) -> Self {
        let plies = dtz.abs() + clock;
        let (rank, wdl) = match dtz {
            0 => (0, Wdl::Draw),
            // DTZ may be a ply too small.
            1.. if plies <= 99 && !repeated => (CERTAIN, Wdl::Win),
            1.. if plies <= 100 => (BY_DISTANCE - plies, Wdl::Win),
            1.. => (BY_DISTANCE - plies, Wdl::CursedWin),
            // Lost, out of reach of the fifty-move rule.
            _ if 2 * dtz.abs() + clock < 100 => (-CERTAIN, Wdl::Loss),
            _ if plies <= 100 => (plies - BY_DISTANCE, Wdl::Loss),
            _ => (plies - BY_DISTANCE, Wdl::BlessedLoss),
        };
        // Where the distance may be a ply too small, the hundredth ply is open. With the clock at 0 the WDL table decides.
        Self { rank, wdl, is_open: plies == 100 && clock > 0 && dtz.abs() > 1 }
    }
}

impl Tables {
    /// Ranks a legal move by DTZ. `None` if a table is missing, unreadable or damaged, or once `may_continue` fails.
    pub fn rank_by_distance(&self, game: &Game, mv: Move, may_continue: MayContinue) -> Option<RootRank> {
        let board = game.board();
        let after = board.after(mv);
        let dtz = if is_drawn_after(game, &after) { 0 } else { self.dtz_of_move(&after, true, may_continue)? };
        Some(RootRank::by_distance(dtz, board.halfmove_clock() as i32, has_repeated(game)))
    }

    /// Ranks a legal move by WDL, which assumes a halfmove clock of 0. `None` as for [`rank_by_distance`](Self::rank_by_distance).
    pub fn rank_by_result(&self, game: &Game, mv: Move, fifty_moves: bool) -> Option<RootRank> {
        let after = game.board().after(mv);
        let wdl = if is_drawn_after(game, &after) { Wdl::Draw } else { (-self.wdl(&after)?).ruled(fifty_moves) };
        let is_open = game.board().halfmove_clock() > 0
            && after.halfmove_clock() > 0
            && matches!(wdl, Wdl::Win | Wdl::Loss)
            && !is_mate(&after);
        Some(RootRank { is_open, ..RootRank::by_distance(wdl.zeroing_distance(), 0, false) })
    }

    /// The best move by DTZ: the winner makes progress as fast as possible, the loser as slowly as possible. `None` without legal
    /// moves, if a table is missing, unreadable or damaged, or once `may_continue` fails.
    pub fn best_by_distance(&self, board: &Board, may_continue: MayContinue) -> Option<Move> {
        let mut best = None;
        for mv in board.legal_moves() {
            let after = board.after(mv);
            let dtz = self.dtz_of_move(&after, true, may_continue)?;
            // Wins before draws before losses, then the smallest DTZ, then mates.
            let key = (dtz.signum(), -dtz, is_mate(&after));
            if best.is_none_or(|(other, _)| key > other) {
                best = Some((key, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }
}

/// Whether a position has occurred twice since the last capture or pawn move.
fn has_repeated(game: &Game) -> bool {
    let board = game.board();
    let earlier = game.earlier_keys();
    let since = &earlier[earlier.len().saturating_sub(board.reversible_plies())..];
    since.iter().chain([&board.key()]).enumerate().any(|(index, key)| since[..index.min(since.len())].contains(key))
}

/// Whether the game is drawn by rule after a move to this position. A single repetition does not count: the move may be the only
/// one that wins.
fn is_drawn_after(game: &Game, after: &Board) -> bool {
    let repeats = game.earlier_keys().iter().filter(|&&key| key == after.key()).count();
    after.halfmove_clock() > 0 && (repeats >= 2 || after.is_fifty_move_draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_ordered_by_result() {
        let by = |dtz, clock| RootRank::by_distance(dtz, clock, false);
        let falling = [by(1, 0), by(60, 40), by(101, 0), by(0, 7), by(-150, 0), by(-101, 0), by(-60, 0), by(-3, 0)];
        assert!(falling.is_sorted_by(|better, worse| better.rank > worse.rank), "{falling:?}");
        let results = falling.map(|rank| rank.wdl.value());
        assert_eq!(results, [2, 2, 1, 0, -1, -1, -2, -2]);
        assert_eq!((by(5, 0), by(99, 0).rank), (by(30, 60), by(1, 0).rank), "all certain wins rank equal");
        let pressed = |dtz| RootRank::by_distance(dtz, 10, true).rank;
        assert!(pressed(3) > pressed(5) && pressed(5) > by(101, 0).rank);
        for wdl in [Wdl::Win, Wdl::CursedWin, Wdl::Draw, Wdl::BlessedLoss, Wdl::Loss] {
            assert_eq!(by(wdl.zeroing_distance(), 0).wdl, wdl);
        }
        let open = [(46, 54), (-46, 54)];
        assert!(open.iter().all(|&(dtz, clock)| by(dtz, clock).is_open));
        let settled = [(46, 53), (46, 55), (-46, 53), (-46, 55), (100, 0), (1, 99), (0, 100)];
        assert!(settled.iter().all(|&(dtz, clock)| !by(dtz, clock).is_open));
    }

    #[test]
    fn detects_repetition() {
        let mut game = Game::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").expect("a valid FEN");
        for (text, repeated) in
            [("a1a2", false), ("e8d8", false), ("a2a1", false), ("d8e8", true), ("a1a3", true), ("e8f8", true)]
        {
            let mv = game.board().parse_uci(text, false).expect("a legal move");
            game.play(mv);
            assert_eq!(has_repeated(&game), repeated, "{text}");
        }
    }
}
