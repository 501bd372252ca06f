//! Analyses resumed after a stop.

use super::harness::{Session, depths};
use std::thread::sleep;
use std::time::Duration;

const POSITIONS: [&str; 3] = [
    "position fen r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "position startpos",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
];

/// Wherever the threads were at the stop, the next search resumes at the last reported depth.
///
/// An exception is allowed: if the stop falls between a new best move and the end of its iteration, the next search starts one depth
/// lower. That happens once in about 600 stops; three times in 18 is a bug.
#[test]
fn stopped_analysis_is_resumed() {
    let mut unfinished = 0;
    for threads in 1..=3 {
        for (index, pause) in (0..6).map(|run| (run % POSITIONS.len(), 30 + 23 * run as u64)) {
            let mut session = Session::ready();
            session.send(&format!("setoption name UCI_AnalyseMode value true\nsetoption name Threads value {threads}"));
            session.send(&format!("{}\ngo infinite", POSITIONS[index]));
            session.read_until("info depth 9 ");
            sleep(Duration::from_millis(pause));
            session.send("stop");
            session.best_move();
            let [.., finished, last] = depths(session.received())[..] else { panic!("depths before the stop") };
            session.send(&format!("go depth {last}"));
            let again = depths(&session.read_until("bestmove "));
            assert_eq!(again.last(), Some(&last), "{threads} threads");
            // The answer may come from a helper at a lower depth.
            let resumed = finished.min(last);
            assert!(
                again.iter().all(|&depth| depth <= 1 || depth >= resumed),
                "{threads} threads, {resumed}: {again:?}"
            );
            unfinished += usize::from(again.iter().any(|depth| (2..last).contains(depth)));
        }
    }
    assert!(unfinished < 3, "{unfinished} of 18 searches did not resume at the reported depth");
}

#[test]
fn searchmoves_result_is_not_reused_for_all_moves() {
    let mut session = Session::ready();
    session.send("setoption name UCI_AnalyseMode value true\nposition fen 4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    session.send("go depth 12 searchmoves e1f2");
    assert_eq!(session.best_move(), "e1f2");
    session.send("go depth 12");
    assert_eq!(session.best_move(), "e4d5");
}

/// Unless the option is set, a search without limits counts as analysis.
#[test]
fn infinite_search_is_analysis_by_default() {
    for (setting, resumes) in [("", true), ("setoption name Analyse Mode value false", false)] {
        let mut session = Session::ready();
        session.send(&format!("{setting}\nposition startpos\ngo infinite"));
        session.read_until("info depth 9 ");
        session.send("stop\ngo infinite");
        session.best_move();
        // The stop may come after depth 9. Depth 1 is always reported.
        session.read_until("info depth 1 ");
        let next = depths(&session.read_until("info depth "));
        assert_eq!(next[0] >= 8, resumes, "{setting:?}: {next:?}");
        // Game mode keeps nothing of the analysis.
        session.send("stop\ngo depth 9");
        session.best_move();
        assert!(depths(&session.read_until("bestmove ")).contains(&5));
    }
}

#[test]
fn results_of_another_evaluation_are_not_resumed() {
    let mut session = Session::ready();
    session.send("position startpos\ngo infinite");
    session.read_until("info depth 9 ");
    session.send("stop\nsetoption name Drawish Endings value true\ngo infinite");
    session.best_move();
    session.read_until("info depth 1 ");
    assert!(depths(&session.read_until("info depth "))[0] < 8);
}
