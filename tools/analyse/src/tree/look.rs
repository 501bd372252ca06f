//! A node of the tree as JSON, for the page of `lento serve`.

use super::show::{document, shown};
use super::store;
use super::{Named, Tree};
use crate::database::Location;
use lento_console::document::notation;
use serde_json::{Value as Json, json};

/// The document of `lento tree show --json`, with the root (`start`) and lines in SAN (`path_san`, `best_san`).
pub fn look(location: &Location, name: &str) -> Result<Json, String> {
    let tree = Tree::open(location)?;
    let Named { node, board, path, .. } = tree.node(name)?;
    let show = || -> store::Done<Json> {
        let shown = shown(&tree, node)?;
        let mut document = document(&tree, &board, &path, &shown)?;
        document["start"] = tree.opening.root.fen(false).into();
        document["path_san"] = json!(notation(&tree.opening.root, &path, false).1);
        document["best_san"] = json!(notation(&board, &shown.best, false).1);
        Ok(document)
    };
    show().map_err(|error| tree.store.explain(error))
}
