//! A headless Chromium, driven by its DevTools protocol.

use crate::page::{PATIENCE, Visitor};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A headless browser, killed on drop.
pub struct Browser {
    child: Child,
    tools: Visitor,
    calls: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one; `None` if there is none on this machine.
    pub fn start() -> Option<Self> {
        let found = ["chromium", "chromium-browser", "google-chrome"];
        let name = found.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
        let Some(name) = name else {
            println!("skipped: none of {} is installed", found.join(", "));
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(name);
        // Root cannot use the sandbox.
        command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("standard error"));
        let url = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).expect("a line") > 0, "the browser ended");
            if let Some((_, url)) = line.split_once("DevTools listening on ") {
                break url.trim().to_owned();
            }
        };
        thread::spawn(move || _ = said.read_to_end(&mut Vec::new()));
        let address = url.split('/').nth(2).and_then(|host| host.parse().ok()).expect("an address");
        Some(Self { child, tools: Visitor::open(address, &url), calls: 0, _profile: profile })
    }

    /// Calls a method of the DevTools protocol.
    pub fn call(&mut self, session: &str, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut call = json!({ "id": id, "method": method, "params": params });
        if !session.is_empty() {
            call["sessionId"] = session.into();
        }
        self.tools.send(call.to_string());
        let answer = self.tools.wait_for(|message| {
            assert_ne!(message["method"], "Runtime.exceptionThrown", "{message}");
            message["id"] == id
        });
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Opens a page in a window of its own and returns the session.
    pub fn open(&mut self, url: &str, width: u32) -> String {
        let target = self.call("", "Target.createTarget", json!({ "url": "about:blank", "newWindow": true }));
        let session =
            self.call("", "Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let screen = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call(&session, "Emulation.setDeviceMetricsOverride", screen);
        self.call(&session, "Runtime.enable", json!({}));
        self.call(&session, "Page.navigate", json!({ "url": url }));
        session
    }

    pub fn evaluate(&mut self, session: &str, script: &str) -> Value {
        let found = self.call(session, "Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
        assert!(found.get("exceptionDetails").is_none(), "{script}: {found}");
        found["result"]["value"].clone()
    }

    pub fn wait_for(&mut self, session: &str, condition: &str) {
        let start = Instant::now();
        while self.evaluate(session, condition) != true {
            if start.elapsed() > PATIENCE {
                panic!("{condition}: {}", self.evaluate(session, "document.body.innerText"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Opens a game by its text.
    pub fn read(&mut self, session: &str, text: &str) {
        let script = format!(
            "document.querySelector('#read-text').value = {text:?}; document.querySelector('#read').requestSubmit()"
        );
        self.evaluate(session, &script);
    }

    /// Presses and releases the left button on squares of the board.
    pub fn press(&mut self, session: &str, events: &[(&str, &str)]) {
        for (kind, square) in events {
            let script = format!(
                "(() => {{ const box = document.querySelector('#board svg.board').getBoundingClientRect();
                const [file, rank] = ['abcdefgh'.indexOf('{square}'[0]), 8 - '{square}'[1]];
                return [box.left + (file + .5) * box.width / 8, box.top + (rank + .5) * box.height / 8]; }})()"
            );
            let at = self.evaluate(session, &script);
            let buttons = u8::from(*kind != "mouseReleased");
            let event =
                json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": buttons, "clickCount": 1 });
            self.call(session, "Input.dispatchMouseEvent", event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
