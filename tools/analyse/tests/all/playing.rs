//! The analysis board in each browser, by mouse and keyboard.

use crate::browser::{Browser, Button};
use crate::page::MOVES;
use crate::serving::Server;
use serde_json::json;

/// Whether the legal moves of a side have come.
fn ready(turn: &str) -> String {
    format!(
        "document.querySelector('#turn')?.textContent === '{turn} to move' && !!document.querySelector('#board .pieces.ready')"
    )
}

/// A page whose position is ready to be played on.
struct Page<'a> {
    browser: &'a mut Browser,
    page: String,
    url: String,
    _server: Server,
}

impl<'a> Page<'a> {
    fn open(browser: &'a mut Browser) -> Self {
        let mut server = Server::start(&["--web", "127.0.0.1:0"]);
        let url = format!("http://{}/", server.address());
        let page = browser.open(&url, 1200);
        let mut page = Self { browser, page, url, _server: server };
        page.ready("White");
        page
    }

    fn wait_for(&mut self, condition: &str) {
        self.browser.wait_for(&self.page, condition);
    }

    /// Waits for the list of moves, the current one with a star.
    fn is(&mut self, moves: &str) {
        self.wait_for(&format!("{MOVES} === '{moves}'"));
    }

    /// Waits for the legal moves of a side.
    fn ready(&mut self, turn: &str) {
        self.wait_for(&ready(turn));
    }

    fn drag(&mut self, squares: &[&str]) {
        self.browser.drag(&self.page, Button::Left, squares);
    }

    fn press(&mut self, square: &str) {
        self.browser.press(&self.page, square);
    }

    fn click(&mut self, selector: &str) {
        self.browser.click(&self.page, selector);
    }

    fn key(&mut self, key: &'static str) {
        self.browser.key(&self.page, key);
    }

    fn paste(&mut self, text: &str) {
        self.browser.paste(&self.page, text);
    }

    fn evaluate(&mut self, script: &str) {
        self.browser.evaluate(&self.page, script);
    }

    /// Types a move behind what the field has.
    fn types(&mut self, text: &str) {
        self.evaluate(&format!(
            "document.querySelector('#typed').value += '{text}'; document.querySelector('#type').requestSubmit()"
        ));
    }

    /// Keeps requests back until `release`.
    fn hold(&mut self) {
        self.evaluate(
            "window.send = WebSocket.prototype.send; window.held = [];
            WebSocket.prototype.send = function (text) { held.push(() => send.call(this, text)); };",
        );
    }

    fn release(&mut self) {
        self.evaluate("WebSocket.prototype.send = send; held.forEach((send) => send());");
    }

    /// Each move is played in the position it was made in, or refused, however late the answers come.
    fn answers_come_late(&mut self) {
        self.click("#new");
        self.is("");
        self.hold();
        for squares in [["e2", "e4"], ["e7", "e5"], ["g1", "f3"]] {
            self.drag(&squares);
        }
        self.press("b8");
        self.press("c6");
        self.release();
        self.is("e4 e5 Nf3 Nc6*");
        self.hold();
        for text in ["Bb5", "a6", "Ba4"] {
            self.types(text);
        }
        self.evaluate("document.querySelector('#typed').value = 'N'");
        self.release();
        self.is("e4 e5 Nf3 Nc6 Bb5 a6 Ba4*");
        self.types("f6");
        self.is("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6*");
        self.hold();
        self.drag(&["d2", "d4"]);
        self.drag(&["g7", "f7"]);
        self.release();
        self.wait_for("document.querySelector('#notices').textContent.includes('g7–f7')");
        self.is("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 d4*");
        self.types("Ke4");
        self.wait_for(
            "document.querySelector('#typed-error').textContent && document.querySelector('#typed').value === 'Ke4'",
        );
    }
}

#[test]
fn games_are_walked_and_changed_in_each_browser() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 e5 2. Nf3 Nc6");
        page.is("e4 e5 Nf3 Nc6*");
        for (key, moves) in [
            ("ArrowLeft", "e4 e5 Nf3* Nc6"),
            ("Home", "e4 e5 Nf3 Nc6"),
            ("ArrowRight", "e4* e5 Nf3 Nc6"),
            ("End", "e4 e5 Nf3 Nc6*"),
            ("Home", "e4 e5 Nf3 Nc6"),
        ] {
            page.key(key);
            page.is(moves);
        }
        // A variation by dragging, continued by two clicks.
        page.ready("White");
        page.drag(&["d2", "d3", "d4"]);
        page.is("e4 d4* e5 Nf3 Nc6");
        page.ready("Black");
        page.press("d7");
        page.press("d5");
        page.is("e4 d4 d5* e5 Nf3 Nc6");
        page.browser.drag(&page.page, Button::Right, &["b1", "b2", "c3"]);
        page.wait_for("document.querySelectorAll('#board .shapes .arrow').length === 1");
        // What is saved is there after reloading, and undone only here.
        page.wait_for(
            "document.querySelector('#saved').textContent === 'saved' && location.hash.startsWith('#board=')",
        );
        page.browser.reload(&page.page);
        page.wait_for("!!document.querySelector('#moves')");
        page.is("e4 d4 d5* e5 Nf3 Nc6");
        page.wait_for("document.querySelectorAll('#board .shapes .arrow').length === 1");
        page.click("#remove");
        page.is("e4 d4* e5 Nf3 Nc6");
        page.click("#undo");
        page.is("e4 d4 d5* e5 Nf3 Nc6");
        page.wait_for("document.querySelector('#saved').textContent === 'saved'");
        page.answers_come_late();
    });
}

#[test]
fn castling_and_promotion_are_dragged_in_each_browser() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5");
        page.is("e4 e5 Nf3 Nc6 Bc4 Bc5*");
        // Castling by both gestures is one move.
        for squares in [["e1", "f1", "g1"], ["e1", "g1", "h1"]] {
            page.ready("White");
            page.drag(&squares);
            page.is("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O*");
            page.key("ArrowLeft");
        }
        page.paste("8/P6k/8/8/8/8/7K/8 w - - 0 1");
        page.wait_for("document.querySelectorAll('#board .pieces use').length === 3");
        page.ready("White");
        page.drag(&["a7", "a8"]);
        page.wait_for("!document.querySelector('.promotion').hidden");
        page.click(".promotion [aria-label=knight]");
        page.is("a8=N*");
    });
}

#[test]
fn lines_of_the_engine_are_taken_in_each_browser() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.click("#engine-on");
        page.wait_for("document.querySelectorAll('#lines li [data-ply=\"0\"]').length === 3");
        page.wait_for("document.querySelectorAll('#board .lines .arrow').length > 0");
        page.click("#lines [data-ply=\"0\"]");
        page.wait_for("document.querySelectorAll('#moves .move[aria-current]').length === 1");
        page.click("#engine-on");
        page.wait_for("document.querySelectorAll('#lines [data-ply]').length === 0");
        // A link carries moves, and a phone shows them.
        let link = format!("{}#moves=f2f3,e7e5,g2g4,d8h4&ply=4", page.url);
        page.page = page.browser.open(&link, 390);
        page.wait_for("!!document.querySelector('#moves')");
        page.is("f3 e5 g4 Qh4#*");
        page.wait_for("document.querySelector('#turn')?.textContent === '0-1 · checkmate'");
        assert_eq!(page.browser.evaluate(&page.page, "document.documentElement.scrollWidth <= 390"), true);
    });
}

#[test]
fn fingers_play_on_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let phone = browser.open(&format!("http://{}/", server.address()), 360);
    browser.call(&phone, "Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    browser.wait_for(&phone, &ready("White"));
    browser.swipe(&phone, &["e2", "e3", "e4"]);
    browser.wait_for(&phone, &format!("{MOVES} === 'e4*'"));
    browser.wait_for(&phone, &ready("Black"));
    for square in ["e7", "e5"] {
        browser.swipe(&phone, &[square]);
    }
    browser.wait_for(&phone, &format!("{MOVES} === 'e4 e5*'"));
    assert_eq!(browser.evaluate(&phone, "document.documentElement.scrollWidth <= 360"), true);
    browser.evaluate(&phone, "document.querySelector('#open').click()");
    let fits = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('#open-dialog'))";
    assert_eq!(browser.evaluate(&phone, fits), true);
    // What cannot be read leaves no games of an earlier file.
    for unreadable in ["nonsense", ""] {
        browser.read(&phone, "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *");
        browser.wait_for(&phone, "document.querySelectorAll('#games li').length === 2");
        browser.read(&phone, unreadable);
        browser.wait_for(
            &phone,
            "document.querySelector('#games-part').hidden && document.querySelector('#read-error').textContent !== ''",
        );
    }
}
