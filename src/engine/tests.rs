#[cfg(loom)]
mod model;

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
fn searches_with_limited_strength_have_no_statistics() {
    let mut engine = Engine::new();
    engine.settings.lmr_statistics = true;
    for limited in [false, true] {
        engine.settings.strength.limited = limited;
        engine.search_blocking(&Limits { depth: Some(3), ..Limits::default() }, |_| ());
        assert_eq!(engine.lmr_report().is_none(), limited);
    }
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
