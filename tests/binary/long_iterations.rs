//! Output during long iterations.

use super::harness::{Session, TIMEOUT, field};
use std::collections::HashMap;
use std::time::Instant;

/// A position whose iterations with all lines soon take many seconds, since `go mate` disables pruning.
const SLOW: &str = "setoption name MultiPV value 256\n\
    position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n\
    go mate 100";

/// Every line is repeated with the same depth, score and moves and updated nodes and time, about every three seconds.
#[test]
fn lines_are_repeated_during_long_iterations() {
    const LINES: usize = 24;
    /// Milliseconds.
    const IMMEDIATE: u64 = 100;
    let mut session = Session::ready();
    session.send(SLOW);
    let mut latest: HashMap<String, (String, u64, u64)> = HashMap::new();
    let (mut repeated, start) = (HashMap::new(), Instant::now());
    while repeated.len() < LINES {
        let line = session.line_within(TIMEOUT).expect("a line");
        assert!(start.elapsed() < TIMEOUT, "only {} lines were repeated", repeated.len());
        let (Some(multipv), Some(time)) = (field(&line, "multipv"), field(&line, "time")) else { continue };
        let (time, nodes) = (time.parse().unwrap(), field(&line, "nodes").unwrap().parse().unwrap());
        let state = line.split_once(" nodes ").unwrap().0.to_owned() + line.split_once(" pv ").unwrap().1;
        // Threads report nodes in batches, so an immediate repetition may have the same count.
        if latest.get(multipv).is_some_and(|(previous, before, _)| *previous == state && time < before + IMMEDIATE) {
            continue;
        }
        let before = latest.insert(multipv.to_owned(), (state.clone(), time, nodes));
        let Some((previous, before, old_nodes)) = before.filter(|(previous, ..)| *previous == state) else { continue };
        assert!(nodes > old_nodes, "{previous} with {old_nodes} and then {nodes} nodes");
        repeated.insert(multipv.to_owned(), time - before);
    }
    // Nominally three seconds; the machine may be busy.
    let longest = repeated.values().max().unwrap();
    assert!(*longest < 20_000, "{longest} ms until a line was repeated");
    session.send("stop");
    session.best_move();
}
