//! Headless browsers: Chromium, driven by its DevTools protocol, and Firefox by WebDriver BiDi. They run with `LENTO_BROWSERS=1`.

mod bidi;
mod devtools;

use crate::page::TIMEOUT;
use devtools::DevTools;
use lento_testing::driver::Running;
use serde_json::{Value, json};
use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Operations of a protocol on pages, identified by name.
trait Protocol {
    /// Opens an empty page in a new window.
    fn open(&mut self, width: u32) -> String;
    fn navigate(&mut self, page: &str, url: &str);
    fn reload(&mut self, page: &str);
    /// The value of a script or of its promise. The script runs with user activation. Fails if any script of a page has failed.
    fn evaluate(&mut self, page: &str, script: &str) -> Value;
    fn input(&mut self, page: &str, inputs: &[Input]);
    /// Calls a method of DevTools.
    fn call(&mut self, page: &str, method: &str, _: Value) -> Value {
        panic!("{method} on {page} needs Chromium");
    }
}

#[derive(Clone, Copy)]
pub enum Button {
    Left,
    Right,
}

/// User input.
#[derive(Clone, Copy)]
pub enum Input {
    To(f64, f64),
    Press(Button),
    Release(Button),
    /// Presses and releases a key, named as in `KeyboardEvent.key`.
    Key(&'static str),
    /// Ctrl-V.
    Paste,
}

/// A headless browser, killed on drop.
pub struct Browser {
    _child: Running,
    protocol: Box<dyn Protocol>,
    _profile: lento_testing::Folder,
}

impl Browser {
    /// Starts Chromium; `None` without `LENTO_BROWSERS`, or if not installed.
    pub fn start() -> Option<Self> {
        let name = Self::installed(&["chromium", "chromium-browser", "google-chrome"])?;
        let profile = lento_testing::Folder::new("browser");
        let mut command = Command::new(name);
        // Root cannot use the sandbox.
        command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let (_child, url) = launch(command, "DevTools listening on ");
        Some(Self { _child, protocol: Box::new(DevTools::connect(&url)), _profile: profile })
    }

    fn firefox() -> Option<Self> {
        let name = Self::installed(&["firefox-esr", "firefox"])?;
        let profile = lento_testing::Folder::new("browser");
        let mut command = Command::new(name);
        command.args(["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile"]);
        command.arg(profile.path()).arg("about:blank");
        let (_child, url) = launch(command, "WebDriver BiDi listening on ");
        Some(Self { _child, protocol: Box::new(bidi::Bidi::connect(&url)), _profile: profile })
    }

    /// Runs a test in each installed browser.
    pub fn each(test: impl Fn(&mut Self)) {
        for mut browser in [Self::start, Self::firefox].into_iter().filter_map(|start| start()) {
            test(&mut browser);
        }
    }

    /// The first installed program.
    fn installed(names: &[&'static str]) -> Option<&'static str> {
        if env::var_os("LENTO_BROWSERS").is_none() {
            println!("skipped: LENTO_BROWSERS=1 runs tests with {}", names[0]);
            return None;
        }
        let found = names.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
        if found.is_none() {
            println!("skipped: none of {} is installed", names.join(", "));
        }
        let name = found.copied()?;
        println!("in {name}:");
        Some(name)
    }

    /// Opens a page in a new window and returns its name.
    pub fn open(&mut self, url: &str, width: u32) -> String {
        let page = self.protocol.open(width);
        self.protocol.navigate(&page, url);
        page
    }

    pub fn reload(&mut self, page: &str) {
        self.protocol.reload(page);
    }

    pub fn evaluate(&mut self, page: &str, script: &str) -> Value {
        self.protocol.evaluate(page, script)
    }

    /// Calls a method of DevTools, in Chromium.
    pub fn call(&mut self, page: &str, method: &str, params: Value) -> Value {
        self.protocol.call(page, method, params)
    }

    pub fn input(&mut self, page: &str, inputs: &[Input]) {
        self.protocol.input(page, inputs);
    }

    /// The value of an expression after a frame, since pages draw changes in the next frame.
    fn evaluate_drawn(&mut self, page: &str, expression: &str) -> Value {
        let script = format!(
            "new Promise((done, fail) => {{
            const drawn = () => setTimeout(() => {{ try {{ done({expression}); }} catch (error) {{ fail(error); }} }});
            if (document.visibilityState === 'visible') requestAnimationFrame(drawn); else setTimeout(drawn, 250); }})"
        );
        self.evaluate(page, &script)
    }

    pub fn wait_for(&mut self, page: &str, condition: &str) {
        let start = Instant::now();
        while self.evaluate_drawn(page, condition) != true {
            if start.elapsed() > TIMEOUT {
                panic!("{condition}: {}", self.evaluate(page, "document.body.innerText"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Opens a game by its text.
    pub fn read(&mut self, page: &str, text: &str) {
        let script = format!(
            "document.querySelector('#read-text').value = {text:?}; document.querySelector('#read').requestSubmit()"
        );
        self.evaluate(page, &script);
    }

    /// Holds back messages that contain a text, until [`release`](Self::release).
    pub fn hold(&mut self, page: &str, text: &str) {
        let script = format!(
            "window.send = WebSocket.prototype.send; window.held = [];
            WebSocket.prototype.send = function (text) {{
                if (text.includes({text:?})) held.push(() => send.call(this, text));
                else send.call(this, text);
            }};"
        );
        self.evaluate(page, &script);
    }

    pub fn release(&mut self, page: &str) {
        self.evaluate(page, "WebSocket.prototype.send = send; held.forEach((send) => send());");
    }

    /// Copies a text from a field and pastes it into the page.
    pub fn paste(&mut self, page: &str, text: &str) {
        let script = format!(
            "{{ const field = document.createElement('textarea');
            field.value = {text:?};
            document.body.append(field);
            field.select();
            document.execCommand('copy');
            field.remove(); }}"
        );
        self.evaluate(page, &script);
        self.input(page, &[Input::Paste]);
    }

    pub fn key(&mut self, page: &str, key: &'static str) {
        self.input(page, &[Input::Key(key)]);
    }

    /// A point that is unchanged in two frames.
    fn resting(&mut self, page: &str, expression: &str) -> Input {
        let (start, mut before) = (Instant::now(), Value::Null);
        loop {
            let now = self.evaluate_drawn(page, expression);
            if now == before {
                return point(&now);
            }
            assert!(start.elapsed() < TIMEOUT, "{expression} keeps moving");
            before = now;
        }
    }

    /// The middle of the first element that a selector finds.
    pub fn middle(&mut self, page: &str, selector: &str) -> Input {
        let expression = format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        );
        self.resting(page, &expression)
    }

    pub fn click(&mut self, page: &str, selector: &str) {
        let at = self.middle(page, selector);
        self.click_at(page, at);
    }

    pub fn click_at(&mut self, page: &str, at: Input) {
        self.input(page, &[at, Input::Press(Button::Left), Input::Release(Button::Left)]);
    }

    /// The middle of a square of the board, seen by White.
    fn square(&mut self, page: &str, square: &str) -> Input {
        let expression = format!(
            "(() => {{ const box = document.querySelector('#board svg.board').getBoundingClientRect();
            const [file, rank] = ['abcdefgh'.indexOf('{square}'[0]), 8 - '{square}'[1]];
            return [box.left + (file + .5) * box.width / 8, box.top + (rank + .5) * box.height / 8]; }})()"
        );
        self.resting(page, &expression)
    }

    /// Moves a finger over squares of the board, in Chromium.
    pub fn swipe(&mut self, page: &str, squares: &[&str]) {
        let places: Vec<Input> = squares.iter().map(|square| self.square(page, square)).collect();
        let kinds = std::iter::once("touchStart").chain(std::iter::repeat("touchMove"));
        let mut touch = |kind: &str, points: Value| {
            self.call(page, "Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        };
        for (kind, place) in kinds.zip(places) {
            let Input::To(x, y) = place else { continue };
            touch(kind, json!([{ "x": x, "y": y }]));
        }
        touch("touchEnd", json!([]));
    }

    /// Clicks a square of the board.
    pub fn press(&mut self, page: &str, square: &str) {
        let at = self.square(page, square);
        self.click_at(page, at);
    }

    /// Drags over squares of the board.
    pub fn drag(&mut self, page: &str, button: Button, squares: &[&str]) {
        let places: Vec<Input> = squares.iter().map(|square| self.square(page, square)).collect();
        let inputs = [&places[..1], &[Input::Press(button)], &places[1..], &[Input::Release(button)]].concat();
        self.input(page, &inputs);
    }
}

/// A point as scripts return it, [x, y].
pub fn point(at: &Value) -> Input {
    let number = |at: &Value| at.as_f64().expect("a number");
    Input::To(number(&at[0]), number(&at[1]))
}

/// Starts a browser and returns the address that it prints after these words.
fn launch(mut command: Command, words: &str) -> (Running, String) {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("standard error"));
    let url = loop {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).expect("a line") > 0, "the browser ended");
        if let Some((_, url)) = line.split_once(words) {
            break url.trim().to_owned();
        }
    };
    thread::spawn(move || _ = stderr.read_to_end(&mut Vec::new()));
    (Running(child), url)
}

/// A socket to a browser, with numbered calls.
struct Calls {
    socket: crate::page::Visitor,
    count: u64,
}

impl Calls {
    fn connect(url: &str) -> Self {
        let address = url.split('/').nth(2).and_then(|host| host.parse().ok()).expect("an address");
        Self { socket: crate::page::Visitor::open(address, url), count: 0 }
    }

    /// Sends a call and returns the result. Passes all messages until then to `check`.
    fn call(&mut self, mut call: Value, check: impl Fn(&Value)) -> Value {
        self.count += 1;
        let id = self.count;
        call["id"] = json!(id);
        self.socket.send(call.to_string());
        let answer = self.socket.wait_for(|message| {
            check(message);
            message["id"] == id
        });
        assert!(answer.get("error").is_none_or(Value::is_null), "{call}: {answer}");
        answer["result"].clone()
    }
}
