//! Mates to be found and proved.

use lento::chess::Game;
use lento::engine::Engine;
use lento::score::mate_distance;
use lento::search::limits::Limits;

/// Lines `FEN bm ...`, each a mate in so many moves: nearly all are found within so many nodes.
pub fn mates(text: &str, moves: u32, nodes: u64) {
    let mut engine = Engine::new();
    let step = text.lines().count().div_ceil(60);
    let (mut found, mut tried) = (0, 0);
    for line in text.lines().step_by(step) {
        let fen = line.split(" bm ").next().unwrap();
        engine.new_game();
        engine.set_game(Game::from_fen(fen).unwrap());
        let args = Limits { mate: Some(moves), nodes: Some(nodes), ..Limits::default() };
        let outcome = engine.search_blocking(&args, |_| ());
        tried += 1;
        found += u32::from(mate_distance(outcome.lines[0].score) == Some(moves as i32));
    }
    assert!(found * 100 >= tried * 95, "{found} of {tried}");
}
