//! The tree on the page.

use super::board::MAX_TEXT;
use super::{Server, UNAVAILABLE};
use crate::database::Location;
use crate::tree::{self, Edit};
use lento_console::notice::notice;
use lento_uci::words::quoted;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

/// The moves of a message, from the root of the tree.
fn moves(message: &Value, field: &str) -> Option<String> {
    // A name with a slash would be a FEN.
    message.get(field)?.as_str().filter(|moves| !moves.contains('/')).map(str::to_owned)
}

impl Server {
    /// Answers a visitor's message about the tree; `None` if it is another one.
    pub async fn tree_message(&self, text: &str) -> Option<Value> {
        let message: Value = serde_json::from_str(text).ok()?;
        let tree = self.tree.as_ref()?;
        let location = tree.clone();
        let answer = if let Some(moves) = moves(&message, "tree") {
            spawn_blocking(move || tree::look(&location, &moves).map(|tree| json!({ "tree": tree }))).await
        } else if let Some(moves) = moves(&message, "mark") {
            let mark = message["as"].as_str().unwrap_or_default().to_owned();
            let marked = spawn_blocking(move || set(&location, moves, &mark)).await;
            if matches!(marked, Ok(Ok(_))) {
                self.desk.tell(&json!({ "tree_changed": true }));
            }
            marked
        } else {
            return None;
        };
        let answer = answer.unwrap_or_else(|error| Err(error.to_string()));
        let error = answer.as_ref().err().filter(|error| error.starts_with(&format!("{tree}: ")));
        self.log_tree_error(error);
        if error.is_some() {
            return Some(json!({ "error": UNAVAILABLE }));
        }
        Some(answer.unwrap_or_else(|error| json!({ "error": error.chars().take(MAX_TEXT).collect::<String>() })))
    }

    /// Logs an error once, however often pages ask.
    fn log_tree_error(&self, error: Option<&String>) {
        let mut latest = self.tree_error.lock();
        if let Some(error) = error.filter(|error| **error != *latest) {
            notice(error);
        }
        *latest = error.cloned().unwrap_or_default();
    }
}

/// Pins or excludes a move, or neither.
fn set(tree: &Location, moves: String, mark: &str) -> Result<Value, String> {
    let (pinned, excluded) = match mark {
        "pin" => (true, false),
        "exclude" => (false, true),
        "none" => (false, false),
        other => return Err(format!("{}; expected pin, exclude or none", quoted(other))),
    };
    tree::mark(&Edit { tree: tree.clone(), moves }, pinned, excluded).map_err(|error| error.to_string())?;
    Ok(json!({ "marked": true }))
}
