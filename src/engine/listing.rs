//! The move order of the current position.

pub use crate::search::listing::ListedMove;

use super::Engine;
use crate::chess::{Board, Move};
use crate::search::limits::Limits;
use crate::search::threads::Threads;

impl Engine {
    /// Lists the legal moves in the main thread's search order, with reductions of a PV node at this depth, in plies.
    /// Stops a running search.
    ///
    /// A position up to two plies after the last searched one is ordered as a node of that search, with its killer,
    /// last best reply and continuation history. Any other is ordered as a root.
    pub fn list_moves(&mut self, depth: i32) -> Vec<ListedMove> {
        self.finish();
        let board = self.game.board();
        let found = self.searched.as_ref().and_then(|last| Some((last.clone(), path(last.board(), board, 2)?)));
        let was_searched = found.is_some();
        let (game, path) = found.unwrap_or_else(|| (self.game.clone(), Vec::new()));
        let (job, _) = self.job(&Limits::default(), game, Vec::new(), Threads::new(1));
        self.pool.run_on_main(move |worker| worker.list_moves(&job, &path, was_searched, depth.max(1)))
    }
}

/// The moves leading from one position to another, up to `most`.
fn path(from: &Board, to: &Board, most: usize) -> Option<Vec<Move>> {
    if from.key() == to.key() {
        return Some(Vec::new());
    }
    let through = |&mv: &Move| Some([&[mv], &path(&from.after(mv), to, most.checked_sub(1)?)?[..]].concat());
    from.legal_moves().iter().find_map(through)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    fn after(moves: &str) -> Board {
        let mut game = Game::start();
        for text in moves.split_whitespace() {
            game.play(game.board().parse_uci(text, false).expect("a legal move"));
        }
        game.board().clone()
    }

    #[test]
    fn paths_are_found_up_to_two_plies() {
        let texts = |from: &str, to: &str| {
            let board = after(from);
            path(&board, &after(to), 2).map(|moves| {
                let mut board = board.clone();
                let text = |mv: Move| {
                    let text = board.uci(mv, false);
                    board = board.after(mv);
                    text
                };
                moves.into_iter().map(text).collect::<Vec<_>>()
            })
        };
        assert_eq!(texts("e2e4", "e2e4"), Some(vec![]));
        assert_eq!(texts("", "e2e4"), Some(vec!["e2e4".into()]));
        assert_eq!(texts("e2e4", "e2e4 e7e5 g1f3"), Some(vec!["e7e5".into(), "g1f3".into()]));
        assert_eq!(texts("", "e2e4 e7e5 g1f3"), None, "three plies");
        assert_eq!(texts("e2e4", "d2d4"), None, "another position");
        assert_eq!(texts("e2e4", ""), None, "an earlier position");
        assert_eq!(texts("e2e4", "d2d4 e7e5"), None, "no path");
    }
}
