//! Tablebases: known positions, wins played to the end, damaged files.

use crate::data;
use crate::harness::Folder;
use lento::chess::{Board, Game, Verdict};
use lento::engine::Engine;
use lento::score::{TB_WIN, is_decisive};
use lento::search::limits::{Determinism, Limits};
use lento::tb::{Tables, Wdl};
use std::fs;
use std::sync::Arc;

fn tables() -> Tables {
    Tables::open(data::largest("syzygy").to_str().expect("text")).expect("tables of 3 and 4 pieces")
}

/// Rows of a table, a FEN, its WDL and DTZ, and the moves that keep the WDL.
fn rows() -> Vec<Vec<String>> {
    data::rows(data::largest("syzygy_vectors.tsv"))
}

#[test]
fn values_and_moves_are_known() {
    let tables = tables();
    let files = |ending: &str| {
        let folder = fs::read_dir(data::largest("syzygy")).expect("a folder");
        folder
            .filter(|file| file.as_ref().expect("a file").path().extension().is_some_and(|found| found == ending))
            .count()
    };
    assert_eq!((tables.stock().counts, tables.stock().max_pieces), ([files("rtbw"), files("rtbz")], 4));
    assert_eq!(tables.stock().unchecked, 0);
    let missing = |problem: &String| problem.contains(" of 4 pieces missing: ");
    assert!(tables.stock().problems.iter().all(missing), "{:#?}", tables.stock().problems);
    let rows = rows();
    assert!(rows.len() > 100, "{} positions", rows.len());
    for row in &rows {
        let [_, fen, wdl, dtz, keeping] = &row[..] else { panic!("{row:?}") };
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let known: i8 = wdl.parse().expect("a number");
        assert_eq!(tables.wdl(&board).map(Wdl::value), Some(known), "WDL of {fen}");
        // Distances before promotions need the tables behind them.
        if let Some(found) = tables.dtz(&board).or_else(|| complete(row).then_some(i32::MAX)) {
            assert_eq!(Some(found), dtz.parse().ok(), "DTZ of {fen}");
        }
        let kept = |mv| tables.wdl(&board.after(mv)).map(|wdl| (-wdl).value()) == Some(known);
        let mut moves: Vec<String> =
            board.legal_moves().into_iter().filter(|&mv| kept(mv)).map(|mv| board.uci(mv, false)).collect();
        let mut expected: Vec<&str> = keeping.split_whitespace().collect();
        moves.sort_unstable();
        expected.sort_unstable();
        assert_eq!(moves, expected, "moves of {fen}");
    }
    assert_eq!(tables.take_failures(), Vec::<String>::new());
}

/// Whether the promotions of a row's table lead to tables that are there.
fn complete(row: &[String]) -> bool {
    row[0] != "KPPvK"
}

/// Positions whose promotions lead to tables that are there.
fn complete_rows() -> Vec<Vec<String>> {
    rows().into_iter().filter(|row| complete(row)).collect()
}

/// Wins are played out to the mate, whatever the loser does and however little is searched.
#[test]
fn wins_end_in_mate() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    let mut played = 0;
    for row in complete_rows().iter().filter(|row| row[2] == "2").step_by(2) {
        let fen = &row[1];
        let mut game = Game::from_fen(fen).expect("a good FEN");
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
        assert_eq!(game.verdict(), Some(Verdict::Checkmate), "{fen} came to {}", game.board().fen(false));
        assert_ne!(game.board().side_to_move(), winner);
        played += 1;
    }
    assert!(played > 10, "{played} games");
}

/// Every line and every score is what tables say, with all moves as lines.
#[test]
fn lines_and_scores_are_those_of_the_tables() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    engine.settings.search.multi_pv = 256;
    for row in complete_rows().iter().step_by(4) {
        let fen = &row[1];
        let board = Board::from_fen(fen).expect("a good FEN");
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

/// A win that the fifty-move rule prevents is no win, and one that depends on a ply that distance tables round is not claimed.
#[test]
fn wins_too_late_are_not_claimed() {
    let tables = Arc::new(tables());
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    let mut tried = [0; 3];
    for row in rows().iter().filter(|row| ["KBNvK", "KRvK", "KQvKR", "KBBvK"].contains(&row[0].as_str())) {
        let board = Board::from_fen(&row[1]).expect("a good FEN");
        let distance = tables.dtz(&board).expect("tables").abs();
        if row[2] == "0" || distance < 4 {
            continue;
        }
        for (index, clock) in [99 - distance, 100 - distance, 101 - distance].into_iter().enumerate() {
            let fields: Vec<&str> = row[1].split(' ').collect();
            let fen = format!("{} {clock} 120", fields[..4].join(" "));
            engine.new_game();
            engine.game = Game::from_fen(&fen).expect("a good FEN");
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

/// Distances are what the fifty-move rule needs: without their tables, a win once the clock runs is left to the search.
#[test]
fn results_alone_do_not_beat_the_clock() {
    let folder = Folder::with_copies("results", &data::path("syzygy"), &["KRvK.rtbw"]);
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::new(Tables::open(folder.path()).expect("a table"))));
    for (clock, claimed) in [(0, true), (90, false)] {
        engine.game = Game::from_fen(&format!("8/8/8/4k3/8/8/8/KR6 w - - {clock} 80")).expect("a good FEN");
        let outcome = engine.search_blocking(&Limits { depth: Some(2), ..Limits::default() }, |_| ());
        assert_eq!(is_decisive(outcome.lines[0].score), claimed, "clock {clock}: {}", outcome.lines[0].score);
    }
}

/// A search of several threads repeats with tables, and its hits with it.
#[test]
fn threads_in_rounds_repeat_their_hits() {
    let tables = Arc::new(tables());
    let search = || {
        let mut engine = Engine::new();
        engine.set_tables(Some(Arc::clone(&tables)));
        engine.set_threads(3).expect("threads");
        engine.settings.search.deterministic = Determinism::Rounds;
        engine.game = Game::from_fen("8/5k2/3p4/8/4P1P1/4K3/3p4/5N2 b - - 0 1").expect("a good FEN");
        let outcome = engine.search_blocking(&Limits { depth: Some(12), ..Limits::default() }, |_| ());
        let line = &outcome.lines[0];
        (line.nodes, line.tb_hits, line.score, line.pv.clone())
    };
    let first = search();
    assert!(first.1 > 0);
    assert_eq!(first, search());
}

/// Whatever bytes a table has, looking it up gives values or says that it is damaged, and never waits or dies.
#[test]
fn damage_is_reported_or_harmless() {
    let names = ["KPPvK.rtbw", "KPPvK.rtbz", "KPvK.rtbw"];
    let scratch = Folder::with_copies("damage", &data::path("syzygy"), &names);
    let rows = data::rows(data::path("syzygy_vectors.tsv"));
    let boards: Vec<Board> =
        rows.iter().filter(|row| row[0] == "KPPvK").map(|row| Board::from_fen(&row[1]).expect("a good FEN")).collect();
    let mut random = fastrand::Rng::with_seed(11);
    for round in 0..60 {
        let victim = scratch.file(names[round % 2]);
        let whole = fs::read(&victim).expect("a table");
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(0..whole.len())),
            // Most of the head, where a byte does most harm.
            1 => (0..1 + round % 7).for_each(|_| bytes[random.usize(0..400)] = random.u8(..)),
            _ => bytes[random.usize(4..whole.len())] ^= 1 << random.usize(0..8),
        }
        fs::write(&victim, &bytes).expect("a copy");
        let tables = Tables::open(scratch.path()).expect("some tables are good");
        let problems = &tables.stock().problems;
        let named = problems.iter().any(|problem| problem.contains(names[round % 2]) && !problem.contains("missing"));
        assert!(named || bytes == whole, "round {round}: {problems:#?}");
        for board in &boards {
            // The other table may still know.
            let _ = (tables.wdl(board), tables.dtz(board), tables.best_by_distance(board, &|| true));
        }
        fs::write(&victim, &whole).expect("a copy");
    }
}
