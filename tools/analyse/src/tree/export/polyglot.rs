//! The tree as an opening book in Polyglot's format.

use super::super::Tree;
use super::super::args::Export;
use super::super::position::{Position, centipawns};
use super::walk;
use lento_common::polyglot::{Entry, key};
use std::cmp::Reverse;
use std::error::Error;

/// Weight of a best move. It halves with every [`HALF_LOSS`] centipawns.
const WEIGHT: f64 = 1000.0;
const HALF_LOSS: f64 = 15.0;

/// The moves below a node as a book.
pub fn book(tree: &Tree, node: i64, position: &Position, args: &Export) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut entries = Vec::new();
    walk(tree, node, position, Some((args.within, args.best)), |visit| {
        let key = key(&visit.position.board, visit.last);
        let best = visit.rows.iter().filter_map(|row| row.value).max();
        for row in visit.rows.iter().filter(|row| row.child.is_some()) {
            let (Some(best), Some(value)) = (best, row.value) else { continue };
            let loss = f64::from(centipawns(best) - centipawns(value));
            let weight = (WEIGHT * (-loss / HALF_LOSS).exp2()).round().max(1.0) as u16;
            entries.push(Entry::new(key, row.mv, weight));
        }
        Ok(true)
    })?;
    entries.sort_unstable_by_key(|entry| (entry.key, Reverse(entry.weight), entry.mv));
    entries.dedup();
    Ok(entries.into_iter().flat_map(Entry::bytes).collect())
}
