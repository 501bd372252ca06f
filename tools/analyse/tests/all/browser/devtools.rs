//! The DevTools protocol of Chromium.

use super::{Button, Calls, Input, Protocol};
use serde_json::{Value, json};

pub struct DevTools {
    calls: Calls,
    /// Position of the mouse, and the mask of pressed buttons.
    at: (f64, f64),
    pressed: u8,
}

impl DevTools {
    pub fn connect(url: &str) -> Self {
        Self { calls: Calls::connect(url), at: (0.0, 0.0), pressed: 0 }
    }

    fn mouse(&mut self, page: &str, kind: &str, button: Option<Button>) {
        let name = match button {
            Some(Button::Left) => "left",
            Some(Button::Right) => "right",
            None => "none",
        };
        let (x, y) = self.at;
        let event = json!({ "type": kind, "x": x, "y": y, "button": name, "buttons": self.pressed, "clickCount": 1 });
        self.call(page, "Input.dispatchMouseEvent", event);
    }
}

impl Protocol for DevTools {
    fn open(&mut self, width: u32) -> String {
        let target = self.call("", "Target.createTarget", json!({ "url": "about:blank", "newWindow": true }));
        let session =
            self.call("", "Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let screen = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call(&session, "Emulation.setDeviceMetricsOverride", screen);
        self.call(&session, "Runtime.enable", json!({}));
        session
    }

    fn navigate(&mut self, page: &str, url: &str) {
        self.call(page, "Page.navigate", json!({ "url": url }));
    }

    fn reload(&mut self, page: &str) {
        self.call(page, "Page.reload", json!({}));
    }

    fn evaluate(&mut self, page: &str, script: &str) -> Value {
        let call = json!({ "expression": script, "returnByValue": true, "awaitPromise": true, "userGesture": true });
        let found = self.call(page, "Runtime.evaluate", call);
        assert!(found.get("exceptionDetails").is_none(), "{script}: {found}");
        found["result"]["value"].clone()
    }

    fn input(&mut self, page: &str, inputs: &[Input]) {
        let mask = |button| match button {
            Button::Left => 1,
            Button::Right => 2,
        };
        for &input in inputs {
            match input {
                Input::Paste => {
                    let event = json!({ "type": "keyDown", "key": "v", "modifiers": 2, "commands": ["paste"] });
                    self.call(page, "Input.dispatchKeyEvent", event);
                    self.call(page, "Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": "v" }));
                }
                Input::To(x, y) => {
                    self.at = (x, y);
                    self.mouse(page, "mouseMoved", None);
                }
                Input::Press(button) => {
                    self.pressed |= mask(button);
                    self.mouse(page, "mousePressed", Some(button));
                }
                Input::Release(button) => {
                    self.pressed &= !mask(button);
                    self.mouse(page, "mouseReleased", Some(button));
                }
                Input::Key(key) => {
                    let mut event = json!({ "type": "keyDown", "key": key });
                    if key.len() == 1 {
                        event["text"] = key.into();
                    }
                    self.call(page, "Input.dispatchKeyEvent", event);
                    self.call(page, "Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
                }
            }
        }
    }

    fn call(&mut self, page: &str, method: &str, params: Value) -> Value {
        let mut call = json!({ "method": method, "params": params });
        if !page.is_empty() {
            call["sessionId"] = page.into();
        }
        self.calls.call(call, |message| assert_ne!(message["method"], "Runtime.exceptionThrown", "{message}"))
    }
}
