//! Mates to be found and proved.

use lento::chess::Game;
use lento::engine::Engine;
use lento::score::{Bound, mate_distance};
use lento::search::limits::Limits;

/// Lines `FEN bm ...`, each a mate in so many moves: who asks for it gets it within so many nodes, nearly always.
pub fn asked_for(text: &str, moves: u32, nodes: u64) {
    let [found, tried] = found(text, moves, &Limits { mate: Some(moves), nodes: Some(nodes), ..Limits::default() });
    assert!(found * 100 >= tried * 95, "{found} of {tried}");
}

/// Such lines, searched as any position is: nine of ten are found within 20 000 nodes, with a line that ends in mate.
pub fn met(text: &str, moves: u32) {
    let [found, tried] = found(text, moves, &Limits { nodes: Some(20_000), ..Limits::default() });
    assert!(found * 10 >= tried * 9, "{found} of {tried}");
}

/// How many mates in exactly so many moves are found, and how many were looked for.
fn found(text: &str, moves: u32, limits: &Limits) -> [u32; 2] {
    let mut engine = Engine::new();
    let step = text.lines().count().div_ceil(60);
    let (mut found, mut tried) = (0, 0);
    for line in text.lines().step_by(step) {
        let fen = line.split(" bm ").next().unwrap();
        engine.new_game();
        engine.set_game(Game::from_fen(fen).unwrap());
        let best = engine.search_blocking(limits, |_| ()).lines.swap_remove(0);
        tried += 1;
        if mate_distance(best.score) == Some(moves as i32) {
            found += 1;
            // A search that is cut off may know a mate as a bound only, and no line.
            assert!(best.bound != Bound::Exact || best.pv.len() == 2 * moves as usize - 1, "{fen}");
        }
    }
    [found, tried]
}
