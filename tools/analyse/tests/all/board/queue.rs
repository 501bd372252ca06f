//! The queue of positions and games.

use super::{Page, list, start};
use crate::analysing::Folder;
use crate::browser::Browser;
use crate::page::CONNECTED;
use crate::serving::Server;
use crate::thinking::analyse;
use serde_json::{Value, json};
use std::net::SocketAddr;

impl Page {
    /// Adds an entry, and returns its number.
    pub(super) fn add(&mut self, fields: Value) -> u64 {
        self.request("queue-add", fields)["entry"].as_u64().expect("a number")
    }
}

/// Waits until a new page receives a matching row of an entry.
pub(super) fn row(address: SocketAddr, entry: u64, mut is_it: impl FnMut(&Value) -> bool) -> Value {
    let of = |event: &Value| {
        let entries = event["entries"].as_array().map_or(&[][..], Vec::as_slice);
        entries.iter().find(|row| row["entry"] == entry).cloned()
    };
    let event = Page::open(address)
        .visitor
        .wait_for(|event| event["event"] == "queue" && of(event).is_some_and(|row| is_it(&row)));
    of(&event).expect("an entry")
}

pub(super) fn opened(server: &mut Server) -> (SocketAddr, Page) {
    let address = server.address();
    (address, Page::open(address))
}

pub(super) fn is(state: &str) -> impl FnMut(&Value) -> bool {
    move |row| row["state"] == state
}

fn whole(address: SocketAddr) -> Value {
    Page::open(address).event("queue")
}

/// The entries in order.
fn order(address: SocketAddr) -> Vec<Value> {
    let mut rows = list(&whole(address)["entries"]).to_vec();
    rows.sort_by_key(|row| row["rank"].as_i64());
    rows
}

/// The numbers of entries.
fn numbers(rows: &[Value]) -> Vec<u64> {
    rows.iter().map(|row| row["entry"].as_u64().expect("a number")).collect()
}

#[test]
fn entries_are_searched_in_order() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    let one = page.add(json!({ "moves": ["e2e4"] }));
    row(address, one, |row| row["state"] == "searching" && row["nodes"].as_u64() > Some(0));
    // A later entry waits; moved to the front, it gets the engine.
    let two = page.add(json!({ "moves": ["d2d4"], "lines": 2 }));
    row(address, two, is("waiting"));
    page.request("queue-move", json!({ "entry": two, "before": one }));
    let first = row(address, one, is("waiting"));
    row(address, two, is("searching"));
    assert!(first["nodes"].as_u64() > Some(0) && first["time_ms"].as_u64() > Some(0), "{first}");
    let three = page.add(json!({ "moves": ["c2c4"], "before": one, "budget": { "depth": 3 } }));
    assert_eq!(numbers(&order(address)), [two, three, one]);
    // Entries and the queue can be paused, without loss of work.
    page.request("queue-pause", json!({ "entry": two, "paused": true }));
    row(address, three, is("done"));
    let again = row(address, one, |row| row["state"] == "searching" && row["nodes"].as_u64() > first["nodes"].as_u64());
    page.request("queue-pause", json!({ "paused": true }));
    assert!(row(address, one, is("paused"))["nodes"].as_u64() >= again["nodes"].as_u64());
    page.request("queue-pause", json!({ "paused": false }));
    row(address, one, is("searching"));
    // Restored entries return to their place.
    page.request("queue-remove", json!({ "entries": [two, one] }));
    assert_eq!(numbers(&order(address)), [three]);
    page.request("queue-restore", json!({ "entries": [two, one] }));
    assert_eq!(numbers(&order(address)), [two, three, one]);
    // Ranks do not run out.
    for _ in 0..40 {
        page.request("queue-move", json!({ "entry": one, "before": three }));
        page.request("queue-move", json!({ "entry": two, "before": three }));
    }
    assert_eq!(numbers(&order(address)), [one, two, three]);
}

#[test]
fn interrupted_entry_waits() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    let entry = page.add(json!({ "moves": ["e2e4"] }));
    row(address, entry, |row| row["state"] == "searching" && row["nps"].as_u64() > Some(0));
    analyse(&mut page.visitor, json!({ "key": "a" }));
    let waiting = row(address, entry, is("waiting"));
    assert_eq!(waiting["nps"], 0);
    // Taken back meanwhile, it keeps what it has used.
    page.request("queue-pause", json!({ "entry": entry, "paused": true }));
    assert!(row(address, entry, is("paused"))["nodes"].as_u64() >= waiting["nodes"].as_u64());
    page.request("queue-pause", json!({ "entry": entry, "paused": false }));
    page.request("stop", json!({}));
    row(address, entry, is("searching"));
}

/// Results stored before a pause do not end an entry.
#[test]
fn paused_entry_searches_its_whole_budget() {
    let folder = Folder::new("budget");
    let db = folder.path("queue.db");
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &db]);
    let (address, mut page) = opened(&mut server);
    let entry = page.add(json!({ "moves": ["e2e4"], "budget": { "time_ms": 3000 } }));
    row(address, entry, |row| row["time_ms"].as_u64() >= Some(2000));
    page.request("queue-pause", json!({ "entry": entry, "paused": true }));
    let paused = row(address, entry, |row| row["state"] != "searching");
    page.request("queue-pause", json!({ "entry": entry, "paused": false }));
    let done = row(address, entry, is("done"));
    let [before, total] = [&paused, &done].map(|row| row["time_ms"].as_u64().expect("a number"));
    assert!((2900..2 * before).contains(&total), "{paused} {done}");
}

#[test]
fn finished_entry_is_searched_on() {
    let folder = Folder::new("extended");
    let db = folder.path("queue.db");
    let args = ["--web", "127.0.0.1:0", "--db", &db];
    let mut server = Server::start(&args);
    let (address, mut page) = opened(&mut server);
    let game = page.game("1. e4 e5 *");
    let position = page.add(json!({ "moves": ["e2e4"], "budget": { "nodes": 5000 } }));
    let game = page.add(json!({ "document": game, "budget": { "depth": 3 } }));
    for (entry, budget) in [(position, json!({ "nodes": 40_000 })), (game, json!({ "time_ms": 300 }))] {
        let before = row(address, entry, is("done"))["nodes"].as_u64();
        page.request("queue-extend", json!({ "entry": entry, "budget": budget }));
        let after = row(address, entry, |row| row["state"] == "done" && row["nodes"].as_u64() > before);
        assert_eq!(after["budget"], budget);
    }
    assert!(row(address, position, |_| true)["nodes"].as_u64() >= Some(40_000));
    // Less than was searched changes nothing.
    page.request("queue-extend", json!({ "entry": position, "budget": { "nodes": 9 } }));
    let less = row(address, position, |_| true);
    assert_eq!((&less["state"], &less["budget"]), (&json!("done"), &json!({ "nodes": 9 })));
    page.request("queue-extend", json!({ "entry": position, "budget": null }));
    row(address, position, is("searching"));
    let error = page.error("queue-extend", json!({ "entry": position, "budget": { "depth": 50 } }));
    assert_eq!(error["code"], "unfinished", "{error}");
    drop(server);
    let mut server = Server::start(&args);
    row(server.address(), position, |row| row["state"] == "searching" && row["budget"].is_null());
}

#[test]
fn rows_have_names_and_expected_ends() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    page.request("queue-pause", json!({ "paused": true }));
    let najdorf = ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4", "f3d4", "g8f6", "b1c3", "a7a6"];
    let game = page.game("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *");
    let until = 1_u64 << 42;
    for (fields, name) in [
        (json!({ "moves": najdorf }), "4. Nxd4 Nf6 5. Nc3 a6 · Sicilian Defense: Najdorf Variation"),
        (json!({ "start": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30", "moves": ["e8d7"] }), "30... Kd7"),
        (json!({ "start": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" }), "4k3/8/8/8/8/8/4P3/4K3 w"),
        (json!({}), "Start position"),
        (json!({ "document": game }), "A – B"),
    ] {
        let entry = page.add(fields);
        assert_eq!(row(address, entry, |_| true)["name"], name);
    }
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    for (budget, is_known) in
        [(json!({ "time_ms": 3_600_000 }), true), (json!({ "until": until }), true), (json!(null), false)]
    {
        page.add(json!({ "budget": budget }));
        let left = whole(address)["time_left"].clone();
        assert_eq!(left.is_u64(), is_known, "{budget}: {left}");
    }
}

#[test]
fn refused_requests_quote_the_input() {
    let (_server, mut page) = start();
    for (ask, fields, code, field, text) in [
        ("queue-add", json!({ "moves": ["e2e5"] }), "bad-move", "moves", "move 1 \"e2e5\" is not a legal move"),
        ("queue-add", json!({ "start": "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1" }), "over", "moves", "the game is over"),
        (
            "queue-add",
            json!({ "document": { "nodes": [{}, { "parent": 0, "uci": "x" }] } }),
            "bad-move",
            "document.nodes[1].uci",
            "\"x\"",
        ),
        ("queue-add", json!({ "document": { "nodes": [{}] } }), "missing", "document", "a game without moves"),
        ("queue-add", json!({ "budget": { "depth": 0 } }), "bad-field", "budget.depth", "from 1 to 238, not \"0\""),
        ("queue-add", json!({ "budget": { "days": 1 } }), "bad-field", "budget", "one of depth, nodes"),
        ("queue-add", json!({ "budget": { "depth": 1, "nodes": 1 } }), "bad-field", "budget", "one of depth, nodes"),
        ("queue-add", json!({ "budget": { "until": 5 } }), "bad-field", "budget.until", "a time after"),
        ("queue-add", json!({ "lines": 99 }), "bad-field", "lines", "not \"99\""),
        ("queue-add", json!({ "before": 7 }), "unknown-entry", "before", "no entry 7"),
        ("queue-move", json!({ "entry": 7 }), "unknown-entry", "entry", "no entry 7"),
        ("queue-remove", json!({ "entries": ["x"] }), "bad-field", "entries", "\\\"x\\\""),
        ("queue-restore", json!({ "entry": 7 }), "unknown-entry", "entry", "no entry 7"),
        ("queue-pause", json!({}), "bad-field", "paused", "true or false"),
        ("queue-extend", json!({ "budget": { "until": 5 } }), "bad-field", "budget.until", "a time after"),
        ("queue-look", json!({}), "bad-field", "entry", "the number of an entry"),
        ("queue-open", json!({ "entry": -1 }), "bad-field", "entry", "not \"-1\""),
    ] {
        let error = page.error(ask, fields);
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
        assert!(error["text"].as_str().is_some_and(|message| message.contains(text)), "{error}");
    }
    page.request("queue-add", json!({ "budget": { "depth": 1 } }));
    assert_eq!(page.error("queue-move", json!({ "entry": 1, "before": "x" }))["field"], "before");
}

pub fn queue_in_database_survives_a_killed_server() {
    let folder = Folder::new("queue");
    let db = folder.path("queue.db");
    let args = ["--web", "127.0.0.1:0", "--db", &db];
    let mut server = Server::start(&args);
    let (address, mut page) = opened(&mut server);
    page.request("queue-pause", json!({ "paused": true }));
    let done = page.add(json!({ "moves": ["e2e4"], "budget": { "nodes": 2000 }, "lines": 2 }));
    let held = page.add(json!({ "moves": ["d2d4"], "budget": { "depth": 4 } }));
    let gone = page.add(json!({ "moves": ["c2c4"], "budget": { "depth": 4 } }));
    let long = page.add(json!({ "moves": ["g1f3"], "budget": { "time_ms": 86_400_000 } }));
    page.request("queue-pause", json!({ "entry": held, "paused": true }));
    page.request("queue-move", json!({ "entry": long, "before": held }));
    page.request("queue-remove", json!({ "entry": gone }));
    page.request("queue-pause", json!({ "paused": false }));
    let finished = row(address, done, is("done"));
    let looked = page.request("queue-look", json!({ "entry": done }));
    let searched = row(address, long, |row| row["time_ms"].as_u64() > Some(0) && row["score"].is_object());
    // It is answered once all changes are stored.
    page.request("queue-move", json!({ "entry": held, "before": null }));
    // Kills the server.
    drop(server);
    let mut server = Server::start(&args);
    let (address, mut page) = opened(&mut server);
    let rows = order(address);
    assert_eq!(numbers(&rows), [done, long, held]);
    for field in ["state", "nodes", "time_ms", "score", "best", "depth", "name", "budget"] {
        assert_eq!(rows[0][field], finished[field], "{field}");
    }
    assert_eq!(page.request("queue-look", json!({ "entry": done })), looked);
    assert!(rows[1]["time_ms"].as_u64() >= searched["time_ms"].as_u64(), "{rows:?}");
    assert_eq!(rows[2]["state"], "paused");
    // The search resumes.
    row(address, long, |row| row["state"] == "searching" && row["time_ms"].as_u64() > searched["time_ms"].as_u64());
    page.request("queue-restore", json!({ "entry": gone }));
    assert_eq!(order(address).len(), 4);
    // A second server has no queue until the first one ends.
    let mut second = Server::start(&args);
    let line = second.line();
    assert!(line.contains("another server owns the queue"), "{line}");
    let (other, mut page) = opened(&mut second);
    let event = whole(other);
    assert!(event["entries"] == json!([]) && event["unstored"] != "", "{event}");
    assert_eq!(page.error("queue-add", json!({}))["code"], "queue-taken");
    // It has the analyses of the first one then.
    let mut first = Page::open(address);
    let game = first.game("1. e4 *");
    first.request("save", json!({ "document": game }));
    drop(server);
    row(other, long, is("searching"));
    assert_eq!(list(&Page::open(other).request("boards", json!({}))["boards"]).len(), 1);
    let event = whole(other);
    assert!(list(&event["entries"]).len() == 4 && event["unstored"] == "", "{event}");
}

#[cfg(all(feature = "postgres", unix))]
#[test]
fn queue_on_postgresql_survives_restarts_of_both_servers() {
    let Some(postgres) = crate::server::Server::start("positions") else { return };
    let url = postgres.create("positions");
    let args = ["--web", "127.0.0.1:0", "--db", &url];
    let mut server = Server::start(&args);
    let (address, mut page) = opened(&mut server);
    let done = page.add(json!({ "moves": ["e2e4"], "budget": { "nodes": 2000 } }));
    let finished = row(address, done, is("done"));
    postgres.stop();
    let long = page.add(json!({ "moves": ["d2d4"], "budget": { "time_ms": 86_400_000 } }));
    Page::open(address).visitor.wait_for(|event| event["event"] == "queue" && event["unstored"] != "");
    postgres.up();
    Page::open(address).visitor.wait_for(|event| event["event"] == "queue" && event["unstored"] == "");
    server.end();
    let mut server = Server::start(&args);
    let (address, _page) = opened(&mut server);
    let rows = order(address);
    assert_eq!(numbers(&rows), [done, long]);
    for field in ["nodes", "score", "best", "depth"] {
        assert_eq!(rows[0][field], finished[field], "{field}");
    }
    row(address, long, is("searching"));
}

/// A game in which White loses the queen.
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxe5+ {oh} Nxe5 4. d4 d6 *";

#[test]
fn games_have_reports() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    let game = page.game(GAME);
    let entry = page.add(json!({ "document": game, "lines": 2, "budget": { "nodes": 3000 } }));
    let found = row(address, entry, is("done"));
    assert_eq!(
        (&found["kind"], &found["positions"], &found["found"], &found["name"]),
        (&json!("game"), &json!(9), &json!(9), &json!("A – B"))
    );
    let board = page.request("queue-open", json!({ "entry": entry }))["board"].clone();
    let opened = page.request("open", json!({ "board": board }));
    let (document, report) = (&opened["document"], &opened["document"]["report"]);
    let nodes = list(&document["nodes"]);
    let line = ["e2e4", "e7e5", "d1h5", "b8c6", "h5e5", "c6e5", "d2d4", "d7d6"];
    let mut at = 0;
    let main: Vec<&Value> = line
        .iter()
        .map(|uci| {
            let is_next = |node: &Value| node["parent"] == at && node["uci"] == *uci;
            at = nodes.iter().position(is_next).expect("a move of the game");
            &nodes[at]
        })
        .collect();
    assert_eq!((&main[4]["nags"], &main[4]["comment"]), (&json!([4]), &json!("oh")));
    // All moves and a better line have evaluations.
    let has_eval = |node: &&Value| node["eval"].as_str().is_some_and(|eval| !eval.is_empty());
    assert!(main.iter().all(has_eval) && nodes.iter().filter(has_eval).count() > line.len(), "{document}");
    let parent = &main[4]["parent"];
    assert_eq!(nodes.iter().filter(|node| node["parent"] == *parent).count(), 2);
    assert_eq!((list(&report["expected"]).len(), list(&report["moves"]).len()), (9, 8));
    assert_eq!((&report["moves"], &report["marks"][4], &report["entry"]), (&json!(line), &json!(4), &json!(entry)));
    assert!(report["sides"][0]["marks"][2].as_u64() >= Some(1) && report["sides"][1]["moves"] == 4, "{report}");
    assert!(report["sides"][0]["accuracy"].as_f64() < report["sides"][1]["accuracy"].as_f64(), "{report}");
    // Opened again, it is the same board with the visitors' edits.
    assert_eq!(page.request("queue-open", json!({ "entry": entry }))["board"], board);
    let mut edited = document.clone();
    edited["nodes"][1]["comment"] = "mine".into();
    edited["report"] = json!(null);
    page.request("save", json!({ "board": board, "version": opened["version"], "document": edited }));
    assert_eq!(page.request("queue-open", json!({ "entry": entry }))["board"], board);
    let again = page.request("open", json!({ "board": board }))["document"].clone();
    assert_eq!((&again["nodes"][1]["comment"], &again["report"]), (&json!("mine"), report));
    let boards = |page: &mut Page| list(&page.request("boards", json!({}))["boards"]).len();
    assert_eq!(boards(&mut page), 1);
    // A removed report does not return at the end of a search.
    page.request("remove", json!({ "board": board }));
    page.request("queue-extend", json!({ "entry": entry, "budget": { "nodes": 6000 } }));
    row(address, entry, is("done"));
    page.request("queue-pause", json!({ "paused": true }));
    assert_eq!(boards(&mut page), 0);
}

#[test]
fn running_games_have_partial_reports() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut page) = opened(&mut server);
    let game = page.game("1. e4 e5 2. Nf3 *");
    let entry = page.add(json!({ "document": game, "budget": { "time_ms_each": 86_400_000 } }));
    row(address, entry, |row| row["found"] == 1);
    let board = page.request("queue-open", json!({ "entry": entry }))["board"].clone();
    let opened = page.request("open", json!({ "board": board }));
    let expected = list(&opened["document"]["report"]["expected"]);
    assert!(expected[0].is_f64() && expected[1..].iter().all(Value::is_null), "{expected:?}");
    // Endless games search all positions in passes; a total time is shared.
    page.request("queue-remove", json!({ "entry": entry }));
    let endless = page.add(json!({ "document": game }));
    row(address, endless, |row| row["found"] == 4);
    page.request("queue-remove", json!({ "entry": endless }));
    let shared = page.add(json!({ "document": game, "budget": { "time_ms": 400 } }));
    let found = row(address, shared, is("done"));
    assert!(found["found"] == 4 && found["time_ms"].as_u64() < Some(4 * 400), "{found}");
}

/// The names of the rows.
const ROWS: &str = "[...document.querySelectorAll('#positions .players')].map((name) => name.textContent).join()";

#[test]
fn rows_are_dragged_and_reports_clicked() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let page = browser.open(&format!("http://{}/", server.address()), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.read(&page, GAME);
    browser.wait_for(&page, "document.querySelectorAll('#moves .move').length === 8");
    let click = |id: &str| format!("document.querySelector('{id}').click()");
    let add = |what: &str, unit: &str| {
        format!(
            "(() => {{ for (const [id, value] of [['#add-what', '{what}'], ['#budget-unit', '{unit}'], ['#budget', '0.002']]) {{
                const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('change')); }}
            document.querySelector('#add').requestSubmit(); }})()"
        )
    };
    browser.evaluate(&page, &click("#tab-queue"));
    browser.evaluate(&page, &click("#pause"));
    browser.wait_for(&page, "document.querySelector('#pause').textContent === 'Resume'");
    browser.evaluate(&page, &add("game", "nodes"));
    browser.wait_for(&page, &format!("{ROWS} === 'A – B'"));
    browser.evaluate(&page, &add("position", "none"));
    browser.wait_for(&page, &format!("{ROWS}.startsWith('A – B,')"));
    // Drags the second row above the first one.
    let middle = |browser: &mut Browser, selector: &str, x: f64, y: f64| {
        let script = format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect();
            return [box.left + {x} * box.width, box.top + {y} * box.height]; }})()"
        );
        browser.evaluate(&page, &script)
    };
    let mouse = |browser: &mut Browser, kind: &str, at: &Value| {
        let buttons = u8::from(kind != "mouseReleased");
        let event =
            json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": buttons, "clickCount": 1 });
        browser.call(&page, "Input.dispatchMouseEvent", event);
    };
    let from = middle(&mut browser, "#positions li:nth-child(2) .players", 0.3, 0.5);
    let between = middle(&mut browser, "#positions li:nth-child(1)", 0.3, 0.8);
    let to = middle(&mut browser, "#positions li:nth-child(1)", 0.3, 0.1);
    mouse(&mut browser, "mousePressed", &from);
    mouse(&mut browser, "mouseMoved", &between);
    mouse(&mut browser, "mouseMoved", &to);
    browser.wait_for(
        &page,
        "!!document.querySelector('#positions li.dragged') && !!document.querySelector('#positions li.over')",
    );
    mouse(&mut browser, "mouseReleased", &to);
    browser.wait_for(&page, &format!("{ROWS}.endsWith(',A – B')"));
    // Moves it back by keyboard.
    browser.evaluate(&page, "document.querySelector('#positions li:nth-child(2) .game').focus()");
    let key = json!({ "type": "keyDown", "key": "ArrowUp", "code": "ArrowUp", "modifiers": 1 });
    browser.call(&page, "Input.dispatchKeyEvent", key);
    browser.wait_for(&page, &format!("{ROWS}.startsWith('A – B,')"));
    let focused = "document.activeElement.closest('li') === document.querySelector('#positions li')";
    assert_eq!(browser.evaluate(&page, focused), true);
    // The finished game opens with its report.
    browser.evaluate(&page, &click("#pause"));
    browser.wait_for(&page, "document.querySelector('#positions li').dataset.state === 'done'");
    let row = middle(&mut browser, "#positions li .players", 0.5, 0.5);
    mouse(&mut browser, "mousePressed", &row);
    mouse(&mut browser, "mouseReleased", &row);
    browser.wait_for(&page, "document.querySelector('#report').checkVisibility()");
    browser.wait_for(&page, "document.querySelectorAll('#report-sides td').length === 10");
    browser.wait_for(&page, "document.querySelector('#report-marks [data-nag=\"4\"]')?.textContent === '■'");
    browser.wait_for(&page, "location.hash.startsWith('#board=')");
    // A click near the fifth of eight plies selects it.
    let fifth = middle(&mut browser, "#report-graph", 5.2 / 8.0, 0.5);
    mouse(&mut browser, "mousePressed", &fifth);
    mouse(&mut browser, "mouseReleased", &fifth);
    browser.wait_for(&page, "document.querySelector('#moves [aria-current] .san')?.textContent === 'Qxe5+'");
    browser.wait_for(&page, "document.querySelector('#report-graph').getAttribute('aria-valuenow') === '5'");
    browser.wait_for(&page, "document.querySelector('#report-at').textContent.startsWith('3. Qxe5+??')");
    browser.evaluate(&page, &click("#go-last"));
    browser.evaluate(&page, &click("#earlier"));
    browser.wait_for(&page, "document.querySelector('#moves [aria-current] .san')?.textContent === 'Qxe5+'");
    // It is searched on.
    browser.evaluate(&page, &click("#positions [data-act=extend]"));
    browser.wait_for(
        &page,
        "document.querySelector('#positions .faint').textContent.match(/done .* 4\\.?0*k nodes/) !== null",
    );
    // Games without moves are not added.
    browser.read(&page, "[White \"C\"]\n\n1. e4 *\n\n[White \"D\"]\n\n1-0\n\n[White \"E\"]\n\n1. d4 *");
    browser.wait_for(&page, "document.querySelectorAll('#games li').length === 3");
    browser.evaluate(&page, &format!("{0}; {0}", click("#queue-games")));
    browser.wait_for(&page, "document.querySelector('#reading').textContent === '2 of 3 added, 1 without moves'");
    browser.wait_for(&page, "document.querySelectorAll('#positions li').length === 4");
}

/// A board interrupts the queue, unless it shows only what was found.
#[test]
fn queue_is_watched() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let (address, mut visitor) = opened(&mut server);
    let entry = visitor.add(json!({ "moves": ["e2e4"], "lines": 2 }));
    row(address, entry, |row| row["depth"].as_u64() > Some(1));
    let page = browser.open(&format!("http://{address}/#moves=e2e4&ply=1"), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(&page, "document.querySelector('#engine-on').click()");
    browser.wait_for(&page, "document.querySelector('#queue-done').textContent.includes('boards come first')");
    browser.evaluate(
        &page,
        "(() => { const field = document.querySelector('#limit-engine'); field.value = 'watch'; field.dispatchEvent(new Event('change')); })()",
    );
    browser.wait_for(&page, "document.querySelector('#positions [data-state=searching]') !== null");
    browser.wait_for(&page, "document.querySelector('#state').textContent === 'searching'");
    browser.wait_for(&page, "document.querySelectorAll('#lines [data-ply=\"0\"]').length === 2");
}
