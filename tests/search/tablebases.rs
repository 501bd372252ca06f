//! Tablebases: known values, wins played out, damaged files.

use crate::data;
use lento::chess::{Board, Game, Verdict};
use lento::engine::Engine;
use lento::score::{TB_WIN, is_decisive};
use lento::search::limits::{Determinism, Limits};
use lento::tb::{Tables, Wdl};
use lento_testing::Folder;
use std::fs;
use std::sync::Arc;

fn tables() -> Tables {
    Tables::open(data::largest("syzygy").to_str().expect("text")).expect("tables of 3 and 4 pieces")
}

/// Rows with material, FEN, WDL, DTZ and the moves that preserve the WDL.
fn rows() -> Vec<Vec<String>> {
    data::rows(data::largest("syzygy_vectors.tsv"))
}

#[test]
fn values_and_moves_match_the_vectors() {
    let tables = tables();
    let files = |ending: &str| {
        let folder = fs::read_dir(data::largest("syzygy")).expect("a folder");
        folder
            .filter(|file| file.as_ref().expect("a file").path().extension().is_some_and(|found| found == ending))
            .count()
    };
    assert_eq!((tables.summary().counts, tables.summary().max_pieces), ([files("rtbw"), files("rtbz")], 4));
    assert_eq!(tables.summary().unchecked, 0);
    let missing = |problem: &String| problem.contains(" of 4 pieces missing: ");
    assert!(tables.summary().problems.iter().all(missing), "{:#?}", tables.summary().problems);
    let rows = rows();
    assert!(rows.len() > 100, "{} positions", rows.len());
    for row in &rows {
        let [_, fen, wdl, dtz, preserving] = &row[..] else { panic!("{row:?}") };
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let known: i8 = wdl.parse().expect("a number");
        assert_eq!(tables.wdl(&board).map(Wdl::value), Some(known), "WDL of {fen}");
        // DTZ of positions before a promotion requires the tables after it.
        if let Some(found) = tables.dtz(&board).or_else(|| has_promotion_tables(row).then_some(i32::MAX)) {
            assert_eq!(Some(found), dtz.parse().ok(), "DTZ of {fen}");
        }
        let preserves = |mv| tables.wdl(&board.after(mv)).map(|wdl| (-wdl).value()) == Some(known);
        let mut moves: Vec<String> =
            board.legal_moves().into_iter().filter(|&mv| preserves(mv)).map(|mv| board.uci(mv, false)).collect();
        let mut expected: Vec<&str> = preserving.split_whitespace().collect();
        moves.sort_unstable();
        expected.sort_unstable();
        assert_eq!(moves, expected, "moves of {fen}");
    }
    assert_eq!(tables.take_failures(), Vec::<String>::new());
}

/// Whether all tables after promotions exist.
fn has_promotion_tables(row: &[String]) -> bool {
    row[0] != "KPPvK"
}

/// Rows for which all tables after promotions exist.
fn complete_rows() -> Vec<Vec<String>> {
    rows().into_iter().filter(|row| has_promotion_tables(row)).collect()
}

/// Against the longest defence, with few nodes per move.
#[test]
fn wins_are_played_out_to_mate() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    let mut played = 0;
    for row in complete_rows().iter().filter(|row| row[2] == "2").step_by(2) {
        let fen = &row[1];
        let mut game = Game::from_fen(fen).expect("a valid FEN");
        let winner = game.board().side_to_move();
        engine.new_game();
        while game.verdict().is_none() {
            let board = game.board();
            let mv = if board.side_to_move() == winner {
                engine.game = game.clone();
                let outcome = engine.search_blocking(&Limits { nodes: Some(60), ..Limits::default() }, |_| ());
                assert!(outcome.lines[0].score >= TB_WIN, "{} in {}", outcome.lines[0].score, board.fen(false));
                outcome.best
            } else {
                tables.best_by_distance(board, &|| true)
            };
            game.play(mv.expect("a legal move"));
        }
        assert_eq!(game.verdict(), Some(Verdict::Checkmate), "{fen} ended with {}", game.board().fen(false));
        assert_ne!(game.board().side_to_move(), winner);
        played += 1;
    }
    assert!(played > 10, "{played} games");
}

/// With all moves as lines.
#[test]
fn lines_and_scores_match_the_tables() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    engine.settings.search.multi_pv = 256;
    for row in complete_rows().iter().step_by(4) {
        let fen = &row[1];
        let board = Board::from_fen(fen).expect("a valid FEN");
        engine.game = Game::from(board.clone());
        let outcome = engine.search_blocking(&Limits { depth: Some(3), ..Limits::default() }, |_| ());
        assert_eq!(outcome.lines.len(), board.legal_moves().len());
        let results: Vec<i8> = outcome
            .lines
            .iter()
            .map(|line| {
                let result = (-tables.wdl(&board.after(line.pv[0])).expect("a result")).value();
                let shown = line.score;
                let expected = if is_decisive(shown) { 2 * shown.signum() } else { shown.signum() };
                assert_eq!(i32::from(result), expected, "{shown} in {fen}");
                let mut board = board.clone();
                for &mv in &line.pv {
                    assert!(board.is_legal(mv), "{fen}");
                    board = board.after(mv);
                }
                result
            })
            .collect();
        assert!(results.is_sorted_by(|better, worse| better >= worse), "{results:?} in {fen}");
        assert!(outcome.lines[0].tb_hits >= outcome.lines.len() as u64);
    }
}

/// Wins prevented by the fifty-move rule are not claimed, nor those that depend on the rounding of DTZ.
#[test]
fn cursed_wins_are_not_claimed() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    let mut tried = [0; 3];
    for row in rows().iter().filter(|row| ["KBNvK", "KRvK", "KQvKR", "KBBvK"].contains(&row[0].as_str())) {
        let board = Board::from_fen(&row[1]).expect("a valid FEN");
        let distance = tables.dtz(&board).expect("tables").abs();
        if row[2] == "0" || distance < 4 {
            continue;
        }
        for (index, clock) in [99 - distance, 100 - distance, 101 - distance].into_iter().enumerate() {
            let fields: Vec<&str> = row[1].split(' ').collect();
            let fen = format!("{} {clock} 120", fields[..4].join(" "));
            engine.new_game();
            engine.game = Game::from_fen(&fen).expect("a valid FEN");
            let outcome = engine.search_blocking(&Limits { depth: Some(2), ..Limits::default() }, |_| ());
            let score = outcome.lines[0].score;
            match index {
                0 => assert!(is_decisive(score), "{score} in {fen}"),
                1 => assert!(score.abs() < TB_WIN - 200, "{score} in {fen}"),
                _ => assert!(score.abs() <= 2, "{score} in {fen}"),
            }
            tried[index] += 1;
        }
    }
    assert!(tried.iter().all(|&tried| tried >= 10), "{tried:?}");
}

/// Without DTZ tables, a win is not claimed once the clock runs.
#[test]
fn wdl_alone_does_not_claim_wins_on_the_clock() {
    let folder = Folder::with_copies("results", &data::path("syzygy"), &["KRvK.rtbw"]);
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::new(Tables::open(&folder.file("")).expect("a table"))));
    for (clock, claimed) in [(0, true), (90, false)] {
        engine.game = Game::from_fen(&format!("8/8/8/4k3/8/8/8/KR6 w - - {clock} 80")).expect("a valid FEN");
        let outcome = engine.search_blocking(&Limits { depth: Some(2), ..Limits::default() }, |_| ());
        assert_eq!(is_decisive(outcome.lines[0].score), claimed, "clock {clock}: {}", outcome.lines[0].score);
    }
}

/// Deterministic searches with several threads reproduce `tbhits` as well.
#[test]
fn rounds_reproduce_tablebase_hits() {
    let tables = Arc::new(tables());
    let search = || {
        let mut engine = Engine::new();
        engine.set_tables(Some(Arc::clone(&tables)));
        engine.set_threads(3).expect("threads");
        engine.settings.search.deterministic = Determinism::Rounds;
        engine.game = Game::from_fen("8/5k2/3p4/8/4P1P1/4K3/3p4/5N2 b - - 0 1").expect("a valid FEN");
        let outcome = engine.search_blocking(&Limits { depth: Some(12), ..Limits::default() }, |_| ());
        let line = &outcome.lines[0];
        (line.nodes, line.tb_hits, line.score, line.pv.clone())
    };
    let first = search();
    assert!(first.1 > 0);
    assert_eq!(first, search());
}

/// Probing damaged tables gives values or reports the damage; it never hangs or panics.
#[test]
fn damaged_tables_are_reported_or_harmless() {
    let names = ["KPPvK.rtbw", "KPPvK.rtbz", "KPvK.rtbw"];
    let scratch = Folder::with_copies("damage", &data::path("syzygy"), &names);
    let rows = data::rows(data::path("syzygy_vectors.tsv"));
    let boards: Vec<Board> =
        rows.iter().filter(|row| row[0] == "KPPvK").map(|row| Board::from_fen(&row[1]).expect("a valid FEN")).collect();
    let mut random = fastrand::Rng::with_seed(11);
    for round in 0..60 {
        let file = scratch.file(names[round % 2]);
        let intact = fs::read(&file).expect("a table");
        let mut bytes = intact.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(0..intact.len())),
            // In the header, where damage matters most.
            1 => (0..1 + round % 7).for_each(|_| bytes[random.usize(0..400)] = random.u8(..)),
            _ => bytes[random.usize(4..intact.len())] ^= 1 << random.usize(0..8),
        }
        fs::write(&file, &bytes).expect("a copy");
        let tables = Tables::open(&scratch.file("")).expect("some tables are valid");
        let problems = &tables.summary().problems;
        let named = problems.iter().any(|problem| problem.contains(names[round % 2]) && !problem.contains("missing"));
        assert!(named || bytes == intact, "round {round}: {problems:#?}");
        for board in &boards {
            // The other table may still be valid.
            let _ = (tables.wdl(board), tables.dtz(board), tables.best_by_distance(board, &|| true));
        }
        fs::write(&file, &intact).expect("a copy");
    }
}
