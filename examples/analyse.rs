//! Analyses a position with four threads for a second, stops, and reads the lines.
//!
//! ```sh
//! cargo run --release --example analyse -- "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
//! ```

use lento::chess::Game;
use lento::engine::{Engine, Output, Wake, never};
use lento::eval::wdl;
use lento::search::limits::Limits;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let game = match std::env::args().nth(1) {
        Some(fen) => Game::from_fen(&fen)?,
        None => Game::start(),
    };
    let root = game.board().clone();

    let mut engine = Engine::new();
    engine.set_threads(4)?;
    engine.set_hash(64)?;
    engine.settings.search.multi_pv = 3;
    engine.game = game;
    engine.go(&Limits { infinite: true, ..Limits::default() });

    // Follow the search for a second. A program with other things to wait for passes a channel of its own to `wait`.
    let end = Instant::now() + Duration::from_secs(1);
    while let Wake::Output(output) = engine.wait(&never::<()>(), Some(end)) {
        if let Output::Info(info) = output {
            println!("depth {:>2}, line {}: {} nodes", info.depth, info.multipv, info.nodes);
        }
    }

    // `stop` returns the answer.
    let answer = engine.stop().ok_or("no search was under way")?;
    for line in &answer.lines {
        let mut board = root.clone();
        let mut moves = String::new();
        for &mv in &line.pv {
            moves += &format!("{} ", board.san(mv));
            board = board.after(mv);
        }
        println!("{:>6} cp {moves}", wdl::normalise(line.score, wdl::material(&root)));
    }
    match answer.best {
        Some(best) => println!("best move: {}", root.san(best)),
        None => println!("the game is over"),
    }
    Ok(())
}
