//! The page in Chromium while the server is busy or stopped.

use crate::analysing::Folder;
use crate::browser::{Browser, Button, Input, point};
use crate::page::{CONNECTED, MOVES, Visitor};
use crate::serving::Server;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

/// Duration of a slow press.
const PRESS: Duration = Duration::from_millis(150);

impl Browser {
    /// Presses the middle of an element slowly. Lines may change meanwhile: returns last word, line number and state of the element of
    /// this kind that was pressed, if any.
    fn press_slowly(&mut self, page: &str, selector: &str, kind: &str) -> Option<Value> {
        let at = self.evaluate(
            page,
            &format!(
                "document.onpointerdown = ({{ target }}) => {{
                    const found = target.closest({kind:?});
                    window.pressed = found && [found.textContent.split(' ').pop(), found.dataset.expand ?? '', found.ariaExpanded];
                }};
                (() => {{ const box = document.querySelector({selector:?})?.getBoundingClientRect();
                return box ? [box.left + box.width / 2, box.top + box.height / 2] : null; }})()"
            ),
        );
        if at.is_null() {
            thread::sleep(Duration::from_millis(20));
            return None;
        }
        self.input(page, &[point(&at), Input::Press(Button::Left)]);
        thread::sleep(PRESS);
        self.input(page, &[Input::Release(Button::Left)]);
        Some(self.evaluate(page, "window.pressed")).filter(|pressed| !pressed.is_null())
    }
}

#[test]
fn slow_clicks_work_during_a_search() {
    const CLICKS: usize = 50;
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let page = browser.open(&format!("http://{}/", server.address()), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(&page, "document.querySelector('#engine-on').click()");
    let (mut moves, mut rows) = (0, 0);
    for attempt in 0.. {
        if moves == CLICKS && rows == CLICKS {
            break;
        }
        let (line, ply) = (attempt % 3, attempt % 4);
        if moves < CLICKS {
            // The clicked move becomes the current one.
            let chosen = format!("#lines [data-line=\"{line}\"] [data-ply=\"{ply}\"]");
            let Some(pressed) = browser.press_slowly(&page, &chosen, "[data-ply]") else { continue };
            let now = format!("{} === document.querySelector('#moves [aria-current] .san')?.textContent", pressed[0]);
            browser.wait_for(&page, &now);
            browser.key(&page, "Home");
            browser.wait_for(&page, "!document.querySelector('#moves [aria-current]')");
            browser.wait_for(&page, "document.querySelector('#lines [data-ply]')?.textContent.startsWith('1. ')");
            moves += 1;
        } else {
            let row = |line: &str| format!("#lines [data-expand=\"{line}\"]");
            let Some(pressed) = browser.press_slowly(&page, &row(&line.to_string()), "[data-expand]") else { continue };
            let row = row(pressed[1].as_str().expect("a number"));
            browser.wait_for(&page, &format!("document.querySelector({row:?}).ariaExpanded !== {}", pressed[2]));
            rows += 1;
        }
    }
}

#[test]
fn page_is_idle_with_a_full_queue() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--engines", "2"]);
    let address = server.address();
    let mut visitor = Visitor::connect(address);
    for number in 0..200 {
        let [white, black] = [number, number / 8].map(|number| char::from(b'a' + (number % 8) as u8));
        let moves = [format!("{white}3"), format!("{black}6")];
        let budget = json!({ "time_ms": 3_600_000 });
        let add = json!({ "id": number, "ask": "queue-add", "moves": moves, "budget": budget, "lines": 3 });
        visitor.send(add.to_string());
    }
    visitor.wait_for(|message| message["id"] == 199 && message["answer"].is_object());
    let page = browser.open(&format!("http://{address}/"), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(&page, "document.querySelector('#tab-queue').click()");
    browser.wait_for(&page, "document.querySelectorAll('#positions li').length >= 100");
    browser.wait_for(&page, "document.querySelector('#positions').textContent.includes('depth')");
    browser.evaluate(&page, "document.querySelector('#positions button').click()");
    browser.wait_for(&page, "document.querySelectorAll('#queue-lines-of li').length === 3");
    // Measures CPU time, independent of the load of the machine.
    browser.call(&page, "Performance.enable", json!({ "timeDomain": "threadTicks" }));
    let mut busy = || {
        let metrics = browser.call(&page, "Performance.getMetrics", json!({}));
        let task =
            metrics["metrics"].as_array().expect("a list").iter().find(|metric| metric["name"] == "TaskDuration");
        task.and_then(|metric| metric["value"].as_f64()).expect("seconds")
    };
    let (start, before) = (Instant::now(), busy());
    thread::sleep(Duration::from_secs(5));
    let share = (busy() - before) / start.elapsed().as_secs_f64();
    println!("the page is busy {:.1} % of the time", 100.0 * share);
    assert!(share < 0.3, "{share}");
}

#[test]
fn frozen_page_reconnects_after_a_restart() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new("slept");
    let database = folder.path("boards.db");
    let mut server = Server::start(&["--web", "127.0.0.1:0", "--db", &database]);
    let address = server.address();
    let page = browser.open(&format!("http://{address}/"), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.read(&page, "1. e4 e5");
    browser.wait_for(&page, &format!("{MOVES} === 'e4 e5*'"));
    browser.wait_for(&page, "document.querySelector('#saved').textContent === 'saved'");
    let set_state = |browser: &mut Browser, state: &str| -> Value {
        browser.call(&page, "Page.setWebLifecycleState", json!({ "state": state }))
    };
    set_state(&mut browser, "frozen");
    drop(server);
    let mut server = Server::start(&["--web", &address.to_string(), "--db", &database]);
    assert_eq!(server.address(), address);
    set_state(&mut browser, "active");
    // The move is played once connected.
    browser.drag(&page, Button::Left, &["g1", "g2", "f3"]);
    browser.wait_for(&page, &format!("{MOVES} === 'e4 e5 Nf3*'"));
    browser.wait_for(&page, "document.querySelector('#saved').textContent === 'saved'");
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(&page, "document.querySelector('#engine-on').click()");
    browser.wait_for(&page, "document.querySelectorAll('#lines [data-ply]').length > 0");
    browser.evaluate(&page, "document.querySelector('#engine-on').click()");
    // A move made without a connection is saved before another analysis opens.
    browser.read(&page, "1. d4");
    browser.wait_for(&page, "document.querySelectorAll('#boards li').length === 2");
    browser.wait_for(&page, "document.querySelector('#saved').textContent === 'saved'");
    drop(server);
    browser.wait_for(&page, "document.body.classList.contains('offline')");
    browser.drag(&page, Button::Left, &["d7", "d6", "d5"]);
    browser.wait_for(&page, &format!("{MOVES} === 'd4 d5*'"));
    let open_other = "document.querySelector('#boards .game:not([aria-current])').click()";
    browser.evaluate(&page, open_other);
    let mut server = Server::start(&["--web", &address.to_string(), "--db", &database]);
    assert_eq!(server.address(), address);
    browser.wait_for(&page, &format!("{MOVES} === 'e4 e5 Nf3'"));
    browser.evaluate(&page, open_other);
    browser.wait_for(&page, &format!("{MOVES} === 'd4 d5'"));
    // A change by another page is not an edit of this one, which does not save the analysis again once it was removed.
    let mut visitor = Visitor::connect(address);
    let mut ask = |request: Value| {
        visitor.send(request.to_string());
        visitor.wait_for(|message| message["id"] == request["id"])["answer"].clone()
    };
    let board = ask(json!({ "id": 1, "ask": "boards" }))["boards"][0]["board"].clone();
    let mut opened = ask(json!({ "id": 2, "ask": "open", "board": board }));
    opened["document"]["nodes"][2]["comment"] = "theirs".into();
    let (version, document) = (&opened["version"], &opened["document"]);
    ask(json!({ "id": 3, "ask": "save", "board": board, "version": version, "document": document }));
    browser.wait_for(&page, "document.querySelector('#moves').textContent.includes('theirs')");
    assert_eq!(browser.evaluate(&page, "JSON.parse(localStorage.getItem('lento.draft')).isSaved"), true);
    browser.wait_for(&page, &format!("location.hash.includes({board})"));
    ask(json!({ "id": 4, "ask": "remove", "board": board }));
    browser.reload(&page);
    browser.wait_for(&page, &format!("{MOVES} === 'd4 d5' && document.querySelector('#saved').textContent === ''"));
}

/// There may be thousands.
#[test]
fn typing_does_not_redraw_the_analyses() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let page = browser.open(&format!("http://{}/", server.address()), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.read(&page, "1. e4 e5");
    browser.wait_for(&page, "document.querySelectorAll('#boards li').length === 1");
    let drawn = "(() => { let drawn = 0;
        const { toLocaleTimeString } = Date.prototype;
        Date.prototype.toLocaleTimeString = function (...given) { drawn += 1; return toLocaleTimeString.apply(this, given); };
        const field = document.querySelector('#comment');
        for (const letter of 'comment') { field.value += letter; field.dispatchEvent(new Event('input')); }
        return drawn; })()";
    assert_eq!(browser.evaluate(&page, drawn), 0);
    browser.wait_for(&page, "document.querySelector('#moves').textContent.includes('comment')");
}

/// Browsers run the timers of hidden pages once a minute.
#[test]
fn only_suspended_pages_reconnect() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let page = browser.open(&format!("http://{}/", server.address()), 1200);
    browser.wait_for(&page, CONNECTED);
    browser.evaluate(
        &page,
        "window.sockets = 0; window.passed = 0;
        window.WebSocket = class extends WebSocket { constructor(...given) { super(...given); sockets += 1; } };
        { const now = Date.now; Date.now = () => now() + passed; }",
    );
    for (minutes, sockets) in [(1, 0), (60, 1)] {
        browser.evaluate(&page, &format!("passed += {minutes} * 60000"));
        thread::sleep(Duration::from_secs(5));
        assert_eq!(browser.evaluate(&page, "sockets"), sockets, "{minutes} minutes");
    }
}

#[test]
fn hanging_connection_attempt_is_abandoned() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let page = browser.open(&format!("http://{address}/"), 1200);
    browser.wait_for(&page, CONNECTED);
    drop(server);
    // Accepts a connection, and never answers.
    let listener = TcpListener::bind(address).expect("a free port");
    let _silent = listener.accept().expect("a connection");
    drop(listener);
    let _server = Server::start(&["--web", &address.to_string()]);
    browser.wait_for(&page, CONNECTED);
}
