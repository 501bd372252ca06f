//! A node of the tree as JSON, for the page of `lento serve`.

use super::Tree;
use super::show::{MOST, best_line, document, rows};
use super::store;
use crate::database::Location;
use lento::cli::document::notation;
use serde_json::{Value as Json, json};

/// The document of `lento tree show --json`, with the root (`start`) and lines in SAN (`path_san`, `best_san`).
pub fn look(location: &Location, name: &str) -> Result<Json, String> {
    let tree = Tree::open(location)?;
    let (node, position, path) = tree.node(name)?;
    let show = || -> store::Done<Json> {
        let rows = rows(&tree, node)?;
        let below = rows.iter().map(|row| row.child.map_or(Ok(0), |child| tree.store.below(child, MOST)));
        let below = below.collect::<store::Done<Vec<_>>>()?;
        let mut shown = document(&tree, node, &position.board, &path, &rows, &below)?;
        shown["start"] = tree.start.fen(false).into();
        shown["path_san"] = json!(notation(&tree.start, &path, false).1);
        shown["best_san"] = json!(notation(&position.board, &best_line(&tree, node)?, false).1);
        Ok(shown)
    };
    show().map_err(|error| tree.store.explain(error))
}
