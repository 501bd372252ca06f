//! Two engines in one process play the opening of a game: one has a thread, the other two threads and a larger table.
//!
//! ```sh
//! cargo run --release --example two_engines
//! ```

use lento::chess::{Color, Game};
use lento::engine::Engine;
use lento::score::Score;
use lento::search::limits::Limits;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut white, mut black) = (engine(1, 8)?, engine(2, 16)?);
    let limits = Limits { nodes: Some(5_000), ..Limits::default() };
    let mut game = Game::start();
    for _ in 0..12 {
        let player = if game.board().side_to_move() == Color::White { &mut white } else { &mut black };
        player.game = game.clone();
        let answer = player.search_blocking(&limits, |_| ());
        // Without a legal move the game is over.
        let Some(best) = answer.best else { break };
        let (score, depth) = answer.lines.first().map_or((0, 0), |line| (line.score, line.depth));
        report(&game, game.board().san(best), score, depth);
        game.play(best);
    }
    match game.verdict() {
        Some(verdict) => println!("the game is over: {verdict:?}"),
        None => println!("{}", game.board().fen(false)),
    }
    Ok(())
}

/// An engine with a table of `mib` MiB.
fn engine(threads: usize, mib: usize) -> Result<Engine, Box<dyn Error>> {
    let mut engine = Engine::new();
    engine.set_threads(threads)?;
    engine.set_hash(mib)?;
    Ok(engine)
}

fn report(game: &Game, mv: String, score: Score, depth: i32) {
    println!("{:?} plays {mv}, depth {depth}, score {score}", game.board().side_to_move());
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
