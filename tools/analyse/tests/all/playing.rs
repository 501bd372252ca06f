//! The analysis board in each browser, by mouse and keyboard.

use crate::browser::{Browser, Button, Input};
use crate::page::MOVES;
use crate::serving::Server;
use serde_json::json;

/// Whether the legal moves of a side are known.
fn ready(turn: &str) -> String {
    format!(
        "document.querySelector('#turn')?.textContent === '{turn} to move' && !!document.querySelector('#board .pieces.ready')"
    )
}

/// A page with an analysis board.
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

    /// Waits for these moves, with a star after the current one.
    fn wait_for_moves(&mut self, moves: &str) {
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

    /// Types a move after the text in the field.
    fn type_move(&mut self, text: &str) {
        self.evaluate(&format!(
            "document.querySelector('#typed').value += '{text}'; document.querySelector('#type').requestSubmit()"
        ));
    }

    /// Holds back requests until `release`.
    fn hold(&mut self) {
        self.browser.hold(&self.page, "");
    }

    fn release(&mut self) {
        self.browser.release(&self.page);
    }

    /// With late answers, moves are played in the positions where they were made, or refused.
    fn play_with_late_answers(&mut self) {
        self.click("#new");
        self.wait_for_moves("");
        self.hold();
        for squares in [["e2", "e4"], ["e7", "e5"], ["g1", "f3"]] {
            self.drag(&squares);
        }
        self.press("b8");
        self.press("c6");
        self.release();
        self.wait_for_moves("e4 e5 Nf3 Nc6*");
        self.hold();
        for text in ["Bb5", "a6", "Ba4"] {
            self.type_move(text);
        }
        self.evaluate("document.querySelector('#typed').value = 'N'");
        self.release();
        self.wait_for_moves("e4 e5 Nf3 Nc6 Bb5 a6 Ba4*");
        self.type_move("f6");
        self.wait_for_moves("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6*");
        self.hold();
        self.drag(&["d2", "d4"]);
        self.drag(&["g7", "f7"]);
        self.release();
        self.wait_for("document.querySelector('#notices').textContent.includes('g7–f7')");
        self.wait_for_moves("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 d4*");
        self.type_move("Ke4");
        self.wait_for(
            "document.querySelector('#typed-error').textContent && document.querySelector('#typed').value === 'Ke4'",
        );
        self.key("Escape");
        self.click("#go-back");
        self.wait_for("document.querySelector('#typed-error').textContent === ''");
    }
}

#[test]
fn games_are_navigated_and_edited() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 e5 2. Nf3 Nc6");
        page.wait_for_moves("e4 e5 Nf3 Nc6*");
        for (key, moves) in [
            ("ArrowLeft", "e4 e5 Nf3* Nc6"),
            ("Home", "e4 e5 Nf3 Nc6"),
            ("ArrowRight", "e4* e5 Nf3 Nc6"),
            ("End", "e4 e5 Nf3 Nc6*"),
            ("Home", "e4 e5 Nf3 Nc6"),
        ] {
            page.key(key);
            page.wait_for_moves(moves);
        }
        // Nothing is deleted at the start.
        page.key("Delete");
        let said = "new Promise((done) => setTimeout(() => done(
            document.querySelector('#said-0').textContent + document.querySelector('#said-1').textContent), 100))";
        assert_eq!(page.browser.evaluate(&page.page, said), "start of the game");
        // Adds a variation by dragging, continued by two clicks.
        page.ready("White");
        page.drag(&["d2", "d3", "d4"]);
        page.wait_for_moves("e4 d4* e5 Nf3 Nc6");
        page.ready("Black");
        page.press("d7");
        page.press("d5");
        page.wait_for_moves("e4 d4 d5* e5 Nf3 Nc6");
        page.browser.drag(&page.page, Button::Right, &["b1", "b2", "c3"]);
        page.wait_for("document.querySelectorAll('#board .shapes .arrow').length === 1");
        // Saved edits survive reloading.
        page.wait_for(
            "document.querySelector('#saved').textContent === 'saved' && location.hash.startsWith('#board=')",
        );
        page.browser.reload(&page.page);
        page.wait_for("!!document.querySelector('#moves')");
        page.wait_for_moves("e4 d4 d5* e5 Nf3 Nc6");
        page.wait_for("document.querySelectorAll('#board .shapes .arrow').length === 1");
        page.click("#remove");
        page.wait_for_moves("e4 d4* e5 Nf3 Nc6");
        page.click("#undo");
        page.wait_for_moves("e4 d4 d5* e5 Nf3 Nc6");
        // Redo removes the move of an open menu.
        page.evaluate(
            "document.querySelector('#moves [aria-current]').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true }))",
        );
        page.evaluate("document.querySelector('#redo').click()");
        page.wait_for_moves("e4 d4* e5 Nf3 Nc6");
        page.evaluate("document.querySelector('#menu [data-act=promote]').click()");
        page.click("#undo");
        page.wait_for_moves("e4 d4 d5* e5 Nf3 Nc6");
        page.wait_for("document.querySelector('#saved').textContent === 'saved'");
        page.play_with_late_answers();
    });
}

#[test]
fn comment_field_is_filled_by_the_opened_analysis() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.click("#annotate");
        page.evaluate(&fill("document.querySelector('#comment')", "mine", "input"));
        page.browser.read(&page.page, "[White \"A\"]\n\n1. d4");
        page.wait_for_moves("d4");
        page.wait_for("document.activeElement.id === 'comment' && document.activeElement.value === ''");
    });
}

/// Sets a field and dispatches an event; the focus stays.
fn fill(field: &str, value: &str, event: &str) -> String {
    format!(
        "{{ const field = {field}; field.focus(); field.value = '{value}'; field.dispatchEvent(new Event('{event}', {{ bubbles: true }})); }}"
    )
}

#[test]
fn tags_and_budgets_are_typed() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.evaluate("document.querySelector('#tags').open = true");
        page.wait_for("document.querySelectorAll('#tag-rows li').length === 6");
        for (name, value) in [("White", "Ann"), ("Black", "Bob")] {
            let row = format!(
                "[...document.querySelectorAll('#tag-rows li')].find((row) => row.children[0].value === '{name}')"
            );
            page.evaluate(&fill(&format!("{row}.children[1]"), value, "change"));
        }
        page.wait_for(
            "[...document.querySelectorAll('#tag-rows li')].map((row) => [row.children[0].value, row.children[1].value])
                .filter(([, value]) => value).join() === 'White,Ann,Black,Bob'",
        );
        page.click("#tab-queue");
        page.evaluate(&fill("document.querySelector('#budget-unit')", "until", "change"));
        page.evaluate(&fill("document.querySelector('#budget-until')", "", "change"));
        page.evaluate("document.querySelector('#add').requestSubmit()");
        page.wait_for("document.querySelector('#queue-error').textContent.startsWith('Expected a time of day')");
    });
}

#[test]
fn edits_are_undone_by_keys() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 e5");
        page.wait_for_moves("e4 e5*");
        // The letter at the place of Z on a Russian layout.
        let press = |key: &str, code: &str| {
            format!(
                "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', code: '{code}', ctrlKey: true, bubbles: true }}))"
            )
        };
        page.click("#remove");
        page.wait_for_moves("e4*");
        page.evaluate("document.activeElement.blur()");
        page.evaluate(&press("я", "KeyZ"));
        page.wait_for_moves("e4 e5*");
        // Typing after a pause is a step of its own.
        page.evaluate("window.passed = 0; { const now = Date.now; Date.now = () => now() + passed; }");
        page.key("c");
        page.wait_for("document.activeElement.id === 'comment'");
        for text in ["one", "one two"] {
            page.evaluate(&fill("document.querySelector('#comment')", text, "input"));
            page.evaluate("passed += 5000");
        }
        for (key, code, text) in [("z", "KeyZ", "one"), ("y", "KeyY", "one two"), ("z", "KeyZ", "one")] {
            page.evaluate(&press(key, code));
            page.wait_for(&format!("document.querySelector('#comment').value === '{text}'"));
        }
        // The focus stays in the list when its move is deleted.
        page.click("#moves [data-node=\"2\"]");
        page.key("Delete");
        page.wait_for("document.activeElement.dataset.node === '1'");
    });
}

#[test]
fn castling_rights_of_chess960_are_shown() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.click("#setup");
        page.evaluate(&fill("document.querySelector('#setup-number')", "0", "change"));
        page.wait_for("document.querySelectorAll('#setup-castling :checked').length === 4");
        page.evaluate("document.querySelector('#setup-castling [value=K]').click()");
        page.wait_for("document.querySelector('#setup-fen').value.includes(' w Qkq - ')");
    });
}

#[test]
fn press_released_outside_the_board_is_forgotten() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        let [on, beside] = ["#board svg.board", "#tab-moves"].map(|one| page.browser.middle(&page.page, one));
        page.browser.input(&page.page, &[on, Input::Press(Button::Left), beside, Input::Release(Button::Left)]);
        page.drag(&["e2", "e3", "e4"]);
        page.wait_for_moves("e4*");
    });
}

#[test]
fn file_read_while_a_game_opens_is_opened_next() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.evaluate(
            "window.send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                send.call(this, text);
                if (!text.includes('\"ask\":\"game\"')) return;
                WebSocket.prototype.send = send;
                document.querySelector('#read-text').value = '1. d4';
                document.querySelector('#read').requestSubmit();
            };",
        );
        page.browser.read(&page.page, "1. e4");
        page.wait_for_moves("d4*");
        page.wait_for("document.querySelectorAll('#boards li').length === 2");
        assert_eq!(page.browser.evaluate(&page.page, "document.querySelectorAll('#notices .error').length"), 0);
    });
}

#[test]
fn castling_and_promotion_are_dragged() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5");
        page.wait_for_moves("e4 e5 Nf3 Nc6 Bc4 Bc5*");
        // Castling by both gestures is the same move.
        for squares in [["e1", "f1", "g1"], ["e1", "g1", "h1"]] {
            page.ready("White");
            page.drag(&squares);
            page.wait_for_moves("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O*");
            page.key("ArrowLeft");
        }
        page.paste("8/P6k/8/8/8/8/7K/8 w - - 0 1");
        page.wait_for("document.querySelectorAll('#board .pieces use').length === 3");
        page.ready("White");
        page.drag(&["a7", "a8"]);
        page.wait_for("!document.querySelector('.promotion').hidden");
        page.click(".promotion [aria-label=knight]");
        page.wait_for_moves("a8=N*");
    });
}

#[test]
fn engine_lines_are_added() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        let short =
            "import('./text.js').then(({ brief }) => [0, 4, -4, 26, -1234].map((cp) => brief({ cp })).join(' '))";
        assert_eq!(page.browser.evaluate(&page.page, short), "0.0 0.0 0.0 +0.3 −12");
        page.click("#engine-on");
        page.wait_for("document.querySelectorAll('#lines li [data-ply=\"0\"]').length === 3");
        page.wait_for("document.querySelectorAll('#board .lines .arrow').length > 0");
        page.click("#lines [data-ply=\"0\"]");
        page.wait_for("document.querySelectorAll('#moves .move[aria-current]').length === 1");
        page.click("#engine-on");
        page.wait_for("document.querySelectorAll('#lines [data-ply]').length === 0");
        // A link with moves, on a phone.
        let link = format!("{}#moves=f2f3,e7e5,g2g4,d8h4&ply=4", page.url);
        page.page = page.browser.open(&link, 390);
        page.wait_for("!!document.querySelector('#moves')");
        page.wait_for_moves("f3 e5 g4 Qh4#*");
        page.wait_for("document.querySelector('#turn')?.textContent === '0-1 · checkmate'");
        assert_eq!(page.browser.evaluate(&page.page, "document.documentElement.scrollWidth <= 390"), true);
    });
}

/// Whatever the engine shows, the moves of a low window and the tools below them can be reached.
#[test]
fn low_windows_are_scrolled() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 {one} e5 {two} 2. Nf3 {three} Nc6 {four} 3. Bb5 {five} a6");
        page.wait_for_moves("e4 e5 Nf3 Nc6 Bb5 a6*");
        page.click("#engine-on");
        page.evaluate("document.querySelector('#restrict').open = true");
        page.wait_for("document.querySelectorAll('#candidates button').length > 0");
        page.wait_for("document.querySelectorAll('#lines li [data-ply=\"0\"]').length === 3");
        let is_within = |selector: &str| {
            format!(
                "(() => {{ const [own, panel] = ['{selector}', '#panel-moves'].map((one) => document.querySelector(one).getBoundingClientRect());
                return own.top >= panel.top && own.bottom <= panel.bottom; }})()"
            )
        };
        page.wait_for("getComputedStyle(document.querySelector('#panel-moves')).overflowY === 'auto'");
        page.wait_for(&is_within("#moves [aria-current]"));
        page.key("c");
        page.wait_for(&is_within("#comment"));
    });
}

#[test]
fn kept_lines_belong_to_their_analysis() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("8/P6k/8/8/8/8/7K/8 w - - 0 1");
        page.wait_for("document.querySelectorAll('#board .pieces use').length === 3");
        page.ready("White");
        page.drag(&["a7", "a8"]);
        page.click(".promotion [aria-label=queen]");
        page.wait_for_moves("a8=Q*");
        page.click("#engine-on");
        page.click("#pin");
        page.wait_for("document.querySelectorAll('#lines [data-ply]').length > 0");
        let label = |name: &str| {
            format!("document.querySelector('#pinned').textContent === 'lines of {name}, not of the board'")
        };
        page.key("Home");
        page.wait_for(&label("1. a8=Q"));
        page.click("#pinned");
        page.wait_for_moves("a8=Q*");
        page.click("#new");
        page.wait_for(&format!("{} && document.querySelector('#pinned').disabled", label("another analysis")));
        page.click("#lines [data-ply]");
        page.wait_for("document.querySelector('#notices').textContent.includes('of another analysis')");
        page.wait_for_moves("");
    });
}

#[test]
fn games_are_reviewed_by_keys() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        page.paste("1. e4 $6 e5 2. Qh5 $1 Nc6 3. Qxe5+ $4 Nxe5");
        page.wait_for_moves("e4 e5 Qh5 Nc6 Qxe5+ Nxe5*");
        for (key, moves) in [
            ("p", "e4 e5 Qh5 Nc6 Qxe5+* Nxe5"),
            ("p", "e4* e5 Qh5 Nc6 Qxe5+ Nxe5"),
            ("p", "e4* e5 Qh5 Nc6 Qxe5+ Nxe5"),
            ("n", "e4 e5 Qh5 Nc6 Qxe5+* Nxe5"),
        ] {
            page.key(key);
            page.wait_for_moves(moves);
        }
        // Arrows move in the game again once the field is left.
        page.key("m");
        page.wait_for("document.activeElement.id === 'typed'");
        page.key("Escape");
        page.key("Home");
        page.wait_for_moves("e4 e5 Qh5 Nc6 Qxe5+ Nxe5");
        // The score is stored with the move, and the best move is played from a clicked one.
        page.click("#moves [data-node=\"6\"]");
        page.wait_for_moves("e4 e5 Qh5 Nc6 Qxe5+ Nxe5*");
        page.click("#engine-on");
        page.wait_for("document.querySelector('#score').textContent.startsWith('−')");
        page.key("v");
        page.wait_for("document.querySelector('#moves [data-node=\"6\"] .eval').textContent.startsWith('−')");
        page.click("#moves [data-node=\"6\"]");
        page.key(" ");
        page.wait_for("document.querySelectorAll('#moves .move').length === 7");
    });
}

#[test]
fn dragged_text_is_a_game_unless_it_is_of_the_page() {
    Browser::each(|browser| {
        let mut page = Page::open(browser);
        let drop = |place: &str, text: &str| {
            format!(
                "{{ const dataTransfer = new DataTransfer();
                dataTransfer.setData('text/plain', '{text}');
                document.querySelector('{place}').dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }})); }}"
            )
        };
        let drag = |name: &str| format!("document.body.dispatchEvent(new DragEvent('{name}', {{ bubbles: true }}))");
        page.evaluate(&drop("#typed", "1. e4"));
        page.evaluate(&drop("#board", "1. d4"));
        page.wait_for_moves("d4*");
        page.evaluate(&drag("dragstart"));
        page.evaluate(&drop("#board", "1. c4"));
        page.evaluate(&drag("dragend"));
        page.evaluate(&drop("#board", "1. b4"));
        page.wait_for_moves("b4*");
        page.wait_for("document.querySelectorAll('#boards li').length === 2");
    });
}

#[test]
fn moves_are_played_by_touch() {
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
    // After unreadable input, no games of an earlier file are listed.
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
