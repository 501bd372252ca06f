use super::*;
use crate::cases;
use lento::chess::{Board, Game};
use proptest::prelude::*;
use std::fs;

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lento-database-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn engine(version: &str) -> EngineId {
    EngineId {
        version: version.into(),
        commit: "none",
        evaluation: "classical".into(),
        meaning: u64::MAX,
        recipe: "tuned",
        tablebases: String::new(),
    }
}

/// A search result with this depth.
fn stored(board: &Board, depth: i32, multipv: u16) -> Stored {
    let line = |mv| Line { score: 10 * depth, pv: vec![mv] };
    let lines = board.legal_moves().iter().copied().take(multipv.into()).map(line).collect();
    let (nodes, time) = (1000 * u64::from(depth.unsigned_abs()), Duration::from_millis(5));
    let analysis = Analysis { depth, seldepth: depth + 3, nodes, time, lines };
    let requested = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    Stored {
        analysis,
        conditions: Conditions { requested, multipv, threads: 2, hash_mib: 16, chess960: false },
        finished: true,
    }
}

/// Claims a position and stores a result.
fn put(database: &mut Database, board: &Board, engine: &EngineId, found: &Stored) {
    let key = Key::new(&Game::from(board.clone()));
    let requested = SearchLimits { depth: Some(i32::MAX), ..SearchLimits::default() };
    match database.claim(&key, board, engine, found.conditions.multipv, &requested).unwrap() {
        Claim::Claimed { position, .. } => database.store(position, board, engine, found).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The stored result of the start position, if it satisfies the limits.
fn known(database: &mut Database, engine: &EngineId, multipv: u16, requested: &SearchLimits) -> Option<Stored> {
    let key = Key::new(&Game::start());
    match database.claim(&key, &Board::start(), engine, multipv, requested).unwrap() {
        Claim::Known(stored) => Some(stored),
        _ => None,
    }
}

#[test]
fn stored_searches_satisfy_limits() {
    let board = Board::start();
    let depth = |depth| SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    let nodes = |nodes| SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let time = |ms| SearchLimits { time: Some(Duration::from_millis(ms)), ..SearchLimits::default() };
    let ten = stored(&board, 10, 1);
    for (requested, met) in [
        (depth(10), true),
        (depth(11), false),
        (nodes(10_000), true),
        (nodes(10_001), false),
        (time(5), true),
        (time(6), false),
        (SearchLimits { depth: Some(11), ..nodes(10_000) }, true),
    ] {
        assert_eq!(requested.is_met_by(&ten), met, "{requested:?}");
    }
    // A search that ended early, as with a mate, satisfies its own limits.
    let requested = SearchLimits { depth: Some(20), ..time(1000) };
    let early = Stored { conditions: Conditions { requested, ..ten.conditions }, ..ten.clone() };
    assert!(requested.is_met_by(&early) && SearchLimits { depth: Some(15), ..requested }.is_met_by(&early));
    assert!(!depth(20).is_met_by(&early) && !SearchLimits { depth: Some(21), ..requested }.is_met_by(&early));
    let interrupted = Stored { finished: false, ..early };
    assert!(!requested.is_met_by(&interrupted));
    // Nothing to search without legal moves.
    let over = Analysis { depth: 0, lines: vec![Line { score: 0, pv: Vec::new() }], ..ten.analysis };
    assert!(time(1_000_000).is_met_by(&Stored { analysis: over, ..interrupted }));
}

#[test]
fn a_position_is_claimed_by_one_live_run() {
    let folder = Folder::new("claim");
    let (path, board, engine) = (folder.path("one.db"), Board::start(), engine("one"));
    let key = Key::new(&Game::start());
    let requested = SearchLimits { depth: Some(5), ..SearchLimits::default() };
    let mut first = Database::open(&path).unwrap();
    let mut second = Database::open(&path).unwrap();
    let claim = |database: &mut Database| database.claim(&key, &board, &engine, 1, &requested).unwrap();
    let Claim::Claimed { position, partial: None } = claim(&mut first) else { panic!("it is free") };
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }), "who has it may ask again");
    assert!(matches!(claim(&mut second), Claim::Busy));
    first.release(position).unwrap();
    assert!(matches!(claim(&mut second), Claim::Claimed { .. }));
    assert!(matches!(claim(&mut first), Claim::Busy));
    // Claims end with their run, also if it was killed.
    drop(second);
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }));
    first.connection.execute("INSERT INTO run (id, token, process) VALUES (77, '0123456789abcdef', 1)", []).unwrap();
    first.connection.execute("UPDATE claim SET run = 77", []).unwrap();
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }));
    first.store(position, &board, &engine, &stored(&board, 5, 1)).unwrap();
    let mut third = Database::open(&path).unwrap();
    assert!(matches!(claim(&mut third), Claim::Known(_)));
    drop((first, third));
    let names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["one.db"]);
}

#[cfg(unix)]
#[test]
fn a_deleted_file_is_detected() {
    let folder = Folder::new("gone");
    let path = folder.path("one.db");
    let mut database = Database::open(&path).unwrap();
    let (key, board, engine) = (Key::new(&Game::start()), Board::start(), engine("one"));
    let claim = database.claim(&key, &board, &engine, 1, &SearchLimits::default()).unwrap();
    let Claim::Claimed { position, .. } = claim else { panic!("it is free") };
    fs::remove_file(&path).unwrap();
    let error = database.store(position, &board, &engine, &stored(&board, 1, 1)).unwrap_err();
    assert!(explain(&path, error).contains("was removed or renamed"));
    let error = Database::open_to_read(&path).unwrap_err();
    assert!(error.contains("no such file"), "{error}");
}

#[test]
fn engines_and_line_counts_are_kept_apart() {
    let folder = Folder::new("others");
    let mut database = Database::open(&folder.path("one.db")).unwrap();
    let board = Board::start();
    put(&mut database, &board, &engine("one"), &stored(&board, 8, 3));
    let requested = SearchLimits { depth: Some(8), ..SearchLimits::default() };
    let key = Key::new(&Game::start());
    let mut known = |version, multipv| known(&mut database, &engine(version), multipv, &requested);
    assert_eq!(known("one", 3), Some(stored(&board, 8, 3)));
    assert_eq!(known("one", 1), Some(stored(&board, 8, 3)), "more lines will do");
    assert_eq!((known("one", 4), known("two", 1)), (None, None));
    assert_eq!(database.best(&key, &board).unwrap(), Some(stored(&board, 8, 3).analysis));
}

#[test]
fn inconsistent_rows_are_reported() {
    let folder = Folder::new("nonsense");
    let mut database = Database::open(&folder.path("one.db")).unwrap();
    let board = Board::start();
    put(&mut database, &board, &engine("one"), &stored(&board, 8, 1));
    for (change, part) in [
        ("UPDATE line SET pv = 'e2e5'", "\"e2e5\" is not a legal move"),
        ("UPDATE line SET pv = ''", "a line without moves"),
        ("UPDATE line SET pv = 'e2e4', score = 99999", "99999 is not a score"),
        ("DELETE FROM line", "it has no lines"),
    ] {
        database.connection.execute(change, []).unwrap();
        let error = database.best(&Key::new(&Game::start()), &board).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("analysis 1: "), "{error}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    /// Results round-trip.
    #[test]
    fn stored_results_round_trip(picks in prop::collection::vec(any::<u16>(), 0..40), scores in prop::collection::vec(-32_000..32_000, 1..4),
        depth in 1..200_i32, nodes in any::<u32>(), ms in any::<u32>(), chess960: bool) {
        let folder = Folder::new(&format!("back-{:x}", picks.iter().fold(nodes, |sum, &pick| sum.rotate_left(5) ^ u32::from(pick))));
        let mut game = Game::start();
        let mut pv = Vec::new();
        for pick in &picks {
            let moves = game.board().legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[usize::from(*pick) % moves.len()];
            pv.push(mv);
            game.play(mv);
        }
        let board = Board::start();
        prop_assume!(!pv.is_empty());
        let lines = scores.iter().map(|&score| Line { score, pv: pv.clone() }).collect();
        let analysis = Analysis { depth, seldepth: depth, nodes: nodes.into(), time: Duration::from_millis(ms.into()), lines };
        let found = Stored { analysis, ..stored(&board, 1, 3) };
        let found = Stored { conditions: Conditions { chess960, ..found.conditions }, ..found };
        let mut database = Database::open(&folder.path("one.db")).unwrap();
        put(&mut database, &board, &engine("one"), &found);
        let requested = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        prop_assert_eq!(known(&mut database, &engine("one"), 3, &requested), Some(found));
    }
}

/// The stored depths by position and engine.
fn depths(database: &Database) -> Vec<(String, String, i64, i64)> {
    let mut statement = database.connection.prepare(
        "SELECT fen, version, analysis.depth, count(rank) FROM analysis JOIN position ON position.id = position
            JOIN engine ON engine.id = engine JOIN line ON line.analysis = analysis.id
            GROUP BY analysis.id ORDER BY fen, version, analysis.depth",
    );
    let statement = statement.as_mut().unwrap();
    statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn the_deeper_result_is_kept_in_any_merge_order() {
    let folder = Folder::new("merge");
    let boards = [Board::start(), Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap()];
    let paths: Vec<PathBuf> = (0..3).map(|nth| folder.path(&format!("{nth}.db"))).collect();
    for (path, of) in paths.iter().zip([[(0, 5), (1, 9)], [(0, 7), (1, 2)], [(0, 6), (0, 6)]]) {
        let mut database = Database::open(path).unwrap();
        for (board, depth) in of {
            put(&mut database, &boards[board], &engine("one"), &stored(&boards[board], depth, 2));
        }
        put(&mut database, &boards[0], &engine("two"), &stored(&boards[0], 1, 1));
    }
    let mut results = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut into = Database::open(&folder.path(&format!("all-{}.db", order[0]))).unwrap();
        for nth in order {
            merge(&mut into, &paths[nth]).unwrap();
        }
        results.push(depths(&into));
        for nth in order {
            assert_eq!(merge(&mut into, &paths[nth]).unwrap().taken, 0, "nothing changes the second time");
        }
        assert_eq!(Some(&depths(&into)), results.last());
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:#?}");
    let found: Vec<(&str, i64, i64)> =
        results[0].iter().map(|(_, version, depth, lines)| (version.as_str(), *depth, *lines)).collect();
    assert_eq!(found, [("one", 9, 2), ("one", 7, 2), ("two", 1, 1)]);
    // The sources are unchanged, and merging a database with itself changes nothing.
    let mut first = Database::open(&paths[0]).unwrap();
    assert_eq!(merge(&mut first, &paths[0].clone()).unwrap(), Merged::default());
    assert!(merge(&mut first, &folder.path("none.db")).is_err());
}
