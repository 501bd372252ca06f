//! Parsing of positions and moves, and the output for positions that were not searched.

use crate::harness::{Session, count};

#[test]
fn move_notations_are_accepted() {
    let mut session = Session::ready();
    for (line, fen) in [
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8Q", "Q7/7k/8/8/8/8/8/K7 b - - 0 1"),
        ("position startpos moves e2e4 0000", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2"),
        ("position startpos moves Nf3", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"),
        // The king can move to g1 and castle.
        ("position fen 4k3/8/8/8/8/8/8/5K1R w K - 0 1 moves f1g1", "4k3/8/8/8/8/8/8/6KR b - - 1 1"),
        ("position fen 4k3/8/8/8/8/8/8/5K1R w K - 0 1 moves f1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ] {
        session.send(line);
        assert!(session.sync().is_empty(), "{line}");
        assert_eq!(session.fen(), fen, "{line}");
    }
    session.send("position fen 4k3/8/8/8/8/8/8/5K1R w K - 0 1\ngo perft 1");
    let moves = session.read_until("Nodes searched");
    assert_eq!((count(&moves, "f1g1: 1"), count(&moves, "f1h1: 1")), (1, 1), "{moves:#?}");
}

#[test]
fn finished_game_is_reported_at_once() {
    let mut session = Session::ready();
    for (fen, score) in [("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "cp 0"), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0")] {
        for go in ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 3"] {
            session.send(&format!("position fen {fen}\n{go}"));
            assert_eq!(session.read_until("info depth"), [format!("info depth 0 score {score}")]);
            session.send("stop");
            let rest = session.read_until("bestmove");
            assert_eq!((count(&rest, "info depth"), count(&rest, "bestmove 0000")), (0, 1), "{go}: {rest:#?}");
        }
    }
}

#[test]
fn unsearched_lines_are_not_exact() {
    let mut session = Session::ready();
    session.send("setoption name MultiPV value 4");
    for nodes in [1, 20, 60, 150, 300] {
        let lines = session.search(&format!(
            "ucinewgame\nposition fen 1KQ5/8/8/8/7p/5B1p/5ppk/5Rq1 w - - 0 1 moves c8c7 h2h1 c7c4 h3h2 c4e2 h4h3 e2d3 g1f1\n\
             go nodes {nodes}"
        ));
        let last: Vec<&String> = lines.iter().filter(|line| line.contains(" multipv ")).collect();
        assert!(last.iter().all(|line| !line.contains(" score cp 0 ")), "{lines:#?}");
    }
    for fen in ["4k3/8/8/8/8/8/1q6/5K2 w - - 0 1", "4k3/8/8/8/8/8/1q6/1K6 w - - 0 1"] {
        let lines = session.search(&format!("position fen {fen}\ngo nodes 1"));
        let line = lines.iter().find(|line| line.contains(" multipv ")).unwrap();
        assert!(line.contains(" depth 0 ") && line.contains(" score cp -") && !line.contains("bound"), "{line}");
    }
}
