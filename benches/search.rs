//! Speed of the search in nodes per second, from an empty table, on one and two threads.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lento::chess::Game;
use lento::engine::Engine;
use lento::internals::bench::POSITIONS;
use lento::search::limits::Limits;
use std::time::{Duration, Instant};

/// Bench positions: opening, middlegame and endgame.
const PHASES: [(&str, usize); 3] = [("opening", 3), ("middlegame", 5), ("endgame", 20)];

/// Searches a position as a new game; returns nodes and time, without the time to clear the table.
fn search(engine: &mut Engine, game: &Game, limits: &Limits) -> (u64, Duration) {
    engine.new_game();
    engine.game = game.clone();
    let start = Instant::now();
    let outcome = engine.search_blocking(limits, |_| {});
    (outcome.lines.first().map_or(0, |line| line.nodes), start.elapsed())
}

fn searching(c: &mut Criterion) {
    let mut engine = Engine::new();
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    for threads in [1, 2] {
        engine.set_threads(threads).expect("two threads");
        for (name, index) in PHASES {
            let game = Game::from_fen(POSITIONS[index]).expect("the bench positions are valid");
            // Node counts at fixed depth are reproducible on one thread only.
            let depth = Limits { depth: Some(10), ..Limits::default() };
            let nodes = Limits { nodes: Some(200_000), ..Limits::default() };
            let limits = if threads == 1 { depth } else { nodes };
            group.throughput(Throughput::Elements(search(&mut engine, &game, &limits).0));
            group.bench_function(format!("{name}, threads {threads}"), |b| {
                b.iter_custom(|rounds| (0..rounds).map(|_| search(&mut engine, &game, &limits).1).sum());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, searching);
criterion_main!(benches);
