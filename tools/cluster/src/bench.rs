//! `lento-cluster bench`: searches the same positions on 1, 2, 4, ... ranks.

use crate::relay::{Order, Relay};
use lento::chess::Game;
use lento::engine::Engine;
use lento::internals::bench::POSITIONS;
use lento::search::limits::Limits;
use lento::search::report::nps;
use lento_console::setup;
use lento_uci::go::Go;
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[derive(clap::Args, Clone)]
pub struct Args {
    /// Depth of each search, in plies
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// Threads per rank
    #[arg(long, default_value_t = 1, value_parser = setup::threads)]
    threads: usize,
    /// Hash table size per rank, in MiB
    #[arg(long, default_value_t = 16, value_parser = setup::hash)]
    hash: usize,
    /// Rank counts, such as 1,2,4; by default powers of two up to all ranks
    #[arg(long, value_delimiter = ',')]
    ranks: Vec<usize>,
    /// Number of bench positions
    #[arg(long, default_value_t = POSITIONS.len() as u64, value_parser = clap::value_parser!(u64).range(1..=POSITIONS.len() as u64))]
    positions: u64,
}

/// Runs the bench and prints one JSON document.
pub fn run(args: &Args, mut engine: Engine, relay: &Relay, ranks: usize) -> Result<(), String> {
    if let Some(count) = args.ranks.iter().find(|count| !(1..=ranks).contains(count)) {
        return Err(format!("--ranks {count}: expected counts from 1 to {ranks}, the number of ranks"));
    }
    let counts: Vec<usize> = if args.ranks.is_empty() {
        let powers = (0..).map(|power| 1 << power).take_while(|&count| count < ranks);
        powers.chain([ranks]).collect()
    } else {
        args.ranks.clone()
    };
    engine.set_threads(args.threads).map_err(|error| error.to_string())?;
    engine.set_hash(args.hash).map_err(|error| error.to_string())?;
    for (name, value) in [("Threads", args.threads), ("Hash", args.hash)] {
        relay.order(Order::Line(format!("setoption name {name} value {value}")));
    }
    let mut runs = Vec::new();
    for count in counts {
        runs.push(run_on(args, &mut engine, relay, count));
        if let Some(silent) = (1..count).find(|&rank| relay.is_silent(rank)) {
            return Err(format!("rank {silent} stopped responding; expected all {count} ranks to finish"));
        }
    }
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "depth": args.depth,
        "threads": args.threads,
        "hash_mib": args.hash,
        "runs": runs,
    });
    writeln!(stdout(), "{document:#}").map_err(|error| format!("standard output: {error}"))
}

/// Searches the positions on the first `ranks` ranks.
fn run_on(args: &Args, engine: &mut Engine, relay: &Relay, ranks: usize) -> Value {
    relay.set_active(ranks);
    let traffic = || {
        // Other ranks report every 100 ms.
        sleep(Duration::from_millis(300));
        relay.traffic()
    };
    let before = traffic();
    let (mut nodes, mut time, mut positions) = (0, Duration::ZERO, Vec::new());
    for fen in POSITIONS.iter().take(args.positions as usize) {
        engine.new_game();
        engine.game = Game::from_fen(fen).expect("the bench positions are valid");
        relay.order(Order::Line("ucinewgame".into()));
        relay.order(Order::Line("setoption name UCI_Chess960 value true".into()));
        relay.order(Order::Line(format!("position fen {fen}")));
        let limits = Limits { depth: Some(args.depth), ..Limits::default() };
        relay.go(&mut Go { limits, ..Go::default() }, false);
        let start = Instant::now();
        let outcome = engine.search_blocking(&limits, |_| ());
        let (elapsed, search_nodes) = (start.elapsed(), outcome.lines.first().map_or(0, |line| line.nodes));
        (nodes, time) = (nodes + search_nodes, time + elapsed);
        let best = outcome.best.map(|mv| engine.game.board().uci(mv, true));
        positions
            .push(json!({ "fen": fen, "best": best, "nodes": search_nodes, "time_ms": elapsed.as_millis() as u64 }));
    }
    let after = traffic();
    let [sent, received, stored, bytes] = std::array::from_fn(|index| after[index] - before[index]);
    json!({
        "ranks": ranks,
        "nodes": nodes,
        "time_ms": time.as_millis() as u64,
        "nps": nps(nodes, time),
        "entries": { "sent": sent, "received": received, "stored": stored },
        "bytes_sent_per_second_and_rank": (bytes as f64 / time.as_secs_f64() / ranks as f64) as u64,
        "positions": positions,
    })
}
