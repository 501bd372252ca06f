//! Analyses that are stopped and taken up again.

use super::harness::{Session, depths};
use std::thread::sleep;
use std::time::Duration;

const POSITIONS: [&str; 3] = [
    "position fen r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "position startpos",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
];

/// Whatever the threads were at when the search was stopped, the next one begins with the last depth that was told.
///
/// One case is no fault: the stop falls between a new best move and the end of its iteration. The answer tells the depth of
/// that iteration, and the next search begins with the one before. That happens once in some 600 stops; thrice in 18 is a fault.
#[test]
fn nothing_is_searched_twice_after_a_stop() {
    let mut unfinished = 0;
    for threads in 1..=3 {
        for (place, pause) in (0..6).map(|run| (run % POSITIONS.len(), 30 + 23 * run as u64)) {
            let mut session = Session::ready();
            session.say(&format!("setoption name UCI_AnalyseMode value true\nsetoption name Threads value {threads}"));
            session.say(&format!("{}\ngo infinite", POSITIONS[place]));
            session.until("info depth 9 ");
            sleep(Duration::from_millis(pause));
            session.say("stop");
            session.best_move();
            let [.., finished, last] = depths(session.heard())[..] else { panic!("depths before the stop") };
            session.say(&format!("go depth {last}"));
            let again = depths(&session.until("bestmove "));
            assert_eq!(again.last(), Some(&last), "{threads} threads");
            // The answer may be a helper's, who had come less far.
            let known = finished.min(last);
            assert!(again.iter().all(|&depth| depth <= 1 || depth >= known), "{threads} threads, {known}: {again:?}");
            unfinished += usize::from(again.iter().any(|depth| (2..last).contains(depth)));
        }
    }
    assert!(unfinished < 3, "{unfinished} of 18 searches did not begin with the depth told");
}

/// The best of some moves need not be the best of all.
#[test]
fn what_some_moves_are_worth_is_no_answer_for_all() {
    let mut session = Session::ready();
    session.say("setoption name UCI_AnalyseMode value true\nposition fen 4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    session.say("go depth 12 searchmoves e1f2");
    assert_eq!(session.best_move(), "e1f2");
    session.say("go depth 12");
    assert_eq!(session.best_move(), "e4d5");
}

/// Without the option, a search without limits is analysis; the option decides where it is sent.
#[test]
fn a_search_without_limits_is_analysis() {
    for (sent, goes_on) in [("", true), ("setoption name Analyse Mode value false", false)] {
        let mut session = Session::ready();
        session.say(&format!("{sent}\nposition startpos\ngo infinite"));
        session.until("info depth 9 ");
        session.say("stop\ngo infinite");
        session.best_move();
        let again = depths(&session.until("info depth 9 "));
        assert_eq!(again.contains(&5), !goes_on, "{sent:?}: {again:?}");
        // A game keeps nothing of it.
        session.say("stop\ngo depth 9");
        session.best_move();
        assert!(depths(&session.until("bestmove ")).contains(&5));
    }
}
