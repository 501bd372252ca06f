//! Analyses that other pages change meanwhile or that cannot be saved, in Chromium.

use crate::analysing::Folder;
use crate::browser::{Browser, Button};
use crate::page::{CONNECTED, MOVES, Visitor};
use crate::serving::{Server, TOKEN};
use crate::tree::{FEW, done};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

const SAVED: &str = "document.querySelector('#saved').textContent === 'saved'";
/// Whether the page asks what to do about a change by another page.
const ASKED: &str = "document.querySelector('#stale-dialog').open";
/// Marks the current move as good.
const MARK: &str = "document.querySelector('#glyphs [data-nag=\"1\"]').click()";
/// A token for read-only access.
const VIEW: &str = "look-but-do-not-touch";
/// Part of requests to save.
const SAVE: &str = "\"ask\":\"save\"";

/// A server, its address, and a connected page.
fn connected(browser: &mut Browser) -> (Server, SocketAddr, String) {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let page = browser.open(&format!("http://{address}/"), 1200);
    browser.wait_for(&page, CONNECTED);
    (server, address, page)
}

/// A server, its address, and a page with a saved game in its list.
fn saved(browser: &mut Browser, game: &str) -> (Server, SocketAddr, String) {
    let (server, address, page) = connected(browser);
    browser.read(&page, game);
    browser.wait_for(&page, &format!("{SAVED} && !!document.querySelector('#boards [data-act]')"));
    (server, address, page)
}

/// Sends a request and returns its answer.
fn ask(visitor: &mut Visitor, request: Value) -> Value {
    visitor.send(request.to_string());
    visitor.wait_for(|message| message["id"] == request["id"])["answer"].clone()
}

/// Holds back the save of an edit until another page has saved the analysis, which is returned.
fn conflict(browser: &mut Browser, page: &str, visitor: &mut Visitor) -> Value {
    browser.hold(page, SAVE);
    browser.evaluate(page, MARK);
    browser.wait_for(page, "held.length === 1");
    let board = ask(visitor, json!({ "id": 1, "ask": "boards" }))["boards"][0]["board"].clone();
    comment(visitor, &board, "theirs");
    board
}

/// Saves an analysis with another comment.
fn comment(visitor: &mut Visitor, board: &Value, text: &str) {
    let mut opened = ask(visitor, json!({ "id": 2, "ask": "open", "board": board }));
    opened["document"]["nodes"][1]["comment"] = text.into();
    let (version, document) = (&opened["version"], &opened["document"]);
    ask(visitor, json!({ "id": 3, "ask": "save", "board": board, "version": version, "document": document }));
}

#[test]
fn conflict_is_answered_before_another_analysis_opens() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    let mut visitor = Visitor::connect(address);
    let board = conflict(&mut browser, &page, &mut visitor);
    browser.evaluate(&page, "document.querySelector('#new').click()");
    browser.release(&page);
    browser.wait_for(&page, &format!("{ASKED} && {MOVES} === 'e4 e5*'"));
    browser.evaluate(&page, "document.querySelector('#stale-dialog [value=copy]').click()");
    browser.wait_for(&page, &format!("!{ASKED} && {MOVES} === ''"));
    let listed = ask(&mut visitor, json!({ "id": 4, "ask": "boards" }))["boards"].clone();
    let copy = listed.as_array().and_then(|all| all.iter().find(|one| one["board"] != board)).expect("a copy");
    let opened = ask(&mut visitor, json!({ "id": 5, "ask": "open", "board": copy["board"] }));
    assert_eq!(opened["document"]["nodes"][2]["nags"], json!([1]), "{opened}");
}

#[test]
fn newest_version_is_shown_after_a_conflict() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    let mut visitor = Visitor::connect(address);
    let board = conflict(&mut browser, &page, &mut visitor);
    browser.release(&page);
    browser.wait_for(&page, ASKED);
    comment(&mut visitor, &board, "newest");
    browser.evaluate(&page, "document.querySelector('#stale-dialog [value=theirs]').click()");
    browser.wait_for(&page, "document.querySelector('#moves').textContent.includes('newest')");
}

#[test]
fn both_versions_are_kept_if_the_question_is_dismissed() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    let mut visitor = Visitor::connect(address);
    conflict(&mut browser, &page, &mut visitor);
    browser.release(&page);
    browser.wait_for(&page, ASKED);
    browser.evaluate(&page, "document.querySelector('#stale-dialog').close()");
    browser.wait_for(&page, &format!("{SAVED} && document.querySelectorAll('#boards li').length === 2"));
}

#[test]
fn positions_are_saved_from_the_first_edit() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, _, page) = connected(&mut browser);
    browser.read(&page, "8/P6k/8/8/8/8/7K/8 w - - 0 1");
    browser.wait_for(&page, "document.querySelectorAll('#board .pieces use').length === 3");
    browser.wait_for(&page, "document.querySelector('#saved').textContent === ''");
    browser.drag(&page, Button::Right, &["a7", "a8"]);
    browser.wait_for(&page, SAVED);
}

#[test]
fn save_without_an_answer_is_no_conflict() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    // The connection ends before the answer to the first save; during the second one, which repeats it, there is another edit.
    browser.evaluate(
        &page,
        &format!(
            "window.send = WebSocket.prototype.send; window.saves = 0;
            WebSocket.prototype.send = function (text) {{
                send.call(this, text);
                if (!text.includes('\"ask\":\"save\"')) return;
                saves += 1;
                if (saves === 1) this.close();
                if (saves === 2) {MARK};
            }};"
        ),
    );
    browser.evaluate(&page, "document.querySelector('#glyphs [data-nag=\"10\"]').click()");
    browser.wait_for(&page, &format!("saves === 3 && {SAVED} && !{ASKED}"));
    let mut visitor = Visitor::connect(address);
    let board = ask(&mut visitor, json!({ "id": 1, "ask": "boards" }))["boards"][0]["board"].clone();
    let opened = ask(&mut visitor, json!({ "id": 2, "ask": "open", "board": board }));
    assert_eq!((&opened["version"], &opened["document"]["nodes"][2]["nags"]), (&json!(3), &json!([1, 10])), "{opened}");
}

#[test]
fn unsaved_analyses_are_returned_to() {
    const RETURN: &str =
        "[...document.querySelectorAll('#notices button')].find((one) => one.textContent === 'Return to it')";
    let Some(mut browser) = Browser::start() else { return };
    let (server, _, page) = saved(&mut browser, "1. d4 d5");
    drop(server);
    browser.wait_for(&page, "document.body.classList.contains('offline')");
    browser.evaluate(&page, MARK);
    browser.evaluate(&page, "document.querySelector('#new').click()");
    browser.wait_for(&page, &format!("{MOVES} === ''"));
    browser.drag(&page, Button::Left, &["e2", "e3", "e4"]);
    // Neither analysis is saved, so that each is left with an offer to return to it.
    for (left, shown) in [("e4*", "d4 d5*"), ("d4 d5*", "e4*")] {
        browser.wait_for(&page, &format!("{MOVES} === '{left}' && !!{RETURN}"));
        browser.evaluate(&page, &format!("{RETURN}.click()"));
        browser.wait_for(&page, &format!("{MOVES} === '{shown}'"));
    }
}

#[test]
fn unsaved_analysis_survives_a_reload() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, _, page) = connected(&mut browser);
    browser.hold(&page, SAVE);
    browser.read(&page, "1. e4 {mine} e5");
    browser.wait_for(&page, &format!("{MOVES} === 'e4 e5*'"));
    browser.evaluate(&page, "document.querySelector('#go-back').click()");
    browser.wait_for(&page, "location.hash.endsWith('ply=1')");
    browser.reload(&page);
    browser.wait_for(
        &page,
        &format!("{MOVES} === 'e4* e5' && document.querySelector('#moves').textContent.includes('mine')"),
    );
}

#[test]
fn failed_save_is_reported_once() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, _, page) = saved(&mut browser, "1. e4 e5");
    // More arrows than the server accepts.
    browser.evaluate(
        &page,
        "(() => { const field = document.querySelector('#shapes');
        const squares = [...'abcdefgh'].flatMap((file) => [...'12345678'].map((rank) => file + rank));
        field.value = squares.flatMap((from) => squares.slice(0, 5).map((to) => 'G' + from + to)).join(' ');
        field.dispatchEvent(new Event('change')); })()",
    );
    browser.wait_for(&page, "document.querySelector('#saved').textContent === 'not saved'");
    thread::sleep(Duration::from_secs(3));
    assert_eq!(browser.evaluate(&page, "document.querySelectorAll('#notices .error').length"), 1);
    // The next edit is saved at once.
    browser.evaluate(&page, "document.querySelector('#undo').click()");
    browser.wait_for(&page, SAVED);
}

#[test]
fn long_names_are_cut() {
    let Some(mut browser) = Browser::start() else { return };
    // The server refuses names of more than 200 characters.
    let (_server, _, page) = saved(&mut browser, &format!("[White \"{}\"]\n\n1. e4 e5", "x".repeat(300)));
    browser.evaluate(&page, "document.querySelector('#boards [data-act=copy]').click()");
    browser.wait_for(&page, "document.querySelectorAll('#boards li').length === 2");
}

#[test]
fn rename_during_the_first_save_is_kept() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, _, page) = connected(&mut browser);
    browser.hold(&page, SAVE);
    browser.read(&page, "1. e4 e5");
    browser.wait_for(&page, "held.length === 1");
    let rename = |name: &str| {
        format!(
            "(() => {{ const field = document.querySelector('#name'); field.value = '{name}'; field.dispatchEvent(new Event('change')); }})()"
        )
    };
    browser.evaluate(&page, &rename("mine"));
    browser.release(&page);
    browser.wait_for(&page, "document.querySelector('#boards .players')?.textContent === 'mine'");
    browser.wait_for(&page, "document.title === 'mine – Lento'");
    browser.evaluate(&page, &rename("ours"));
    browser.wait_for(&page, "document.title === 'ours – Lento'");
}

#[test]
fn read_only_visitors_can_neither_rename_nor_mark() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new("names");
    let (file, tree) = (folder.write("view-token", VIEW), folder.path("a.tree"));
    done(&["init", &tree]);
    done(&[&["grow", &tree, "--positions", "1"][..], &FEW].concat());
    let args = ["--web", "127.0.0.1:0", "--token", TOKEN, "--view-token-file", &file, "--tree", &tree];
    let mut server = Server::start(&args);
    let url = format!("http://{}/?token=", server.address());
    for (token, is_fixed) in [(TOKEN, false), (VIEW, true)] {
        let page = browser.open(&format!("{url}{token}"), 1200);
        browser.wait_for(&page, CONNECTED);
        browser.wait_for(&page, &format!("document.querySelector('#name').readOnly === {is_fixed}"));
        browser.evaluate(&page, "document.querySelector('#tab-tree').click()");
        browser.wait_for(&page, "!!document.querySelector('#tree-moves .marks')");
        let display = browser.evaluate(&page, "getComputedStyle(document.querySelector('#tree-moves .marks')).display");
        assert_eq!(display == "none", is_fixed, "{display}");
    }
}

#[test]
fn read_only_visitors_are_offered_newer_versions() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new("follow");
    let file = folder.write("view-token", VIEW);
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--token", TOKEN, "--view-token-file", &file]);
    let address = server.address();
    let mut visitor = Visitor::with_token(address, &format!("ws://{address}/socket"), Some(TOKEN));
    let game = ask(&mut visitor, json!({ "id": 6, "ask": "read", "text": "1. d4 d5" }));
    let game = ask(&mut visitor, json!({ "id": 7, "ask": "game", "file": game["file"], "index": 0 }));
    let board = ask(&mut visitor, json!({ "id": 8, "ask": "save", "document": game["document"] }))["board"].clone();
    let page = browser.open(&format!("http://{address}/?token={VIEW}#board={}", board.as_str().expect("an id")), 1200);
    browser.wait_for(&page, &format!("{MOVES} === 'd4 d5'"));
    browser.drag(&page, Button::Left, &["e2", "e3", "e4"]);
    browser.wait_for(&page, &format!("{MOVES}.includes('e4*') && !!sessionStorage.getItem('lento.draft')"));
    browser.reload(&page);
    browser.wait_for(&page, &format!("!!document.querySelector('#moves') && {MOVES}.includes('e4*')"));
    comment(&mut visitor, &board, "older");
    let show = "[...document.querySelectorAll('#notices button')].find((one) => one.textContent === 'Show it')";
    browser.wait_for(&page, &format!("!!{show}"));
    // The offer stays, as it may be pressed.
    browser.evaluate(&page, &format!("window.offer = {show}"));
    comment(&mut visitor, &board, "theirs");
    ask(&mut visitor, json!({ "id": 9, "ask": "rename", "board": board, "name": "renamed" }));
    browser.wait_for(&page, "document.querySelector('#boards').textContent.includes('renamed')");
    assert_eq!(browser.evaluate(&page, "offer.isConnected"), true);
    browser.evaluate(&page, &format!("{show}.click()"));
    browser.wait_for(&page, "document.querySelector('#moves').textContent.includes('theirs')");
}

#[test]
fn unsaved_analysis_is_saved_before_a_link_opens() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = connected(&mut browser);
    browser.hold(&page, SAVE);
    browser.read(&page, "1. e4 e5");
    browser.wait_for(&page, "held.length === 1");
    let other = browser.open(&format!("http://{address}/#moves=d2d4"), 1200);
    browser.wait_for(&other, "!!document.querySelector('#moves')");
    browser.wait_for(&other, &format!("{MOVES} === 'd4*' && document.querySelectorAll('#boards li').length === 2"));
}

#[test]
fn save_keeps_the_name_given_by_others() {
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    let mut visitor = Visitor::connect(address);
    let board = ask(&mut visitor, json!({ "id": 1, "ask": "boards" }))["boards"][0]["board"].clone();
    browser.hold(&page, "\"ask\":\"boards\"");
    ask(&mut visitor, json!({ "id": 2, "ask": "rename", "board": board, "name": "theirs" }));
    browser.evaluate(&page, MARK);
    browser.wait_for(&page, SAVED);
    assert_eq!(ask(&mut visitor, json!({ "id": 3, "ask": "boards" }))["boards"][0]["name"], "theirs");
}

/// The focus stays in the queue when its row is removed; a removal that fails is not announced.
#[test]
fn rows_are_removed_by_keys() {
    let Some(mut browser) = Browser::start() else { return };
    let (server, _, page) = connected(&mut browser);
    browser.evaluate(&page, "document.querySelector('#tab-queue').click(); document.querySelector('#pause').click()");
    for count in 1..=2 {
        browser.evaluate(&page, "document.querySelector('#add').requestSubmit()");
        browser.wait_for(&page, &format!("document.querySelectorAll('#positions li').length === {count}"));
    }
    let remove = "document.querySelector('#positions [data-act=remove]')";
    browser.evaluate(&page, &format!("{remove}.focus(); {remove}.click()"));
    browser.wait_for(&page, "document.querySelectorAll('#positions li').length === 1");
    browser.wait_for(&page, "!!document.activeElement.closest('#positions')");
    browser.wait_for(&page, "document.querySelector('#notices').textContent.includes('removed.')");
    browser.evaluate(&page, "document.querySelector('#notices').replaceChildren()");
    drop(server);
    browser.wait_for(&page, "document.body.classList.contains('offline')");
    browser.evaluate(&page, &format!("{remove}.click()"));
    browser.wait_for(&page, "document.querySelector('#notices').textContent.includes('Not connected')");
    assert_eq!(browser.evaluate(&page, "document.querySelector('#notices').textContent.includes('removed.')"), false);
}

#[test]
fn games_are_added_once_after_a_lost_connection() {
    const ADD: &str = "document.querySelector('#queue-games').click()";
    let Some(mut browser) = Browser::start() else { return };
    let (_server, _, page) = connected(&mut browser);
    browser.evaluate(&page, "document.querySelector('#pause').click()");
    browser.read(&page, &["a4", "b4", "c4"].map(|mv| format!("[White \"{mv}\"]\n\n1. {mv} *\n\n")).concat());
    browser.wait_for(&page, "document.querySelectorAll('#games li').length === 3");
    // The connection ends before the second game is added.
    browser.evaluate(
        &page,
        &format!(
            "window.send = WebSocket.prototype.send; window.adds = 0;
            WebSocket.prototype.send = function (text) {{
                if (text.includes('\"ask\":\"queue-add\"') && ++adds === 2) this.close();
                else send.call(this, text);
            }};
            {ADD}"
        ),
    );
    browser.wait_for(&page, "document.querySelector('#read-error').textContent === 'The connection was lost.'");
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(&page, ADD);
    browser.wait_for(&page, "document.querySelector('#reading').textContent === '3 of 3 added'");
    browser.wait_for(&page, "document.querySelectorAll('#positions li').length === 3");
}

#[test]
fn undone_removal_shows_the_analysis_again() {
    const UNDO: &str = "document.querySelector('#notices .notice:not(.error) button')";
    let Some(mut browser) = Browser::start() else { return };
    let (_server, address, page) = saved(&mut browser, "1. e4 e5");
    // The connection ends before the answer, so the request is sent again.
    browser.evaluate(
        &page,
        "window.send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) {
            send.call(this, text);
            if (!text.includes('\"ask\":\"remove\"')) return;
            WebSocket.prototype.send = send;
            this.close();
        };",
    );
    browser.evaluate(&page, "document.querySelector('#boards [data-act=remove]').click()");
    browser.wait_for(&page, &format!("!!{UNDO} && !document.querySelector('#boards li')"));
    browser.evaluate(&page, &format!("{UNDO}.click()"));
    browser.wait_for(&page, "!!document.querySelector('#boards .game[aria-current]')");
    // Edits go to the same analysis.
    browser.evaluate(&page, MARK);
    browser.wait_for(&page, SAVED);
    let mut visitor = Visitor::connect(address);
    let listed = ask(&mut visitor, json!({ "id": 1, "ask": "boards" }))["boards"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}
