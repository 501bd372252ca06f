//! What is heard of while an iteration takes long.

use super::harness::{PATIENCE, Session, field};
use std::collections::HashMap;
use std::time::Instant;

/// A position of which an iteration with all its lines soon takes many seconds: who asks for a mate has nothing pruned.
const SLOW: &str = "setoption name MultiPV value 256\n\
    position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n\
    go mate 100";

/// Every line is said again with the same depth, score and moves before three seconds have passed, and later ones of the time
/// that has.
#[test]
fn every_line_is_heard_of_in_time() {
    const LINES: usize = 24;
    /// Milliseconds.
    const AT_ONCE: u64 = 100;
    let mut session = Session::ready();
    session.say(SLOW);
    let mut latest: HashMap<String, (String, u64, u64)> = HashMap::new();
    let (mut again, start) = (HashMap::new(), Instant::now());
    while again.len() < LINES {
        let line = session.line_within(PATIENCE).expect("a line");
        assert!(start.elapsed() < PATIENCE, "only {} lines came again", again.len());
        let (Some(multipv), Some(time)) = (field(&line, "multipv"), field(&line, "time")) else { continue };
        let (time, nodes) = (time.parse().unwrap(), field(&line, "nodes").unwrap().parse().unwrap());
        let state = line.split_once(" nodes ").unwrap().0.to_owned() + line.split_once(" pv ").unwrap().1;
        // A thread tells its nodes in lots: a line that comes again at once may know of no more.
        if latest.get(multipv).is_some_and(|(known, before, _)| *known == state && time < before + AT_ONCE) {
            continue;
        }
        let before = latest.insert(multipv.to_owned(), (state.clone(), time, nodes));
        let Some((known, before, fewer)) = before.filter(|(known, ..)| *known == state) else { continue };
        assert!(nodes > fewer, "{known} with {fewer} and then {nodes} nodes");
        again.insert(multipv.to_owned(), time - before);
    }
    // Three seconds, but the machine may be busy.
    let longest = again.values().max().unwrap();
    assert!(*longest < 20_000, "{longest} ms until a line came again");
    session.say("stop");
    session.best_move();
}
