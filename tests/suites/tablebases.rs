//! Tablebases: every known position, and wins played to the end.

use lento::chess::Board;
use lento::tb::{Tables, Wdl};
use std::path::Path;

/// The tables, and the positions beside them.
fn tables(file: &Path) -> Tables {
    let folder = file.with_file_name("syzygy");
    Tables::open(folder.to_str().expect("a path that is text")).expect("tables of 3 and 4 men")
}

/// Lines `table, FEN, WDL, DTZ, moves that keep the WDL`, separated by tabs.
pub fn vectors(file: &Path, text: &str) {
    let tables = tables(file);
    assert_eq!((tables.stock().counts, tables.most_men()), ([35, 35], 4));
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
    assert_eq!(tables.troubles(), Vec::<String>::new());
}
