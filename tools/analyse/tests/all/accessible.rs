//! Accessibility of the page by axe-core, whose script is in `LENTO_AXE`.

use crate::analysing::{Folder, analyse};
use crate::browser::Browser;
use crate::page::{CONNECTED, MOVES, Visitor};
use crate::serving::{Server, TOKEN};
use crate::tree::done;
use serde_json::json;
use std::{env, fs};

const GAME: &str =
    "{Before} 1. e4 $1 {[%eval 0.3,20] A comment} e5 (1... c5 2. Nf3 (2. Nc3 Nc6) d6 {Sicilian}) 2. Nf3 $6 Nc6 1-0";
/// Views and the scripts that open them, one after the other.
const VIEWS: [(&str, &str); 11] = [
    ("board, lines, moves", ""),
    ("editor", "document.querySelector('#annotate').click()"),
    ("search settings", "document.querySelector('#restrict').open = true"),
    (
        "menu",
        "document.querySelector('#moves .move').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))",
    ),
    ("queue", "document.querySelector('#menu').hidden = true; document.querySelector('#tab-queue').click()"),
    ("boards", "document.querySelector('#tab-boards').click()"),
    ("keys", "document.querySelector('#show-keys').click()"),
    ("open", "document.querySelector('dialog[open]').close(); document.querySelector('#open').click()"),
    ("share", "document.querySelector('dialog[open]').close(); document.querySelector('#share').click()"),
    ("setup", "document.querySelector('dialog[open]').close(); document.querySelector('#setup').click()"),
    (
        "error",
        "document.querySelector('dialog[open]').close(); document.querySelector('#tab-moves').click();
        document.querySelector('#typed').value = 'Ke9'; document.querySelector('#type').requestSubmit()",
    ),
];

impl Browser {
    /// Violations found by axe in a view.
    fn violations(&mut self, page: &str, view: &str) -> String {
        const RUN: &str = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`)).join('\\n'))";
        // Waits for animations, whose elements are half transparent.
        self.evaluate(page, "Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations === 1).map((one) => one.finished)).then(() => {})");
        let found = self.evaluate(page, RUN);
        let found = found.as_str().expect("a text");
        if found.is_empty() { String::new() } else { format!("{view}: {found}\n") }
    }
}

/// Starts a browser and reads the script of axe.
fn start() -> Option<(Browser, String)> {
    let Some(axe) = env::var_os("LENTO_AXE") else {
        println!("skipped: LENTO_AXE does not name axe.min.js of axe-core");
        return None;
    };
    Some((Browser::start()?, fs::read_to_string(axe).expect("a script")))
}

#[test]
fn reports_and_trees_have_no_violations() {
    let Some((mut browser, axe)) = start() else { return };
    let folder = Folder::new("accessible-files");
    let [pgn, tree, report, walk] = ["a.pgn", "a.tree", "report.html", "tree.html"].map(|name| folder.path(name));
    fs::write(&pgn, format!("{GAME}\n\n1. d4 {{[%clk 1:00:00]}} d5 *\n")).expect("a file");
    assert!(analyse(&[&pgn, "--nodes", "1000", "--html", &report]).status.success());
    done(&["init", &tree]);
    done(&["grow", &tree, "--positions", "5", "--search-nodes", "300", "--hash", "1"]);
    done(&["export", &tree, "--html", &walk]);
    let mut found = String::new();
    for (file, scheme) in [(&report, "light"), (&report, "dark"), (&walk, "light"), (&walk, "dark")] {
        let page = browser.open(&format!("file://{file}"), 390);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call(&page, "Emulation.setEmulatedMedia", media);
        browser.wait_for(&page, "document.documentElement.classList.contains('js')");
        browser.key(&page, "ArrowRight");
        browser.evaluate(&page, "document.querySelector('.found [data-ply]')?.click()");
        browser.evaluate(&page, &axe);
        found += &browser.violations(&page, &format!("{file}, {scheme}"));
    }
    assert!(found.is_empty(), "{found}");
}

#[test]
fn views_have_no_violations() {
    let Some((mut browser, axe)) = start() else { return };
    let folder = Folder::new("accessible");
    let view = folder.write("view-token", "look-but-do-not-touch\n");
    let tree = folder.path("a.tree");
    assert!(done(&["init", &tree]).contains("position"));
    let args = ["--web", "127.0.0.1:0", "--token", TOKEN, "--view-token-file", &view, "--tree", &tree];
    let mut server = Server::start(&args);
    if cfg!(unix) {
        // Skips the warning about the token file.
        server.line();
    }
    let address = server.address();
    let url = format!("http://{address}/");
    let mut visitor = Visitor::with_token(address, &format!("ws://{address}/socket"), Some(TOKEN));
    visitor.send(r#"{"id":1,"ask":"queue-add","moves":["e2e4"],"budget":{"depth":5}}"#);
    visitor.wait_for(|update| update["event"] == "queue" && update["entries"][0]["state"] == "done");
    visitor.send(r#"{"id":2,"ask":"queue-pause","paused":true}"#);
    visitor.send(r#"{"id":3,"ask":"queue-add","document":{"nodes":[{},{"parent":0,"uci":"e2e4"}]}}"#);
    visitor.wait_for(|update| update["id"] == 3);
    let mut found = String::new();
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (390, "light")] {
        let page = browser.open(&format!("{url}?token={TOKEN}"), width);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call(&page, "Emulation.setEmulatedMedia", media);
        browser.wait_for(&page, CONNECTED);
        browser.read(&page, GAME);
        browser.wait_for(&page, &format!("{MOVES}.endsWith('Nc6*')"));
        browser.evaluate(&page, "document.querySelector('#engine-on').click()");
        browser.wait_for(&page, "document.querySelectorAll('#lines [data-ply]').length > 3");
        browser.evaluate(&page, "document.querySelector('#positions button').click()");
        browser.wait_for(&page, "document.querySelectorAll('#queue-lines-of li').length > 0");
        browser.wait_for(&page, "document.querySelectorAll('#boards li').length > 0");
        browser.evaluate(&page, &axe);
        for (view, script) in VIEWS {
            browser.evaluate(&page, script);
            found += &browser.violations(&page, &format!("{view}, {scheme}, {width}"));
        }
        browser.evaluate(&page, "document.querySelector('#engine-on').click()");
    }
    let page = browser.open(&format!("{url}?token=look-but-do-not-touch"), 1280);
    browser.wait_for(
        &page,
        "document.body?.classList.contains('view') && document.querySelectorAll('#boards li').length > 0",
    );
    browser.wait_for(&page, "document.querySelectorAll('#positions li').length === 2");
    browser.evaluate(&page, &axe);
    found += &browser.violations(&page, "read-only visitor");
    // A position of the queue can be opened, a game only with a report.
    assert_eq!(browser.evaluate(&page, "document.querySelector('#positions li:nth-child(2) .game').disabled"), true);
    browser.evaluate(&page, "['#positions .game', '#queue-open'].forEach((id) => document.querySelector(id).click())");
    browser.wait_for(&page, &format!("{MOVES} === 'e4*'"));
    assert!(found.is_empty(), "{found}");
}
