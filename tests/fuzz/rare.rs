//! Rare positions, tested with the program: move notation, text after a FEN, finished games, and search limits.

use super::conversations::Plan;
use super::crowded::{castlers, crowd, ended, is_crowded};
use crate::harness::{START, Session, count, number};
use lento::chess::{Board, Game};
use lento_testing::Random;
use std::collections::HashSet;

/// Maximum nodes of a depth-1 iteration per legal move; bounds quiescence search.
const MAX_NODES_PER_MOVE: usize = 4096;

/// Sends a position after the start position; returns whether it was refused, and the current position.
fn set_up(session: &mut Session, position: &str) -> (bool, String) {
    session.send("position startpos");
    session.send(position);
    (count(&session.sync(), "info string ERROR") > 0, session.fen())
}

/// Move notations are distinct and accepted, promotions in upper case included.
fn check_notation(session: &mut Session, board: &Board, random: &mut Random) {
    let fen = board.fen(true);
    session.send(&format!("position fen {fen}\ngo perft 1"));
    let lines = session.read_until("Nodes searched");
    let named = lines.iter().filter_map(|line| line.strip_suffix(": 1"));
    let names: Vec<&str> = named.filter(|name| !name.contains(' ')).collect();
    let moves = board.legal_moves();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), moves.len(), "{fen}: {names:?}");
    for _ in 0..moves.len().min(4) {
        let mv = *random.pick(&moves);
        let name = board.uci(mv, false);
        assert!(names.contains(&name.as_str()), "{fen}: {name}");
        let capital = name[..4].to_owned() + &name[4..].to_uppercase();
        let parsed = set_up(session, &format!("position fen {fen} moves {capital}"));
        assert_eq!(parsed, (false, board.after(mv).fen(false)), "{fen} moves {capital}");
    }
}

/// Text after a FEN is parsed correctly, or the position is refused and the old one stays.
fn check_trailing_text(session: &mut Session, board: &Board, random: &mut Random) {
    let fen = board.fen(false);
    let fields: Vec<&str> = fen.split(' ').collect();
    let counted = |halfmoves: &str, moves: &str| [&fields[..4], &[halfmoves, moves]].concat().join(" ");
    for (given, expected) in [(4, counted("0", "1")), (5, counted(fields[4], "1")), (6, fen.clone())] {
        let given = fields[..given].join(" ");
        assert_eq!(set_up(session, &format!("position fen {given}")), (false, expected.clone()), "{given}");
        let tail = *random.pick(&["garbage", "0 1 0 1", "- -", "bm e4;", "e2e4", "\u{2002}x", "moves x", "-1 -1"]);
        match set_up(session, &format!("position fen {given} {tail}")) {
            (true, kept) => assert_eq!(kept, START, "{given} {tail}"),
            (false, parsed) => assert_eq!(parsed.split(' ').take(4).collect::<Vec<_>>(), fields[..4], "{given} {tail}"),
        }
        if let Some(&mv) = board.legal_moves().first() {
            let line = format!("position fen {given} moves {}", board.uci(mv, false));
            let after = Board::from_fen(&expected).unwrap().after(mv).fen(false);
            assert_eq!(set_up(session, &line), (false, after), "{line}");
        }
    }
    let passed = Game::from(board.clone()).passed().map(|game| game.board().fen(false));
    let (refused, parsed) = set_up(session, &format!("position fen {fen} moves 0000"));
    assert_eq!((refused, parsed), (passed.is_err(), passed.unwrap_or(START.into())), "{fen}");
}

/// Searches respect their limits, play a legal move and show searched lines only.
fn check_searches(session: &mut Session, board: &Board, random: &mut Random) {
    let fen = board.fen(true);
    let moves = board.legal_moves();
    let multi_pv = 1 + random.below(8);
    session.send(&format!("ucinewgame\nsetoption name MultiPV value {multi_pv}\nposition fen {fen}"));
    let limit = *random.pick(&[1, 2, 10, 60, 300, 1500]);
    let depth_1_limit = moves.len() * MAX_NODES_PER_MOVE * multi_pv;
    for (go, max_nodes) in [
        (format!("go nodes {limit}"), limit),
        ("go infinite\nstop".into(), usize::MAX),
        ("go depth 1".into(), depth_1_limit),
    ] {
        let lines = session.search(&go);
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let context = format!("{fen}, MultiPV {multi_pv}, {go}: {lines:#?}");
        assert!(moves.iter().any(|&mv| board.uci(mv, false) == best), "{context}");
        let last = lines.iter().rfind(|line| line.contains(" nodes ")).expect("a line");
        assert!(number::<usize>(last, "nodes") <= max_nodes, "{context}");
        // In a crowded position, two one-move lines with a score of 0 are unsearched.
        let unsearched = |line: &&String| {
            line.contains(" score cp 0 nodes ") && line.split(" pv ").nth(1).is_some_and(|pv| !pv.contains(' '))
        };
        assert!(!is_crowded(board) || lines.iter().filter(unsearched).count() < 2, "{context}");
    }
}

/// A finished game is reported at once, with `bestmove` only when allowed.
fn check_game_over(session: &mut Session, board: &Board, random: &mut Random) {
    let score = if board.in_check() { "mate 0" } else { "cp 0" };
    let go = *random.pick(&["go infinite", "go ponder movetime 10", "go depth 3", "go nodes 5", "go mate 2"]);
    session.send(&format!("position fen {}\n{go}", board.fen(true)));
    assert_eq!(session.read_until("info depth"), [format!("info depth 0 score {score}")]);
    let lines = session.search("stop");
    assert_eq!((count(&lines, "info depth"), lines.last().unwrap().as_str()), (0, "bestmove 0000"), "{lines:#?} {go}");
}

#[test]
fn conversations_about_rare_positions() {
    let mut session = Session::ready();
    for seed in Plan::new(24).seeds() {
        let mut random = Random::new(seed);
        let random = &mut random;
        println!("seed {seed}");
        let boards = [crowd(random), castlers(random), ended(random)];
        for board in &boards {
            check_notation(&mut session, board, random);
            check_trailing_text(&mut session, board, random);
            if board.has_legal_move() {
                check_searches(&mut session, board, random)
            } else {
                check_game_over(&mut session, board, random)
            }
        }
    }
}
