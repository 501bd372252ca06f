//! WebDriver BiDi, the protocol of Firefox.

use super::{Button, Calls, Input, Protocol};
use serde_json::{Value, json};

pub struct Bidi(Calls);

impl Bidi {
    pub fn connect(url: &str) -> Self {
        let mut bidi = Self(Calls::connect(&format!("{url}/session")));
        bidi.ask("session.new", json!({ "capabilities": {} }));
        bidi.ask("session.subscribe", json!({ "events": ["log.entryAdded"] }));
        bidi
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.0.call(json!({ "method": method, "params": params }), |message| {
            assert_ne!(message["params"]["type"], "javascript", "{message}");
        })
    }
}

impl Protocol for Bidi {
    fn open(&mut self, width: u32) -> String {
        let created = self.ask("browsingContext.create", json!({ "type": "tab" }));
        let viewport = json!({ "width": width, "height": 800 });
        self.ask("browsingContext.setViewport", json!({ "context": created["context"], "viewport": viewport }));
        created["context"].as_str().expect("a context").to_owned()
    }

    fn navigate(&mut self, page: &str, url: &str) {
        self.ask("browsingContext.navigate", json!({ "context": page, "url": url, "wait": "complete" }));
    }

    fn reload(&mut self, page: &str) {
        self.ask("browsingContext.reload", json!({ "context": page, "wait": "complete" }));
    }

    fn evaluate(&mut self, page: &str, script: &str) -> Value {
        let found = self.ask(
            "script.evaluate",
            json!({ "expression": script, "target": { "context": page }, "awaitPromise": true, "userActivation": true }),
        );
        assert_eq!(found["type"], "success", "{script}: {found}");
        plain(&found["result"])
    }

    fn input(&mut self, page: &str, inputs: &[Input]) {
        let button = |button| match button {
            Button::Left => 0,
            Button::Right => 2,
        };
        let (mut mouse, mut keyboard) = (Vec::new(), Vec::new());
        for &input in inputs {
            match input {
                Input::To(x, y) => mouse.push(json!({ "type": "pointerMove", "x": x.round(), "y": y.round() })),
                Input::Press(one) => mouse.push(json!({ "type": "pointerDown", "button": button(one) })),
                Input::Release(one) => mouse.push(json!({ "type": "pointerUp", "button": button(one) })),
                Input::Key(key) => {
                    keyboard.extend([("keyDown", code(key)), ("keyUp", code(key))]);
                }
                Input::Paste => {
                    let control = code("Control");
                    keyboard.extend([("keyDown", control), ("keyDown", "v"), ("keyUp", "v"), ("keyUp", control)]);
                }
            }
        }
        let keyboard: Vec<Value> =
            keyboard.into_iter().map(|(kind, value)| json!({ "type": kind, "value": value })).collect();
        let sources = json!([
            { "type": "pointer", "id": "mouse", "actions": mouse },
            { "type": "key", "id": "keyboard", "actions": keyboard },
        ]);
        self.ask("input.performActions", json!({ "context": page, "actions": sources }));
    }
}

/// The code point of a key.
fn code(key: &str) -> &str {
    match key {
        "Control" => "\u{e009}",
        "End" => "\u{e010}",
        "Home" => "\u{e011}",
        "ArrowLeft" => "\u{e012}",
        "ArrowUp" => "\u{e013}",
        "ArrowRight" => "\u{e014}",
        "ArrowDown" => "\u{e015}",
        "Delete" => "\u{e017}",
        "Escape" => "\u{e00c}",
        key => key,
    }
}

/// A value without the types that the protocol adds.
fn plain(value: &Value) -> Value {
    match &value["value"] {
        Value::Array(list) if value["type"] == "array" => list.iter().map(plain).collect(),
        Value::Array(_) => panic!("{value}: expected JSON.stringify() for an object"),
        simple => simple.clone(),
    }
}
