//! Analyses a position with four threads for half a second and prints the three best lines.
//!
//! ```sh
//! cargo run --release --example analyse -- "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
//! ```

use lento::chess::Game;
use lento::engine::{Engine, Output};
use lento::eval::wdl;
use lento::search::limits::Limits;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    analyse(match std::env::args().nth(1) {
        Some(fen) => Game::from_fen(&fen)?,
        None => Game::start(),
    })
}

fn analyse(game: Game) -> Result<(), Box<dyn Error>> {
    let root = game.board().clone();
    let mut engine = Engine::new();
    engine.set_threads(4)?;
    engine.set_hash(64)?;
    engine.settings.search.multi_pv = 3;
    engine.game = game;

    // Called with each output and every few milliseconds: the place to check a button or Ctrl-C.
    let end = Instant::now() + Duration::from_millis(500);
    let endless = Limits { infinite: true, ..Limits::default() };
    let answer = engine.search_until(&endless, &[], |_, output| {
        if let Some(Output::Info(info)) = output {
            println!("depth {:>2}, line {}: {} nodes", info.depth, info.multipv, info.nodes);
        }
        if Instant::now() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });

    for line in &answer.lines {
        let mut board = root.clone();
        let mut moves = String::new();
        for &mv in &line.pv {
            moves += &format!("{} ", board.san(mv));
            board = board.after(mv);
        }
        println!("{:>6} cp {moves}", wdl::normalise(line.score, wdl::material(&root)));
    }
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    analyse(Game::start())
}
