use super::*;
use crate::cases::cases;
use crate::sql::values;
use lento::chess::{Board, Game};
use lento::search::report::Info;
use lento_testing::Folder;
use proptest::prelude::*;
use std::fs;

#[cfg(all(feature = "postgres", unix))]
#[path = "../../tests/server/mod.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod server;

/// Returns the location of a named database of a test.
type Locate<'a> = &'a dyn Fn(&str) -> Location;

fn open(location: &Location) -> Database {
    Database::open(location, Some(Duration::from_secs(30))).unwrap()
}

/// Runs a test with SQLite files.
fn with_files(test: impl Fn(Locate)) {
    let folder = Folder::new("database");
    test(&|name| Location::File(folder.at(name)));
}

/// Databases on a server behave like files.
#[cfg(all(feature = "postgres", unix))]
#[test]
fn databases_on_a_server_behave_like_files() {
    let Some(server) = server::Server::start("database") else { return };
    let tests =
        [("claims", claims as fn(Locate)), ("others", others), ("rows", rows), ("merges", merges), ("stores", stores)];
    for (test, run) in tests {
        let name = |name: &str| format!("{test}-{name}");
        run(&|database| {
            let there =
                server.sql("postgres", &format!("SELECT 1 FROM pg_database WHERE datname = '{}'", name(database)));
            let is_there = !there.is_empty();
            let url = if is_there { server.url("lento", &name(database)) } else { server.create(&name(database)) };
            Location::Server(url)
        });
    }
    let values = Location::Server(server.create("values"));
    crate::sql::tests::values_round_trip(&mut crate::sql::tests::open(&values));
    let idle = crate::sql::tests::open(&values)
        .transaction(|connection| connection.query_value::<String>("SHOW idle_in_transaction_session_timeout", &[]));
    assert_eq!(idle.unwrap(), "5min");
    // A merge between a file and a server, in both directions.
    let folder = Folder::new("database");
    let (file, there) = (Location::File(folder.at("one.db")), Location::Server(server.create("between")));
    let board = Board::start();
    put(&mut open(&file), &board, &engine("one"), &stored(&board, 8, 3));
    put(&mut open(&file), &board, &engine("two"), &stored(&board, 3, 1));
    put(&mut open(&there), &board, &engine("one"), &stored(&board, 5, 3));
    assert_eq!(merge(&mut open(&there), &file).unwrap(), Merged { read: 2, taken: 2 });
    assert_eq!(merge(&mut open(&there), &file).unwrap(), Merged { read: 2, taken: 0 });
    put(&mut open(&there), &board, &engine("three"), &stored(&board, 4, 1));
    assert_eq!(merge(&mut open(&file), &there).unwrap(), Merged { read: 3, taken: 1 });
    assert_eq!(depths(&mut open(&file)), depths(&mut open(&there)));
    let shown = |database: &mut Database| {
        let rows = database.connection.query("SELECT fen, shown, move FROM best", &[], |row| Ok(row.clone())).unwrap();
        assert_eq!(rows.len(), 1);
        rows
    };
    assert_eq!(shown(&mut open(&file)), shown(&mut open(&there)));
}

fn engine(version: &str) -> EngineId {
    EngineId(values![version, "none", "classical", "ffffffffffffffff", "tuned", ""].into())
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
fn only_removed_boards_are_deleted() {
    let folder = Folder::new("boards");
    let mut boards = Boards::open(&Location::File(folder.at("one.db"))).unwrap();
    for (board, is_removed) in [("kept", false), ("gone", true)] {
        let (board, document) = (board.into(), "{}".into());
        boards.put(&BoardRow { board, name: String::new(), version: 1, changed: 0, document, is_removed }, 0).unwrap();
    }
    ["kept", "gone"].iter().for_each(|board| boards.delete(board).unwrap());
    assert_eq!(boards.all().unwrap().iter().map(|row| &*row.board).collect::<Vec<_>>(), ["kept"]);
}

#[test]
fn depth_is_that_of_all_lines() {
    let line = |depth| Info { depth, seldepth: 2 * depth, ..Info::default() };
    let found = Analysis::new(&[line(20), line(19)], 1, Duration::ZERO);
    assert_eq!((found.depth, found.seldepth, found.lines.len()), (19, 40, 2));
}

#[test]
fn only_one_live_run_claims_a_position() {
    let folder = Folder::new("database");
    claims(&|name| Location::File(folder.at(name)));
    assert_eq!(folder.names(), ["one.db"]);
}

fn claims(locate: Locate) {
    let (location, board, engine) = (locate("one.db"), Board::start(), engine("one"));
    let key = Key::new(&Game::start());
    let requested = SearchLimits { depth: Some(5), ..SearchLimits::default() };
    let mut first = open(&location);
    let mut second = open(&location);
    let claim = |database: &mut Database| database.claim(&key, &board, &engine, 1, &requested).unwrap();
    let Claim::Claimed { position, partial: None } = claim(&mut first) else { panic!("not claimed") };
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }), "claiming again succeeds");
    assert!(matches!(claim(&mut second), Claim::Busy));
    first.release(position).unwrap();
    assert!(matches!(claim(&mut second), Claim::Claimed { .. }));
    assert!(matches!(claim(&mut first), Claim::Busy));
    // Claims end with their run, even if it was killed.
    drop(second);
    let mut second = open(&location);
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }));
    let [column, ago] =
        if first.connection.is_server() { [", expires", ", now() - interval '1 second'"] } else { ["", ""] };
    let dead = format!("INSERT INTO run (id, token, process{column}) VALUES (77, '0123456789abcdef', 1{ago})");
    first.connection.batch(&format!("{dead}; UPDATE claim SET run = 77")).unwrap();
    assert!(matches!(claim(&mut first), Claim::Claimed { .. }));
    first.store(position, &board, &engine, &stored(&board, 5, 1)).unwrap();
    let mut third = open(&location);
    assert!(matches!(claim(&mut third), Claim::Known(_)));
    // If two runs search a position, the first result is stored.
    let ids = |database: &mut Database| {
        database.connection.query("SELECT id FROM analysis", &[], |row| row.get::<i64>(0)).unwrap()
    };
    let deeper = SearchLimits { depth: Some(9), ..requested };
    let claimed = first.claim(&key, &board, &engine, 1, &deeper).unwrap();
    assert!(matches!(claimed, Claim::Claimed { partial: Some(_), .. }));
    second.store(position, &board, &engine, &stored(&board, 9, 1)).unwrap();
    let stored_first = ids(&mut second);
    first.store(position, &board, &engine, &stored(&board, 9, 1)).unwrap();
    assert_eq!(ids(&mut first), stored_first);
    first.connection.batch("DELETE FROM analysis").unwrap();
    first.store(position, &board, &engine, &stored(&board, 5, 1)).unwrap();
    // A run that has lost its claim replaces only worse results.
    for (depth, kept) in [(4, 5), (5, 5), (6, 6)] {
        second.store(position, &board, &engine, &stored(&board, depth, 1)).unwrap();
        let Claim::Known(known) = claim(&mut third) else { panic!("not stored") };
        assert_eq!(known.analysis.depth, kept);
    }
}

#[cfg(unix)]
#[test]
fn deleted_file_is_detected() {
    let folder = Folder::new("database");
    let path = folder.at("one.db");
    let location = Location::File(path.clone());
    let mut database = open(&location);
    let (key, board, engine) = (Key::new(&Game::start()), Board::start(), engine("one"));
    let claim = database.claim(&key, &board, &engine, 1, &SearchLimits::default()).unwrap();
    let Claim::Claimed { position, .. } = claim else { panic!("not claimed") };
    fs::remove_file(&path).unwrap();
    let error = database.store(position, &board, &engine, &stored(&board, 1, 1)).unwrap_err().to_string();
    assert!(error.contains("was removed or renamed"), "{error}");
    let error = Database::open_to_read(&location).err().unwrap().to_string();
    assert!(error.contains("no such file"), "{error}");
}

/// A database from elsewhere cannot have other files removed.
#[test]
fn files_named_by_a_database_are_kept() {
    let folder = Folder::new("database");
    let (location, other) = (Location::File(folder.at("one.db")), folder.write("other", b""));
    let insert = "INSERT INTO run (token, process) VALUES ($1, 1)";
    open(&location).connection.execute(insert, &values![other.to_string_lossy().into_owned()]).unwrap();
    let runs: i64 = open(&location).connection.query_value("SELECT count(*) FROM run", &[]).unwrap();
    assert!(runs == 1 && other.exists());
}

#[test]
fn engines_and_line_counts_are_separate() {
    with_files(others);
}

fn others(locate: Locate) {
    let mut database = open(&locate("one.db"));
    let board = Board::start();
    put(&mut database, &board, &engine("one"), &stored(&board, 8, 3));
    let requested = SearchLimits { depth: Some(8), ..SearchLimits::default() };
    let key = Key::new(&Game::start());
    let mut known = |version, multipv| known(&mut database, &engine(version), multipv, &requested);
    assert_eq!(known("one", 3), Some(stored(&board, 8, 3)));
    assert_eq!(known("one", 1), Some(stored(&board, 8, 3)), "more lines suffice");
    assert_eq!((known("one", 4), known("two", 1)), (None, None));
    assert_eq!(database.best(&key, &board).unwrap(), Some(stored(&board, 8, 3)));
    // An interrupted search is continued, even if one with more lines is deeper.
    let (requested, found) = (SearchLimits { depth: Some(20), ..requested }, stored(&board, 5, 1));
    let conditions = Conditions { requested, ..found.conditions };
    let interrupted = Stored { conditions, finished: false, ..found };
    put(&mut database, &board, &engine("one"), &interrupted);
    let claim = database.claim(&key, &board, &engine("one"), 1, &requested).unwrap();
    assert!(matches!(claim, Claim::Claimed { partial: Some(partial), .. } if partial == interrupted));
}

#[test]
fn inconsistent_rows_are_reported() {
    with_files(rows);
}

fn rows(locate: Locate) {
    let mut database = open(&locate("one.db"));
    let board = Board::start();
    put(&mut database, &board, &engine("one"), &stored(&board, 8, 1));
    for (change, part) in [
        ("UPDATE line SET pv = 'e2e5'", "\"e2e5\" is not a legal move"),
        ("UPDATE line SET pv = ''", "a line has no moves"),
        ("UPDATE line SET pv = 'e2e4', score = 99999", "99999 is not a score"),
        ("DELETE FROM line", "it has no lines"),
    ] {
        database.connection.batch(change).unwrap();
        let error = database.best(&Key::new(&Game::start()), &board).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("analysis 1: "), "{error}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn stored_results_round_trip(picks in prop::collection::vec(any::<u16>(), 0..40), scores in prop::collection::vec(-32_000..32_000, 1..4),
        depth in 1..200_i32, nodes in any::<u32>(), ms in any::<u32>(), chess960: bool) {
        let folder = Folder::new("database");
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
        let mut database = open(&Location::File(folder.at("one.db")));
        put(&mut database, &board, &engine("one"), &found);
        let requested = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        prop_assert_eq!(known(&mut database, &engine("one"), 3, &requested), Some(found));
    }
}

/// Results with all kinds of scores round-trip.
#[cfg(all(feature = "postgres", unix))]
fn stores(locate: Locate) {
    let (mut database, board) = (open(&locate("one.db")), Board::start());
    let scores = [-32_000, -31_990, -1, 0, 250, 31_999];
    let lines = stored(&board, 1, 6).analysis.lines.into_iter().zip(scores).map(|(line, score)| Line { score, ..line });
    let analysis = Analysis { nodes: u64::from(u32::MAX) + 1, lines: lines.collect(), ..stored(&board, 9, 6).analysis };
    let found = Stored { analysis, finished: false, ..stored(&board, 9, 6) };
    put(&mut database, &board, &engine("one"), &found);
    let requested = SearchLimits { depth: Some(9), ..SearchLimits::default() };
    assert_eq!(known(&mut database, &engine("one"), 6, &requested), Some(found));
}

/// The stored depths by position and engine.
fn depths(database: &mut Database) -> Vec<(String, String, i64, i64)> {
    let rows = database.connection.query(
        "SELECT fen, version, analysis.depth, count(rank) FROM analysis JOIN position ON position.id = position
            JOIN engine ON engine.id = engine JOIN line ON line.analysis = analysis.id
            GROUP BY analysis.id, fen, version, analysis.depth ORDER BY version, analysis.depth DESC",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    );
    rows.unwrap()
}

#[test]
fn deeper_result_wins_in_any_merge_order() {
    with_files(merges);
}

fn merges(locate: Locate) {
    let boards = [Board::start(), Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap()];
    let paths: Vec<Location> = (0..3).map(|nth| locate(&format!("{nth}.db"))).collect();
    for (path, of) in paths.iter().zip([[(0, 5), (1, 9)], [(0, 7), (1, 2)], [(0, 6), (0, 6)]]) {
        let mut database = open(path);
        for (board, depth) in of {
            put(&mut database, &boards[board], &engine("one"), &stored(&boards[board], depth, 2));
        }
        put(&mut database, &boards[0], &engine("two"), &stored(&boards[0], 1, 1));
    }
    let mut results = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut into = open(&locate(&format!("all-{}.db", order[0])));
        for nth in order {
            merge(&mut into, &paths[nth]).unwrap();
        }
        results.push(depths(&mut into));
        for nth in order {
            assert_eq!(merge(&mut into, &paths[nth]).unwrap().taken, 0, "merging again changes nothing");
        }
        assert_eq!(Some(&depths(&mut into)), results.last());
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:#?}");
    let found: Vec<(&str, i64, i64)> =
        results[0].iter().map(|(_, version, depth, lines)| (version.as_str(), *depth, *lines)).collect();
    assert_eq!(found, [("one", 9, 2), ("one", 7, 2), ("two", 1, 1)]);
    // The sources are unchanged, and merging a database with itself changes nothing.
    let mut first = open(&paths[0]);
    assert_eq!(merge(&mut first, &paths[0].clone()).unwrap(), Merged::default());
    assert!(merge(&mut first, &Location::File("none.db".into())).is_err());
}

#[test]
fn results_are_read_while_they_are_replaced() {
    let folder = Folder::new("replaced");
    let (location, engine) = (Location::File(folder.at("one.db")), engine("one"));
    // Two positions take turns, so that no id is reused.
    let boards = [Board::start(), Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap()];
    let mut writer = open(&location);
    let mut write = |depth| boards.iter().for_each(|board| put(&mut writer, board, &engine, &stored(board, depth, 1)));
    write(1);
    let mut reader = Database::open_to_read(&location).unwrap();
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || (2..80).for_each(&mut write));
        while !writing.is_finished() {
            assert!(reader.best(&Key::new(&Game::start()), &boards[0]).unwrap().is_some());
        }
    });
}

#[test]
fn only_servers_own_the_queue() {
    let folder = Folder::new("database");
    let location = Location::File(folder.at("one.db"));
    drop(Queue::open(&location).unwrap().expect("an owner"));
    let _analysis = open(&location);
    assert!(Queue::open(&location).unwrap().is_some());
}
