//! Saved boards.

use super::queue::{is, opened, row};
use super::{Page, list, start};
use crate::analysing::{Folder, analyse};
use crate::serving::Server;
use serde_json::{Value, json};

#[test]
fn boards_are_saved_and_shared() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let (mut one, mut two) = (Page::open(address), Page::open(address));
    let document = one.game("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *");
    // SAN and FEN of the page are ignored.
    let mut forged = document.clone();
    forged["nodes"][1]["san"] = "<b>".into();
    forged["nodes"][1]["fen"] = "8/8".into();
    let saved = one.request("save", json!({ "board": null, "document": forged }));
    let (board, version) = (saved["board"].clone(), saved["version"].clone());
    two.event("boards");
    let list_of = |page: &mut Page| page.request("boards", json!({}))["boards"].clone();
    let entry = &list_of(&mut two)[0];
    assert_eq!((&entry["name"], &entry["plies"], &entry["board"]), (&json!("A – B"), &json!(2), &board));
    let opened = two.request("open", json!({ "board": board }));
    assert_eq!((&opened["document"], &opened["version"]), (&document, &version));
    // The other page sees the change and cannot overwrite it.
    let longer = one.game("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 *");
    let saved = one.request("save", json!({ "board": board, "version": version, "document": longer }));
    let event = two.event("board");
    assert_eq!((&event["board"], &event["version"], &event["document"]), (&board, &saved["version"], &longer));
    let stale = two.error("save", json!({ "board": board, "version": version, "document": document }));
    assert_eq!((&stale["code"], &stale["document"], &stale["version"]), (&json!("stale"), &longer, &saved["version"]));
    // Rename, copy, remove and restore.
    two.request("rename", json!({ "board": board, "name": " My  game " }));
    let copy = two.request("copy", json!({ "board": board }))["board"].clone();
    let mut names: Vec<Value> = list(&list_of(&mut one)).iter().map(|entry| entry["name"].clone()).collect();
    names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    assert_eq!(json!(names), json!(["My game", "My game (copy)"]));
    two.request("remove", json!({ "board": board }));
    assert_eq!(one.error("open", json!({ "board": board }))["code"], "removed");
    assert_eq!(one.error("save", json!({ "board": board, "version": 2, "document": longer }))["code"], "removed");
    assert_eq!(list(&list_of(&mut one)).len(), 1);
    one.request("restore", json!({ "board": board }));
    assert_eq!(one.request("open", json!({ "board": board }))["document"], longer);
    assert_eq!(one.request("open", json!({ "board": copy }))["document"], longer);
}

#[test]
fn events_are_sent_while_the_database_is_locked() {
    let folder = Folder::new("locked");
    let db = folder.path("boards.db");
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &db]);
    let mut page = Page::open(server.address());
    let game = page.game("1. e4 *");
    // A running entry, which is stored every two seconds.
    page.add(json!({ "moves": ["d2d4"] }));
    let other = rusqlite::Connection::open(&db).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    page.visitor.send(json!({ "id": "save", "ask": "save", "document": game }).to_string());
    let mut events = 0;
    page.visitor.wait_for(|message| {
        assert_ne!(message["id"], "save");
        events += u32::from(message["event"] == "status");
        events > 3
    });
    other.execute_batch("ROLLBACK").expect("no lock");
    page.visitor.wait_for(|message| message["id"] == "save" && message["answer"].is_object());
}

#[test]
fn documents_are_checked() {
    let (_server, mut page) = start();
    let node = |parent: u64, uci: &str| json!({ "parent": parent, "uci": uci });
    let root = json!({});
    let mut deep = vec![root.clone()];
    let mut many = deep.clone();
    for at in 0..6000_u64 {
        many.push(node(at, ["g1f3", "g8f6", "f3g1", "f6g8"][at as usize % 4]));
    }
    assert_eq!(page.request("save", json!({ "document": { "nodes": many } }))["version"], 1);
    for at in 6000..10_001_u64 {
        many.push(node(at, ["g1f3", "g8f6", "f3g1", "f6g8"][at as usize % 4]));
    }
    for pair in 0..70_u64 {
        let uci = ["g1f3", "g8f6", "f3g1", "f6g8"][pair as usize % 4];
        deep.extend([if pair % 2 == 0 { "h2h3" } else { "h7h6" }, uci].map(|uci| node(2 * pair, uci)));
    }
    for (document, code, field) in [
        (json!({ "nodes": [root, node(0, "e2e5")] }), "bad-move", "document.nodes[1].uci"),
        (json!({ "nodes": [root, node(7, "e2e4")] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [root, node(1, "e2e4")] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [root, {}] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [5] }), "bad-field", "document.nodes[0]"),
        (json!({ "nodes": [{ "nags": [256] }] }), "bad-field", "document.nodes[0].nags"),
        (json!({ "nodes": [{ "arrows": ["Ge2"] }] }), "bad-field", "document.nodes[0].arrows"),
        (json!({ "nodes": [{ "circles": ["é4"] }] }), "bad-field", "document.nodes[0].circles"),
        (json!({ "nodes": [{ "clock": "]" }] }), "bad-field", "document.nodes[0].clock"),
        (json!({ "nodes": [{ "comment": "x".repeat(5 << 20) }] }), "too-large", "document"),
        (json!({ "result": "won" }), "bad-field", "document.result"),
        (json!({ "start": "8/8" }), "bad-fen", "document.start"),
        (json!({ "tags": [["a"]] }), "bad-field", "document.tags"),
        (json!({ "nodes": many }), "too-large", "document.nodes"),
        (json!(7), "bad-field", "document"),
    ] {
        let error = page.error("save", json!({ "document": document }));
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
    }
    assert_eq!(page.error("save", json!({ "document": { "nodes": deep } }))["code"], "too-large");
}

#[test]
fn boards_in_database_survive_a_killed_server() {
    let folder = Folder::new("boards");
    let db = folder.path("boards.db");
    let args = ["--web", "127.0.0.1:0", "--db", &db];
    let mut server = Server::start(&args);
    let mut page = Page::open(server.address());
    let [first, longer] = ["1. e4 *", "1. e4 e5 {[%cal Ge2e4] even} (1... c5!?) *"].map(|text| page.game(text));
    let kept = page.request("save", json!({ "document": first, "name": "kept" }));
    let lost = page.request("save", json!({ "document": first, "name": "removed" }));
    let kept = page.request("save", json!({ "board": kept["board"], "version": 1, "document": longer }));
    page.request("rename", json!({ "board": kept["board"], "name": "renamed" }));
    page.request("remove", json!({ "board": lost["board"] }));
    // Kills the server.
    drop(server);
    let mut server = Server::start(&args);
    let mut page = Page::open(server.address());
    let listed = page.request("boards", json!({}))["boards"].clone();
    assert_eq!((list(&listed).len(), &listed[0]["name"], &listed[0]["plies"]), (1, &json!("renamed"), &json!(2)));
    let opened = page.request("open", json!({ "board": kept["board"] }));
    assert_eq!((&opened["version"], &opened["document"]), (&json!(2), &longer));
    page.request("restore", json!({ "board": lost["board"] }));
    assert_eq!(page.request("open", json!({ "board": lost["board"] }))["document"], first);
    // Another server does not overwrite newer versions.
    let mut second = Server::start(&args);
    let mut other = Page::open(second.address());
    page.request("save", json!({ "board": kept["board"], "version": 2, "document": first }));
    let stale = other.error("save", json!({ "board": kept["board"], "version": 2, "document": longer }));
    assert_eq!((&stale["code"], &stale["version"], &stale["document"]), (&json!("stale"), &json!(3), &first));
    assert_eq!(
        other.request("save", json!({ "board": kept["board"], "version": 3, "document": longer }))["version"],
        4
    );
    // Nor does it save removed boards.
    assert_eq!(page.request("open", json!({ "board": kept["board"] }))["document"], longer);
    page.request("remove", json!({ "board": kept["board"] }));
    let gone = other.error("save", json!({ "board": kept["board"], "version": 4, "document": first }));
    assert_eq!(gone["code"], "removed");
    assert_eq!(list(&other.request("boards", json!({}))["boards"]).len(), 1);
}

#[test]
fn report_is_stored_once_the_database_can_be_written() {
    let folder = Folder::new("report");
    let db = folder.path("boards.db");
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &db]);
    let (address, mut page) = opened(&mut server);
    page.request("queue-pause", json!({ "paused": true }));
    let game = page.game("1. e4 e5 *");
    let entry = page.add(json!({ "document": game, "budget": { "depth": 3 } }));
    let board = page.request("queue-open", json!({ "entry": entry }))["board"].clone();
    page.request("open", json!({ "board": board }));
    let table = rusqlite::Connection::open(&db).expect("a database");
    let fail = "CREATE TRIGGER fail BEFORE UPDATE ON board BEGIN SELECT RAISE(ABORT, 'unavailable'); END";
    table.execute_batch(fail).expect("a trigger");
    page.request("queue-pause", json!({ "paused": false }));
    row(address, entry, is("done"));
    while !server.line().contains("unavailable") {}
    table.execute_batch("DROP TRIGGER fail").expect("no trigger");
    let saved = page.visitor.wait_for(|event| event["event"] == "board" && event["board"] == board);
    assert_eq!(saved["document"]["report"]["found"], 3, "{saved}");
}

#[test]
fn boards_can_be_stored_beside_analyses() {
    let folder = Folder::new("boards-analyses");
    let db = folder.path("analyses.db");
    let epd = folder.write("one.epd", "4k3/8/8/8/8/8/8/R3K3 w - -\n");
    assert!(analyse(&[&epd, "--depth", "2", "--db", &db]).status.success());
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &db]);
    let mut page = Page::open(server.address());
    let game = page.game("1. d4 *");
    let board = page.request("save", json!({ "document": game }))["board"].clone();
    // Analyses continue in the same database.
    assert!(analyse(&[&epd, "--depth", "3", "--db", &db]).status.success());
    drop(server);
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &db]);
    assert_eq!(Page::open(server.address()).request("open", json!({ "board": board }))["document"], game);
}

/// The server is stopped and started between two requests.
#[cfg(all(feature = "postgres", unix))]
#[test]
fn boards_on_a_server_survive_its_restart() {
    let Some(postgres) = crate::server::Server::start("boards") else { return };
    let url = postgres.create("boards");
    let args = ["--web", "127.0.0.1:0", "--db", &url];
    let mut server = Server::start(&args);
    let mut page = Page::open(server.address());
    let [first, longer] = ["1. e4 *", "1. e4 c6 *"].map(|text| page.game(text));
    let board = page.request("save", json!({ "document": first }))["board"].clone();
    postgres.stop();
    let refused = page.error("save", json!({ "board": board, "version": 1, "document": longer }));
    assert_eq!(refused["code"], "unsaved");
    postgres.up();
    assert_eq!(page.request("save", json!({ "board": board, "version": 1, "document": longer }))["version"], 2);
    drop(server);
    let mut server = Server::start(&args);
    let mut page = Page::open(server.address());
    assert_eq!(page.request("open", json!({ "board": board }))["document"], longer);
}

/// The queue is sent in parts; the first has the number of all entries.
#[test]
fn large_queues_are_sent_in_parts() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let mut page = Page::open(address);
    page.request("queue-pause", json!({ "paused": true }));
    for _ in 0..501 {
        page.add(json!({ "moves": ["e2e4"], "budget": { "depth": 1 } }));
    }
    let mut other = Page::open(address);
    let first = other.event("queue");
    assert_eq!((&first["count"], list(&first["entries"]).len()), (&json!(501), 500));
    assert_eq!(list(&other.event("queue")["entries"]).len(), 1);
}
