//! Searches for boards, which preempt queries.

use crate::analysing::Folder;
use crate::page::Visitor;
use crate::serving::{Peer, Server, TOKEN, is_final, stdio};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Starts a search, which must be accepted.
pub fn analyse(visitor: &mut Visitor, mut fields: Value) {
    let key = fields["key"].clone();
    fields["ask"] = "analyse".into();
    fields["id"] = key.clone();
    visitor.send(fields.to_string());
    let answer = visitor.wait_for(|message| message["id"] == key);
    assert_eq!(answer["answer"], json!({}), "{answer}");
}

/// Waits for an update of a search in a state.
pub fn lines(visitor: &mut Visitor, key: &str, state: &str) -> Value {
    visitor.wait_for(|update| update["event"] == "lines" && update["key"] == key && update["state"] == state)
}

#[test]
fn preempted_query_continues() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    let (mut client, mut visitor) = (Peer::connect(server.address()), Visitor::connect(server.address()));
    client.send(json!({ "id": "long", "nodes": 60_000, "report_ms": 10, "moves": "d4" }));
    assert_eq!(client.answer()["status"], "partial");
    // An endless search; the query ends only if it gets the engine back.
    analyse(&mut visitor, json!({ "key": "a", "moves": ["e2e4"], "lines": 2 }));
    let update = lines(&mut visitor, "a", "searching");
    assert_eq!(update["fen"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    visitor.send(json!({ "id": 1, "ask": "stop" }).to_string());
    lines(&mut visitor, "a", "stopped");
    let last = loop {
        let answer = client.answer();
        if answer["status"] != "partial" {
            break answer;
        }
    };
    assert_eq!((&last["status"], &last["id"]), (&json!("done"), &json!("long")));
    // Total before and after preemption.
    let nodes = last["nodes"].as_u64().expect("a number");
    assert!((60_000..62_000).contains(&nodes), "{last}");
}

/// Results stored before preemption do not answer the query.
#[test]
fn preempted_query_searches_its_whole_time() {
    let folder = Folder::new("preempted");
    let db = folder.path("one.db");
    let mut server = Server::start(&["--db", &db, "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    let (mut client, mut visitor) = (Peer::connect(server.address()), Visitor::connect(server.address()));
    client.send(json!({ "id": "long", "time_ms": 1500, "report_ms": 10, "moves": "d4" }));
    let mut is_preempted = false;
    let last = loop {
        let answer = client.answer();
        if answer["status"] != "partial" {
            break answer;
        }
        if !is_preempted && answer["time_ms"].as_u64() >= Some(900) {
            is_preempted = true;
            analyse(&mut visitor, json!({ "key": "a", "limit": { "depth": 1 } }));
        }
    };
    assert_eq!((&last["status"], last.get("from")), (&json!("done"), None), "{last}");
    assert!(last["time_ms"].as_u64() >= Some(1400), "{last}");
}

/// Its lines are not shown.
#[test]
fn refused_request_ends_the_search_before() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]);
    let (mut client, mut visitor) = (Peer::connect(server.address()), Visitor::connect(server.address()));
    analyse(&mut visitor, json!({ "key": "a", "threat": true }));
    lines(&mut visitor, "a", "searching");
    let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
    visitor.send(json!({ "id": 1, "ask": "analyse", "key": "b", "threat": true, "start": check }).to_string());
    assert_eq!(visitor.wait_for(|message| message["id"] == 1)["error"]["code"], "no-threat");
    // Before the visitor is disconnected, who answers no pings here.
    let start = Instant::now();
    while client.request(json!({ "status": true }))["searching"] != 0 {
        assert!(start.elapsed() < Duration::from_secs(8), "it still runs");
    }
}

#[test]
fn last_of_many_requests_is_searched() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let mut visitor = Visitor::connect(address);
    for number in 0..50 {
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6"][..number % 5].to_vec();
        analyse(&mut visitor, json!({ "key": format!("p{number}"), "moves": moves }));
    }
    let mut late = 0;
    visitor.wait_for(|update| {
        late += u32::from(update["event"] == "lines" && update["key"] != "p49");
        update["event"] == "lines" && update["key"] == "p49" && update["state"] == "searching"
    });
    assert!(late <= 100, "{late} updates of replaced searches");
    // The search ends with its visitor, and another one gets the engine.
    drop(visitor);
    let mut other = Visitor::connect(address);
    analyse(&mut other, json!({ "key": "x", "limit": { "depth": 3 } }));
    lines(&mut other, "x", "done");
}

#[test]
fn scores_are_from_whites_view() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let mut visitor = Visitor::connect(server.address());
    let mut search = |key: &str, fields: Value| {
        let mut request = json!({ "key": key, "limit": { "depth": 4 } });
        request.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        analyse(&mut visitor, request);
        lines(&mut visitor, key, "done")
    };
    // White is a queen up, Black to move.
    let update = search("up", json!({ "start": "4k3/pppp4/8/8/8/8/PPPP4/3QK3 b - - 0 1" }));
    let line = &update["lines"][0];
    assert!(line["score"]["cp"].as_i64().is_none_or(|score| score > 300), "{line}");
    assert!(line["expected"].as_f64() > Some(0.8) && line["wdl"][0].as_u64() > Some(600), "{line}");
    // Black mates.
    let update = search("mate", json!({ "start": "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1" }));
    assert_eq!((&update["lines"][0]["score"], &update["lines"][0]["san"][0]), (&json!({ "mate": -1 }), &json!("Ra1#")));
    // Black's threat, and a single root move.
    let update = search("threat", json!({ "start": "r5k1/8/8/8/8/8/5PPP/6K1 w - - 0 1", "threat": true }));
    assert_eq!(update["lines"][0]["san"][0], "Ra1#");
    // After a null move of an analysis.
    let update = search("passed", json!({ "moves": ["e2e4", "0000"] }));
    assert!(update["fen"].as_str().is_some_and(|fen| fen.contains(" w ")), "{update}");
    let update = search("only", json!({ "search": ["a2a3"], "lines": 3 }));
    assert_eq!((update["lines"].as_array().map(Vec::len), &update["lines"][0]["pv"][0]), (Some(1), &json!("a2a3")));
    let update = search("over", json!({ "start": "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1" }));
    assert_eq!(update["lines"], json!([]));
}

#[test]
fn stored_results_are_shown_at_once() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let mut visitor = Visitor::connect(server.address());
    analyse(&mut visitor, json!({ "key": "first", "moves": ["d2d4"], "limit": { "depth": 8 } }));
    let found = lines(&mut visitor, "first", "done");
    analyse(&mut visitor, json!({ "key": "again", "moves": ["d2d4"], "limit": { "depth": 2 } }));
    let stored = visitor.wait_for(|update| update["event"] == "lines" && update["key"] == "again");
    assert_eq!((&stored["depth"], &stored["lines"]), (&json!(8), &found["lines"]));
    // A slow connection may skip outdated updates.
    if stored["state"] != "done" {
        assert_eq!(lines(&mut visitor, "again", "done")["depth"], 8);
    }
    // Results depend on the conditions.
    analyse(&mut visitor, json!({ "key": "two", "moves": ["d2d4"], "lines": 2, "limit": { "depth": 2 } }));
    assert_eq!(lines(&mut visitor, "two", "done")["depth"], 2);
}

#[test]
fn left_search_does_not_wait_for_those_who_watch() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let [mut busy, mut visitor, mut watcher] = [(); 3].map(|()| Visitor::connect(address));
    analyse(&mut busy, json!({ "key": "a", "moves": ["e2e4"] }));
    lines(&mut busy, "a", "searching");
    analyse(&mut watcher, json!({ "key": "c", "moves": ["d2d4"], "watch": true }));
    analyse(&mut visitor, json!({ "key": "b", "moves": ["d2d4"] }));
    lines(&mut watcher, "c", "waiting");
    visitor.send(json!({ "id": 1, "ask": "stop" }).to_string());
    lines(&mut watcher, "c", "stopped");
}

/// So that each result has a score.
#[test]
fn limits_do_not_end_the_first_iteration() {
    let fen = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1";
    for (nodes, multipv) in [(1, 1), (15, 1), (20, 3)] {
        let query = json!({ "id": 1, "fen": fen, "nodes": nodes, "multipv": multipv });
        let answer = stdio(&[], query.to_string()).remove(0);
        let best = &answer["lines"][0];
        assert_eq!((&best["depth"], &best["score"]), (&json!(1), &json!({ "mate": 1 })), "{answer}");
    }
}

#[test]
fn invalid_requests_name_the_field() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let mut visitor = Visitor::connect(server.address());
    for (request, field, expected) in [
        (json!({}), "key", "no \"key\""),
        (json!({ "key": 7 }), "key", "\"key\" expects a text of up to 64 bytes, not \"7\""),
        (json!({ "key": "a", "lines": 11 }), "lines", "a whole number from 1 to 10, not \"11\""),
        (json!({ "key": "a", "moves": ["e2e5"] }), "moves", "\"e2e5\" is not a legal move"),
        (json!({ "key": "a", "start": "8/8" }), "start", "8/8"),
        (json!({ "key": "a", "search": ["e2e4"], "avoid": ["e2e4"] }), "avoid", "leaves none of search"),
        (json!({ "key": "a", "limit": 9 }), "limit", "expects an object"),
        (json!({ "key": "a", "limit": { "depth": 0 } }), "depth", "\"depth\" expects a whole number"),
        (json!({ "key": "a", "line": 1 }), "line", "unknown field \"line\""),
        (json!({ "key": "a", "threat": true, "start": "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1" }), "threat", "no threat"),
    ] {
        let mut message = request.clone();
        (message["id"], message["ask"]) = (7.into(), "analyse".into());
        visitor.send(message.to_string());
        let error = visitor.wait_for(|message| message["id"] == 7)["error"].clone();
        let text = error["text"].as_str().expect("a text");
        assert!(error["field"] == field && text.contains(expected), "{request}: {error}");
    }
}

#[test]
fn games_have_an_answer_for_each_ply() {
    let mut server = Server::start(&["--engines", "2", "--listen", "127.0.0.1:0"]);
    let mut client = Peer::connect(server.address());
    client.send(json!({ "id": "game", "moves": "1. e4 e5 2. Nf3", "plies": "all", "depth": 3 }));
    let mut plies: Vec<(Option<u64>, String)> = (0..4)
        .map(|_| client.answer())
        .map(|answer| {
            assert_eq!((&answer["id"], &answer["status"]), (&json!("game"), &json!("done")), "{answer}");
            (
                answer["ply"].as_u64(),
                answer["fen"].as_str().expect("a FEN").split(' ').next().expect("ranks").to_owned(),
            )
        })
        .collect();
    plies.sort_unstable();
    assert_eq!(plies.iter().map(|(ply, _)| *ply).collect::<Vec<_>>(), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(plies[3].1, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    // The id is free again.
    client.send(json!({ "id": "game", "moves": "e4", "plies": [1, 1.0], "depth": 1 }));
    let answer = client.answer();
    assert_eq!((&answer["ply"], &answer["best"].is_object()), (&json!(1), &true));
    assert!(answer["lines"][0]["pv"].is_array());
    let error = client.request(json!({ "id": 1, "moves": "e4", "plies": [2], "depth": 1 }));
    assert_eq!((&error["code"], &error["field"]), (&json!("bad-field"), &json!("plies")));
    assert!(error["error"].as_str().expect("a text").contains("from 0 to 1, not \"[2]\""), "{error}");
}

/// Games wait until all their positions have room in the queue, unless they never have.
#[test]
fn games_wait_for_room_in_the_queue() {
    let game = |id: u64, moves: &str| json!({ "id": id, "moves": moves, "plies": "all", "depth": 8 }).to_string();
    let games = [game(1, "e4"), game(2, "d4"), game(3, "c4 c5 Nf3"), game(4, "f4")];
    let answers = stdio(&["--queue", "3"], games.join("\n"));
    let statuses = |id: u64| -> Vec<&Value> {
        let own = answers.iter().filter(|answer| answer["id"] == id && is_final(answer));
        own.map(|answer| &answer["status"]).collect()
    };
    assert_eq!([1, 2, 4].map(statuses), [(); 3].map(|()| vec!["done"; 2]));
    assert_eq!(statuses(3), ["error"]);
    let refused = answers.iter().find(|answer| answer["id"] == 3).expect("an answer");
    assert_eq!(refused["error"], "0 unanswered queries and 4 new ones; expected up to 3 together");
}

#[test]
fn endless_queries_end_when_all_are_cancelled() {
    let mut server = Server::start(&["--listen", "127.0.0.1:0"]);
    let mut client = Peer::connect(server.address());
    client.send(json!({ "id": "game", "moves": "e4 e5", "plies": "all", "infinite": true, "report_ms": 10 }));
    client.send(json!({ "id": "other", "infinite": true }));
    assert_eq!(client.answer()["status"], "partial");
    client.send(json!({ "cancel_all": true }));
    let (mut cancelled, mut found) = (Vec::new(), json!(null));
    while cancelled.len() < 4 || found.is_null() {
        let answer = client.answer();
        if answer["status"] == "cancelled" {
            cancelled.push((answer["id"].clone(), answer["ply"].as_u64()));
        } else if answer["cancel_all"] == true {
            found = answer["found"].clone();
        }
    }
    cancelled.sort_by_key(|(_, ply)| *ply);
    assert_eq!(found, 4);
    assert_eq!(cancelled.iter().map(|(_, ply)| *ply).collect::<Vec<_>>(), [None, Some(0), Some(1), Some(2)]);
    client.check();
}

#[test]
fn viewers_are_read_only() {
    const VIEW: &str = "look-but-do-not-touch";
    let folder = Folder::new("viewers");
    let file = folder.write("view-token", &format!("{VIEW}\n"));
    let mut server = Server::start(&[
        "--listen",
        "127.0.0.1:0",
        "--web",
        "127.0.0.1:0",
        "--token",
        TOKEN,
        "--view-token-file",
        &file,
    ]);
    if cfg!(unix) {
        let warning = server.line();
        assert!(warning.contains("other users can read the token"), "{warning}");
    }
    let (lines, page) = (server.address(), server.address());
    let visit = |token| Visitor::with_token(page, &format!("ws://{page}/socket"), Some(token));
    let (mut editor, mut viewer) = (visit(TOKEN), visit(VIEW));
    assert_eq!(editor.wait_for(|update| update["event"] == "hello")["may"], "edit");
    assert_eq!(viewer.wait_for(|update| update["event"] == "hello")["may"], "view");
    editor.send(json!({ "id": 1, "ask": "save", "document": { "nodes": [{}] } }).to_string());
    let saved = editor.wait_for(|message| message["id"] == 1);
    let game = json!({ "nodes": [{}, { "parent": 0, "uci": "e2e4" }] });
    for request in [
        json!({ "id": 2, "ask": "queue-pause", "paused": true }),
        json!({ "id": 3, "ask": "queue-add", "moves": ["e2e4"] }),
        json!({ "id": 4, "ask": "queue-add", "document": game }),
    ] {
        editor.send(request.to_string());
    }
    editor.wait_for(|message| message["id"] == 4);
    for (ask, allowed) in [
        (json!({ "ask": "position" }), true),
        (json!({ "ask": "open", "board": saved["answer"]["board"] }), true),
        (json!({ "ask": "save", "document": { "nodes": [{}] } }), false),
        (json!({ "ask": "remove", "board": saved["answer"]["board"] }), false),
        (json!({ "ask": "analyse", "key": "a" }), true),
        (json!({ "ask": "queue-add", "budget": { "depth": 3 } }), false),
        (json!({ "ask": "queue-pause", "paused": true }), false),
        (json!({ "ask": "queue-open", "entry": 1 }), true),
        (json!({ "ask": "queue-open", "entry": 2 }), false),
        (json!({ "ask": "mark", "path": "e4", "as": "pin" }), false),
        (json!({ "ask": 7 }), false),
    ] {
        let mut request = ask.clone();
        request["id"] = 2.into();
        viewer.send(request.to_string());
        let answer = viewer.wait_for(|message| message["id"] == 2);
        assert_eq!(answer.get("answer").is_some(), allowed, "{ask}: {answer}");
        assert!(allowed || answer["error"]["code"] == "view-only", "{ask}: {answer}");
    }
    // Once an editor has opened the game, viewers can as well.
    let [made, shown] = [&mut editor, &mut viewer].map(|visitor| {
        visitor.send(r#"{"id":5,"ask":"queue-open","entry":2}"#);
        visitor.wait_for(|message| message["id"] == 5)["answer"]["board"].clone()
    });
    assert!(made.is_string() && made == shown, "{made} {shown}");
    // The token is not valid for queries.
    let mut peer = Peer::connect(lines);
    peer.send(format_args!("token {VIEW}"));
    assert!(peer.line().contains("wrong token"));
}
