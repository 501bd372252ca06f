//! The analysis board of the page: positions, games of files, saved boards.

mod document;
mod notes;
mod openings;
mod position;
mod read;
mod report;
mod request;
mod store;
mod write;

pub use document::Document;
pub use position::Place;
pub use read::{Files, MAX_FILE};
pub use report::report;
pub use request::{Answer, Fields, RequestError, at_most, message, whole};
pub use store::{Store, Visitor, now, players};

use lento::tb::Tables;
use serde_json::json;
use std::sync::Arc;

/// State shared by all pages.
pub struct Boards {
    pub files: Files,
    pub store: Store,
    pub tables: Option<Arc<Tables>>,
}

impl Boards {
    /// Answers a request; `None` for requests of other modules.
    pub fn answer(&self, visitor: &Visitor, ask: &str, fields: Fields) -> Option<Answer> {
        Some(match ask {
            "position" => position::position(fields, self.tables.as_deref()),
            "play" => position::play(fields),
            "line" => position::line(fields),
            "setup" => position::setup(fields),
            "read" => self.files.read_text(fields),
            "game" => self.files.game(fields),
            "write" => write(fields),
            "boards" => self.store.list(),
            "open" => self.store.open(visitor, fields),
            "save" => self.store.save(visitor, fields),
            "rename" => self.store.rename(fields),
            "copy" => self.store.copy(fields),
            "remove" => self.store.remove(fields),
            "restore" => self.store.restore(fields),
            _ => return None,
        })
    }
}

fn write(fields: Fields) -> Answer {
    let document = Document::parse(fields.need("document", "a document", fields.get("document"))?)?;
    Ok(json!({ "pgn": write::pgn(&document) }))
}

#[cfg(test)]
mod tests;
