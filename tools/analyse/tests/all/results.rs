//! Results of searches, shared by visitors and stored in the database and the hash table.

use crate::analysing::{Folder, found, records};
use crate::page::Visitor;
use crate::serving::{Peer, Server, TOKEN};
use crate::thinking::{analyse, lines};
use serde_json::{Value, json};
use std::io::{BufRead, Read};

const WEB: [&str; 2] = ["--web", "127.0.0.1:0"];
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");

/// The first update of a search, in any state.
fn first(visitor: &mut Visitor, key: &str) -> Value {
    visitor.wait_for(|update| update["event"] == "lines" && update["key"] == key)
}

/// Searches to a depth.
fn to_depth(visitor: &mut Visitor, key: &str, moves: &[&str], depth: u32) -> Value {
    analyse(visitor, json!({ "key": key, "moves": moves, "limit": { "depth": depth } }));
    lines(visitor, key, "done")
}

fn stop(visitor: &mut Visitor) {
    visitor.send(json!({ "id": "stop", "ask": "stop" }).to_string());
    visitor.wait_for(|message| message["id"] == "stop");
}

#[test]
fn visitors_of_a_position_share_its_search() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    let mut client = Peer::connect(server.address());
    let page = server.address();
    let (mut one, mut two) = (Visitor::connect(page), Visitor::connect(page));
    analyse(&mut one, json!({ "key": "a", "moves": ["e2e4"] }));
    lines(&mut one, "a", "searching");
    // A transposition with another move number.
    analyse(&mut two, json!({ "key": "b", "start": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 9" }));
    let update = lines(&mut two, "b", "searching");
    assert!(update["fen"].as_str().is_some_and(|fen| fen.ends_with(" 9")), "{update}");
    assert_eq!(client.request(json!({ "status": true }))["searching"], 1);
    stop(&mut one);
    lines(&mut one, "a", "stopped");
    // It continues for the other.
    let depth = lines(&mut two, "b", "searching")["depth"].as_u64();
    two.wait_for(|update| update["key"] == "b" && update["depth"].as_u64() > depth);
    drop(two);
    // The engine is free.
    assert_eq!(client.request(json!({ "id": 1, "depth": 1 }))["status"], "done");
}

#[test]
fn visitors_of_different_positions_take_turns() {
    let mut server = Server::start(&WEB);
    let page = server.address();
    let (mut one, mut two) = (Visitor::connect(page), Visitor::connect(page));
    for (visitor, key, mv) in [(&mut one, "a", "e2e4"), (&mut two, "b", "d2d4")] {
        analyse(visitor, json!({ "key": key, "moves": [mv] }));
    }
    for _ in 0..2 {
        for (visitor, key) in [(&mut one, "a"), (&mut two, "b")] {
            let nodes = lines(visitor, key, "searching")["nodes"].as_u64();
            visitor.wait_for(|update| update["key"] == key && update["nodes"].as_u64() > nodes);
        }
    }
}

/// Read-only visitors and those who ask to watch.
#[test]
fn watching_visitors_see_searches_of_others() {
    const VIEW: &str = "look-but-do-not-touch";
    let folder = Folder::new("lookers");
    let file = folder.write("view-token", VIEW);
    let args = ["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--token", TOKEN, "--view-token-file", &file];
    let mut server = Server::start(&args);
    if cfg!(unix) {
        server.line();
    }
    let (json, page) = (server.address(), server.address());
    let visit = |token| Visitor::with_token(page, &format!("ws://{page}/socket"), Some(token));
    let (mut editor, mut client) = (visit(TOKEN), Peer::connect(json));
    client.send(format_args!("token {TOKEN}"));
    for (token, watch, mv) in [(VIEW, None, "e2e4"), (TOKEN, Some(true), "d2d4")] {
        let mut viewer = visit(token);
        analyse(&mut viewer, json!({ "key": "v", "moves": [mv], "watch": watch }));
        let update = first(&mut viewer, "v");
        assert_eq!((&update["state"], &update["lines"]), (&json!("watching"), &json!([])));
        // A search with another number of lines, then one of the queue.
        analyse(&mut editor, json!({ "key": mv, "moves": [mv], "lines": 2, "limit": { "depth": 6 } }));
        let update = lines(&mut viewer, "v", "done");
        assert_eq!((update["lines"].as_array().map(Vec::len), &update["depth"]), (Some(2), &json!(6)));
        client.send(json!({ "id": "q", "moves": [mv], "infinite": true }));
        let update = lines(&mut viewer, "v", "searching");
        assert!(update["course"].as_array().is_some_and(|course| !course.is_empty()), "{update}");
        stop(&mut viewer);
        // The search continues and is shown again at once.
        analyse(&mut viewer, json!({ "key": "again", "moves": [mv], "watch": watch }));
        lines(&mut viewer, "again", "searching");
        client.send(json!({ "cancel": "q" }));
        lines(&mut viewer, "again", "stopped");
    }
}

/// Results of the command line, boards and programs are shared.
#[test]
fn results_survive_a_killed_server() {
    let folder = Folder::new("results");
    let db = folder.path("results.db");
    let epd = folder.write("one.epd", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6\n");
    records(&[&epd, "--depth", "7", "--db", &db]);
    let args = ["--db", &db, "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"];
    let mut server = Server::start(&args);
    let (mut client, mut visitor) = (Peer::connect(server.address()), Visitor::connect(server.address()));
    // The result of the command line.
    assert_eq!(to_depth(&mut visitor, "cli", &["e2e4", "e7e5"], 1)["depth"], 7);
    let known = client.request(json!({ "id": "known", "moves": "e4 e5", "depth": 6 }));
    assert_eq!((&known["from"], &known["lines"][0]["depth"]), (&json!("database"), &json!(7)));
    assert!(known["best"]["san"].is_string() && known["status"] == "done", "{known}");
    for other in [json!({ "depth": 8 }), json!({ "depth": 2, "fresh": true }), json!({ "depth": 2, "multipv": 2 })] {
        let mut query = other.clone();
        (query["id"], query["moves"]) = (1.into(), "e4 e5".into());
        assert!(client.request(query).get("from").is_none(), "{other}");
    }
    // The search of the board is stored while it runs; then the server is killed.
    analyse(&mut visitor, json!({ "key": "long", "moves": ["d2d4", "d7d5"] }));
    let depth = |update: &Value| update["depth"].as_u64().unwrap_or(0);
    visitor.wait_for(|update| update["key"] == "long" && depth(update) >= 8);
    stop(&mut visitor);
    let last = lines(&mut visitor, "long", "stopped");
    // Waits until the results are stored.
    while client.request(json!({ "id": 2, "moves": "d4 d5", "depth": 6 })).get("from").is_none() {}
    drop(server);
    let mut server = Server::start(&args);
    let (_, mut visitor) = (server.address(), Visitor::connect(server.address()));
    let again = to_depth(&mut visitor, "again", &["d2d4", "d7d5"], 1);
    assert!(depth(&again) >= 8 && depth(&last) >= 8, "{again}");
    let course = again["course"].as_array().expect("a course");
    let point = course.last().expect("a point");
    assert!(course.len() > 1 && point[1].as_u64() >= Some(8) && point[4].is_string(), "{again}");
    assert!(course.windows(2).all(|pair| pair[0][0].as_u64() <= pair[1][0].as_u64()), "{again}");
    // And on the command line.
    let epd = folder.write("two.epd", "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6\n");
    let stored = found(records(&[&epd, "--no-search", "--db", &db]));
    assert!(stored[0]["depth"].as_u64() >= Some(8), "{stored:?}");
}

/// Time and nodes of separate searches are not added.
#[test]
fn repeated_queries_do_not_add_up() {
    let folder = Folder::new("repeated");
    let db = folder.path("results.db");
    let mut server = Server::start(&["--db", &db, "--listen", "127.0.0.1:0"]);
    let mut client = Peer::connect(server.address());
    for id in 0..4 {
        assert_eq!(client.request(json!({ "id": id, "nodes": 2000, "fresh": true }))["status"], "done");
    }
    let stored = client.request(json!({ "id": "less", "nodes": 1000 }));
    assert!(stored["from"] == "database" && stored["nodes"].as_u64() <= Some(2000), "{stored}");
    assert!(client.request(json!({ "id": "more", "nodes": 3000 })).get("from").is_none());
}

#[test]
fn stored_results_have_the_requested_lines() {
    let folder = Folder::new("lines");
    let db = folder.path("results.db");
    let mut server = Server::start(&["--db", &db, "--listen", "127.0.0.1:0"]);
    let mut client = Peer::connect(server.address());
    client.request(json!({ "id": 1, "depth": 4, "multipv": 3 }));
    for (multipv, depth) in [(1, 4), (2, 3)] {
        let stored = client.request(json!({ "id": 2, "depth": depth, "multipv": multipv }));
        let lines = stored["lines"].as_array().map(Vec::len);
        assert_eq!((&stored["from"], lines), (&json!("database"), Some(multipv)), "{stored}");
    }
}

/// Results of other engines are shown, but not continued or stored as those of this one.
#[test]
fn engine_does_not_take_over_results_of_others() {
    let folder = Folder::new("engines");
    let db = folder.path("results.db");
    let epd = folder.write("one.epd", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6\n");
    // Tablebases make it another engine.
    records(&[&epd, "--depth", "10", "--syzygy", TABLES, "--db", &db]);
    let mut server = Server::start(&["--db", &db, "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    let (mut client, mut visitor) = (Peer::connect(server.address()), Visitor::connect(server.address()));
    let moves = ["e2e4", "e7e5"];
    assert_eq!(to_depth(&mut visitor, "shown", &moves, 6)["depth"], 10);
    // Its own, shallower result is stored.
    let stored = (0..100).find_map(|id| {
        let answer = client.request(json!({ "id": id, "moves": "e4 e5", "depth": 6 }));
        answer.get("from").is_some().then_some(answer)
    });
    assert_eq!(stored.expect("a stored result")["lines"][0]["depth"], 6);
    // It searches the other depths itself.
    let update = to_depth(&mut visitor, "deeper", &moves, 10);
    let course = update["course"].as_array().expect("a course");
    assert!((1..=10_u64).all(|depth| course.iter().any(|point| point[1] == depth)), "{update}");
}

#[cfg(unix)]
#[test]
fn hash_tables_survive_a_restart() {
    let folder = Folder::new("tables");
    let file = folder.path("table");
    let args = ["--engines", "2", "--hash-file", &file, "--listen", "127.0.0.1:0"];
    let mut server = Server::start(&args);
    let mut client = Peer::connect(server.address());
    client.send(json!({ "id": "game", "moves": "e4 e5 Nf3 Nc6", "plies": "all", "depth": 9 }));
    (0..5).for_each(|_| assert_eq!(client.answer()["status"], "done"));
    let mut lines = Vec::new();
    server.signal("-TERM");
    for line in server.stderr.by_ref().lines() {
        lines.push(line.expect("a line"));
    }
    assert!(lines.iter().filter(|line| line.contains("entries saved")).count() >= 1, "{lines:?}");
    assert!(folder.names().contains(&"table".into()), "{:?}", folder.names());
    let mut server = Server::start(&args);
    let line = server.line();
    assert!(line.contains("entries loaded"), "{line}");
    drop(server);
    // An incompatible file is set aside.
    folder.write("table", "no table");
    let mut server = Server::start(&args);
    let line = server.line();
    assert!(line.contains("table.old") && folder.names().contains(&"table.old".into()), "{line}");
    // An unwritable file is an error.
    let missing = folder.path("no/table");
    let mut line = String::new();
    Server::start(&["--hash-file", &missing]).stderr.read_to_string(&mut line).expect("an end");
    assert_eq!(line.matches(&missing).count(), 1, "{line}");
}

/// Damage of a large table is found by the search.
#[cfg(unix)]
#[test]
fn damaged_tablebases_are_reported_by_searches() {
    use crate::analysing::{analyse, stderr};
    use crate::tree::{done, tree};
    let folder = Folder::new("damaged-table");
    let mut table = std::fs::read(format!("{TABLES}/KRvK.rtbw")).expect("a table");
    // Blocks of 1 MiB, and an index beyond them.
    table[0x0D] = 20;
    table[0x42..0x46].fill(0xFF);
    table.resize(128 + (1 << 20) + 16, 0);
    std::fs::write(folder.path("KRvK.rtbw"), table).expect("a table");
    let [tables, db, path] = ["", "a.db", "a.tree"].map(|name| folder.path(name));
    let (fen, expected) = ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", "KRvK.rtbw is damaged: invalid values");
    let query = ["--fen", fen, "--depth", "2", "--syzygy", &tables];
    for more in [&["--multipv", "1"][..], &["--json"], &["--db", &db], &["--db", &db, "--jsonl", "--multipv", "2"]] {
        let output = analyse(&[&query[..], more].concat());
        assert!(output.status.success() && stderr(&output).contains(expected), "{more:?}: {}", stderr(&output));
    }
    done(&["init", &path, "--fen", fen]);
    let output = tree(&["grow", &path, "--nodes", "1", "--hash", "1", "--syzygy", &tables]);
    assert!(output.status.success() && stderr(&output).contains(expected), "{}", stderr(&output));
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--syzygy", &tables]);
    let mut client = Peer::connect(server.address());
    assert_eq!(client.request(json!({ "id": 1, "fen": fen, "depth": 2 }))["status"], "done");
    server.signal("-TERM");
    let mut text = String::new();
    server.stderr.read_to_string(&mut text).expect("an end");
    assert!(text.contains(expected), "{text}");
}

#[test]
fn moves_have_tablebase_results() {
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--syzygy", TABLES]);
    // Two messages about missing tables of four pieces.
    (0..2).for_each(|_| drop(server.line()));
    let mut visitor = Visitor::connect(server.address());
    let mut verdicts = |start: &str| {
        visitor.send(json!({ "id": 1, "ask": "position", "start": start }).to_string());
        let position = visitor.wait_for(|message| message["id"] == 1)["answer"].clone();
        let legal = position["legal"].as_array().expect("moves").clone();
        move |san: &str| legal.iter().find(|legal| legal["san"] == san).expect("a move")["tablebase"].clone()
    };
    // Only the king in front of its pawn wins.
    let pawn = verdicts("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1");
    assert_eq!(pawn("Kd6")["wdl"], "win");
    assert_eq!(pawn("Kf5")["wdl"], "draw");

    let won = verdicts("8/8/8/8/8/2k5/1q6/3K4 w - - 0 1");
    assert_eq!((&won("Ke1")["wdl"], won("Ke1")["dtz"].as_u64() > Some(0)), (&json!("loss"), true));
    assert_eq!(verdicts("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")("O-O"), json!(null));
    assert_eq!(verdicts("7k/8/6K1/8/8/8/8/R7 w - - 0 1")("Ra8#"), json!({ "wdl": "win", "dtz": 0 }));
}

#[test]
fn uci_sessions_probe_tablebases() {
    let mut server = Server::start(&["--uci", "127.0.0.1:0", "--syzygy", TABLES]);
    let mut peer = Peer::connect(server.address());
    peer.send("position fen 8/8/8/8/8/2k5/8/K2R4 w - - 0 1\ngo depth 5");
    let (mut hits, mut line) = (false, String::new());
    while !line.starts_with("bestmove") {
        line = peer.line();
        hits |= line.contains(" tbhits ") && !line.contains(" tbhits 0 ");
    }
    assert!(hits);
}
