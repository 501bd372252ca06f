//! Tablebases: every known position, and wins played to the end.

use crate::harness::{Session, field};
use lento::chess::{Board, Game, Verdict};
use lento::engine::Engine;
use lento::score::{TB_WIN, is_decisive};
use lento::search::limits::Limits;
use lento::tb::{Tables, Wdl};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tables, and the positions beside them.
fn tables(file: &Path) -> Tables {
    let folder = file.with_file_name("syzygy");
    Tables::open(folder.to_str().expect("a path that is text")).expect("tables of 3 and 4 pieces")
}

/// Lines `table, FEN, WDL, DTZ, moves that keep the WDL`, separated by tabs.
pub fn vectors(file: &Path, text: &str) {
    let tables = tables(file);
    assert_eq!((tables.stock().counts, tables.max_pieces()), ([35, 35], 4));
    assert_eq!((tables.stock().unchecked, tables.stock().problems.len()), (0, 0));
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [_, fen, wdl, dtz, keeping] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let known: i8 = wdl.parse().expect("a number");
        assert_eq!(tables.wdl(&board).map(Wdl::value), Some(known), "WDL of {fen}");
        assert_eq!(tables.dtz(&board), dtz.parse().ok(), "DTZ of {fen}");
        let kept = |mv| tables.wdl(&board.after(mv)).map(|wdl| (-wdl).value()) == Some(known);
        let mut moves: Vec<String> =
            board.legal_moves().into_iter().filter(|&mv| kept(mv)).map(|mv| board.uci(mv, false)).collect();
        let mut expected: Vec<&str> = keeping.split_whitespace().collect();
        moves.sort_unstable();
        expected.sort_unstable();
        assert_eq!(moves, expected, "moves of {fen}");
        count += 1;
    }
    assert!(count > 300, "{count} positions");
    assert_eq!(tables.take_failures(), Vec::<String>::new());
}

/// Positions of the file with this result for the side to move, every so many.
fn positions(text: &str, wdl: i8, step: usize) -> impl Iterator<Item = &str> {
    let fields = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    fields.filter(move |fields| fields[2] == wdl.to_string()).map(|fields| fields[1]).step_by(step)
}

/// Wins are played out to the mate, whatever the loser does and however little is searched.
pub fn wins(file: &Path, text: &str) {
    let tables = Arc::new(tables(file));
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    let mut played = 0;
    for fen in positions(text, 2, 9) {
        let mut game = Game::from_fen(fen).expect("a good FEN");
        let winner = game.board().side_to_move();
        engine.new_game();
        while game.verdict().is_none() {
            let board = game.board();
            let mv = if board.side_to_move() == winner {
                engine.set_game(game.clone());
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
pub fn lines(file: &Path, text: &str) {
    let tables = Arc::new(tables(file));
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::clone(&tables)));
    engine.settings_mut().search.multi_pv = 256;
    for fen in text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').nth(1)).step_by(9)
    {
        let board = Board::from_fen(fen).expect("a good FEN");
        engine.set_game(Game::from(board.clone()));
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

/// A search of several threads repeats with tables, and its hits with it.
pub fn repeats(file: &Path, _: &str) {
    let tables = Arc::new(tables(file));
    let search = || {
        let mut engine = Engine::new();
        engine.set_tables(Some(Arc::clone(&tables)));
        engine.set_threads(3).expect("threads");
        engine.settings_mut().search.deterministic = true;
        engine.set_game(Game::from_fen("8/5k2/3p4/8/4P1P1/4K3/3p4/5N2 b - - 0 1").expect("a good FEN"));
        let outcome = engine.search_blocking(&Limits { depth: Some(12), ..Limits::default() }, |_| ());
        let line = &outcome.lines[0];
        (line.nodes, line.tb_hits, line.score, line.pv.clone())
    };
    let first = search();
    assert!(first.1 > 0);
    assert_eq!(first, search());
}

/// A folder of its own that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    /// With these tables in it.
    fn with(name: &str, from: &Path, tables: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("lento-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for table in tables {
            fs::write(folder.join(table), fs::read(from.join(table)).expect("a table")).expect("a copy");
        }
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whatever bytes a table has, looking it up gives values or says that it is damaged, and never waits or dies.
pub fn damage(file: &Path, text: &str) {
    let names = ["KRvKN.rtbw", "KRvKN.rtbz", "KNvK.rtbw", "KRvK.rtbw", "KRvK.rtbz"];
    let scratch = Scratch::with("damage", &file.with_file_name("syzygy"), &names);
    let folder = scratch.0.to_str().expect("a path that is text");
    let boards: Vec<Board> = text
        .lines()
        .filter(|line| line.starts_with("KRvKN\t"))
        .map(|line| Board::from_fen(line.split('\t').nth(1).expect("a FEN")).expect("a good FEN"))
        .collect();
    let mut random = fastrand::Rng::with_seed(11);
    for round in 0..60 {
        let victim = scratch.0.join(names[round % 2]);
        let whole = fs::read(&victim).expect("a table");
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(0..whole.len())),
            // Most of the head, where a byte does most harm.
            1 => (0..1 + round % 7).for_each(|_| bytes[random.usize(0..400)] = random.u8(..)),
            _ => bytes[random.usize(4..whole.len())] ^= 1 << random.usize(0..8),
        }
        fs::write(&victim, &bytes).expect("a copy");
        let tables = Tables::open(folder).expect("some tables are good");
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

/// What the binary says of folders, good and bad, and what it searches with.
pub fn options(file: &Path, _: &str) {
    let folder = file.with_file_name("syzygy");
    let mut session = Session::ready();
    let said = |session: &mut Session, value: &str| {
        session.say(&format!("setoption name SyzygyPath value {value}"));
        session.sync()
    };
    let good = said(&mut session, folder.to_str().expect("text"));
    assert_eq!(good, ["info string SyzygyPath: 35 WDL and 35 DTZ tables of up to 4 pieces"]);
    let bad = said(&mut session, "/no/such/folder");
    assert!(bad[0].starts_with("info string error: option SyzygyPath") && bad[0].contains("35 WDL"), "{bad:?}");
    session.say("position fen 8/1K6/8/8/8/8/8/1B2B1k1 w - - 0 1\ngo depth 6");
    let lines = session.until("bestmove");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).expect("a line");
    assert!(field(last, "tbhits").is_some_and(|hits| hits != "0"), "{last}");
    assert!(last.contains(" score cp 20000 ") || last.contains(" score mate "), "{last}");

    let scratch = Scratch::with("options", &folder, &["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"]);
    let bytes = fs::read(scratch.0.join("KRvK.rtbw")).expect("a table");
    fs::write(scratch.0.join("KRvK.rtbw"), &bytes[..bytes.len() - 64]).expect("a copy");
    fs::write(scratch.0.join("KPvK.rtbw"), b"#!/bin/sh").expect("a file");
    let few = said(&mut session, &format!("/no/such/folder:{}", scratch.0.display())).join("\n");
    for expected in [
        "SyzygyPath: 1 WDL and 1 DTZ tables of up to 3 pieces",
        "the folder \"/no/such/folder\" cannot be read",
        "KRvK.rtbw is damaged: 144 bytes, expected 208",
        "KPvK.rtbw has the wrong magic",
        "4 of 5 .rtbw of 3 pieces missing: KRvK, KBvK, KNvK, KPvK",
    ] {
        assert!(few.contains(expected), "{expected}: {few}");
    }
    // A good copy in another folder takes the place of a damaged one.
    let both = said(&mut session, &format!("{}:{}", scratch.0.display(), folder.display()));
    assert_eq!(both[0], good[0]);
    assert!(
        both.len() == 3
            && both[1..].iter().all(|line| line.contains(" is damaged") || line.contains(" has the wrong magic")),
        "{both:?}"
    );
    assert_eq!(said(&mut session, "<empty>"), Vec::<String>::new());
    session.say("go depth 6");
    assert!(session.until("bestmove").iter().any(|line| field(line, "tbhits") == Some("0")));
}
