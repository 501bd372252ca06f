//! The tree on the page.

use super::board::{Answer, Fields, RequestError};
use super::{Server, UNAVAILABLE};
use crate::database::Location;
use crate::tree::{self, Edit};
use lento_console::notice::notice;
use lento_uci::words::quoted;
use serde_json::{Map, Value, json};
use std::mem::replace;
use tokio::task::spawn_blocking;

impl Server {
    pub async fn tree_answer(&self, ask: &str, request: &Map<String, Value>) -> Answer {
        let fields = Fields::new(request, "");
        let moves = fields.text("path")?.unwrap_or_default().to_owned();
        // Names with a slash are FENs.
        if moves.contains('/') {
            return Err(RequestError::expected("path", &moves.into(), "moves from the root"));
        }
        let Some(tree) = self.args.tree.clone() else {
            return Err(RequestError::new("no-tree", "", "there is no tree; expected a server with --tree"));
        };
        let (location, is_mark) = (tree.clone(), ask == "mark");
        let mark = if is_mark { fields.text("as")?.unwrap_or_default().to_owned() } else { String::new() };
        let answer = spawn_blocking(move || match is_mark {
            true => set(&location, moves, &mark),
            false => tree::look(&location, &moves).map(|tree| json!({ "tree": tree })),
        });
        let answer = answer.await.unwrap_or_else(|error| Err(error.to_string()));
        if is_mark && answer.is_ok() {
            self.queue.broadcast(&json!({ "event": "tree" }));
        }
        let error = answer.as_ref().err().filter(|error| error.starts_with(&format!("{tree}: ")));
        // Logs an error unless it repeats the last one.
        let before = replace(&mut *self.tree_error.lock(), error.cloned().unwrap_or_default());
        if let Some(error) = error {
            if *error != before {
                notice(error);
            }
            return Err(RequestError::new("unavailable", "", UNAVAILABLE));
        }
        answer.map_err(|error| RequestError::new("bad-path", if is_mark { "" } else { "path" }, error))
    }
}

/// Pins, excludes or unmarks a move.
fn set(tree: &Location, moves: String, mark: &str) -> Result<Value, String> {
    let (pinned, excluded) = match mark {
        "pin" => (true, false),
        "exclude" => (false, true),
        "none" => (false, false),
        other => return Err(format!("{}; expected pin, exclude or none", quoted(other))),
    };
    tree::mark(&Edit { tree: tree.clone(), moves }, pinned, excluded).map_err(|error| error.to_string())?;
    Ok(json!({}))
}
