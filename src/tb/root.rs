//! The moves of a position in the order of what tables say of them, and lines of best play.

use super::probe::{GoesOn, Wdl, is_mate};
use super::tables::Tables;
use crate::chess::{Board, Game, Move};

/// What tables say of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRank {
    /// Greater is better; moves of the same rank keep the same result. 0 for a draw.
    pub rank: i32,
    /// The result for the side that plays it, with what the fifty-move rule makes of it here.
    pub wdl: Wdl,
}

/// The rank of a win that the fifty-move rule cannot spoil.
const CERTAIN: i32 = 1 << 18;
/// Ranks of other wins lie below this one by the plies to the next capture or pawn move and those before.
const FROM_HERE: i32 = 1 << 17;

/// Beyond all distances.
const FAR: i32 = 1 << 12;

impl RootRank {
    /// By the plies to the next capture or pawn move, with `clock` plies since the last one. In a position that has `repeated`
    /// there has to be progress: the quickest win is the best.
    const fn by_distance(dtz: i32, clock: i32, repeated: bool) -> Self {
        let plies = dtz.abs() + clock;
        let (rank, wdl) = match dtz {
            0 => (0, Wdl::Draw),
            // Distances may be a ply too small.
            1.. if plies <= 99 && !repeated => (CERTAIN, Wdl::Win),
            1.. if plies <= 100 => (FROM_HERE - plies, Wdl::Win),
            1.. => (FROM_HERE - plies, Wdl::CursedWin),
            // Lost, and no draw in sight.
            _ if 2 * dtz.abs() + clock < 100 => (-CERTAIN, Wdl::Loss),
            _ if plies <= 100 => (plies - FROM_HERE, Wdl::Loss),
            _ => (plies - FROM_HERE, Wdl::BlessedLoss),
        };
        Self { rank, wdl }
    }

    /// By the result alone.
    const fn by_result(wdl: Wdl) -> Self {
        let rank = match wdl {
            Wdl::Win => CERTAIN,
            Wdl::CursedWin => FROM_HERE - 101,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => 101 - FROM_HERE,
            Wdl::Loss => -CERTAIN,
        };
        Self { rank, wdl }
    }
}

impl Tables {
    /// What the tables of distances say of a legal move. `None` if a table is missing, unreadable or damaged, or it may not go on.
    pub fn rank_by_distance(&self, game: &Game, mv: Move, goes_on: GoesOn) -> Option<RootRank> {
        let board = game.board();
        let after = board.after(mv);
        let repeated = has_repeated(game);
        let dtz = if after.halfmove_clock() == 0 {
            match (-self.wdl(&after)?, is_mate(&after)) {
                (_, true) => 1,
                (wdl, _) => wdl.zeroing_distance(),
            }
        } else if is_drawn_after(game, &after) {
            0
        } else {
            self.dtz_after(&after, goes_on)?
        };
        Some(RootRank::by_distance(dtz, board.halfmove_clock() as i32, repeated))
    }

    /// What the tables of results say of a legal move, as [`rank_by_distance`](Self::rank_by_distance).
    pub fn rank_by_result(&self, game: &Game, mv: Move, fifty_moves: bool) -> Option<RootRank> {
        let after = game.board().after(mv);
        let drawn = after.halfmove_clock() > 0 && is_drawn_after(game, &after);
        let wdl = if drawn { Wdl::Draw } else { (-self.wdl(&after)?).ruled(fifty_moves) };
        Some(RootRank::by_result(wdl))
    }

    /// The distance of a move that is neither capture nor pawn move, by the position after it.
    fn dtz_after(&self, after: &Board, goes_on: GoesOn) -> Option<i32> {
        let dtz = -self.dtz_while(after, goes_on)?;
        Some(if dtz == 1 && is_mate(after) { 1 } else { dtz + dtz.signum() })
    }

    /// The move of best play by distance: the winner makes progress as soon as possible, the loser as late as possible. `None`
    /// if there is no move, a table is missing, unreadable or damaged, or it may not go on.
    pub fn best_by_distance(&self, board: &Board, goes_on: GoesOn) -> Option<Move> {
        let mut best: Option<((i32, bool), Move)> = None;
        for mv in board.legal_moves() {
            let after = board.after(mv);
            let mate = is_mate(&after);
            let dtz = match after.halfmove_clock() {
                _ if mate => 1,
                0 => (-self.wdl(&after)?).zeroing_distance(),
                _ => self.dtz_after(&after, goes_on)?,
            };
            // Wins before draws before losses, of each the smallest number, and a mate before other moves with its distance.
            let result = match dtz {
                1.. => FAR - dtz,
                0 => 0,
                _ => -FAR - dtz,
            };
            if best.is_none_or(|(other, _)| (result, mate) > other) {
                best = Some(((result, mate), mv));
            }
        }
        best.map(|(_, mv)| mv)
    }
}

/// Whether some position has occurred twice since the last capture or pawn move.
fn has_repeated(game: &Game) -> bool {
    let board = game.board();
    let earlier = game.earlier_keys();
    let since = &earlier[earlier.len().saturating_sub(board.reversible_plies())..];
    since.iter().chain([&board.key()]).enumerate().any(|(index, key)| since[..index.min(since.len())].contains(key))
}

/// Whether the game is drawn by rule after a move to this position. That it has occurred once before draws nothing yet: it may
/// be all that wins, and from then on there has to be progress.
fn is_drawn_after(game: &Game, after: &Board) -> bool {
    game.earlier_keys().iter().filter(|&&key| key == after.key()).count() >= 2 || after.is_fifty_move_draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_put_results_in_order() {
        let by = |dtz, clock| RootRank::by_distance(dtz, clock, false);
        let falling = [by(1, 0), by(60, 40), by(101, 0), by(0, 7), by(-150, 0), by(-101, 0), by(-60, 0), by(-3, 0)];
        assert!(falling.is_sorted_by(|better, worse| better.rank > worse.rank), "{falling:?}");
        let results = falling.map(|rank| rank.wdl.value());
        assert_eq!(results, [2, 2, 1, 0, -1, -1, -2, -2]);
        assert_eq!((by(5, 0), by(99, 0).rank), (by(30, 60), by(1, 0).rank), "certain wins are alike");
        let pressed = |dtz| RootRank::by_distance(dtz, 10, true).rank;
        assert!(pressed(3) > pressed(5) && pressed(5) > by(101, 0).rank);
        for wdl in [Wdl::Win, Wdl::CursedWin, Wdl::Draw, Wdl::BlessedLoss, Wdl::Loss] {
            assert_eq!(RootRank::by_result(wdl).wdl, wdl);
        }
    }

    #[test]
    fn a_game_that_repeats_is_noticed() {
        let mut game = Game::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").expect("a good FEN");
        for (text, repeated) in
            [("a1a2", false), ("e8d8", false), ("a2a1", false), ("d8e8", true), ("a1a3", true), ("e8f8", true)]
        {
            let mv = game.board().parse_uci(text, false).expect("a legal move");
            game.play(mv);
            assert_eq!(has_repeated(&game), repeated, "{text}");
        }
    }
}
